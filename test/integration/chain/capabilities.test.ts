import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Capabilities, probeCapabilities } from "../../../runtime/chain/capabilities.ts";
import { missingFeatures } from "../../../runtime/chain/describe-capabilities.ts";
import { probeNode } from "../../../runtime/chain/node.ts";
import { createRpc } from "../../../runtime/chain/rpc.ts";
import { webSocketUrl } from "../../../runtime/chain/subscription.ts";
import { doctor } from "../../../runtime/commands/doctor.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { type ProxiedResponse, type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";

let chain: TestChain;
let proxy: RpcProxy;

beforeAll(async () => {
  chain = await startTestChain();
  for (let block = 0; block < 5; block += 1) await chain.mine();
  for (let block = 0; block < 10; block += 1) {
    await chain.send({ to: chain.accounts[1] as `0x${string}`, value: 1n }, { to: chain.accounts[2] as `0x${string}`, value: 1n });
    await chain.mine();
  }
  for (let block = 0; block < 5; block += 1) await chain.mine();
  proxy = await startRpcProxy(chain.url);
});
afterEach(() => {
  proxy.tamper = null;
  proxy.intercept = null;
});
afterAll(async () => {
  await proxy?.close();
  await chain?.stop();
});

const probe = async (url = proxy.url): Promise<Capabilities> => {
  const rpc = createRpc({ url, retries: 1, backoffMilliseconds: 5 });
  try {
    return await probeCapabilities(rpc, 0, { webSocketUrl: webSocketUrl(url) });
  } finally {
    await rpc.close();
  }
};
const allCapabilities: Capabilities = {
  hasBlockReceipts: true,
  traceKind: "trace",
  hasOldTraces: true,
  hasFinalizedTag: true,
  hasArchiveState: true,
  hasStateByHash: true,
  hasWebSocket: true,
  batchSize: 100,
};
/** The proxy does not support WebSocket. */
const proxiedCapabilities: Capabilities = { ...allCapabilities, hasWebSocket: false };
const refuse = (reply: ProxiedResponse, message = "the method does not exist") => {
  delete reply.result;
  reply.error = { code: -32601, message };
};
const tamperWith = (method: string, edit: (reply: ProxiedResponse, params: readonly unknown[]) => void) => {
  proxy.tamper = (called, reply, params) => {
    if (called === method || method === "*") edit(reply, params);
  };
};

describe("a node's capabilities", () => {
  it("are complete for a node that supports everything", async () => {
    expect(await probe(chain.url)).toEqual(allCapabilities);
    expect(missingFeatures(await probe(chain.url))).toEqual([]);
  });

  const cases: [string, Partial<Capabilities>, () => void][] = [
    [
      "no block receipts when the method is refused",
      { hasBlockReceipts: false },
      () => tamperWith("eth_getBlockReceipts", (reply) => refuse(reply)),
    ],
    [
      "no block receipts when they are null",
      { hasBlockReceipts: false },
      () => tamperWith("eth_getBlockReceipts", (reply) => void Object.assign(reply, { result: null })),
    ],
    [
      "no block receipts when blocks with transactions have none",
      { hasBlockReceipts: false },
      () => tamperWith("eth_getBlockReceipts", (reply) => void Object.assign(reply, { result: [] })),
    ],
    ["debug traces when there are no flat traces", { traceKind: "debug" }, () => tamperWith("trace_block", (reply) => refuse(reply))],
    [
      "no traces when each response has an error instead of a result",
      { traceKind: null, hasOldTraces: false },
      () => {
        proxy.tamper = (method, reply) => {
          if (method === "trace_block") refuse(reply);
          if (method === "debug_traceBlockByNumber") {
            reply.result = (reply.result as unknown[]).map(() => ({ error: "tracer not found" }));
          }
        };
      },
    ],
    [
      "no traces when the lists are empty",
      { traceKind: null, hasOldTraces: false },
      () => {
        proxy.tamper = (method, reply) => {
          if (method === "trace_block" || method === "debug_traceBlockByNumber") reply.result = [];
        };
      },
    ],
    [
      "traces of recent blocks only, when older ones require pruned state",
      { traceKind: "debug", hasOldTraces: false },
      () => {
        proxy.tamper = (method, reply, params) => {
          if (method === "trace_block" || (method === "debug_traceBlockByNumber" && Number(params[0]) < 10)) refuse(reply);
        };
      },
    ],
    [
      "no finalized tag when its block is null",
      { hasFinalizedTag: false },
      () =>
        tamperWith("*", (reply, params) => {
          if (params[0] === "finalized") reply.result = null;
        }),
    ],
    [
      "no archive state when a past balance is refused",
      { hasArchiveState: false, hasStateByHash: false },
      () => tamperWith("eth_getBalance", (reply) => refuse(reply, "missing trie node")),
    ],
    [
      "no state by hash when only heights are accepted",
      { hasStateByHash: false },
      () => tamperWith("eth_getBalance", (reply, params) => void (typeof params[1] === "object" && refuse(reply, "invalid argument 1"))),
    ],
    [
      "no archive state when the result is not a balance",
      { hasArchiveState: false, hasStateByHash: false },
      () => tamperWith("eth_getBalance", (reply) => void Object.assign(reply, { result: "0x" })),
    ],
  ];
  it.each(cases)("include %s", async (_, expected, inject) => {
    inject();
    expect(await probe()).toEqual({ ...proxiedCapabilities, ...expected });
  });

  it("include the largest accepted batch size", async () => {
    proxy.intercept = (body, response) => {
      // The WebSocket upgrade request has no body.
      if (body === "") return false;
      const sent: unknown = JSON.parse(body);
      if (!Array.isArray(sent) || sent.length <= 20) return false;
      response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch too large" } }));
      return true;
    };
    const { batchSize, ...rest } = await probe();
    expect(rest).toEqual({ ...proxiedCapabilities, batchSize: undefined });
    expect(batchSize).toBeGreaterThan(5);
    expect(batchSize).toBeLessThanOrEqual(20);
  });
});

