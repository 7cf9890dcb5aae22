import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import { type Call, type DailyCalls, type StoryContext, storyDays } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { farDeadline, type Pool, type RivalExchange, unlimited } from "./exchange-types.ts";

/** The day on which all providers of the drained pool withdraw; the protocol fee is withdrawn the day after. */
export const drainDay = storyDays - 6;
/** The day on which a second provider joins the drained pool. */
const joinDay = 10;

interface LiquidityPools {
  readonly permanent: readonly Pool[];
  readonly drained: Pool;
  readonly providers: readonly Address[];
}

/** Adds liquidity to the second exchange in tokens and in ether, removes some of it, and drains one pool of all but the locked shares. */
export const setUpRivalLiquidity = async (
  context: StoryContext,
  accounts: Accounts,
  { router }: RivalExchange,
  weth: Address,
  { permanent, drained, providers }: LiquidityPools,
): Promise<DailyCalls> => {
  const { holdings, artifacts } = context;
  const random = context.createRandom("rival liquidity");
  const joiner = providers[0] as Address;
  const leaving = [accounts.secondMarketMaker, joiner];
  const approve = (from: Address, { pair }: Pool): Call => ({ from, to: pair, data: encodeApprove(router, unlimited), gas: 80_000 });
  await context.mine([
    ...providers.flatMap((from) => permanent.map((pool) => approve(from, pool))),
    ...[...leaving, accounts.deployer].map((from) => approve(from, drained)),
  ]);
  const call = (from: Address, functionName: string, parameters: readonly unknown[], value = 0n): Call => ({
    from,
    to: router,
    value,
    data: encode(artifacts.router.abi, functionName, parameters),
  });

  const add = (from: Address, { tokens }: Pool): Call[] => {
    const addsEther = tokens[1] === weth && random.oneIn(2);
    const first = holdings.spend(tokens[0], from, random, [20, 60]);
    const second = holdings.spend(addsEther ? nativeTokenAddress : tokens[1], from, random, [20, 60]);
    if (first === 0n || second === 0n) return [];
    return addsEther
      ? [call(from, "addLiquidityETH", [tokens[0], first, 0n, 0n, from, farDeadline], second)]
      : [call(from, "addLiquidity", [...tokens, first, second, 0n, 0n, from, farDeadline])];
  };
  const remove = async (from: Address, { pair, tokens }: Pool, thousandths: number): Promise<Call[]> => {
    const share = await context.read<bigint>(pair, artifacts.pair.abi, "balanceOf", [from]);
    const amount = (share * BigInt(thousandths)) / 1000n;
    return amount === 0n ? [] : [call(from, "removeLiquidity", [...tokens, amount, 0n, 0n, from, farDeadline])];
  };
  /** Removes from the first pool in which the account has shares; each day starts at a different pool. */
  const removeFromOnePool = async (from: Address, day: number): Promise<Call[]> => {
    for (let step = 0; step < permanent.length; step++) {
      const calls = await remove(from, permanent[(day + step) % permanent.length] as Pool, random.between(100, 400));
      if (calls.length > 0) return calls;
    }
    return [];
  };
  const withdrawAll = async (owners: readonly Address[]): Promise<Call[]> =>
    (await Promise.all(owners.map((owner) => remove(owner, drained, 1_000)))).flat();

  return async (day) => {
    if (day === joinDay) return add(joiner, drained);
    if (day === drainDay) return withdrawAll(leaving);
    if (day === drainDay + 1) return withdrawAll([accounts.deployer]);
    const adding = day % 2 === 0 ? add(providers[(day / 2) % providers.length] as Address, random.pick(permanent)) : [];
    // This is not the provider that adds liquidity, because balances are read at the start of the day.
    const removing = day % 3 === 2 ? await removeFromOnePool(providers[(Math.floor(day / 2) + 1) % providers.length] as Address, day) : [];
    return [...adding, ...removing];
  };
};
