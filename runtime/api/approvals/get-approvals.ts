import type { TokensApprovalItem } from "../../../generated/responses.gen.ts";
import { amountAtRisk, amountAtRiskOfAll, knownAllowance, riskFactor } from "../../domains/approvals/at-risk.ts";
import type { AllowanceRow } from "../../domains/approvals/queries/allowance.ts";
import { isUnlimited, unlimitedText } from "../../domains/approvals/unlimited.ts";
import { labelOf } from "../../domains/names/labels.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import { compare, type Decimal } from "../../lib/decimal.ts";
import type { Address } from "../../lib/hex.ts";
import { sortInTurns } from "../../lib/sort-in-turns.ts";
import { forEachInTurns, groupInTurns, mapInTurns } from "../../lib/turns.ts";
import { chainFields, tokenLogo } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { formatQuote, quoteOf, valueAtRate, viewNumber } from "../prices/view-quotes.ts";
import { type ListedApprovals, readApprovals, viewSpender, withoutSpam } from "./listed-approvals.ts";

const currency = "USD";

/** The current allowances of a wallet's ERC-20 tokens, highest value at risk first. @throws {RequestError} 400 if a response cannot list them all. */
export const getApprovals: Handlers["getApprovals"] = async ({ chain, walletAddress }, context) => {
  const { indexedFrom, approvals, limits, contentTime } = context;
  const max = limits.responseRows;
  const allowances = await readApprovals(walletAddress, max, (limit, scope) =>
    approvals.allowancesOf(chain.id, walletAddress, limit, scope),
  );
  const tokens = new Set(allowances.map(({ token }) => token));
  const [listed, balances, rate] = await Promise.all([
    withoutSpam(context, chain, allowances),
    approvals.erc20BalancesOf(chain.id, walletAddress, tokens),
    context.prices.ratesAt(chain.id, currency, tokens, Math.floor(contentTime().getTime() / 1000)),
  ]);
  const chainConfig = context.chains.get(chain.id);
  // In a complete index, a balance without a row is 0.
  const missingBalance = indexedFrom === null ? "0" : null;
  const items: Ranked<TokensApprovalItem>[] = [];
  await forEachInTurns(await groupInTurns(listed.rows, ({ token }) => token), async ([token, rows]) => {
    const balance = balances.get(token);
    const holding = { balance: balance === undefined ? missingBalance : balance, rate: rate(token), logo: tokenLogo(chainConfig, token) };
    items.push(await viewToken(listed, token, rows, holding));
  });
  return {
    address: walletAddress,
    ...chainFields(chain, contentTime()),
    quote_currency: currency,
    items: (await sortInTurns(items, byRisk)).map(({ item }) => item),
    indexed_from: indexedFrom,
  };
};

/** An item with its sort keys. */
interface Ranked<T> {
  readonly item: T;
  readonly value: Decimal | null;
  readonly amount: bigint | null;
  readonly address: Address;
}

async function viewToken(
  { metadata, labels }: ListedApprovals<AllowanceRow>,
  token: Address,
  rows: readonly AllowanceRow[],
  { balance, rate, logo }: { readonly balance: string | null; readonly rate: Rate; readonly logo: string | null },
): Promise<Ranked<TokensApprovalItem>> {
  const { symbol = null, decimals = null } = metadata.get(token) ?? {};
  const balanceAmount = balance === null ? null : BigInt(balance);
  const balanceQuote = quoteOf(balance, rate, decimals, currency);
  const atRisk = amountAtRiskOfAll(await mapInTurns(rows, knownAllowance), balanceAmount);
  const atRiskQuote = quotedAmount(atRisk, rate);
  const spenders = await mapInTurns(rows, (row) => {
    const allowance = knownAllowance(row);
    const isInfinite = allowance !== null && isUnlimited(allowance);
    const allowanceQuote = quotedAmount(isInfinite ? null : allowance, rate);
    const amount = amountAtRisk(allowance, balanceAmount);
    const value = quotedAmount(amount, rate);
    const item = {
      ...viewSpender(labels, row),
      allowance: isInfinite ? unlimitedText : (allowance?.toString() ?? null),
      allowance_quote: allowanceQuote.quote,
      pretty_allowance_quote: isInfinite ? unlimitedText : allowanceQuote.pretty,
      value_at_risk: amount?.toString() ?? null,
      value_at_risk_quote: value.quote,
      pretty_value_at_risk_quote: value.pretty,
      risk_factor: riskFactor(allowance, amount, value.exact),
    };
    return { item, value: value.exact, amount, address: row.spender };
  });
  const item: TokensApprovalItem = {
    token_address: token,
    token_address_label: labelOf(labels, token),
    ticker_symbol: symbol,
    contract_decimals: decimals,
    logo_url: logo,
    quote_rate: balanceQuote.rate,
    balance,
    balance_quote: balanceQuote.quote,
    pretty_balance_quote: balanceQuote.pretty,
    value_at_risk: atRisk?.toString() ?? null,
    value_at_risk_quote: atRiskQuote.quote,
    pretty_value_at_risk_quote: atRiskQuote.pretty,
    spenders: (await sortInTurns(spenders, byRisk)).map((spender) => spender.item),
  };
  return { item, value: atRiskQuote.exact, amount: null, address: token };
}

const quotedAmount = (amount: bigint | null, rate: Rate) => {
  const exact = valueAtRate(amount?.toString() ?? null, rate);
  return { exact, quote: viewNumber(exact), pretty: formatQuote(exact, currency) };
};

/** Orders by value, then by amount, both descending with unknown values last, then by address. */
const byRisk = (left: Ranked<unknown>, right: Ranked<unknown>): number =>
  descending(left.value, right.value, compare) ||
  descending(left.amount, right.amount, (first, second) => (first < second ? -1 : first > second ? 1 : 0)) ||
  (left.address < right.address ? -1 : 1);

const descending = <T>(left: T | null, right: T | null, ascending: (left: T, right: T) => number): number => {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return ascending(right, left);
};
