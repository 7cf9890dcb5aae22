import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove, encodeTransfer, encodeTransferFrom } from "../story/encode.ts";
import { type Call, type DailyCalls, type StoryContext, storyDays } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import type { Collectibles } from "./collectibles.ts";
import type { Exchange } from "./exchange-types.ts";
import { farDeadline } from "./exchange-types.ts";
import type { Tokens } from "./tokens.ts";

const ether = 10n ** 18n;
/** PUSH1 0, PUSH1 0, REVERT: the creation fails, and its receipt has an address without code. */
const revertingInitCode = "0x60006000fd";

/** Each day has transactions that are mined and fail: reverts, panics, out of gas, failed creations. */
export const setUpFailures = async (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
  exchange: Exchange,
  collectibles: Collectibles,
): Promise<{ faults: Address; dailyCalls: DailyCalls }> => {
  const { artifacts } = context;
  const random = context.random("failures");
  const faults = await context.deploy(accounts.deployer, artifacts.faults);
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
  const swap = (from: Address, amountOutMin: bigint, deadline: bigint) =>
    encode(artifacts.router.abi, "swapExactTokensForTokens", [1_000n, amountOutMin, [usd, tokens.gold.address], from, deadline]);
  const kinds: readonly ((from: Address) => Call)[] = [
    (from) => fail(from, usd, encodeTransfer(accounts.trader, 10n ** 18n)),
    (from) => fail(from, tokens.old.address, encodeTransfer(accounts.trader, 10n ** 30n)),
    (from) => fail(from, tokens.gold.address, encodeTransferFrom(accounts.marketMaker, from, tokens.gold.unit)),
    (from) => fail(from, exchange.router, swap(from, 10n ** 24n, farDeadline)),
    (from) => fail(from, exchange.router, swap(from, 0n, 1n)),
    (from) => fail(from, tokens.gold.address, encodeTransfer(accounts.trader, 1n), { gas: 25_000 }),
    (from) => fail(from, usd, "0x", { value: ether / 50n, gas: 60_000 }),
    (from) => fail(from, collectibles.art, encodeTransferFrom(accounts.collector, from, collectibles.artTokenId)),
    (from) => fail(from, collectibles.art, encodeApprove(from, 1n << 200n)),
    (from) => fail(from, faults, fault("requireMore"), { value: ether / 100n }),
    (from) => fail(from, faults, fault("sayNo")),
    (from) => fail(from, faults, fault("divide", [0n])),
    (from) => fail(from, faults, fault("useAllGas"), { gas: 70_000 }),
    (from) => fail(from, faults, fault("payAndFail", [accounts.trader]), { value: ether / 20n }),
    (from) => fail(from, null, revertingInitCode, { gas: 100_000 }),
  ];
  const dailyCalls: DailyCalls = (day) => {
    const users = Array.from({ length: context.scaled(9) }, () => random.pick(kinds)(random.pick(accounts.dealers)));
    const ofTrader = day % 5 === 0 ? [random.pick(kinds.slice(0, 8))(accounts.trader)] : [];
    const labelled =
      day === storyDays / 2
        ? [{ ...fail(accounts.trader, exchange.router, swap(accounts.trader, 10n ** 24n, farDeadline)), label: "failure" }]
        : [];
    return [...users, ...ofTrader, ...labelled];
  };
  return { faults, dailyCalls };
};
