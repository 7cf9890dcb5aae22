import type { LiquidityTimeseries, PriceTimeseries, VolumeTimeseries } from "../../../generated/responses.gen.ts";
import { growthBetween, liquidityValue, type PairRates, volumeValue } from "../../domains/dex/queries/valuation.ts";
import type { PoolState } from "../../domains/pools/queries/state.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import { pretty, viewNumber, wholeRate } from "../prices/view-quotes.ts";
import { priceIn } from "./reserve-price.ts";

/** A day of a pool. */
export interface PoolDay {
  readonly common: Pick<VolumeTimeseries, "dex_name" | "chain_id" | "exchange" | "dt">;
  /** The state at the end of the previous day. */
  readonly before: PoolState;
  /** The state at the end of the day. */
  readonly after: PoolState;
  /** The values of one smallest unit of its tokens at the end of the day. */
  readonly rates: PairRates;
  readonly tokens: readonly [TokenMetadata | undefined, TokenMetadata | undefined];
}

/** The points of a pool's day, valued at the prices at its end. */
export function viewPoolDay({ common, before, after, rates, tokens: [first, second] }: PoolDay): {
  readonly volume: VolumeTimeseries;
  readonly reserves: LiquidityTimeseries;
  readonly price: PriceTimeseries;
} {
  const [decimals0, decimals1] = [first?.decimals ?? null, second?.decimals ?? null];
  const reserves = [
    { amount: after.reserve0, decimals: decimals0 },
    { amount: after.reserve1, decimals: decimals1 },
  ] as const;
  const [firstInSecond, secondInFirst] = [priceIn(reserves[0], reserves[1]), priceIn(reserves[1], reserves[0])];
  const [firstSymbol, secondSymbol] = [first?.symbol ?? null, second?.symbol ?? null];
  const [volume, liquidity] = [volumeValue(before, after, rates), liquidityValue(after, rates)];
  const [rate0, rate1] = [viewNumber(wholeRate(rates[0], decimals0)), viewNumber(wholeRate(rates[1], decimals1))];
  const quoteRates = { token_0_quote_rate: rate0, token_1_quote_rate: rate1 };
  return {
    volume: {
      ...common,
      sum_amount0in: growthBetween(before.amount0_in, after.amount0_in),
      sum_amount0out: growthBetween(before.amount0_out, after.amount0_out),
      sum_amount1in: growthBetween(before.amount1_in, after.amount1_in),
      sum_amount1out: growthBetween(before.amount1_out, after.amount1_out),
      volume_quote: viewNumber(volume),
      pretty_volume_quote: pretty(volume, "USD"),
      ...quoteRates,
      swap_count_24: after.swaps - before.swaps,
    },
    reserves: {
      ...common,
      r0_c: after.reserve0,
      r1_c: after.reserve1,
      liquidity_quote: viewNumber(liquidity),
      pretty_liquidity_quote: pretty(liquidity, "USD"),
      ...quoteRates,
    },
    price: {
      ...common,
      price_of_token0_in_token1: firstInSecond,
      pretty_price_of_token0_in_token1: prettyPrice(firstInSecond, secondSymbol),
      price_of_token0_in_token1_description: describe(firstSymbol, secondSymbol),
      price_of_token1_in_token0: secondInFirst,
      pretty_price_of_token1_in_token0: prettyPrice(secondInFirst, firstSymbol),
      price_of_token1_in_token0_description: describe(secondSymbol, firstSymbol),
      quote_currency: "USD",
      price_of_token0_in_quote_currency: rate0,
      price_of_token1_in_quote_currency: rate1,
    },
  };
}

const prettyPrice = (price: number | null, symbol: string | null): string | null =>
  price === null || symbol === null ? null : `${price} ${symbol}`;

const describe = (priced: string | null, unit: string | null): string | null =>
  priced === null || unit === null ? null : `The price of ${priced} in ${unit}.`;
