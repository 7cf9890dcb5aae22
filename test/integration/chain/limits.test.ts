import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createAdaptiveSize } from "../../../runtime/chain/adaptive-size.ts";
import { limitOfError } from "../../../runtime/chain/request-failure.ts";
import { createRpc, type Rpc, type RpcOptions } from "../../../runtime/chain/rpc.ts";
import { createSource } from "../../../runtime/chain/source.ts";
import type { ChainBlock } from "../../../runtime/chain/types.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../../support/chain.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";

let chain: TestChain;
let proxy: RpcProxy;
let height: number;
let expectedBlocks: ChainBlock[];

const capabilities = {
  hasBlockReceipts: true,
  traceKind: "debug",
  hasOldTraces: true,
  hasFinalizedTag: true,
  hasArchiveState: true,
  hasStateByHash: true,
  hasWebSocket: null,
  batchSize: 100,
} as const;
/** Fetches the blocks, and returns them with the limits that were found and the lowest concurrency during the requests. */
const fetchBlocks = async (
  options: Partial<RpcOptions> = {},
): Promise<{ blocks: ChainBlock[]; limits: ReturnType<Rpc["limits"]>; lowestConcurrency: number }> => {
  let lowestConcurrency = Number.POSITIVE_INFINITY;
  // A limit is lowered right after the retry is reported; successful requests raise it again.
  const recordConcurrency = () => setImmediate(() => (lowestConcurrency = Math.min(lowestConcurrency, rpc.limits().concurrency)));
  const rpc = createRpc({ url: proxy.url, retries: 3, backoffMilliseconds: 5, onRetry: recordConcurrency, ...options });
  try {
    const source = createSource(rpc, capabilities, { readsTraces: true, attempts: 1 });
    const blocks = await source.fetchBlocks(0, height);
    return { blocks, limits: rpc.limits(), lowestConcurrency };
  } finally {
    await rpc.close();
  }
};

beforeAll(async () => {
  chain = await startTestChain();
  const token = await chain.deploy(artifacts.erc20(), ["Gold", "GLD"]);
  for (let block = 0; block < 30; block += 1) {
    const transfers = Array.from({ length: 5 }, (_, index) => encodeCall(artifacts.erc20(), token, "mint", [chain.accounts[index], 1n]));
    await chain.send(...transfers);
    await chain.mine();
  }
  height = await chain.head();
  proxy = await startRpcProxy(chain.url);
  expectedBlocks = (await fetchBlocks()).blocks;
});
afterEach(() => {
  proxy.tamper = null;
  proxy.intercept = null;
});
afterAll(async () => {
  await proxy?.close();
  await chain?.stop();
});

const countCalls = (body: string): number => {
  const sent: unknown = JSON.parse(body);
  return Array.isArray(sent) ? sent.length : 1;
};
const refuseAbove = (maxSize: number, refuse: (response: ServerResponse) => void) => {
  proxy.intercept = (body, response) => {
    if (countCalls(body) <= maxSize) return false;
    refuse(response);
    return true;
  };
};
const errorResponse = (code: number, message: string) => JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });

