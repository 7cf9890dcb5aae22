import { type Address, type Hex, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { farDeadline, type RangePool } from "./exchange-types.ts";
import type { MarketPrices } from "./market-prices.ts";
import { sqrtPriceAt } from "./sqrt-price.ts";

const swapsPerDay = 5;
/** Two pools here and five of the second exchange draw on the market maker's balance. */
const balanceDivisor = 8n;
/** Pools whose square-root price deviates by less than 1/1000 are not corrected; that is 1/500 of the price. */
const toleranceDivisor = 1_000n;

interface SwapOptions {
  readonly dollarEther: RangePool;
  readonly goldEther: RangePool;
  readonly usd: Address;
  readonly gold: Address;
  readonly weth: Address;
  readonly traders: readonly Address[];
}

/** Packs a path for Uniswap V3's router: token, fee in three bytes, token and so on. */
const encodePath = (tokens: readonly Address[], fees: readonly number[]): Hex =>
  `0x${tokens.map((token, index) => `${index === 0 ? "" : (fees[index - 1] ?? 0).toString(16).padStart(6, "0")}${token.slice(2)}`).join("")}`;

/** Creates the daily swaps: first the market maker's, which end exactly at the market price if its funds suffice, then the traders'. */
export const createRangeSwaps = (
  context: StoryContext,
  accounts: Accounts,
  prices: MarketPrices,
  router: Address,
  { dollarEther, goldEther, usd, gold, weth, traders }: SwapOptions,
): DailyCalls => {
  const { holdings, artifacts } = context;
  const random = context.createRandom("range swaps");
  const { secondMarketMaker } = accounts;
  const encodeSwap = (from: Address, { fee }: RangePool, [tokenIn, tokenOut]: readonly [Address, Address], amountIn: bigint, limit = 0n) =>
    encode(artifacts.rangeRouter.abi, "exactInputSingle", [
      { tokenIn, tokenOut, fee, recipient: from, deadline: farDeadline, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: limit },
    ]);
  const arbitrage = async (pool: RangePool): Promise<Call[]> => {
    const [current] = await context.read<readonly [bigint]>(pool.pool, artifacts.rangePool.abi, "slot0");
    const targetSqrtPrice = sqrtPriceAt(prices, pool.tokens);
    const difference = current < targetSqrtPrice ? targetSqrtPrice - current : current - targetSqrtPrice;
    if (difference * toleranceDivisor < current) return [];
    // If the price is too low, the pool has too much of the first token.
    const [token0, token1] = pool.tokens;
    const route = current < targetSqrtPrice ? ([token1, token0] as const) : ([token0, token1] as const);
    const balance = await context.read<bigint>(route[0], artifacts.presetToken.abi, "balanceOf", [secondMarketMaker]);
    return [
      { from: secondMarketMaker, to: router, data: encodeSwap(secondMarketMaker, pool, route, balance / balanceDivisor, targetSqrtPrice) },
    ];
  };
  const routes = [
    { pool: dollarEther, route: [usd, weth] },
    { pool: dollarEther, route: [weth, usd] },
    { pool: goldEther, route: [gold, weth] },
    { pool: goldEther, route: [weth, gold] },
    { pool: null, route: [usd, gold] },
  ] as const;
  const swap = (from: Address): Call[] => {
    const { pool, route } = random.pick(routes);
    const paysEther = route[0] === weth && random.oneIn(2);
    const amount = holdings.spend(paysEther ? nativeTokenAddress : route[0], from, random, paysEther ? [1, 6] : [4, 25]);
    if (amount === 0n) return [];
    if (pool !== null) return [{ from, to: router, value: paysEther ? amount : 0n, data: encodeSwap(from, pool, route, amount) }];
    const path = encodePath([usd, weth, gold], [dollarEther.fee, goldEther.fee]);
    const data = encode(artifacts.rangeRouter.abi, "exactInput", [
      { path, recipient: from, deadline: farDeadline, amountIn: amount, amountOutMinimum: 0n },
    ]);
    return [{ from, to: router, data }];
  };
  return async () => [
    ...(await arbitrage(dollarEther)),
    ...(await arbitrage(goldEther)),
    ...Array.from({ length: context.scaled(swapsPerDay) }, () => swap(random.pick(traders))).flat(),
  ];
};
