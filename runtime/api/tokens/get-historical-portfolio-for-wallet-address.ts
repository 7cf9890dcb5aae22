import type { HoldingItem, OhlcItem } from "../../../generated/responses.gen.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { BalanceRow } from "../../domains/tokens/queries/balance.ts";
import { type DailyBalance, dailyBalances } from "../../domains/tokens/queries/daily-balances.ts";
import { groupBy } from "../../lib/group-by.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import { sortInTurns } from "../../lib/sort-in-turns.ts";
import { isoTimestamp, secondsPerDay } from "../../lib/time.ts";
import { filterInTurns, forEachInTurns, groupInTurns, mapInTurns } from "../../lib/turns.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { type Quote, quoteOf } from "../prices/view-quotes.ts";
import { spansOfDays } from "./days.ts";
import { holdingKey } from "./holdings.ts";
import { viewContract } from "./view-token.ts";

/**
 * A wallet's daily native and ERC-20 balances, newest first, without tokens whose balance was 0 throughout.
 * @throws {RequestError} 400 if there are more rows than a response may have.
 */
export const getHistoricalPortfolioForWalletAddress: Handlers["getHistoricalPortfolioForWalletAddress"] = async (request, context) => {
  const { chain, walletAddress, quoteCurrency, days } = request;
  const { indexedFrom, tokens, limits } = context;
  const span = await spansOfDays(context, chain, days, indexedFrom);
  const dayNumbers = Array.from({ length: days }, (_, position) => span.firstDay / secondsPerDay + position);
  const [opening, changes, rates, hasNative] = await Promise.all([
    tokens.balancesAt(chain.id, walletAddress, span.first - 1),
    tokens.balanceSpans(chain.id, walletAddress, span),
    context.prices.ratesOwnedOfDays(chain.id, quoteCurrency, walletAddress, dayNumbers),
    context.ledger.hasNativeBalances(chain.id),
  ]);
  const openings = new Map<string, string | null>();
  const rowsByKey = new Map<string, Pick<BalanceRow, "token" | "standard">>();
  await forEachInTurns(opening, (row) => {
    const key = holdingKey(row);
    openings.set(key, row.balance);
    rowsByKey.set(key, row);
  });
  const changesByKey = await groupInTurns(changes, holdingKey);
  await forEachInTurns(changesByKey, ([key, [row]]) => {
    if (row !== undefined) rowsByKey.set(key, row);
  });
  const shown = await filterInTurns(
    rowsByKey.values(),
    ({ standard }) => standard === standards.erc20 || (standard === standards.native && hasNative),
  );
  const rows = await sortInTurns(shown, (left, right) => left.standard - right.standard || (left.token < right.token ? -1 : 1));
  const daily = await mapInTurns(rows, ({ token, standard }) => {
    const key = holdingKey({ token, standard });
    const byDay = groupBy(changesByKey.get(key) ?? [], (change) => change.span - 1);
    // A token without an opening balance did not occur before: its balance was 0.
    return { token, standard, balances: dailyBalances(openings.has(key) ? (openings.get(key) ?? null) : "0", byDay, span.coverage) };
  });
  const held = daily.filter(({ balances }) => balances.some(({ high, close }) => high !== "0" || close !== "0"));
  const maxDays = Math.floor(limits.answerRows / Math.max(1, held.length));
  if (days > maxDays) throw unsupportedValue("days", String(days), `at most ${maxDays} for a wallet with ${held.length} tokens`);
  const metadata = await tokens.metadata(
    chain.id,
    held.map(({ token }) => token),
  );
  const chainConfig = context.chains.get(chain.id);
  return {
    address: walletAddress,
    ...chainFields(chain, context.now()),
    quote_currency: quoteCurrency,
    items: await mapInTurns(held, ({ token, standard, balances }) => {
      const { supports_erc: _, ...contract } = viewContract(chainConfig, token, standard, metadata.get(token));
      return {
        ...contract,
        holdings: balances
          .map((balance, position) => {
            const view = (amount: string | null) => quoteOf(amount, rates.rate(token, position), contract.contract_decimals, quoteCurrency);
            return viewDay(span.firstDay + position * secondsPerDay, balance, view);
          })
          .reverse(),
      };
    }),
    indexed_from: indexedFrom,
  };
};

/** All balances on a day are quoted at its closing rate. */
function viewDay(time: number, { open, high, low, close }: DailyBalance, quote: (amount: string | null) => Quote): HoldingItem {
  const ofClose = quote(close);
  const closing: OhlcItem = { balance: close, quote: ofClose.quote, pretty_quote: ofClose.pretty };
  const view = (balance: string | null): OhlcItem => {
    // Most balances do not change on most days.
    if (balance === close) return closing;
    const quoted = quote(balance);
    return { balance, quote: quoted.quote, pretty_quote: quoted.pretty };
  };
  return {
    quote_rate: ofClose.rate,
    timestamp: isoTimestamp(time),
    close: closing,
    high: view(high),
    low: view(low),
    open: view(open),
  };
}
