import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import supertest from "supertest";
import { expect } from "vitest";
import { startDemo } from "../../../../demo/start-demo.ts";
import type { Demo } from "../../../../demo/types.ts";
import { createApp } from "../../../../runtime/app.ts";
import { createContractBackoff } from "../../../../runtime/chain/contract-backoff.ts";
import { type ChainConfig, configSchema } from "../../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../../runtime/config/key-limits.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { createStoredLedger } from "../../../../runtime/domains/ledger/stored-blocks.ts";
import type { HttpApp } from "../../../../runtime/http/app.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import { createStopwatch } from "../../../../runtime/indexer/ingest/stopwatch.ts";
import type { ChainFacts } from "../../../../runtime/indexer/projection.ts";
import { clearProjection } from "../../../../runtime/indexer/reorg/roll-back.ts";
import { catchUpOnce } from "../../../../runtime/indexer/session/catch-up.ts";
import { readCheckpoints, resetCheckpoint } from "../../../../runtime/indexer/storage/checkpoints.ts";
import { projections } from "../../../../runtime/projections.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { chainOf, createTestIndexer, runUntil } from "../../../support/indexer/support.ts";
import { type ProxiedResponse, startRpcProxy } from "../../../support/rpc-proxy.ts";
import { copyShortStory, shortScale, storyEndTime } from "../../../support/story.ts";

export interface TestResponse {
  readonly status: number;
  readonly text: string;
  readonly message: string;
  readonly retryAfter: string | undefined;
  readonly hasMore: boolean;
}
export interface TestApi {
  request(target: string): Promise<TestResponse>;
  end(): Promise<void>;
}

/** Two indexes of the demo's short story. */
export interface TwoIndexes {
  readonly demo: Demo;
  /** The last block in a catch-up's first batch. */
  readonly middle: number;
  readonly head: number;
  /** Serves the index that reaches the head. */
  serveFull(): Promise<TestApi>;
  /** Serves the index that ends with the middle block. */
  servePartial(): Promise<TestApi>;
  /** Catches up the full index's projections to a block; with `fromStart`, from the first block, as after a version change. */
  catchUp(ids: readonly string[], to: number, options: { readonly fromStart: boolean }): Promise<void>;
  end(): Promise<void>;
}

const chainId = 31337;
const now = () => new Date(storyEndTime * 1000);
/** The story has no names; a configured registry is enough for names to be read. */
const nameRegistry = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e";

const indexerOf = ({ chain: { name, wrappedNative } }: Demo, url: string, database: Database) =>
  createTestIndexer(url, database, { chain: chainOf({ name, wrappedNative }), projections });

const indexTo = async (demo: Demo, url: string, database: Database, block: number): Promise<void> => {
  const running = await indexerOf(demo, url, database);
  await runUntil(running.indexer, () => running.indexer.status().isFollowing && running.indexer.status().block === block);
  await running.close();
};

const blockAt = async (url: string, tag: string): Promise<{ readonly number: string }> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: [tag, false] });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return ((await response.json()) as { result: { number: string } }).result;
};

const serve = async (demo: Demo, database: Database): Promise<TestApi> => {
  const chain: ChainConfig = { ...demo.chain, nameRegistry };
  const http: HttpApp = createApp({
    config: configSchema.parse({ publicUrl: "https://data.example", limits: { requestsPerSecond: 100_000, ...noKeyLimits } }),
    chains: [chain],
    database,
    logger: pino({ level: "silent" }),
    validate: "strict",
    now,
  });
  const { key } = await createKeys(database).create({ label: "test" });
  return {
    request: async (target) => {
      const response = await supertest(http.listener).get(target).set("Authorization", `Bearer ${key}`);
      const { data, error_message: message } = response.body;
      return {
        status: response.status,
        text: JSON.stringify(data),
        message: String(message),
        retryAfter: response.headers["retry-after"],
        hasMore: data?.pagination?.has_more === true,
      };
    },
    end: () => http.close(),
  };
};

const catchUp = async (
  demo: Demo,
  database: Database,
  ids: readonly string[],
  to: number,
  { fromStart }: { readonly fromStart: boolean },
): Promise<void> => {
  const running = await indexerOf(demo, demo.rpcUrl, database);
  const facts: ChainFacts = { from: 0, baseBlock: 0, nativeAccounting: "traces", wrappedNative: new Set(demo.chain.wrappedNative) };
  const guard = async () => undefined;
  const onUnreadContracts = () => undefined;
  const deps = {
    database,
    source: running.source,
    chainId,
    facts,
    genesisAllocation: undefined,
    ledger: createStoredLedger(database, chainId),
    stopwatch: createStopwatch(),
    guard,
    onUnreadContracts,
    unresponsiveContracts: createContractBackoff(1_000),
    clock: () => new Date(),
  };
  for (const projection of projections.filter(({ id }) => ids.includes(id))) {
    if (fromStart) {
      await database.transaction(async (client) => {
        await clearProjection(client, chainId, projection);
        await resetCheckpoint(client, chainId, projection.id, projection.version, -1);
      });
    }
    const done = (await readCheckpoints(database, chainId)).get(projection.id)?.block ?? -1;
    const size = { maxTransactions: Number.MAX_SAFE_INTEGER, maxBlocks: to - done };
    if (to > done) await catchUpOnce(deps, projection, size, new AbortController().signal);
    expect((await readCheckpoints(database, chainId)).get(projection.id)?.block).toBe(to);
  }
  await running.close();
};

/** Indexes the story twice: up to its head, and up to a block in the middle. */
export const openTwoIndexes = async (): Promise<TwoIndexes> => {
  const folder = await mkdtemp(join(tmpdir(), "ashlar-as-of-"));
  await copyShortStory(folder);
  const demo = await startDemo({ dataDirectory: folder, scale: shortScale, endTime: storyEndTime });
  const [full, partial] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const proxy = await startRpcProxy(demo.rpcUrl);
  const head = Number((await blockAt(demo.rpcUrl, "latest")).number);
  const middle = Math.floor(head * 0.6);
  await indexTo(demo, demo.rpcUrl, full.database, head);
  // Simulates a node whose head is the middle block.
  const last = await blockAt(demo.rpcUrl, `0x${middle.toString(16)}`);
  proxy.tamper = (method: string, response: ProxiedResponse, params: readonly unknown[]) => {
    if (method === "eth_blockNumber") response.result = last.number;
    if (method === "eth_getBlockByNumber" && params[0] === "latest") response.result = last;
  };
  await indexTo(demo, proxy.url, partial.database, middle);
  return {
    demo,
    middle,
    head,
    serveFull: () => serve(demo, full.database),
    servePartial: () => serve(demo, partial.database),
    catchUp: (ids, to, options) => catchUp(demo, full.database, ids, to, options),
    end: async () => {
      await proxy.close();
      await Promise.all([full.drop(), partial.drop()]);
      await demo.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
