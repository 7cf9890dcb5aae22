import type { Chain } from "../../../../generated/requests.gen.ts";
import type { LiquidityTimeseries, PoolWithTimeseries, PriceTimeseries, VolumeTimeseries } from "../../../../generated/responses.gen.ts";
import type { ExchangeConfig } from "../../../config/config.ts";
import type { Address } from "../../../lib/hex.ts";
import { isoTimestamp } from "../../../lib/time.ts";
import type { ResolverContext } from "../../context.ts";
import type { PoolRow } from "../../pools/pool-queries.ts";
import { emptyPool, type PoolState } from "../../pools/state-queries.ts";
import type { TokenMetadata } from "../../tokens/metadata-queries.ts";
import { addressExplorers } from "../../views/chain.ts";
import { priceIn } from "../price.ts";
import { daysUpTo, type Moment, pointsOfWeek } from "./moments.ts";
import { figuresOf, grown, viewPool } from "./pool-figures.ts";

/** Pools with a month of days, the oldest first; the last day ends with the moment, and days without trade are points too. */
export async function poolsWithSeries(
  context: ResolverContext,
  chain: Chain,
  exchange: ExchangeConfig,
  pools: readonly PoolRow[],
  moment: Moment,
): Promise<PoolWithTimeseries[]> {
  const days = await daysUpTo(context, chain, moment);
  const [{ figures, metadata }, states] = await Promise.all([
    figuresOf(context, chain, pools, moment),
    context.pools.statesAt(
      chain.id,
      pools.map(({ pool }) => pool),
      days.heights,
    ),
  ]);
  return figures.map((figure) => {
    const { pool } = figure;
    const common = { dex_name: exchange.name, chain_id: String(chain.id), exchange: pool.pool };
    const ends = states(pool.pool);
    const points = days.starts.map((start, day) =>
      pointsOf({ ...common, dt: isoTimestamp(start) }, ends[day] ?? emptyPool, ends[day + 1] ?? emptyPool, pool, metadata),
    );
    const [volumes, liquidity, prices] = [
      points.map(({ volume }) => volume),
      points.map(({ reserves }) => reserves),
      points.map(({ price }) => price),
    ];
    return {
      ...viewPool(context, chain, exchange, figure, metadata),
      explorers: addressExplorers(context.chains.get(chain.id), pool.pool),
      token_0_reserve_quote: null,
      token_1_reserve_quote: null,
      volume_timeseries_7d: volumes.slice(-pointsOfWeek),
      volume_timeseries_30d: volumes,
      liquidity_timeseries_7d: liquidity.slice(-pointsOfWeek),
      liquidity_timeseries_30d: liquidity,
      price_timeseries_7d: prices.slice(-pointsOfWeek),
      price_timeseries_30d: prices,
    };
  });
}

type Common = Pick<VolumeTimeseries, "dex_name" | "chain_id" | "exchange" | "dt">;

/** A day of a pool, by what it was before and after. What is worth what stays null until prices are indexed. */
function pointsOf(
  common: Common,
  before: PoolState,
  after: PoolState,
  { token0, token1 }: PoolRow,
  metadata: ReadonlyMap<Address, TokenMetadata>,
): { readonly volume: VolumeTimeseries; readonly reserves: LiquidityTimeseries; readonly price: PriceTimeseries } {
  const [first, second] = [metadata.get(token0), metadata.get(token1)];
  const reserves = [
    { amount: after.reserve0, decimals: first?.decimals ?? null },
    { amount: after.reserve1, decimals: second?.decimals ?? null },
  ] as const;
  const [firstInSecond, secondInFirst] = [priceIn(reserves[0], reserves[1]), priceIn(reserves[1], reserves[0])];
  const [firstSymbol, secondSymbol] = [first?.symbol ?? null, second?.symbol ?? null];
  const unpriced = { token_0_quote_rate: null, token_1_quote_rate: null };
  return {
    volume: {
      ...common,
      sum_amount0in: grown(before.amount0_in, after.amount0_in),
      sum_amount0out: grown(before.amount0_out, after.amount0_out),
      sum_amount1in: grown(before.amount1_in, after.amount1_in),
      sum_amount1out: grown(before.amount1_out, after.amount1_out),
      volume_quote: null,
      pretty_volume_quote: null,
      ...unpriced,
      swap_count_24: after.swaps - before.swaps,
    },
    reserves: { ...common, r0_c: after.reserve0, r1_c: after.reserve1, liquidity_quote: null, pretty_liquidity_quote: null, ...unpriced },
    price: {
      ...common,
      price_of_token0_in_token1: firstInSecond,
      pretty_price_of_token0_in_token1: prettyPrice(firstInSecond, secondSymbol),
      price_of_token0_in_token1_description: describe(firstSymbol, secondSymbol),
      price_of_token1_in_token0: secondInFirst,
      pretty_price_of_token1_in_token0: prettyPrice(secondInFirst, firstSymbol),
      price_of_token1_in_token0_description: describe(secondSymbol, firstSymbol),
      quote_currency: "USD",
      price_of_token0_in_quote_currency: null,
      price_of_token1_in_quote_currency: null,
    },
  };
}

const prettyPrice = (price: number | null, symbol: string | null): string | null =>
  price === null || symbol === null ? null : `${price} ${symbol}`;

const describe = (priced: string | null, unit: string | null): string | null =>
  priced === null || unit === null ? null : `The price of ${priced} in ${unit}.`;
