import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode, encodeTransfer } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import { type Accounts, findHolder } from "./accounts.ts";

const ether = 10n ** 18n;

/** Deploys WETH9; all dealers wrap ether at the start. Each day has wraps, unwraps and transfers. */
export const setUpWrappedNative = async (context: StoryContext, accounts: Accounts): Promise<{ weth: Address; dailyCalls: DailyCalls }> => {
  const { artifacts, holdings } = context;
  const weth = await context.deploy(accounts.deployer, artifacts.weth);
  const random = context.createRandom("wrapped native");
  const wrap = (from: Address, value: bigint): Call => {
    holdings.deduct(nativeTokenAddress, from, value);
    holdings.receive(weth, from, value);
    return { from, to: weth, value, data: encode(artifacts.weth.abi, "deposit"), gas: 60_000 };
  };
  await context.mine([
    wrap(accounts.marketMaker, 1_500n * ether),
    wrap(accounts.trader, 120n * ether),
    ...accounts.dealers.map((dealer) => wrap(dealer, BigInt(random.between(4, 10)) * ether)),
  ]);

  const randomAction = (day: number): Call[] => {
    const kind = random.below(5);
    const owner = findHolder(context, kind < 2 ? nativeTokenAddress : weth, accounts.activeUsers(day), random);
    if (owner === undefined) return [];
    if (kind < 2) {
      const amount = (holdings.balanceOf(nativeTokenAddress, owner) * BigInt(random.between(5, 40))) / 1000n;
      return [wrap(owner, (amount / 10n ** 12n) * 10n ** 12n)];
    }
    const amount = holdings.spend(weth, owner, random, [10, 80]);
    if (kind === 4) {
      const to = random.pick(accounts.activeUsers(day));
      holdings.receive(weth, to, amount);
      return [{ from: owner, to: weth, data: encodeTransfer(to, amount), gas: 80_000 }];
    }
    holdings.receive(nativeTokenAddress, owner, amount);
    return [{ from: owner, to: weth, data: encode(artifacts.weth.abi, "withdraw", [amount]), gas: 80_000 }];
  };
  return { weth, dailyCalls: (day) => Array.from({ length: context.scaled(24) }, () => randomAction(day)).flat() };
};
