import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../runtime/demo/story/random.ts";
import type { Address } from "../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../support/chain.ts";
import { contents } from "../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type ProxiedReply, type RpcProxy, startRpcProxy } from "../support/rpc-proxy.ts";
import { chainOf, createTestIndexer, isLevel, runInBackground, until } from "./support.ts";
import { type Tale, tellRound, tellTale } from "./tale.ts";

type Fields = Record<string, unknown>;
/** Changes one reply; false where this reply gives no opportunity. */
type Lie = (method: string, reply: ProxiedReply, params: readonly unknown[]) => boolean;

let chain: TestChain;
/** Anvil again, with other blocks at the same heights. */
let foreign: TestChain;
let proxy: RpcProxy;
let capped: RpcProxy;
let tale: Tale;
let round = 12;
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

/** What an honest index of the blocks up to a height holds. */
const honest = async (height: number) => {
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

const inReceipts =
  (change: (receipts: Fields[]) => boolean): Lie =>
  (method, reply) =>
    method === "eth_getBlockReceipts" && Array.isArray(reply.result) && reply.result.length > 0 && change(reply.result as Fields[]);
const logsOf = (receipt: Fields | undefined) => (receipt?.logs ?? []) as Fields[];
const withLogs = (receipts: Fields[], least: number) => receipts.find((receipt) => logsOf(receipt).length >= least);
const ofBlocks = new Set(["eth_getBlockByNumber", "eth_getBlockReceipts", "trace_block"]);

const lies: [string, Lie, number?][] = [
  [
    "answers for another chain",
    (method, reply, params) => {
      const height = Number(params[0]) % foreignBlocks;
      const other = foreignReplies.get(
        JSON.stringify([method, method === "eth_chainId" ? [] : [`0x${height.toString(16)}`, ...params.slice(1)]]),
      );
      return other !== undefined && Object.assign(reply, { result: structuredClone(other) }) !== null;
    },
  ],
  ["leaves out the last receipt", inReceipts((receipts) => receipts.pop() !== undefined), 4],
  [
    "leaves out the last transaction",
    (method, reply) => {
      const transactions = (reply.result as Fields | null)?.transactions;
      return method === "eth_getBlockByNumber" && Array.isArray(transactions) && transactions.pop() !== undefined;
    },
  ],
  ["leaves out a log", inReceipts((receipts) => logsOf(withLogs(receipts, 1)).pop() !== undefined)],
  [
    "leaves out all logs and empties the bloom of the receipts",
    inReceipts((receipts) => {
      for (const receipt of receipts) Object.assign(receipt, { logs: [], logsBloom: `0x${"00".repeat(256)}` });
      return true;
    }),
  ],
  [
    "leaves out a transaction with its receipt, whose gas is missing then",
    (method, reply) => {
      // Both replies lose their last part, so that they fit each other.
      if (method === "eth_getBlockReceipts") return Array.isArray(reply.result) && reply.result.pop() !== undefined;
      const block = reply.result as { transactions?: unknown[] } | null;
      return method === "eth_getBlockByNumber" && block?.transactions?.pop() !== undefined;
    },
  ],
  ["tells null for a receipt", inReceipts((receipts) => Object.assign(receipts, { 0: null }) !== null)],
  [
    "tells null instead of receipts",
    (method, reply) => method === "eth_getBlockReceipts" && Object.assign(reply, { result: null }) !== null,
  ],
  [
    "tells a log twice",
    inReceipts((receipts) => {
      const logs = logsOf(withLogs(receipts, 1));
      return logs[0] !== undefined && logs.push({ ...logs[0] }) > 0;
    }),
  ],
  [
    "tells the logs in another order",
    inReceipts((receipts) => {
      const [one, other] = receipts.map(logsOf).filter(({ length }) => length > 0);
      if (one === undefined || other === undefined) return false;
      [one[0], other[0]] = [other[0] as Fields, one[0] as Fields];
      return true;
    }),
  ],
  [
    "tells the logs of another transaction",
    inReceipts((receipts) => {
      const [one, other] = receipts.filter((receipt) => logsOf(receipt).length > 0);
      return one !== undefined && other !== undefined && Object.assign(one, { logs: other.logs }) !== null;
    }),
  ],
  [
    "answers for the block before",
    (method, reply, params) => {
      const height = Number(params[0]);
      const known = earlier.get(`${method} ${height - 1} ${String(params[1])}`);
      earlier.set(`${method} ${height} ${String(params[1])}`, structuredClone(reply.result));
      return ofBlocks.has(method) && known !== undefined && Object.assign(reply, { result: known }) !== null;
    },
  ],
  [
    "answers 200 with an error",
    (_method, reply) => {
      delete reply.result;
      return Object.assign(reply, { error: { code: -32603, message: "internal error" } }) !== null;
    },
  ],
  ["answers null", (_method, reply) => Object.assign(reply, { result: null }) !== null],
  [
    "has a head that goes back",
    (method, reply, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "latest") return false;
      const known = earlier.get("head") ?? structuredClone(reply.result);
      earlier.set("head", known);
      return Object.assign(reply, { result: known }) !== null;
    },
    1,
  ],
  [
    "has a head that no block follows up to",
    (method, reply, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "latest") return false;
      return Object.assign(reply.result as Fields, { number: "0xffffff" }) !== null;
    },
    1,
  ],
  [
    "calls a block final that is far ahead",
    (method, reply, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "finalized") return false;
      return Object.assign(reply.result as Fields, { number: "0xffffff" }) !== null;
    },
    1,
  ],
  [
    "leaves out the frames of a transaction",
    (method, reply) => {
      if (method !== "trace_block" || !Array.isArray(reply.result) || reply.result.length === 0) return false;
      const last = (reply.result as Fields[]).at(-1)?.transactionPosition;
      reply.result = (reply.result as Fields[]).filter(({ transactionPosition }) => transactionPosition !== last);
      return true;
    },
  ],
];
const earlier = new Map<string, unknown>();

describe("an index whose node, now and then,", () => {
  it.each(lies)(
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
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      proxy.tamper = null;
      await until("Following", () => isLevel(test.database, chain), 40_000);
      await stop();
      expect(duringBackfill.lies).toBeGreaterThan(0);
      expect(duringFollowing.lies).toBeGreaterThan(0);
      expect(await contents(test.database)).toEqual(await honest(await chain.head()));
    },
  );

  it("answers late, after the question was given up, holds no wrong row", async () => {
    const random = createRandom("late");
    const test = await newDatabase();
    const running = await createTestIndexer(proxy.url, test.database, { chain: configured(), tuning, timeoutMilliseconds: 60 });
    let late = 0;
    proxy.delay = () => {
      if (!random.chance(8)) return 0;
      late += 1;
      return 150;
    };
    const stop = runInBackground(running);
    await until("The backfill", () => isLevel(test.database, chain), 40_000);
    proxy.delay = null;
    await stop();
    expect(late).toBeGreaterThan(3);
    expect(await contents(test.database)).toEqual(await honest(await chain.head()));
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
    expect(await contents(test.database)).toEqual(await honest(await chain.head()));
  });
});
