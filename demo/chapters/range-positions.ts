import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { farDeadline, type RangePool, unlimited } from "./exchange-types.ts";
import type { People } from "./people.ts";

/** TickMath.MAX_TICK of Uniswap V3. */
const lastTick = 887_272;
const maxOfToken = 2n ** 128n - 1n;

interface Plan {
  readonly dollarEther: RangePool;
  readonly goldEther: RangePool;
  /** The market maker's full-range deposit in each pool. */
  readonly deposits: readonly { readonly pool: RangePool; readonly amounts: ReadonlyMap<Address, bigint> }[];
}

/** A range in ticks, counted from the current one; a tick is a hundredth of a percent of the price. */
type Range = readonly [number, number];

/**
 * The positions of the third exchange, numbered by the position manager in the order in which they come: the market maker's two over all prices, and those of
 * others over ranges; one is added to, one halved, one collected and burnt, and one waits above the price, where it is of one token alone.
 */
export const openRangePositions = async (
  stage: ChapterContext,
  people: People,
  positions: Address,
  { dollarEther, goldEther, deposits }: Plan,
): Promise<Scene> => {
  const { holdings, artifacts } = stage;
  const { abi } = artifacts.positionManager;
  const random = stage.random("range positions");
  const { keeper, trader } = people;
  const [first, second, third] = people.dealers as readonly [Address, Address, Address];
  let minted = 0;
  const call = (from: Address, functionName: string, parameters: Record<string, unknown> | bigint): Call => ({
    from,
    to: positions,
    data: encode(abi, functionName, [parameters]),
    gas: 700_000,
  });
  const mint = (recipient: Address, { tokens, fee }: RangePool, [tickLower, tickUpper]: Range, amounts: readonly bigint[]): Call => {
    minted += 1;
    const [token0, token1] = tokens;
    const [amount0Desired, amount1Desired] = amounts;
    return call(recipient, "mint", {
      ...{ token0, token1, fee, tickLower, tickUpper, amount0Desired, amount1Desired },
      ...{ amount0Min: 0n, amount1Min: 0n, recipient, deadline: farDeadline },
    });
  };
  const openers = [keeper, trader, first, second, third];
  await stage.play([
    ...openers.flatMap((from) =>
      [...new Set([...dollarEther.tokens, ...goldEther.tokens])].map(
        (token): Call => ({ from, to: token, data: encodeApprove(positions, unlimited), gas: 80_000 }),
      ),
    ),
    ...deposits.map(({ pool, amounts }) => {
      const edge = lastTick - (lastTick % pool.spacing);
      return mint(
        keeper,
        pool,
        [-edge, edge],
        pool.tokens.map((token) => amounts.get(token) ?? 0n),
      );
    }),
  ]);

  const spend = (from: Address, { tokens }: RangePool): readonly bigint[] =>
    tokens.map((token) => holdings.spend(token, from, random, [100, 200]));
  const mintAround = async (from: Address, pool: RangePool, [below, above]: Range): Promise<Call> => {
    const slot = await stage.read<readonly [bigint, number]>(pool.pool, artifacts.rangePool.abi, "slot0");
    const middle = Math.floor(slot[1] / pool.spacing) * pool.spacing;
    return mint(from, pool, [middle + below * pool.spacing, middle + above * pool.spacing], spend(from, pool));
  };
  const collect = (recipient: Address, tokenId: bigint): Call =>
    call(recipient, "collect", { tokenId, recipient, amount0Max: maxOfToken, amount1Max: maxOfToken });
  const decrease = async (from: Address, tokenId: bigint, part: bigint): Promise<Call> => {
    const position = await stage.read<readonly unknown[]>(positions, abi, "positions", [tokenId]);
    const liquidity = (position[7] as bigint) / part;
    return call(from, "decreaseLiquidity", { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: farDeadline });
  };
  const ids = new Map<string, bigint>();
  const named = (name: string, made: Call): Call[] => {
    ids.set(name, BigInt(minted));
    return [made];
  };
  const idOf = (name: string): bigint => ids.get(name) ?? 0n;

  const plan: ReadonlyMap<number, () => Promise<readonly Call[]>> = new Map([
    [3, async () => named("narrow", await mintAround(first, dollarEther, [-150, 150]))],
    [8, async () => named("golden", await mintAround(second, goldEther, [-60, 60]))],
    // Above the price: of the first token only, until trade comes up to it.
    [15, async () => named("waiting", await mintAround(third, dollarEther, [100, 300]))],
    [20, async () => named("trader's", await mintAround(trader, dollarEther, [-300, 300]))],
    [25, async () => [collect(first, idOf("narrow"))]],
    [
      32,
      async () => {
        const [amount0Desired, amount1Desired] = spend(second, goldEther);
        const tokenId = idOf("golden");
        return [
          call(second, "increaseLiquidity", {
            tokenId,
            amount0Desired,
            amount1Desired,
            amount0Min: 0n,
            amount1Min: 0n,
            deadline: farDeadline,
          }),
        ];
      },
    ],
    [40, async () => [await decrease(first, idOf("narrow"), 1n), collect(first, idOf("narrow")), call(first, "burn", idOf("narrow"))]],
    [45, async () => [await decrease(trader, idOf("trader's"), 2n), collect(trader, idOf("trader's"))]],
  ]);
  return async (day) => (await plan.get(day)?.()) ?? [];
};
