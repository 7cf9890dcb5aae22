import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import { type Call, type ChapterContext, type Scene, storyDays } from "../story/types.ts";
import { farDeadline, type Pool, type RivalExchange, unlimited } from "./exchange-types.ts";
import type { People } from "./people.ts";

/** The day on which all providers of the drained pool withdraw; the protocol fee is withdrawn the day after. */
export const drainDay = storyDays - 6;
/** When a second provider joins that pool. */
const joinDay = 10;

interface Plan {
  readonly lasting: readonly Pool[];
  readonly drained: Pool;
  readonly providers: readonly Address[];
}

/** Liquidity of the second exchange: added in tokens and in ether, removed in part, and one pool drained of all but the locked shares. */
export const openRivalLiquidity = async (
  stage: ChapterContext,
  people: People,
  { router }: RivalExchange,
  weth: Address,
  { lasting, drained, providers }: Plan,
): Promise<Scene> => {
  const { holdings, artifacts } = stage;
  const random = stage.random("rival liquidity");
  const joiner = providers[0] as Address;
  const leaving = [people.keeper, joiner];
  const approve = (from: Address, { pair }: Pool): Call => ({ from, to: pair, data: encodeApprove(router, unlimited), gas: 80_000 });
  await stage.play([
    ...providers.flatMap((from) => lasting.map((pool) => approve(from, pool))),
    ...[...leaving, people.deployer].map((from) => approve(from, drained)),
  ]);
  const call = (from: Address, functionName: string, parameters: readonly unknown[], value = 0n): Call => ({
    from,
    to: router,
    value,
    data: encode(artifacts.router.abi, functionName, parameters),
  });

  const add = (from: Address, { tokens }: Pool): Call[] => {
    const inEther = tokens[1] === weth && random.chance(2);
    const first = holdings.spend(tokens[0], from, random, [20, 60]);
    const second = holdings.spend(inEther ? nativeTokenAddress : tokens[1], from, random, [20, 60]);
    if (first === 0n || second === 0n) return [];
    return inEther
      ? [call(from, "addLiquidityETH", [tokens[0], first, 0n, 0n, from, farDeadline], second)]
      : [call(from, "addLiquidity", [...tokens, first, second, 0n, 0n, from, farDeadline])];
  };
  const remove = async (from: Address, { pair, tokens }: Pool, thousandths: number): Promise<Call[]> => {
    const share = await stage.read<bigint>(pair, artifacts.pair.abi, "balanceOf", [from]);
    const amount = (share * BigInt(thousandths)) / 1000n;
    return amount === 0n ? [] : [call(from, "removeLiquidity", [...tokens, amount, 0n, 0n, from, farDeadline])];
  };
  /** Out of the first pool in which it has a share, on each day from another one on. */
  const removeSome = async (from: Address, day: number): Promise<Call[]> => {
    for (let step = 0; step < lasting.length; step++) {
      const calls = await remove(from, lasting[(day + step) % lasting.length] as Pool, random.between(100, 400));
      if (calls.length > 0) return calls;
    }
    return [];
  };
  const leave = async (people: readonly Address[]): Promise<Call[]> =>
    (await Promise.all(people.map((person) => remove(person, drained, 1_000)))).flat();

  return async (day) => {
    if (day === joinDay) return add(joiner, drained);
    if (day === drainDay) return leave(leaving);
    if (day === drainDay + 1) return leave([people.deployer]);
    const adding = day % 2 === 0 ? add(providers[(day / 2) % providers.length] as Address, random.pick(lasting)) : [];
    // A different provider than the one who adds: each reads its balance at the start of the day.
    const removing = day % 3 === 2 ? await removeSome(providers[(Math.floor(day / 2) + 1) % providers.length] as Address, day) : [];
    return [...adding, ...removing];
  };
};
