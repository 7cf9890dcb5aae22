import type { Currency } from "../../../generated/requests.gen.ts";
import type { HoldingItem, OhlcItem } from "../../../generated/responses.gen.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
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
import { quoteOf } from "../prices/view-quotes.ts";
import { spansOfDays } from "./day-spans.ts";
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
  const dayNumbers = Array.from({ length: days }, (_, position) => span.firstDayStart / secondsPerDay + position);
  const [opening, changes, rates, hasNative] = await Promise.all([
    tokens.balancesAt(chain.id, walletAddress, span.firstBlock - 1),
    tokens.balanceSpans(chain.id, walletAddress, span),
    context.prices.ownedTokenRatesOfDays(chain.id, quoteCurrency, walletAddress, dayNumbers),
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
  const maxDays = Math.floor(limits.responseRows / Math.max(1, held.length));
  if (days > maxDays) throw unsupportedValue("days", String(days), `at most ${maxDays} for a wallet with ${held.length} tokens`);
  const metadata = await tokens.metadata(
    chain.id,
    held.map(({ token }) => token),
  );
  const chainConfig = context.chains.get(chain.id);
  const timestamps = dayNumbers.map((day) => isoTimestamp(day * secondsPerDay));
  return {
    address: walletAddress,
    ...chainFields(chain, context.contentTime()),
    quote_currency: quoteCurrency,
    items: await mapInTurns(held, ({ token, standard, balances }) => {
      const { supports_erc: _, ...contract } = viewContract(chainConfig, token, standard, metadata.get(token));
      const view = createAmountViews(contract.contract_decimals, quoteCurrency);
      const holdings = balances.map((balance, position) => viewDay(timestamps[position] ?? "", balance, rates.rate(token, position), view));
      return { ...contract, holdings: holdings.reverse() };
    }),
    indexed_from: indexedFrom,
  };
};

/** An amount, its quote at a rate, and the rate of one whole token. */
interface AmountView {
  readonly rate: Rate;
  readonly quoteRate: number | null;
  readonly item: OhlcItem;
}

type ViewAmount = (balance: string | null, rate: Rate) => AmountView;

/** Creates a function that views a token's amounts. Consecutive equal amounts at one rate share a view, because balances and prices rarely change. */
function createAmountViews(decimals: number | null, currency: Currency): ViewAmount {
  let last: AmountView | undefined;
  return (balance, rate) => {
    if (last === undefined || last.item.balance !== balance || last.rate !== rate) {
      const { rate: quoteRate, quote, pretty } = quoteOf(balance, rate, decimals, currency);
      last = { rate, quoteRate, item: { balance, quote, pretty_quote: pretty } };
    }
    return last;
  };
}

/** All balances on a day are quoted at its closing rate. */
function viewDay(timestamp: string, { open, high, low, close }: DailyBalance, rate: Rate, view: ViewAmount): HoldingItem {
  const closing = view(close, rate);
  const itemOf = (balance: string | null): OhlcItem => (balance === close ? closing.item : view(balance, rate).item);
  return {
    quote_rate: closing.quoteRate,
    timestamp,
    close: closing.item,
    high: itemOf(high),
    low: itemOf(low),
    open: itemOf(open),
  };
}
