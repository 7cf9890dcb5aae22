import type { LiquidityTokenTimeseries, PriceTokenTimeseries, VolumeTokenTimeseries } from "../../../../generated/responses.gen.ts";
import { notFound } from "../../../lib/request-error.ts";
import { isoTimestamp } from "../../../lib/time.ts";
import type { Handlers } from "../../context.ts";
import type { TokenState } from "../../pools/state-queries.ts";
import { chainHead } from "../../views/chain.ts";
import { exchangeNamed } from "./exchanges.ts";
import { daysUpTo, momentOfAnchor, pointsOfWeek } from "./moments.ts";
import { viewExchangeToken, volumeBetween } from "./token-figures.ts";
import { sharedPoolsWith } from "./tokens.ts";

/** A token of an exchange's pools with its daily series. @throws {RequestError} 404, an unknown exchange. @throws {notFound} a token of none of its pools. */
export const getLpTokenView: Handlers["getLpTokenView"] = async ({ chain, dexName, tokenAddress, quoteCurrency }, context) => {
  const exchange = exchangeNamed(context, chain, dexName);
  const [{ rows }, moment] = await Promise.all([
    context.pools.poolsOfToken(chain.id, [exchange.factory], tokenAddress, context.anchor ?? -1, 1, 0),
    momentOfAnchor(context, chain),
  ]);
  if (rows.length === 0 || moment === null) throw notFound("Token", tokenAddress, `the exchange ${dexName} of ${chain.name}`);
  const [days, shared, metadata] = await Promise.all([
    daysUpTo(context, chain, moment),
    sharedPoolsWith(context, chain, exchange.factory, tokenAddress, context.anchor ?? -1),
    context.tokens.metadata(chain.id, [tokenAddress]),
  ]);
  const key = { factory: exchange.factory, shared: shared.map(({ pool }) => pool) };
  const [states, inShared] = await Promise.all([
    context.pools.tokenStatesAt(chain.id, exchange.factory, [tokenAddress], shared, [moment.at, moment.dayBefore, ...days.heights]),
    shared.length === 0 ? 0 : context.pools.sharedSwapTransactions(chain.id, key, tokenAddress, moment.dayBefore, moment.at ?? -1),
  ]);
  const [now, dayBefore, ...ends] = states(tokenAddress) as readonly [TokenState, TokenState, ...TokenState[]];
  const common = (start: number) => ({ dex_name: exchange.name, chain_id: String(chain.id), dt: isoTimestamp(start) });
  const volumes = days.starts.map((start, day): VolumeTokenTimeseries => {
    const [before, after] = [ends[day] as TokenState, ends[day + 1] as TokenState];
    return { ...common(start), total_volume: volumeBetween(before, after), volume_quote: null, pretty_volume_quote: null };
  });
  const liquidity = days.starts.map(
    (start, day): LiquidityTokenTimeseries => ({
      ...common(start),
      total_liquidity: ends[day + 1]?.reserve ?? null,
      liquidity_quote: null,
      pretty_liquidity_quote: null,
    }),
  );
  const prices = days.starts.map(
    (start): PriceTokenTimeseries => ({ ...common(start), quote_currency: quoteCurrency, quote_rate: null, pretty_quote_rate: null }),
  );
  const item = {
    ...viewExchangeToken(chain, context.chains.get(chain.id), exchange, tokenAddress, metadata.get(tokenAddress), { now, dayBefore }),
    transactions_24h: inShared === null ? null : now.swap_transactions - dayBefore.swap_transactions + inShared,
    volume_timeseries_7d: volumes.slice(-pointsOfWeek),
    volume_timeseries_30d: volumes,
    liquidity_timeseries_7d: liquidity.slice(-pointsOfWeek),
    liquidity_timeseries_30d: liquidity,
    price_timeseries_7d: prices.slice(-pointsOfWeek),
    price_timeseries_30d: prices,
  };
  return { ...chainHead(chain, context.now()), items: [item], pagination: null };
};
