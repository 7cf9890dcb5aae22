import { pad, toHex } from "viem";
import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { findHolder, type People } from "./people.ts";

const cloneCount = 3;

/** Native value that moves inside transactions: splits, clones (DELEGATECALL), creations with value, a self-destruction, reverted frames. */
export const openPayouts = async (stage: ChapterContext, people: People): Promise<{ payouts: Address; scene: Scene }> => {
  const { artifacts, holdings } = stage;
  const { abi } = artifacts.payouts;
  const payouts = await stage.deploy(people.deployer, artifacts.payouts);
  const random = stage.random("payouts");
  await stage.play(
    Array.from({ length: cloneCount }, (): Call => ({ from: people.deployer, to: payouts, data: encode(abi, "createClone") })),
  );
  const splitters = await Promise.all([
    stage.read<Address>(payouts, abi, "splitter"),
    ...Array.from({ length: cloneCount }, (_, index) => stage.read<Address>(payouts, abi, "clones", [BigInt(index)])),
  ]);
  let boxes = 0;
  const deposits: { owner: Address; amount: bigint }[] = [];
  const pay = (from: Address, value: bigint, functionName: string, parameters: readonly unknown[] = []): Call => ({
    from,
    to: payouts,
    value,
    data: encode(abi, functionName, parameters),
  });

  const createBox = (owner: Address, value: bigint): Call => {
    boxes += 1;
    if (boxes % 2 === 0) return pay(owner, value, "createBox");
    return pay(owner, value, "createBoxAt", [pad(toHex(boxes), { size: 32 })]);
  };
  const withdraw = (): Call[] => {
    const deposit = deposits.shift();
    return deposit === undefined ? [] : [pay(deposit.owner, 0n, "withdraw", [deposit.amount])];
  };
  const act = (day: number): Call[] => {
    const active = people.active(day);
    const from = random.chance(10) ? people.trader : findHolder(stage, nativeTokenAddress, active, random);
    if (from === undefined) return [];
    const kind = random.below(9);
    if (kind === 0) return withdraw();
    if (kind === 1 && boxes > 0) return [pay(from, 0n, "openBox", [BigInt(random.below(boxes))])];
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
  return { payouts, scene: (day) => Array.from({ length: stage.scaled(16) }, () => act(day)).flat() };
};
