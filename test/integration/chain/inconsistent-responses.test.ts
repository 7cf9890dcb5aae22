import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { probeCapabilities } from "../../../runtime/chain/capabilities.ts";
import { BrokenChainError, InvalidResponseError } from "../../../runtime/chain/errors.ts";
import { createRpc } from "../../../runtime/chain/rpc.ts";
import { createSource, type Source } from "../../../runtime/chain/source.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../../support/chain.ts";
import { type ProxiedResponse, type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";

type Fields = Record<string, unknown>;
let chain: TestChain;
let proxy: RpcProxy;
let source: Source;
let close: () => Promise<void>;
let height: number;

beforeAll(async () => {
  chain = await startTestChain();
  const token = await chain.deploy(artifacts.erc20(), ["Gold", "GLD"]);
  const [owner, other] = chain.accounts;
  await chain.send(
    encodeCall(artifacts.erc20(), token, "mint", [owner, 5n]),
    encodeCall(artifacts.erc20(), token, "mint", [other, 6n]),
    encodeCall(artifacts.weth(), await Promise.resolve(token), "deposit"),
  );
  await chain.mine();
  height = await chain.head();
  proxy = await startRpcProxy(chain.url);
  const rpc = createRpc({ url: proxy.url, retries: 2, backoffMilliseconds: 5 });
  source = createSource(
    rpc,
    { ...(await probeCapabilities(rpc)), traceKind: "debug" },
    { readsTraces: true, attempts: 2, waitMilliseconds: 5 },
  );
  close = () => rpc.close();
});
afterEach(() => {
  proxy.tamper = null;
});
afterAll(async () => {
  await close?.();
  await proxy?.close();
  await chain?.stop();
});

/** Changes the responses to calls of one method. */
const tamperWith = (method: string, change: (result: never, reply: ProxiedResponse, params: readonly unknown[]) => void) => {
  proxy.tamper = (called, reply, params) => {
    if (called === method) change(reply.result as never, reply, params);
  };
};
const tamperWithReceipts = (change: (receipts: Fields[]) => void) => tamperWith("eth_getBlockReceipts", (list: Fields[]) => change(list));
const tamperWithBlock = (change: (block: Fields) => void) => tamperWith("eth_getBlockByNumber", (raw: Fields) => change(raw));
const set = (target: object, field: string | number, value: unknown) => void Object.assign(target, { [field]: value });
const logsOf = (receipt: Fields | undefined) => receipt?.logs as Fields[];

describe("the block source", () => {
  it("returns consistent blocks", async () => {
    const blocks = await source.fetchBlocks(0, height);
    expect(blocks.map(({ number }) => number)).toEqual(Array.from({ length: height + 1 }, (_, number) => number));
    expect(blocks.at(-1)?.transactions.map(({ logs }) => logs.length)).toEqual([1, 1, 0]);
  });

  const inconsistencies: [string, () => void, RegExp][] = [
    ["a missing receipt", () => tamperWithReceipts((list) => void list.pop()), /2 receipts for the 3 transactions/],
    [
      "null receipts",
      () => tamperWith("eth_getBlockReceipts", (_, reply) => set(reply, "result", null)),
      /receipts from the node: expected an array, got null/,
    ],
    ["receipts in another order", () => tamperWithReceipts((list) => void list.reverse()), /receipt 0 belongs to another transaction/],
    [
      "a receipt from another block",
      () => tamperWithReceipts((list) => void Object.assign(list[0] ?? {}, { blockHash: `0x${"11".repeat(32)}` })),
      /receipt 0 belongs to another/,
    ],
    [
      "a missing log that the bloom contains",
      () => tamperWithReceipts((list) => void logsOf(list[1]).pop()),
      /do not match the logs bloom of its header/,
    ],
    ["no logs at all", () => tamperWithReceipts((list) => void list.map((receipt) => set(receipt, "logs", []))), /logs bloom/],
    ["a duplicate log", () => tamperWithReceipts((list) => void logsOf(list[0]).push({ ...logsOf(list[0])[0] })), /log 0 is at index 1/],
    [
      "a log from another transaction",
      () => tamperWithReceipts((list) => set(logsOf(list[0]), 0, { ...logsOf(list[1])[0] })),
      /a log of receipt 0 belongs to another/,
    ],
    [
      "a log with a changed address",
      () => tamperWithReceipts((list) => void Object.assign(logsOf(list[0])[0] ?? {}, { address: `0x${"12".repeat(20)}` })),
      /logs bloom/,
    ],
    [
      "a removed log",
      () => tamperWithReceipts((list) => void Object.assign(logsOf(list[0])[0] ?? {}, { removed: true })),
      /a log of receipt 0 belongs to another/,
    ],
    [
      "gas used that does not add up",
      () => tamperWithReceipts((list) => void Object.assign(list[0] ?? {}, { gasUsed: "0x1" })),
      /cumulative gas used of transaction 0/,
    ],
    [
      "a malformed quantity",
      () => tamperWithBlock((raw) => set(raw, "timestamp", "0xzz")),
      /timestamp from the node: expected a hexadecimal quantity, got "0xzz"/,
    ],
    [
      "a JSON number instead of a quantity",
      () => tamperWithBlock((raw) => set(raw, "gasUsed", 21_000)),
      /gasUsed from the node: expected a hexadecimal quantity, got 21000/,
    ],
    ["a short hash", () => tamperWithBlock((raw) => set(raw, "hash", "0x12")), /hash from the node: expected a hash, got "0x12"/],
    [
      "a block with another number",
      () => tamperWithBlock((raw) => set(raw, "number", "0x1")),
      /its number is 1|inconsistent data for block/,
    ],
    ["a missing block", () => tamperWith("eth_getBlockByNumber", (_, reply) => set(reply, "result", null)), /does not have block \d+ yet/],
    [
      "a missing transaction",
      () => tamperWithBlock((raw) => void (raw.transactions as unknown[]).pop()),
      /3 receipts for the 2 transactions/,
    ],
    [
      "a missing trace",
      () => tamperWith("debug_traceBlockByNumber", (list: unknown[]) => void list.pop()),
      /traces of 2 transactions; expected 3/,
    ],
    [
      "a trace from another transaction",
      () => tamperWith("debug_traceBlockByNumber", (list: unknown[]) => void list.reverse()),
      /the trace of transaction 0x\w+ for transaction 0x\w+/,
    ],
  ];

  it.each(inconsistencies)("rejects %s", async (_, inject, message) => {
    inject();
    const failure = await source.fetchBlocks(height, height).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidResponseError);
    expect(String(failure)).toMatch(message);
  });

  it("rejects a block that does not follow the previous one", async () => {
    const other = `0x${"22".repeat(32)}`;
    tamperWith("eth_getBlockByNumber", (raw: Fields, _, params) => {
      if (params[0] === `0x${height.toString(16)}`) raw.parentHash = other;
    });
    await expect(source.fetchBlocks(height - 1, height)).rejects.toThrow(BrokenChainError);
  });

  it("retries inconsistent responses, and accepts consistent ones", async () => {
    let inconsistentResponseCount = 1;
    tamperWithReceipts((list) => {
      if (inconsistentResponseCount > 0) list.pop();
      inconsistentResponseCount -= 1;
    });
    expect(await source.fetchBlocks(height, height)).toHaveLength(1);
  });

  it("returns null for one failed call in a batch, and results for the others", async () => {
    tamperWith("eth_getBalance", (_, reply, params) => {
      if (params[0] !== chain.accounts[0]) return;
      delete reply.result;
      reply.error = { code: -32000, message: "missing trie node" };
    });
    const balances = await source.balances(chain.accounts.slice(0, 3), 0);
    expect(balances).toEqual([null, 10n ** 22n, 10n ** 22n]);
  });
});
