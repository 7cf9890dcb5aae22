import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode, encodeTransfer } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { findHolder, type People } from "./people.ts";

const ether = 10n ** 18n;

/** WETH9, wrapped at the start by all dealers, and wraps, unwraps and transfers on each day. */
export const openWrappedNative = async (stage: ChapterContext, people: People): Promise<{ weth: Address; scene: Scene }> => {
  const { artifacts, holdings } = stage;
  const weth = await stage.deploy(people.deployer, artifacts.weth);
  const random = stage.random("wrapped native");
  const wrap = (from: Address, value: bigint): Call => {
    holdings.take(nativeTokenAddress, from, value);
    holdings.receive(weth, from, value);
    return { from, to: weth, value, data: encode(artifacts.weth.abi, "deposit"), gas: 60_000 };
  };
  await stage.play([
    wrap(people.marketMaker, 1_500n * ether),
    wrap(people.trader, 120n * ether),
    ...people.dealers.map((dealer) => wrap(dealer, BigInt(random.between(4, 10)) * ether)),
  ]);

  const act = (day: number): Call[] => {
    const kind = random.below(5);
    const owner = findHolder(stage, kind < 2 ? nativeTokenAddress : weth, people.active(day), random);
    if (owner === undefined) return [];
    if (kind < 2) {
      const amount = (holdings.of(nativeTokenAddress, owner) * BigInt(random.between(5, 40))) / 1000n;
      return [wrap(owner, (amount / 10n ** 12n) * 10n ** 12n)];
    }
    const amount = holdings.spend(weth, owner, random, [10, 80]);
    if (kind === 4) {
      const to = random.pick(people.active(day));
      holdings.receive(weth, to, amount);
      return [{ from: owner, to: weth, data: encodeTransfer(to, amount), gas: 80_000 }];
    }
    holdings.receive(nativeTokenAddress, owner, amount);
    return [{ from: owner, to: weth, data: encode(artifacts.weth.abi, "withdraw", [amount]), gas: 80_000 }];
  };
  return { weth, scene: (day) => Array.from({ length: stage.scaled(24) }, () => act(day)).flat() };
};
