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

/** Deploys a contract whose functions fail. Each day has transactions that are mined and fail: reverts, panics, out of gas, failed creations. */
export const setUpFailures = async (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
  exchange: Exchange,
  collectibles: Collectibles,
): Promise<{ failingContract: Address; dailyCalls: DailyCalls }> => {
  const { artifacts } = context;
  const random = context.createRandom("failures");
  const failingContract = await context.deploy(accounts.deployer, artifacts.failingFunctions);
  const usd = tokens.usd.address;
  const failingCall = (from: Address, to: Address | null, data: Call["data"], overrides: Partial<Call> = {}): Call => ({
    from,
    to,
    data: data ?? "0x",
    gas: 200_000,
    ...overrides,
    shouldFail: true,
  });
  const encodeFailingCall = (functionName: string, parameters: readonly unknown[] = []) =>
    encode(artifacts.failingFunctions.abi, functionName, parameters);
  const swap = (from: Address, amountOutMin: bigint, deadline: bigint) =>
    encode(artifacts.router.abi, "swapExactTokensForTokens", [1_000n, amountOutMin, [usd, tokens.gold.address], from, deadline]);
  const kinds: readonly ((from: Address) => Call)[] = [
    (from) => failingCall(from, usd, encodeTransfer(accounts.trader, 10n ** 18n)),
    (from) => failingCall(from, tokens.old.address, encodeTransfer(accounts.trader, 10n ** 30n)),
    (from) => failingCall(from, tokens.gold.address, encodeTransferFrom(accounts.marketMaker, from, tokens.gold.unit)),
    (from) => failingCall(from, exchange.router, swap(from, 10n ** 24n, farDeadline)),
    (from) => failingCall(from, exchange.router, swap(from, 0n, 1n)),
    (from) => failingCall(from, tokens.gold.address, encodeTransfer(accounts.trader, 1n), { gas: 25_000 }),
    (from) => failingCall(from, usd, "0x", { value: ether / 50n, gas: 60_000 }),
    (from) => failingCall(from, collectibles.art, encodeTransferFrom(accounts.collector, from, collectibles.artTokenId)),
    (from) => failingCall(from, collectibles.art, encodeApprove(from, 1n << 200n)),
    (from) => failingCall(from, failingContract, encodeFailingCall("requireMore"), { value: ether / 100n }),
    (from) => failingCall(from, failingContract, encodeFailingCall("sayNo")),
    (from) => failingCall(from, failingContract, encodeFailingCall("divide", [0n])),
    (from) => failingCall(from, failingContract, encodeFailingCall("useAllGas"), { gas: 70_000 }),
    (from) => failingCall(from, failingContract, encodeFailingCall("payAndFail", [accounts.trader]), { value: ether / 20n }),
    (from) => failingCall(from, null, revertingInitCode, { gas: 100_000 }),
  ];
  const dailyCalls: DailyCalls = (day) => {
    const userCalls = Array.from({ length: context.scaled(9) }, () => random.pick(kinds)(random.pick(accounts.dealers)));
    const traderCalls = day % 5 === 0 ? [random.pick(kinds.slice(0, 8))(accounts.trader)] : [];
    const labelled =
      day === storyDays / 2
        ? [{ ...failingCall(accounts.trader, exchange.router, swap(accounts.trader, 10n ** 24n, farDeadline)), label: "failure" }]
        : [];
    return [...userCalls, ...traderCalls, ...labelled];
  };
  return { failingContract, dailyCalls };
};
