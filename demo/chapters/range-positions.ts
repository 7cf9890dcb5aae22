import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { farDeadline, type RangePool, unlimited } from "./exchange-types.ts";

/** TickMath.MAX_TICK of Uniswap V3. */
const maxTick = 887_272;
const maxUint128 = 2n ** 128n - 1n;

interface PositionOptions {
  readonly dollarEther: RangePool;
  readonly goldEther: RangePool;
  /** The market maker's full-range deposit in each pool. */
  readonly deposits: readonly { readonly pool: RangePool; readonly amounts: ReadonlyMap<Address, bigint> }[];
}

type TickRange = readonly [lower: number, upper: number];

/** Creates calls of the position manager and counts the positions, which it numbers from 1. */
const createPositionCalls = ({ artifacts, holdings, read, createRandom }: StoryContext, positions: Address) => {
  const { abi } = artifacts.positionManager;
  const random = createRandom("range positions");
  let minted = 0;
  const call = (from: Address, functionName: string, parameters: Record<string, unknown> | bigint): Call => ({
    from,
    to: positions,
    data: encode(abi, functionName, [parameters]),
    gas: 700_000,
  });
  const spend = (from: Address, { tokens }: RangePool): readonly bigint[] =>
    tokens.map((token) => holdings.spend(token, from, random, [100, 200]));
  const mint = (recipient: Address, { tokens, fee }: RangePool, [tickLower, tickUpper]: TickRange, amounts: readonly bigint[]): Call => {
    minted += 1;
    const [token0, token1] = tokens;
    const [amount0Desired, amount1Desired] = amounts;
    return call(recipient, "mint", {
      ...{ token0, token1, fee, tickLower, tickUpper, amount0Desired, amount1Desired },
      ...{ amount0Min: 0n, amount1Min: 0n, recipient, deadline: farDeadline },
    });
  };
  return {
    mint,
    /** The id of the last minted position. */
    lastId: (): bigint => BigInt(minted),
    /** Mints a position over a range in tick spacings, relative to the pool's current tick. */
    mintAround: async (from: Address, pool: RangePool, [lower, upper]: TickRange): Promise<Call> => {
      const slot = await read<readonly [bigint, number]>(pool.pool, artifacts.rangePool.abi, "slot0");
      const middle = Math.floor(slot[1] / pool.tickSpacing) * pool.tickSpacing;
      return mint(from, pool, [middle + lower * pool.tickSpacing, middle + upper * pool.tickSpacing], spend(from, pool));
    },
    increase: (from: Address, pool: RangePool, tokenId: bigint): Call => {
      const [amount0Desired, amount1Desired] = spend(from, pool);
      const limits = { amount0Min: 0n, amount1Min: 0n, deadline: farDeadline };
      return call(from, "increaseLiquidity", { tokenId, amount0Desired, amount1Desired, ...limits });
    },
    /** Removes a fraction of a position's liquidity: all of it for a divisor of 1. */
    decrease: async (from: Address, tokenId: bigint, divisor: bigint): Promise<Call> => {
      const position = await read<readonly unknown[]>(positions, abi, "positions", [tokenId]);
      const liquidity = (position[7] as bigint) / divisor;
      return call(from, "decreaseLiquidity", { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: farDeadline });
    },
    collect: (recipient: Address, tokenId: bigint): Call =>
      call(recipient, "collect", { tokenId, recipient, amount0Max: maxUint128, amount1Max: maxUint128 }),
    burn: (from: Address, tokenId: bigint): Call => call(from, "burn", tokenId),
  };
};

type PositionCalls = ReturnType<typeof createPositionCalls>;

/** Approves the position manager for every owner, and mints the market maker's full-range positions. */
const mintFullRange = async (
  context: StoryContext,
  positions: Address,
  calls: PositionCalls,
  owners: readonly [marketMaker: Address, ...Address[]],
  { dollarEther, goldEther, deposits }: PositionOptions,
): Promise<void> => {
  const tokens = [...new Set([...dollarEther.tokens, ...goldEther.tokens])];
  await context.mine([
    ...owners.flatMap((from) => tokens.map((token): Call => ({ from, to: token, data: encodeApprove(positions, unlimited), gas: 80_000 }))),
    ...deposits.map(({ pool, amounts }) => {
      const edge = maxTick - (maxTick % pool.tickSpacing);
      return calls.mint(
        owners[0],
        pool,
        [-edge, edge],
        pool.tokens.map((token) => amounts.get(token) ?? 0n),
      );
    }),
  ]);
};

/**
 * Mints the positions of the Uniswap V3 exchange: two of the market maker over all prices, and four of other accounts over ranges. Of these, one is
 * increased, one halved, one collected and burnt, and one lies above the price, where it consists of one token only.
 */
export const setUpRangePositions = async (
  context: StoryContext,
  accounts: Accounts,
  positions: Address,
  options: PositionOptions,
): Promise<DailyCalls> => {
  const { dollarEther, goldEther } = options;
  const { secondMarketMaker, trader } = accounts;
  const [first, second, third] = accounts.dealers as readonly [Address, Address, Address];
  const calls = createPositionCalls(context, positions);
  await mintFullRange(context, positions, calls, [secondMarketMaker, trader, first, second, third], options);

  const ids = new Map<string, bigint>();
  const mintNamed = async (name: string, from: Address, pool: RangePool, range: TickRange): Promise<readonly Call[]> => {
    const call = await calls.mintAround(from, pool, range);
    ids.set(name, calls.lastId());
    return [call];
  };
  const idOf = (name: string): bigint => ids.get(name) ?? 0n;
  const callsByDay: ReadonlyMap<number, () => Promise<readonly Call[]>> = new Map([
    [3, () => mintNamed("narrow", first, dollarEther, [-150, 150])],
    [8, () => mintNamed("golden", second, goldEther, [-60, 60])],
    // Above the price: only token0, until the price rises into the range.
    [15, () => mintNamed("above", third, dollarEther, [100, 300])],
    [20, () => mintNamed("trader's", trader, dollarEther, [-300, 300])],
    [25, async () => [calls.collect(first, idOf("narrow"))]],
    [32, async () => [calls.increase(second, goldEther, idOf("golden"))]],
    [
      40,
      async () => {
        const id = idOf("narrow");
        return [await calls.decrease(first, id, 1n), calls.collect(first, id), calls.burn(first, id)];
      },
    ],
    [45, async () => [await calls.decrease(trader, idOf("trader's"), 2n), calls.collect(trader, idOf("trader's"))]],
  ]);
  return async (day) => (await callsByDay.get(day)?.()) ?? [];
};
