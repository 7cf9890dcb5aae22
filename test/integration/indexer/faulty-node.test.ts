import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../demo/story/random.ts";
import type { Address } from "../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { hashContents } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addRound, buildStory, type Story } from "../../support/indexer/story-builder.ts";
import { chainOf, createTestIndexer, isAtHead, runInBackground } from "../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { until } from "../../support/until.ts";
import { createNodeFaults, type NodeFault } from "./node-faults.ts";

let chain: TestChain;
/** Another chain, with different blocks at the same heights. */
let foreign: TestChain;
let proxy: RpcProxy;
let cappedProxy: RpcProxy;
let story: Story;
let round = 12;
let correctIndex: TestDatabase | undefined;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  [chain, foreign] = await Promise.all([startTestChain(), startTestChain({ args: ["--chain-id", "31338"] })]);
  story = await buildStory(chain, round);
  await buildStory(foreign, round + 12);
  [proxy, cappedProxy] = await Promise.all([startRpcProxy(chain.url), startRpcProxy(chain.url)]);
  await recordForeignResponses();
});
afterEach(async () => {
  proxy.tamper = null;
  proxy.intercept = null;
  cappedProxy.tamper = null;
  await Promise.all(databases.splice(0).map((testDatabase) => testDatabase.drop()));
});
afterAll(async () => {
  await correctIndex?.drop();
  await proxy?.close();
  await cappedProxy?.close();
  await chain?.stop();
  await foreign?.stop();
});

const foreignResponses = new Map<string, unknown>();
let foreignBlockCount = 1;
const recordForeignResponses = async () => {
  foreignBlockCount = (await foreign.head()) + 1;
  for (let height = 0; height < foreignBlockCount; height += 1) {
    const number = `0x${height.toString(16)}`;
    for (const [method, params] of [
      ["eth_getBlockByNumber", [number, true]],
      ["eth_getBlockByNumber", [number, false]],
      ["eth_getBlockReceipts", [number]],
      ["trace_block", [number]],
    ] as const) {
      foreignResponses.set(JSON.stringify([method, params]), await foreign.rpc(method, params));
    }
  }
  foreignResponses.set(JSON.stringify(["eth_chainId", []]), "0x7a6a");
};

const newDatabase = async (): Promise<TestDatabase> => {
  const testDatabase = await createTestDatabase();
  databases.push(testDatabase);
  return testDatabase;
};
const chainSettings = () => chainOf({ wrappedNative: [story.weth], pollMilliseconds: 10 });
/** Many small requests, so that many responses can be changed. */
const tuning = { requestBlocks: 3, requestTransactions: 12, batchTransactions: 30 };

/** The contents of a correct index at the head; each call extends the same index. */
const correctContentsAtHead = async () => {
  correctIndex ??= await createTestDatabase();
  const testIndexer = await createTestIndexer(cappedProxy.url, correctIndex.database, { chain: chainSettings() });
  cappedProxy.tamper = null;
  await testIndexer.runToHead(await chain.head());
  await testIndexer.close();
  return hashContents(correctIndex.database);
};

/** The contents of a correct index up to a height. */
const correctContents = async (height: number) => {
  if (height === (await chain.head())) return correctContentsAtHead();
  const lastBlock = await chain.rpc("eth_getBlockByNumber", [`0x${height.toString(16)}`, false]);
  cappedProxy.tamper = (method, response, params) => {
    if (method === "eth_getBlockByNumber" && params[0] === "latest") response.result = lastBlock;
  };
  const testDatabase = await newDatabase();
  const testIndexer = await createTestIndexer(cappedProxy.url, testDatabase.database, { chain: chainSettings() });
  await testIndexer.runToHead(height);
  await testIndexer.close();
  return hashContents(testDatabase.database);
};

/** Injects a fault into one in `oneIn` responses on average, and counts the changed responses. */
const injectFault = (fault: NodeFault, seed: string, oneIn: number) => {
  const random = createRandom(seed);
  const injected = { count: 0 };
  proxy.tamper = (method, response, params) => {
    if (random.oneIn(oneIn) && fault(method, response, params)) injected.count += 1;
  };
  return injected;
};

