import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove, encodeTransfer, encodeTransferFrom } from "../story/encode.ts";
import { type Call, type ChapterContext, type Scene, storyDays } from "../story/types.ts";
import type { Collectibles } from "./collectibles.ts";
import type { Exchange } from "./exchange-types.ts";
import { farDeadline } from "./exchange-types.ts";
import type { People } from "./people.ts";
import type { Tokens } from "./tokens.ts";

const ether = 10n ** 18n;
/** PUSH1 0, PUSH1 0, REVERT: a creation that fails and leaves an address without code in its receipt. */
const revertingInitCode = "0x60006000fd";

/** Transactions that are mined and fail, in each possible way. */
export const openFailures = async (
  stage: ChapterContext,
  people: People,
  tokens: Tokens,
  exchange: Exchange,
  collectibles: Collectibles,
): Promise<{ faults: Address; scene: Scene }> => {
  const { artifacts } = stage;
  const random = stage.random("failures");
  const faults = await stage.deploy(people.deployer, artifacts.faults);
  const usd = tokens.usd.address;
  const fail = (from: Address, to: Address | null, data: Call["data"], more: Partial<Call> = {}): Call => ({
    from,
    to,
    data: data ?? "0x",
    gas: 200_000,
    ...more,
    fails: true,
  });
  const fault = (functionName: string, parameters: readonly unknown[] = []) => encode(artifacts.faults.abi, functionName, parameters);
  const swap = (from: Address, least: bigint, deadline: bigint) =>
    encode(artifacts.router.abi, "swapExactTokensForTokens", [1_000n, least, [usd, tokens.gold.address], from, deadline]);
  const ways: readonly ((from: Address) => Call)[] = [
    (from) => fail(from, usd, encodeTransfer(people.trader, 10n ** 18n)),
    (from) => fail(from, tokens.old.address, encodeTransfer(people.trader, 10n ** 30n)),
    (from) => fail(from, tokens.gold.address, encodeTransferFrom(people.marketMaker, from, tokens.gold.unit)),
    (from) => fail(from, exchange.router, swap(from, 10n ** 24n, farDeadline)),
    (from) => fail(from, exchange.router, swap(from, 0n, 1n)),
    (from) => fail(from, tokens.gold.address, encodeTransfer(people.trader, 1n), { gas: 25_000 }),
    (from) => fail(from, usd, "0x", { value: ether / 50n, gas: 60_000 }),
    (from) => fail(from, collectibles.art, encodeTransferFrom(people.collector, from, collectibles.artTokenId)),
    (from) => fail(from, collectibles.art, encodeApprove(from, 1n << 200n)),
    (from) => fail(from, faults, fault("requireMore"), { value: ether / 100n }),
    (from) => fail(from, faults, fault("sayNo")),
    (from) => fail(from, faults, fault("divide", [0n])),
    (from) => fail(from, faults, fault("useAllGas"), { gas: 70_000 }),
    (from) => fail(from, faults, fault("payAndFail", [people.trader]), { value: ether / 20n }),
    (from) => fail(from, null, revertingInitCode, { gas: 100_000 }),
  ];
  const scene: Scene = (day) => {
    const crowd = Array.from({ length: stage.scaled(9) }, () => random.pick(ways)(random.pick(people.dealers)));
    const ofTrader = day % 5 === 0 ? [random.pick(ways.slice(0, 8))(people.trader)] : [];
    const marked =
      day === storyDays / 2
        ? [{ ...fail(people.trader, exchange.router, swap(people.trader, 10n ** 24n, farDeadline)), mark: "failure" }]
        : [];
    return [...crowd, ...ofTrader, ...marked];
  };
  return { faults, scene };
};
