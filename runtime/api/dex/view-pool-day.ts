import type { LiquidityTimeseries, PriceTimeseries, VolumeTimeseries } from "../../../generated/responses.gen.ts";
import { growthBetween, liquidityValue, type PairRates, volumeValue } from "../../domains/dex/queries/valuation.ts";
import type { PoolState } from "../../domains/pools/queries/state.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import { formatQuote, ratePerWholeToken, viewNumber } from "../prices/view-quotes.ts";
import { reservePrice } from "./reserve-price.ts";

/** One day in a pool. */
export interface PoolDay {
  readonly common: Pick<VolumeTimeseries, "dex_name" | "chain_id" | "exchange" | "dt">;
  /** The state at the end of the previous day. */
  readonly before: PoolState;
  /** The state at the end of the day. */
  readonly after: PoolState;
  /** The value of one smallest unit of each token at the end of the day. */
  readonly rates: PairRates;
  readonly tokens: readonly [TokenMetadata | undefined, TokenMetadata | undefined];
  /** Reserve prices at the end of the day. */
  readonly prices: PairPrices;
}

/** The price of each pool token in the other. */
type PairPrices = Pick<
  PriceTimeseries,
  | "price_of_token0_in_token1"
  | "pretty_price_of_token0_in_token1"
  | "price_of_token0_in_token1_description"
  | "price_of_token1_in_token0"
  | "pretty_price_of_token1_in_token0"
  | "price_of_token1_in_token0_description"
>;

/** Creates a function that computes the prices of a pool's tokens from its reserves. Consecutive states with the same reserves share one result. */
export function createPairPrices([first, second]: PoolDay["tokens"]): (state: PoolState) => PairPrices {
  const [firstSymbol, secondSymbol] = [first?.symbol ?? null, second?.symbol ?? null];
  let last: { readonly state: PoolState; readonly prices: PairPrices } | null = null;
  return (state) => {
    if (last !== null && last.state.reserve0 === state.reserve0 && last.state.reserve1 === state.reserve1) return last.prices;
    const reserve0 = { amount: state.reserve0, decimals: first?.decimals ?? null };
    const reserve1 = { amount: state.reserve1, decimals: second?.decimals ?? null };
    const [firstInSecond, secondInFirst] = [reservePrice(reserve0, reserve1), reservePrice(reserve1, reserve0)];
    const prices = {
      price_of_token0_in_token1: firstInSecond,
      pretty_price_of_token0_in_token1: prettyPrice(firstInSecond, secondSymbol),
      price_of_token0_in_token1_description: describe(firstSymbol, secondSymbol),
      price_of_token1_in_token0: secondInFirst,
      pretty_price_of_token1_in_token0: prettyPrice(secondInFirst, firstSymbol),
      price_of_token1_in_token0_description: describe(secondSymbol, firstSymbol),
    };
    last = { state, prices };
    return prices;
  };
}

/** The points of a pool's day, valued at the prices at its end. */
export function viewPoolDay({ common, before, after, rates, tokens: [first, second], prices }: PoolDay): {
  readonly volume: VolumeTimeseries;
  readonly reserves: LiquidityTimeseries;
  readonly price: PriceTimeseries;
} {
  const [volume, liquidity] = [volumeValue(before, after, rates), liquidityValue(after, rates)];
  const [rate0, rate1] = [
    viewNumber(ratePerWholeToken(rates[0], first?.decimals ?? null)),
    viewNumber(ratePerWholeToken(rates[1], second?.decimals ?? null)),
  ];
  const quoteRates = { token_0_quote_rate: rate0, token_1_quote_rate: rate1 };
  return {
    volume: {
      ...common,
      sum_amount0in: growthBetween(before.amount0_in, after.amount0_in),
      sum_amount0out: growthBetween(before.amount0_out, after.amount0_out),
      sum_amount1in: growthBetween(before.amount1_in, after.amount1_in),
      sum_amount1out: growthBetween(before.amount1_out, after.amount1_out),
      volume_quote: viewNumber(volume),
      pretty_volume_quote: formatQuote(volume, "USD"),
      ...quoteRates,
      swap_count_24: after.swaps - before.swaps,
    },
    reserves: {
      ...common,
      r0_c: after.reserve0,
      r1_c: after.reserve1,
      liquidity_quote: viewNumber(liquidity),
      pretty_liquidity_quote: formatQuote(liquidity, "USD"),
      ...quoteRates,
    },
    price: {
      ...common,
      ...prices,
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