/** Waits until the indexer has requested the node's head `times` more times. */
const waitForPolls = (times: number): Promise<void> => {
  const polls = () => proxy.counts.get("eth_getBlockByNumber") ?? 0;
  const before = polls();
  return until("the head to be polled", () => polls() >= before + times);
};

const foreignReply = (method: string, params: readonly unknown[]): unknown => {
  const height = Number(params[0]) % foreignBlockCount;
  return foreignResponses.get(JSON.stringify([method, method === "eth_chainId" ? [] : [`0x${height.toString(16)}`, ...params.slice(1)]]));
};
const earlierReplies = new Map<string, unknown>();

describe("an index", () => {
  it.each(createNodeFaults({ foreignResult: foreignReply, earlierResults: earlierReplies }))(
    "has no wrong row if its node %s, and is completed once the node is correct again",
    { timeout: scaleTimeLimit(90_000) },
    async (name, fault, oneIn = 10) => {
      earlierReplies.clear();
      const testDatabase = await newDatabase();
      // The probe receives correct responses, because capability detection has separate tests.
      const testIndexer = await createTestIndexer(proxy.url, testDatabase.database, { chain: chainSettings(), tuning });
      const duringBackfill = injectFault(fault, `backfill ${name}`, oneIn);
      let stop = runInBackground({ ...testIndexer, close: async () => undefined });
      await until(
        "a fault during the backfill",
        () => duringBackfill.count >= Math.min(oneIn, 3) || testIndexer.indexer.status().isFollowing,
      );
      proxy.tamper = null;
      await stop();
      const height = testIndexer.indexer.status().block;
      if (height >= 0) expect(await hashContents(testDatabase.database)).toEqual(await correctContents(height));

      stop = runInBackground(testIndexer);
      await until("the backfill to finish", () => isAtHead(testDatabase.database, chain));
      const duringFollowing = injectFault(fault, `following ${name}`, Math.min(oneIn, 4));
      for (let count = 0; count < 2 || (duringFollowing.count === 0 && count < 20); count += 1) {
        await addRound(chain, story, round++, chain.accounts.slice(0, 3) as unknown as [Address, Address, Address]);
        await waitForPolls(3);
      }
      proxy.tamper = null;
      await until("the new blocks to be indexed", () => isAtHead(testDatabase.database, chain));
      await stop();
      expect(duringBackfill.count).toBeGreaterThan(0);
      expect(duringFollowing.count).toBeGreaterThan(0);
      expect(await hashContents(testDatabase.database)).toEqual(await correctContentsAtHead());
    },
  );

  it("has no wrong row if its node sometimes responds after the timeout", async () => {
    const random = createRandom("late");
    // Long enough for a node on a busy machine: a base balance whose reads all time out would be stored as unknown.
    const timeout = scaleTimeLimit(200);
    const testDatabase = await newDatabase();
    const testIndexer = await createTestIndexer(proxy.url, testDatabase.database, {
      chain: chainSettings(),
      tuning,
      timeoutMilliseconds: timeout,
    });
    let delayedResponses = 0;
    proxy.delay = () => {
      if (!random.oneIn(8)) return 0;
      delayedResponses += 1;
      return 2.5 * timeout;
    };
    const stop = runInBackground(testIndexer);
    await until("the backfill to finish", () => isAtHead(testDatabase.database, chain));
    proxy.delay = null;
    await stop();
    expect(delayedResponses).toBeGreaterThan(3);
    expect(await hashContents(testDatabase.database)).toEqual(await correctContentsAtHead());
  });

  it("has no wrong row if its node sometimes truncates its responses", async () => {
    const random = createRandom("cut");
    const testDatabase = await newDatabase();
    const testIndexer = await createTestIndexer(proxy.url, testDatabase.database, { chain: chainSettings(), tuning });
    let truncatedResponses = 0;
    proxy.rewrite = (text) => {
      if (!random.oneIn(8)) return text;
      truncatedResponses += 1;
      return text.slice(0, random.below(text.length));
    };
    const stop = runInBackground(testIndexer);
    await until("the backfill to finish", () => isAtHead(testDatabase.database, chain));
    proxy.rewrite = null;
    await stop();
    expect(truncatedResponses).toBeGreaterThan(3);
    expect(await hashContents(testDatabase.database)).toEqual(await correctContentsAtHead());
  });
});
