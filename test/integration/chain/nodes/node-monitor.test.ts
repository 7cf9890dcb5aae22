import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createNodeMonitor, type NodeMonitor } from "../../../../runtime/chain/nodes/node-monitor.ts";
import type { Hash } from "../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../support/chain.ts";
import { type RpcProxy, startRpcProxy } from "../../../support/rpc-proxy.ts";
import { until } from "../../../support/until.ts";

const chainId = 31337;
const otherHash: Hash = `0x${"ab".repeat(32)}`;

let chain: TestChain;
let proxies: RpcProxy[];
let messages: string[];
let stop: AbortController;
let running: Promise<void>;

beforeAll(async () => {
  chain = await startTestChain();
  await chain.rpc("anvil_mine", ["0x64"]);
});
afterAll(() => chain?.stop());
beforeEach(async () => {
  proxies = await Promise.all([startRpcProxy(chain.url), startRpcProxy(chain.url), startRpcProxy(chain.url)]);
  messages = [];
  stop = new AbortController();
  running = Promise.resolve();
});
afterEach(async () => {
  stop.abort();
  await running;
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

/** Monitors the first `count` nodes, with a secret in each URL. */
const startMonitor = (count: number, indexedHash: (height: number) => Hash | null = () => null): NodeMonitor => {
  const log = (message: string): void => void messages.push(message);
  const created = createNodeMonitor({
    chain: { name: "test", id: chainId },
    urls: proxies.slice(0, count).map(({ url }) => `${url}/secret-key`),
    indexedHash: async (height) => indexedHash(height),
    logger: { info: log, warn: log },
    pollMilliseconds: 20,
  });
  running = created.run(stop.signal);
  return created;
};
const waitForReplacement = (nodes: NodeMonitor): Promise<void> => until("a replacement", () => nodes.currentPosition !== 0);
const proxy = (position: number): RpcProxy => proxies[position] as RpcProxy;
/** Returns a wrong hash for all blocks except the most recent ones; the head is 100. */
const lieAboutOldBlocks: RpcProxy["tamper"] = (method, reply, [height]) => {
  if (method === "eth_getBlockByNumber" && Number(height) <= 36) (reply.result as { hash: Hash }).hash = otherHash;
};
const hashAt = async (height: number): Promise<Hash> =>
  (await chain.rpc<{ hash: Hash }>("eth_getBlockByNumber", [`0x${height.toString(16)}`, false])).hash;

test("a node monitor quarantines the node whose blocks differ from the majority, and replaces it", async () => {
  proxy(0).tamper = lieAboutOldBlocks;
  const nodes = startMonitor(3);
  const { replacedSignal } = nodes;
  await waitForReplacement(nodes);
  expect(replacedSignal.aborted).toBe(true);
  expect(nodes.replacedSignal.aborted).toBe(false);
  expect(messages).toEqual([
    expect.stringMatching(/^Quarantined node 1 \(127\.0\.0\.1:\d+\) of test: its block \d+ has hash 0x(ab){32}, expected 0x[0-9a-f]{64}$/),
    expect.stringMatching(
      /^Indexing test continues with node 2 \(127\.0\.0\.1:\d+\) instead of node 1 \(127\.0\.0\.1:\d+\): it is quarantined$/,
    ),
  ]);
});

test("a node monitor quarantines whichever of two nodes has a block that differs from the index", async () => {
  const indexed = new Map(await Promise.all(Array.from({ length: 37 }, async (_, height) => [height, await hashAt(height)] as const)));
  proxy(0).tamper = lieAboutOldBlocks;
  const nodes = startMonitor(2, (height) => indexed.get(height) ?? null);
  await waitForReplacement(nodes);
  expect(messages[0]).toMatch(/^Quarantined node 1 /);
});

test("a node monitor keeps the node, and logs one warning, if two nodes differ and the index is empty", async () => {
  proxy(0).tamper = lieAboutOldBlocks;
  const nodes = startMonitor(2);
  await until("two comparisons", () => (proxy(1).counts.get("eth_getBlockByNumber") ?? 0) >= 4);
  expect(nodes.currentPosition).toBe(0);
  expect(messages).toEqual(["The nodes of test have different blocks, and neither a majority nor the index decides which is right"]);
});

test.each<[string, RpcProxy["tamper"], RegExp]>([
  [
    "of another chain",
    (method, reply) => {
      if (method === "eth_chainId") reply.result = "0x5";
    },
    /^Quarantined node 1 .*: it reports chain id 5, expected 31337$/,
  ],
  [
    "that falls behind",
    (method, reply) => {
      if (method === "eth_blockNumber") reply.result = "0xa";
    },
    /^Indexing test continues with node 2 .* instead of node 1 .*: it is 90 blocks behind$/,
  ],
  [
    "that returns errors",
    (_, reply) => {
      delete reply.result;
      reply.error = { code: -32000, message: "out of order" };
    },
    /^Indexing test continues with node 2 .* instead of node 1 .*: its requests fail$/,
  ],
])("a node monitor replaces a node %s", async (_, tamper, message) => {
  proxy(0).tamper = tamper;
  const nodes = startMonitor(2);
  await waitForReplacement(nodes);
  expect(messages[0]).toMatch(message);
  expect(messages.join()).not.toContain("secret");
});

test("a node monitor keeps the node if one of three reports a head far ahead", async () => {
  proxy(2).tamper = (method, reply) => {
    if (method === "eth_blockNumber") reply.result = "0xffffffff";
  };
  const nodes = startMonitor(3);
  await until("ten rounds", () => (proxy(0).counts.get("eth_blockNumber") ?? 0) >= 10);
  expect(nodes.currentPosition).toBe(0);
  expect(messages).toEqual([]);
});