describe("a node that limits its requests", () => {
  const limitCases: [string, number, (response: ServerResponse) => void][] = [
    ["refuses a long batch with a JSON-RPC error", 10, (response) => response.end(errorResponse(-32600, "batch too large"))],
    ["refuses a long batch with another message", 7, (response) => response.end(errorResponse(-32005, "batch limit 7 exceeded"))],
    ["refuses a long batch without a reason", 3, (response) => response.end(errorResponse(-32600, "Invalid Request"))],
    ["does not support batches", 1, (response) => response.writeHead(400).end(errorResponse(-32700, "parse error"))],
    ["rejects a large request with status 413", 6, (response) => response.writeHead(413).end("Payload Too Large")],
    ["truncates a long response", 9, (response) => response.end('[{"jsonrpc":"2.0","id":1,"result":{"num')],
    ["rejects a large request with status 502", 12, (response) => response.writeHead(502).end("<html>")],
    ["closes the connection on a large request", 12, (response) => response.destroy()],
    ["does not respond to a large request in time", 8, () => undefined],
    ["rejects a large batch with status 429", 5, (response) => response.writeHead(429, { "retry-after": "0" }).end("slow down")],
  ];

  it.each(limitCases)("returns the same blocks when it %s", async (_, maxSize, refuse) => {
    refuseAbove(maxSize, refuse);
    const { blocks, limits } = await fetchBlocks({ timeoutMilliseconds: scaleTimeLimit(500), retries: 6 });
    expect(blocks).toEqual(expectedBlocks);
    expect(limits.batchSize).toBeLessThanOrEqual(2 * maxSize);
  });

  it("returns the same blocks when the node limits the response size", async () => {
    let bytes = 0;
    expect(proxy.intercept).toBeNull();
    proxy.intercept = () => {
      bytes = 0;
      return false;
    };
    proxy.tamper = (_method, reply) => {
      bytes += JSON.stringify(reply.result).length;
      if (bytes < 30_000) return;
      delete reply.result;
      reply.error = { code: -32003, message: "response too large" };
    };
    const { blocks, limits } = await fetchBlocks({ concurrency: 1 });
    expect(blocks).toEqual(expectedBlocks);
    expect(limits.batchSize).toBeLessThan(100);
  });

  it("returns the same blocks under a rate limit, with fewer concurrent requests", async () => {
    let remainingCalls = 20;
    const refill = setInterval(() => {
      remainingCalls = 20;
    }, 50);
    proxy.intercept = (body, response) => {
      remainingCalls -= countCalls(body);
      if (remainingCalls >= 0) return false;
      response.writeHead(429).end(errorResponse(-32005, "daily request count exceeded, request rate limited"));
      return true;
    };
    const { blocks, lowestConcurrency } = await fetchBlocks({ retries: 8, backoffMilliseconds: 20 });
    clearInterval(refill);
    expect(blocks).toEqual(expectedBlocks);
    expect(lowestConcurrency).toBeLessThan(8);
  });

  it.each([
    ["receipts", "eth_getBlockReceipts", "eth_getTransactionReceipt"],
    ["a full block", "eth_getBlockByNumber", "eth_getTransactionByHash"],
    ["a block's traces", "debug_traceBlockByNumber", "debug_traceTransaction"],
  ])("returns the same blocks when %s would exceed the maximum response size", async (_, blockMethod, transactionMethod) => {
    proxy.counts.clear();
    proxy.tamper = (method, reply, params) => {
      if (method !== blockMethod || (blockMethod === "eth_getBlockByNumber" && params[1] === false)) return;
      delete reply.result;
      reply.error = { code: -32000, message: "response size exceeded the limit of 10 kB" };
    };
    expect((await fetchBlocks()).blocks).toEqual(expectedBlocks);
    // One call for each transaction: 30 blocks with 5 transactions each, and the deployment.
    expect(proxy.counts.get(transactionMethod)).toBe(151);
  });

  it("receives smaller requests when its responses would exhaust the memory", async () => {
    const { blocks, limits } = await fetchBlocks({ targetResponseBytes: 20_000 });
    expect(blocks).toEqual(expectedBlocks);
    expect(limits.batchSize).toBeLessThan(100);
  });

  it("does not receive smaller requests when a revert reason resembles a limit", async () => {
    proxy.tamper = (method, reply) => {
      if (method !== "eth_call") return;
      delete reply.result;
      reply.error = { code: 3, message: "execution reverted: batch size exceeds limit, too many requests" };
    };
    const rpc = createRpc({ url: proxy.url, retries: 0 });
    const results = await rpc.settle(Array.from({ length: 4 }, () => ({ method: "eth_call", params: [{}, "latest"] })));
    expect(results.map(({ ok }) => ok)).toEqual([false, false, false, false]);
    expect(rpc.limits().batchSize).toBe(100);
    await rpc.close();
  });
});

describe("an RPC error", () => {
  it.each([
    [-32005, "daily request count exceeded, request rate limited", "rate"],
    [-32005, "limit exceeded", "rate"],
    [-32005, "query returned more than 10000 results", "size"],
    [-32005, "batch limit 100 exceeded (can be increased by a flag)", "size"],
    [429, "your app has exceeded its compute units per second capacity", "rate"],
    [-32000, "exceeded the monthly quota of this key", "rate"],
    [-32600, "batch too large", "size"],
    [-32003, "response too large", "size"],
    [-32000, "response size exceeded", "size"],
    [-32000, "request timed out", "size"],
    [-32602, "block range is too large", "size"],
    [3, "execution reverted: cap exceeded for this batch", null],
    [-32000, "out of gas: gas required exceeds allowance (50000000)", null],
    [-32000, "missing trie node 5f3a (path ) state is not available", null],
    [-32601, "the method debug_traceBlockByNumber does not exist", null],
    [-32000, "header not found", null],
  ] as const)("is classified by its code %i and message %j", (code, message, kind) => {
    expect(limitOfError(code, message)).toBe(kind);
  });
});

describe("an adaptive size", () => {
  it("is halved until it is 1", () => {
    const size = createAdaptiveSize(10);
    const sizes = [size.current()];
    for (let count = 0; count < 5; count += 1) {
      size.reportTooLarge(size.current());
      sizes.push(size.current());
    }
    expect(sizes).toEqual([10, 5, 2, 1, 1, 1]);
  });

  it("is halved only once by concurrent failures", () => {
    const size = createAdaptiveSize(100);
    for (let count = 0; count < 8; count += 1) size.reportTooLarge(100);
    expect(size.current()).toBe(50);
  });

  it("converges to just below a limit, and exceeds it less and less often", () => {
    const size = createAdaptiveSize(100);
    const limit = 37;
    const attempts: boolean[] = [];
    for (let count = 0; count < 2_000; count += 1) {
      const attempted = size.current();
      attempts.push(attempted <= limit);
      if (attempted <= limit) size.reportSuccess(attempted);
      else size.reportTooLarge(attempted);
    }
    expect(size.current()).toBeGreaterThan(limit / 2);
    expect(attempts.slice(0, 100).filter((succeeded) => !succeeded).length).toBeGreaterThan(1);
    expect(attempts.slice(1_000).filter((succeeded) => !succeeded).length).toBeLessThan(10);
  });

  it("returns to the maximum when the limit is lifted", () => {
    const size = createAdaptiveSize(100);
    for (let count = 0; count < 10; count += 1) size.reportTooLarge(size.current());
    for (let count = 0; count < 200; count += 1) size.reportSuccess(size.current());
    expect(size.current()).toBe(100);
  });
});
