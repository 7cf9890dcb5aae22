import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../demo/story/random.ts";
import type { Address } from "../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { contents } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { deadline } from "../../support/deadline.ts";
import { chainOf, createTestIndexer, isLevel, runInBackground } from "../../support/indexer/support.ts";
import { type Tale, tellRound, tellTale } from "../../support/indexer/tale.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";
import { until } from "../../support/until.ts";
import { createLies, type Lie } from "./lies.ts";

let chain: TestChain;
/** Anvil again, with other blocks at the same heights. */
let foreign: TestChain;
let proxy: RpcProxy;
let capped: RpcProxy;
let tale: Tale;
let round = 12;
let honestIndex: TestDatabase | undefined;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  [chain, foreign] = await Promise.all([startTestChain(), startTestChain({ args: ["--chain-id", "31338"] })]);
  tale = await tellTale(chain, round);
  await tellTale(foreign, round + 12);
  [proxy, capped] = await Promise.all([startRpcProxy(chain.url), startRpcProxy(chain.url)]);
  await rememberForeign();
});
afterEach(async () => {
  proxy.tamper = null;
  proxy.intercept = null;
  capped.tamper = null;
  await Promise.all(databases.splice(0).map((test) => test.drop()));
});
afterAll(async () => {
  await honestIndex?.drop();
  await proxy?.close();
  await capped?.close();
  await chain?.stop();
  await foreign?.stop();
});

const foreignReplies = new Map<string, unknown>();
let foreignBlocks = 1;
const rememberForeign = async () => {
  foreignBlocks = (await foreign.head()) + 1;
  for (let height = 0; height < foreignBlocks; height += 1) {
    const number = `0x${height.toString(16)}`;
    for (const [method, params] of [
      ["eth_getBlockByNumber", [number, true]],
      ["eth_getBlockByNumber", [number, false]],
      ["eth_getBlockReceipts", [number]],
      ["trace_block", [number]],
    ] as const) {
      foreignReplies.set(JSON.stringify([method, params]), await foreign.rpc(method, params));
    }
  }
  foreignReplies.set(JSON.stringify(["eth_chainId", []]), "0x7a6a");
};

const newDatabase = async (): Promise<TestDatabase> => {
  const test = await createTestDatabase();
  databases.push(test);
  return test;
};
const configured = () => chainOf({ wrappedNative: [tale.weth], pollMilliseconds: 10 });
/** Many small requests, so that there are many occasions to lie. */
const tuning = { requestBlocks: 3, requestTransactions: 12, batchTransactions: 30 };

/** The contents of an index of all blocks from a node that does not lie: one index that follows the chain through all tests. */
const honestAtHead = async () => {
  honestIndex ??= await createTestDatabase();
  const running = await createTestIndexer(capped.url, honestIndex.database, { chain: configured() });
  capped.tamper = null;
  await running.runToHead(await chain.head());
  await running.close();
  return contents(honestIndex.database);
};

/** The contents of an index of the blocks up to a height from a node that does not lie. */
const honest = async (height: number) => {
  if (height === (await chain.head())) return honestAtHead();
  const last = await chain.rpc("eth_getBlockByNumber", [`0x${height.toString(16)}`, false]);
  capped.tamper = (method, reply, params) => {
    if (method === "eth_getBlockByNumber" && params[0] === "latest") reply.result = last;
  };
  const test = await newDatabase();
  const running = await createTestIndexer(capped.url, test.database, { chain: configured() });
  await running.runToHead(height);
  await running.close();
  return contents(test.database);
};

/** Lies about one in so many replies; counts the lies. */
const lieWith = (lie: Lie, seed: string, outOf: number) => {
  const random = createRandom(seed);
  const told = { lies: 0 };
  proxy.tamper = (method, reply, params) => {
    if (random.chance(outOf) && lie(method, reply, params)) told.lies += 1;
  };
  return told;
};

/** Waits until the indexer has requested its node's head that often. */
const polled = (times: number): Promise<void> => {
  const polls = () => proxy.counts.get("eth_getBlockByNumber") ?? 0;
  const before = polls();
  return until("Polling the head", () => polls() >= before + times);
};

const foreignReply = (method: string, params: readonly unknown[]): unknown => {
  const height = Number(params[0]) % foreignBlocks;
  return foreignReplies.get(JSON.stringify([method, method === "eth_chainId" ? [] : [`0x${height.toString(16)}`, ...params.slice(1)]]));
};
const earlier = new Map<string, unknown>();

describe("an index whose node, now and then,", () => {
  it.each(createLies({ foreignReply, earlier }))(
    "%s, holds no wrong row, and is whole when the node tells the truth again",
    { timeout: 90_000 },
    async (name, lie, outOf = 10) => {
      earlier.clear();
      const test = await newDatabase();
      // The probe is told the truth: what a node offers is another test's question.
      const running = await createTestIndexer(proxy.url, test.database, { chain: configured(), tuning });
      const duringBackfill = lieWith(lie, `backfill ${name}`, outOf);
      let stop = runInBackground({ ...running, close: async () => undefined });
      await until("Lying during the backfill", () => duringBackfill.lies >= Math.min(outOf, 3) || running.indexer.status().following);
      proxy.tamper = null;
      await stop();
      const height = running.indexer.status().block;
      if (height >= 0) expect(await contents(test.database)).toEqual(await honest(height));

      stop = runInBackground(running);
      await until("The backfill", () => isLevel(test.database, chain));
      const duringFollowing = lieWith(lie, `following ${name}`, Math.min(outOf, 4));
      for (let count = 0; count < 2 || (duringFollowing.lies === 0 && count < 20); count += 1) {
        await tellRound(chain, tale, round++, chain.accounts.slice(0, 3) as unknown as [Address, Address, Address]);
        await polled(3);
      }
      proxy.tamper = null;
      await until("Following", () => isLevel(test.database, chain), 40_000);
      await stop();
      expect(duringBackfill.lies).toBeGreaterThan(0);
      expect(duringFollowing.lies).toBeGreaterThan(0);
      expect(await contents(test.database)).toEqual(await honestAtHead());
    },
  );

  it("answers late, after the question was given up, holds no wrong row", async () => {
    const random = createRandom("late");
    // Long enough for a node on a busy machine.
    const timeout = deadline(100);
    const test = await newDatabase();
    const running = await createTestIndexer(proxy.url, test.database, { chain: configured(), tuning, timeoutMilliseconds: timeout });
    let late = 0;
    proxy.delay = () => {
      if (!random.chance(8)) return 0;
      late += 1;
      return 2.5 * timeout;
    };
    const stop = runInBackground(running);
    await until("The backfill", () => isLevel(test.database, chain), 40_000);
    proxy.delay = null;
    await stop();
    expect(late).toBeGreaterThan(3);
    expect(await contents(test.database)).toEqual(await honestAtHead());
  });

  it("cuts its replies off, holds no wrong row", async () => {
    const random = createRandom("cut");
    const test = await newDatabase();
    const running = await createTestIndexer(proxy.url, test.database, { chain: configured(), tuning });
    let cut = 0;
    proxy.rewrite = (text) => {
      if (!random.chance(8)) return text;
      cut += 1;
      return text.slice(0, random.below(text.length));
    };
    const stop = runInBackground(running);
    await until("The backfill", () => isLevel(test.database, chain), 40_000);
    proxy.rewrite = null;
    await stop();
    expect(cut).toBeGreaterThan(3);
    expect(await contents(test.database)).toEqual(await honestAtHead());
  });
});
