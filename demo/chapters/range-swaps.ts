import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import type { Market } from "./exchange-prices.ts";
import { farDeadline, type RangePool } from "./exchange-types.ts";
import type { People } from "./people.ts";
import { sqrtPriceAt } from "./range-price.ts";

const swapsPerDay = 5;
/** Two pools here and five of the second exchange draw on the market maker's purse. */
const purseParts = 8n;
/** A root that is off by a thousandth is a price that is off by two. */
const minDifference = 1_000n;

interface Trading {
  readonly dollarEther: RangePool;
  readonly goldEther: RangePool;
  readonly usd: Address;
  readonly gold: Address;
  readonly weth: Address;
  readonly traders: readonly Address[];
}

/** A packed path of Uniswap V3's router: token, fee in three bytes, token and so on. */
const encodePath = (tokens: readonly Address[], fees: readonly number[]): Address =>
  `0x${tokens.map((token, index) => `${index === 0 ? "" : (fees[index - 1] ?? 0).toString(16).padStart(6, "0")}${token.slice(2)}`).join("")}`;

/** The swaps of a day on the third exchange, after the market maker's, which end at the market's price exactly if its funds suffice. */
export const createRangeSwaps = (
  stage: ChapterContext,
  people: People,
  market: Market,
  router: Address,
  { dollarEther, goldEther, usd, gold, weth, traders }: Trading,
): Scene => {
  const { holdings, artifacts } = stage;
  const random = stage.random("range swaps");
  const { keeper } = people;
  const single = (from: Address, { fee }: RangePool, [tokenIn, tokenOut]: readonly [Address, Address], amountIn: bigint, limit = 0n) =>
    encode(artifacts.rangeRouter.abi, "exactInputSingle", [
      { tokenIn, tokenOut, fee, recipient: from, deadline: farDeadline, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: limit },
    ]);
  const correct = async (pool: RangePool): Promise<Call[]> => {
    const [current] = await stage.read<readonly [bigint]>(pool.pool, artifacts.rangePool.abi, "slot0");
    const wanted = sqrtPriceAt(market, pool.tokens);
    const difference = current < wanted ? wanted - current : current - wanted;
    if (difference * minDifference < current) return [];
    // A price that is too low has too much of the first token in the pool.
    const [token0, token1] = pool.tokens;
    const route = current < wanted ? ([token1, token0] as const) : ([token0, token1] as const);
    const held = await stage.read<bigint>(route[0], artifacts.presetToken.abi, "balanceOf", [keeper]);
    return [{ from: keeper, to: router, data: single(keeper, pool, route, held / purseParts, wanted) }];
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
    const fromEther = route[0] === weth && random.chance(2);
    const amount = holdings.spend(fromEther ? nativeTokenAddress : route[0], from, random, fromEther ? [1, 6] : [4, 25]);
    if (amount === 0n) return [];
    if (pool !== null) return [{ from, to: router, value: fromEther ? amount : 0n, data: single(from, pool, route, amount) }];
    const path = encodePath([usd, weth, gold], [dollarEther.fee, goldEther.fee]);
    const data = encode(artifacts.rangeRouter.abi, "exactInput", [
      { path, recipient: from, deadline: farDeadline, amountIn: amount, amountOutMinimum: 0n },
    ]);
    return [{ from, to: router, data }];
  };
  return async () => [
    ...(await correct(dollarEther)),
    ...(await correct(goldEther)),
    ...Array.from({ length: stage.scaled(swapsPerDay) }, () => swap(random.pick(traders))).flat(),
  ];
};
