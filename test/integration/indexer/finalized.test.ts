import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeCapabilities } from "../../../runtime/chain/describe-capabilities.ts";
import { createFinality } from "../../../runtime/indexer/reorg/finalized-height.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { chainOf, createTestIndexer, runUntil } from "../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";
import { until } from "../../support/until.ts";

let chain: TestChain;
let proxy: RpcProxy;
let testDatabase: TestDatabase;
let reads = 0;

beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startRpcProxy(chain.url);
  proxy.tamper = (_, response, params) => {
    if (params[0] === "finalized") response.result = null;
  };
  testDatabase = await createTestDatabase();
  for (let block = 0; block < 30; block += 1) await chain.mine();
});
afterAll(async () => {
  await testDatabase?.drop();
  await proxy?.close();
  await chain?.stop();
});

const openIndexer = () => createTestIndexer(proxy.url, testDatabase.database, { chain: chainOf({ finality: 10 }) });
const storedFinalizedBlock = async () =>
  (await testDatabase.database.query<{ finalized_block: number | null }>("SELECT finalized_block FROM chains"))[0]?.finalized_block;
const hashAt = async (height: number) =>
  (await chain.rpc<{ hash: string }>("eth_getBlockByNumber", [`0x${height.toString(16)}`, false])).hash;
const storedHash = async (height: number) =>
  (await testDatabase.database.query<{ hash: string }>("SELECT hash FROM blocks WHERE number = $1", [height]))[0]?.hash;

describe("the finalized block", () => {
  it("is the configured number of blocks below the indexed head if the node has no finalized tag", async () => {
    const first = await openIndexer();
    // The first run starts with an empty index, so a second run is needed.
    await runUntil(first.indexer, () => first.indexer.status().isFollowing);
    const second = await openIndexer();
    let isReached = false;
    const polling = setInterval(() => void storedFinalizedBlock().then((height) => (isReached = height === 20)), 20);
    await runUntil(second.indexer, () => isReached);
    clearInterval(polling);
    expect(await storedFinalizedBlock()).toBe(20);
    expect(first.warnings.join("\n")).toContain("a block counts as final 10 blocks later: a deeper reorganisation is rejected");
    await first.close();
    await second.close();
  });

  it("permits reorganisations above it, and prevents one that would replace it", async () => {
    await chain.rpc("anvil_reorg", [10, []]);
    const shallow = await openIndexer();
    await until("the other branch to be indexed", async () => {
      await runUntil(shallow.indexer, () => shallow.indexer.status().isFollowing);
      return (await storedHash(25)) === (await hashAt(25));
    });
    await shallow.close();
    const before = await storedHash(25);
    await chain.rpc("anvil_reorg", [11, []]);
    const deep = await openIndexer();
    await expect(deep.indexer.run(AbortSignal.timeout(20_000))).rejects.toThrow(
      /although block 20 was finalized: indexing stopped and nothing was changed/,
    );
    expect(await storedHash(25)).toBe(before);
    await deep.close();
  });

  const head = { number: 100, hash: "0x" as const, timestamp: 0 };
  const hashOf = (height: number, branch = "a") => `0x${branch}${height}` as const;
  const block = (height: number, branch = "a") => ({ number: height, hash: hashOf(height, branch) });
  /** A node that reports these finalized blocks one after another, and the last one from then on. */
  const nodeWith = (hasFinalizedTag: boolean, ...finalizedBlocks: readonly (ReturnType<typeof block> | null)[]) => ({
    capabilities: {
      hasBlockReceipts: true,
      traceKind: null,
      hasOldTraces: false,
      hasArchiveState: true,
      hasStateByHash: true,
      hasWebSocket: null,
      batchSize: 1,
      hasFinalizedTag,
    },
    finalizedBlock: async () => finalizedBlocks[Math.min(reads++, finalizedBlocks.length - 1)] ?? null,
  });

  it.each([
    ["the block that the node reports rather than the configured finality", nodeWith(true, block(64)), 100, 10, 64],
    ["null for a reported block above the head", nodeWith(true, block(101)), 100, 10, null],
    ["the lower one of two reads that differ", nodeWith(true, block(64), block(99)), 100, 10, 64],
    ["the lower one of two reads in the other order", nodeWith(true, block(99), block(64)), 100, 10, 64],
    ["null for a block on another branch", nodeWith(true, block(64), block(64, "b")), 100, 10, null],
    ["null for a block above the indexed head", nodeWith(true, block(64)), 63, 10, null],
    ["null if the node supports the tag and returns null", nodeWith(true, null), 100, 10, null],
    ["counted from the indexed head while the index is behind the node", nodeWith(false, null), 50, 10, 40],
    ["null below the configured number of blocks", nodeWith(false, null), 9, 10, null],
    ["null with neither the tag nor a configured finality", nodeWith(false, null), 100, undefined, null],
  ])("is %s", async (_, source, indexed, finality, expected) => {
    reads = 0;
    const ledger = { hashes: async (from: number) => new Map([[from, hashOf(from)]]) };
    expect(await createFinality({ source, ledger, finality })(head, indexed)).toBe(expected);
  });

  it("is described among the capabilities", () => {
    const consequenceOf = (finality?: number) =>
      describeCapabilities(nodeWith(false, null).capabilities, { finality }).find(({ feature }) => feature === "finalized-tag")
        ?.consequence;
    expect(consequenceOf()).toBe(
      "no block is final unless the chain's finality is set in the configuration; reorganisations of any depth are handled",
    );
    expect(consequenceOf(64)).toBe("a block counts as final 64 blocks later: a deeper reorganisation is rejected");
  });
});
