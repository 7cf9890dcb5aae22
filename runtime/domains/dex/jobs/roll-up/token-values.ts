import type { Address } from "../../../../lib/hex.ts";
import type { TokenState } from "../../../pools/queries/state.ts";
import { volumeBetween } from "../../queries/valuation.ts";
import type { RollUpDeps, TokenValue } from "./roll-up.ts";

const portionSize = 1_000;

/** An exchange's priced tokens with their reserves and daily volumes in its pools, and its total number of tokens. */
export const tokenValues = async (
  { chainId, pools, prices }: RollUpDeps,
  factory: Address,
  priced: readonly Address[],
  shared: readonly Address[],
  { at, dayBefore }: { readonly at: number | null; readonly dayBefore: number | null },
  end: number,
): Promise<{ ranked: TokenValue[]; count: number | null }> => {
  const block = at ?? -1;
  const sharedPools = shared.length === 0 ? [] : await pools.poolsAt(chainId, [factory], shared, block);
  const { total } = await pools.tokensOfExchange(
    chainId,
    factory,
    sharedPools.flatMap(({ token0, token1 }) => [token0, token1]),
    block,
    0,
    0,
  );
  const ranked: TokenValue[] = [];
  for (let first = 0; first < priced.length; first += portionSize) {
    const tokens = priced.slice(first, first + portionSize);
    const inPortion = new Set(tokens);
    const poolsOfPortion = sharedPools.filter(({ token0, token1 }) => inPortion.has(token0) || inPortion.has(token1));
    const [states, rate] = await Promise.all([
      pools.tokenStatesAt(chainId, factory, tokens, poolsOfPortion, [at, dayBefore]),
      prices.ratesAt(chainId, "USD", tokens, end - 1),
    ]);
    for (const token of tokens) {
      const [now, before] = states(token) as readonly [TokenState, TokenState];
      const tokenRate = rate(token);
      if (tokenRate === null) continue;
      ranked.push({ token, rate: tokenRate, reserve: now.reserve, volume: volumeBetween(before, now), swaps: now.swaps - before.swaps });
    }
  }
  return { ranked, count: total };
};
