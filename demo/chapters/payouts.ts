import { pad, toHex } from "viem";
import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import { type Accounts, findHolder } from "./accounts.ts";

const cloneCount = 3;

/**
 * Deploys contracts that transfer native value. Each day has internal transfers: splits, clones (DELEGATECALL), creations, self-destructs and
 * reverted frames.
 */
export const setUpPayouts = async (context: StoryContext, accounts: Accounts): Promise<{ payouts: Address; dailyCalls: DailyCalls }> => {
  const { artifacts, holdings } = context;
  const { abi } = artifacts.payouts;
  const payouts = await context.deploy(accounts.deployer, artifacts.payouts);
  const random = context.createRandom("payouts");
  await context.mine(
    Array.from({ length: cloneCount }, (): Call => ({ from: accounts.deployer, to: payouts, data: encode(abi, "createClone") })),
  );
  const splitters = await Promise.all([
    context.read<Address>(payouts, abi, "splitter"),
    ...Array.from({ length: cloneCount }, (_, index) => context.read<Address>(payouts, abi, "clones", [BigInt(index)])),
  ]);
  let boxCount = 0;
  const deposits: { owner: Address; amount: bigint }[] = [];
  const pay = (from: Address, value: bigint, functionName: string, parameters: readonly unknown[] = []): Call => ({
    from,
    to: payouts,
    value,
    data: encode(abi, functionName, parameters),
  });

  const createBox = (owner: Address, value: bigint): Call => {
    boxCount += 1;
    if (boxCount % 2 === 0) return pay(owner, value, "createBox");
    return pay(owner, value, "createBoxAt", [pad(toHex(boxCount), { size: 32 })]);
  };
  const withdraw = (): Call[] => {
    const deposit = deposits.shift();
    return deposit === undefined ? [] : [pay(deposit.owner, 0n, "withdraw", [deposit.amount])];
  };
  const randomAction = (day: number): Call[] => {
    const active = accounts.activeUsers(day);
    const from = random.oneIn(10) ? accounts.trader : findHolder(context, nativeTokenAddress, active, random);
    if (from === undefined) return [];
    const kind = random.below(9);
    if (kind === 0) return withdraw();
    if (kind === 1 && boxCount > 0) return [pay(from, 0n, "openBox", [BigInt(random.below(boxCount))])];
    const value = holdings.spend(nativeTokenAddress, from, random, [2, 15]);
    if (kind === 2) {
      deposits.push({ owner: from, amount: value });
      return [{ from, to: payouts, value, gas: 80_000 }];
    }
    if (kind === 3) return [createBox(from, value)];
    if (kind === 4) return [pay(from, value, "sendByCourier", [random.pick(active)])];
    if (kind === 5) return [pay(from, value, "payOneOrOther", [random.pick(active), random.pick(active)])];
    const receivers = Array.from({ length: random.between(2, 8) }, () => random.pick(active));
    const splitter = random.pick(splitters).toLowerCase() as Address;
    return [{ from, to: splitter, value, data: encode(artifacts.splitter.abi, "split", [receivers]), gas: 600_000 }];
  };
  return { payouts, dailyCalls: (day) => Array.from({ length: context.scaled(16) }, () => randomAction(day)).flat() };
};