describe("probeNode", () => {
  it("returns a source of verified blocks, and a head subscription if the node supports it", async () => {
    const rpc = createRpc({ url: chain.url });
    const node = await probeNode({ rpc, url: chain.url, chainId: 31337, from: 0, readsTraces: true });
    expect(node.capabilities).toEqual(allCapabilities);
    expect((await node.source.fetchBlocks(0, 20)).length).toBe(21);
    expect(node.headFeed).not.toBeNull();
    node.headFeed?.close();
    const withoutHeads = await probeNode({ rpc, url: proxy.url, chainId: 31337, from: 0, readsTraces: true });
    expect(withoutHeads.headFeed).toBeNull();
    const wrongChain = await probeNode({ rpc, url: proxy.url, chainId: 5, from: 0, readsTraces: true });
    await expect(wrongChain.source.fetchBlocks(10, 10)).rejects.toThrow("transaction 0 belongs to chain 31337");
    await rpc.close();
  });
});

describe("ashlar doctor", () => {
  const run = async (url: string): Promise<[number, string]> => {
    const lines: string[] = [];
    const code = await doctor(url, { print: (line) => lines.push(line) });
    return [code, lines.join("\n")];
  };

  it("prints the node's capabilities and their consequences", async () => {
    tamperWith("eth_getBalance", (reply) => refuse(reply, "missing trie node"));
    const [code, text] = await run(proxy.url);
    expect(code).toBe(0);
    expect(text).toMatch(/serves chain 31337 \(anvil.*\); its head is block 20\./);
    expect(text).toMatch(/^block-receipts {2,}eth_getBlockReceipts {2,}all receipts of a block are read with one call$/m);
    expect(text).toMatch(
      /^archive-state {2,}no {2,}balances before the first indexed block are derived from balances read at the head; past balances that cannot be derived from events or traces stay unknown$/m,
    );
    expect(text).toMatch(/^websocket {2,}no {2,}new blocks are found by polling$/m);
    expect(text).toContain(
      "Native balances of a new index: read from the node's state of the accounts that each block touches, unknown for blocks whose state the node does not have " +
        "(nativeAccounting: state, the default), or derived from the values of transactions and internal calls (nativeAccounting: traces, ",
    );
    // The last ten of 21 blocks: five empty ones, and five with two transactions each.
    expect(text).toMatch(/^The node's last 10 blocks \(10 transactions\) are consistent; fetched in \d+ ms\.$/m);
  });

  it("accepts a local node's URL without a scheme, and rejects other URLs without printing their secrets", async () => {
    expect((await run(proxy.url.replace("http://", "")))[0]).toBe(0);
    const message = "Invalid value for --rpc: expected an http:// or https:// URL, such as http://localhost:8545.";
    expect(await run("node.example/s3cr3tt0ken")).toEqual([1, message]);
    expect(await run("ftp://127.0.0.1/s3cr3tt0ken")).toEqual([1, message]);
  });

  it("rejects a first block above the head", async () => {
    const lines: string[] = [];
    expect(await doctor(proxy.url, { from: 21, print: (line) => lines.push(line) })).toBe(1);
    expect(lines).toEqual(["Invalid value 21 for --from: expected at most 20, the node's head."]);
  });

  it("prints why a node cannot be used, without its URL", async () => {
    const [code, text] = await run("http://127.0.0.1:1/v3/s3cr3tt0ken");
    expect(code).toBe(1);
    expect(text).toMatch(/^This node cannot be used: The node at 127\.0\.0\.1:1 cannot be reached/);
    expect(text).not.toContain("s3cr3tt0ken");
  });
});
