import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, StoryContext } from "../story/types.ts";
import { farDeadline, type Pool } from "./exchange-types.ts";
import type { MarketPrices } from "./market-prices.ts";

/** A pool whose price deviates from the market prices by less than 1/500 is not traded with. */
const toleranceDivisor = 500n;

/** The options of createArbitrageSwaps. */
export interface ArbitrageOptions {
  readonly maker: Address;
  readonly router: Address;
  /** The router's function; the one for tokens with a transfer fee also supports other tokens. */
  readonly functionName: "swapExactTokensForTokens" | "swapExactTokensForTokensSupportingFeeOnTransferTokens";
  /** One swap spends at most the maker's balance divided by this, because several pools may draw on it in a day. */
  readonly balanceDivisor: bigint;
}

/** Returns a function that creates a market maker's swaps, which move each pool at least halfway to the market prices, so that pools agree. */
export const createArbitrageSwaps = (
  context: StoryContext,
  prices: MarketPrices,
  { maker, router, functionName, balanceDivisor }: ArbitrageOptions,
): ((pools: readonly Pool[]) => Promise<readonly Call[]>) => {
  const { artifacts } = context;
  const createSwaps = async ({ pair, tokens }: Pool): Promise<Call[]> => {
    const [first, second] = await context.read<readonly [bigint, bigint, number]>(pair, artifacts.pair.abi, "getReserves");
    const ordered = [...tokens].sort() as [Address, Address];
    const values = [first, second].map((reserve, index) => {
      const { unit, price } = prices.rate(ordered[index] as Address);
      return (reserve * price) / unit;
    });
    const [left = 0n, right = 0n] = values;
    const scarce = left < right ? ordered[0] : ordered[1];
    const abundant = left < right ? ordered[1] : ordered[0];
    const difference = left < right ? right - left : left - right;
    if (difference * toleranceDivisor < left) return [];
    const { unit, price } = prices.rate(scarce);
    const requiredAmount = ((difference / 2n) * unit) / price;
    const balance = await context.read<bigint>(scarce, artifacts.presetToken.abi, "balanceOf", [maker]);
    const amount = requiredAmount < balance / balanceDivisor ? requiredAmount : balance / balanceDivisor;
    if (amount === 0n) return [];
    const data = encode(artifacts.router.abi, functionName, [amount, 0n, [scarce, abundant], maker, farDeadline]);
    return [{ from: maker, to: router, data }];
  };
  return async (pools) => {
    const calls: Call[] = [];
    for (const pool of pools) calls.push(...(await createSwaps(pool)));
    return calls;
  };
};
