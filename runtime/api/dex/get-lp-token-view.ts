import type { LiquidityTokenTimeseries, PriceTokenTimeseries, VolumeTokenTimeseries } from "../../../generated/responses.gen.ts";
import { dayOf } from "../../domains/dex/queries/spans.ts";
import { volumeBetween } from "../../domains/dex/queries/valuation.ts";
import type { TokenState } from "../../domains/pools/queries/state.ts";
import { notFound } from "../../lib/request-error.ts";
import { isoTimestamp, secondsPerDay } from "../../lib/time.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { formatQuote, ratePerWholeToken, valueAtRate, viewNumber } from "../prices/view-quotes.ts";
import { requireExchange } from "./exchanges.ts";
import { sharedPoolsWith } from "./shared-pools.ts";
import { daysOfMonth, pointsOfWeek, snapshotAtAnchor } from "./snapshots.ts";
import { statsOfToken, viewExchangeToken } from "./view-exchange-token.ts";

/**
 * A token in an exchange's pools with its daily series. @throws {RequestError} 404 if the exchange is unknown, or none of its pools has the token.
 */
export const getLpTokenView: Handlers["getLpTokenView"] = async ({ chain, dexName, tokenAddress, quoteCurrency }, context) => {
  const exchange = requireExchange(context, chain, dexName);
  const [{ rows }, snapshot] = await Promise.all([
    context.pools.poolsOfToken(chain.id, [exchange.factory], tokenAddress, context.anchor ?? -1, 1, 0),
    snapshotAtAnchor(context, chain),
  ]);
  if (rows.length === 0 || snapshot === null) throw notFound("Token", tokenAddress, `the exchange ${dexName} of ${chain.name}`);
  const [days, shared, metadata] = await Promise.all([
    daysOfMonth(context, chain, snapshot),
    sharedPoolsWith(context, chain, exchange.factory, tokenAddress, context.anchor ?? -1),
    context.tokens.metadata(chain.id, [tokenAddress]),
  ]);
  const key = { factory: exchange.factory, sharedPools: shared.map(({ pool }) => pool) };
  const [nowTime, dayBeforeTime] = [snapshot.end - 1, snapshot.end - 1 - secondsPerDay];
  const [states, sharedTransactions, rateAt, rateOf] = await Promise.all([
    context.pools.tokenStatesAt(chain.id, exchange.factory, [tokenAddress], shared, [
      snapshot.lastBlock,
      snapshot.blockDayBefore,
      ...days.heights,
    ]),
    shared.length === 0
      ? 0
      : context.pools.sharedSwapTransactions(chain.id, key, tokenAddress, snapshot.blockDayBefore, snapshot.lastBlock ?? -1),
    context.prices.ratesAtEachTime(chain.id, quoteCurrency, [tokenAddress], [nowTime, dayBeforeTime]),
    context.prices.ratesOfDays(chain.id, quoteCurrency, [tokenAddress], days.starts.map(dayOf)),
  ]);
  const [now, dayBefore, ...ends] = states(tokenAddress) as readonly [TokenState, TokenState, ...TokenState[]];
  const common = (start: number) => ({ dex_name: exchange.name, chain_id: String(chain.id), dt: isoTimestamp(start) });
  const volumes = days.starts.map((start, day): VolumeTokenTimeseries => {
    const moved = volumeBetween(ends[day] as TokenState, ends[day + 1] as TokenState);
    const quote = valueAtRate(moved, rateOf(tokenAddress, dayOf(start)));
    return {
      ...common(start),
      total_volume: moved,
      volume_quote: viewNumber(quote),
      pretty_volume_quote: formatQuote(quote, quoteCurrency),
    };
  });
  const liquidity = days.starts.map((start, day): LiquidityTokenTimeseries => {
    const held = ends[day + 1]?.reserve ?? null;
    const quote = valueAtRate(held, rateOf(tokenAddress, dayOf(start)));
    return {
      ...common(start),
      total_liquidity: held,
      liquidity_quote: viewNumber(quote),
      pretty_liquidity_quote: formatQuote(quote, quoteCurrency),
    };
  });
  const tokenMetadata = metadata.get(tokenAddress);
  const prices = days.starts.map((start): PriceTokenTimeseries => {
    const rate = ratePerWholeToken(rateOf(tokenAddress, dayOf(start)), tokenMetadata?.decimals ?? null);
    return {
      ...common(start),
      quote_currency: quoteCurrency,
      quote_rate: viewNumber(rate),
      pretty_quote_rate: formatQuote(rate, quoteCurrency),
    };
  });
  const rates = { now: rateAt(tokenAddress, nowTime), dayBefore: rateAt(tokenAddress, dayBeforeTime) };
  const stats = statsOfToken(tokenAddress, dayBefore, now);
  const item = {
    ...viewExchangeToken(chain, context.chains.get(chain.id), exchange, tokenMetadata, stats, rates, quoteCurrency),
    transactions_24h: sharedTransactions === null ? null : now.swap_transactions - dayBefore.swap_transactions + sharedTransactions,
    volume_timeseries_7d: volumes.slice(-pointsOfWeek),
    volume_timeseries_30d: volumes,
    liquidity_timeseries_7d: liquidity.slice(-pointsOfWeek),
    liquidity_timeseries_30d: liquidity,
    price_timeseries_7d: prices.slice(-pointsOfWeek),
    price_timeseries_30d: prices,
  };
  return { ...chainFields(chain, context.contentTime()), items: [item], pagination: null };
};
