import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIndexers } from "../../../runtime/commands/index-chains.ts";
import { type ChainConfig, chainConfigSchema } from "../../../runtime/config/config.ts";
import { createBitcoinQueries } from "../../../runtime/domains/bitcoin/queries.ts";
import { createChainQueries } from "../../../runtime/domains/chains/queries/index.ts";
import { createLedgerQueries } from "../../../runtime/domains/ledger/queries/index.ts";
import { listActions } from "../../../runtime/operator/actions.ts";
import { pauseChain, resumeChain } from "../../../runtime/operator/pause.ts";
import { inspectDatabase, readinessOf } from "../../../runtime/readiness.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";
import { until } from "../../support/until.ts";

let chain: TestChain;
let proxy: RpcProxy;
let testDatabase: TestDatabase;
let config: ChainConfig;
let requestCount = 0;

beforeAll(async () => {
  chain = await startTestChain();
  for (let block = 0; block < 3; block += 1) await chain.mine();
  proxy = await startRpcProxy(chain.url);
  proxy.intercept = () => {
    requestCount += 1;
    return false;
  };
  testDatabase = await createTestDatabase();
  config = { ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: proxy.url, pollMilliseconds: 50 }), id: 31337 };
});
afterAll(async () => {
  await testDatabase?.drop();
  await proxy?.close();
  await chain?.stop();
});

const printed: string[] = [];
let isDiskLow = false;
const diskSpace = { isLow: async () => isDiskLow };
const startIndexer = () => {
  const stop = new AbortController();
  const progress = { report: () => undefined, print: (line: string) => void printed.push(line), end: () => undefined };
  const options = {
    protocols: [],
    diskSpace,
    database: { indexing: testDatabase.database, readerRole: "" },
    logger: pino({ level: "silent" }),
    progress,
  };
  const indexing = runIndexers({ ...options, chains: [config] }, stop.signal);
  return async () => {
    stop.abort();
    await indexing;
  };
};
const head = async () => (await createLedgerQueries(testDatabase.database).head(31337))?.number;
const readReadiness = async () => {
  const queries = {
    ledger: createLedgerQueries(testDatabase.database),
    bitcoin: createBitcoinQueries(testDatabase.database),
    network: createChainQueries(testDatabase.database),
  };
  return readinessOf(await inspectDatabase([config], queries, testDatabase.database, { now: () => new Date(), maxSilentSeconds: 300 }));
};
/** Other tests use other databases on the same PostgreSQL server. */
const locks =
  "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
const isLocked = async () => (await testDatabase.database.query(locks)).length > 0;
const target = { id: 31337, name: "test" };

test("a paused chain is not indexed and its node receives no requests, even from a restarted indexer, until it is resumed", async () => {
  const stop = startIndexer();
  await until("the first blocks", async () => (await head()) === 3);
  expect(await pauseChain(testDatabase.database, target, "operator@test")).toBe(true);
  expect(await pauseChain(testDatabase.database, target, "operator@test")).toBe(false);
  await until("the indexer to release its lock", async () => !(await isLocked()));
  await until("the indexer to report", () => printed.length > 0);
  await chain.mine();
  const before = requestCount;
  // The indexer would poll its node every 50 ms, and checks for a resumption every second.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(requestCount).toBe(before);
  expect(await head()).toBe(3);
  await stop();

  const stopRestarted = startIndexer();
  await until("the restarted indexer to report", () => printed.length > 1);
  expect(requestCount).toBe(before);
  expect(await head()).toBe(3);

  expect(await resumeChain(testDatabase.database, target, "operator@test")).toBe("resumed");
  expect(await resumeChain(testDatabase.database, target, "operator@test")).toBe("not paused");
  await until("the new block", async () => (await head()) === 4);
  expect(printed).toEqual([
    "Paused indexing test; resume it with: ashlar chains resume test",
    "Paused indexing test; resume it with: ashlar chains resume test",
    "Resumed indexing test",
  ]);
  await stopRestarted();
  const actions = await listActions(testDatabase.database, 10);
  expect(actions.map(({ actor, action, subject, details }) => ({ actor, action, subject, details }))).toEqual([
    { actor: "operator@test", action: "chain.resume", subject: "test", details: {} },
    { actor: "operator@test", action: "chain.pause", subject: "test", details: {} },
  ]);
});

test("a paused chain is ready no matter how long its indexer is silent, and once it is resumed, silence is counted from then", async () => {
  const simulateSilence = () => testDatabase.database.query("UPDATE indexer_heartbeats SET alive_at = now() - interval '301 seconds'");
  await simulateSilence();
  expect((await readReadiness()).reasons).toEqual(["Indexer of test stopped: it does not report (no progress for 301 s)"]);
  await pauseChain(testDatabase.database, target, "operator@test");
  const paused = await readReadiness();
  expect(paused.reasons).toEqual([]);
  expect(paused.details).toMatchObject({ chains: [{ name: "test", paused_since: expect.stringMatching(/^\d{4}-.*Z$/) }] });
  await simulateSilence();
  await resumeChain(testDatabase.database, target, "operator@test");
  const resumed = await readReadiness();
  expect(resumed.reasons).toEqual([]);
  expect(resumed.details).toMatchObject({ chains: [{ paused_since: null }] });
});

test("a chain is not indexed while disk space is low, readiness reports the reason, and indexing resumes automatically", async () => {
  const stop = startIndexer();
  const indexed = await head();
  await chain.mine();
  await until("the next block", async () => (await head()) === (indexed ?? 0) + 1);
  printed.length = 0;
  isDiskLow = true;
  const reason =
    "the data directory's file system has less free space than minFreeDiskMegabytes; indexing continues when twice as much is free";
  await until("the indexer to pause", () => printed.includes(`Paused indexing test: ${reason}`));
  await until("the indexer to release its lock", async () => !(await isLocked()));
  await chain.mine();
  const failure = async () =>
    (await testDatabase.database.query<{ failure: string | null }>("SELECT failure FROM indexer_heartbeats"))[0]?.failure;
  await until("the reason", async () => (await failure()) === reason);
  expect((await readReadiness()).reasons).toEqual([]);
  await testDatabase.database.query("UPDATE indexer_heartbeats SET alive_at = now() - interval '301 seconds'");
  expect((await readReadiness()).reasons).toEqual([`Indexer of test stopped: ${reason} (no progress for 301 s)`]);
  expect(await head()).toBe((indexed ?? 0) + 1);
  isDiskLow = false;
  await until("the block mined meanwhile", async () => (await head()) === (indexed ?? 0) + 2);
  await until("readiness", async () => (await readReadiness()).reasons.length === 0);
  expect(printed.at(-1)).toBe("Resumed indexing test");
  await stop();
});

test("the database refuses to change recorded actions", async () => {
  const refused = { code: "42501" };
  const recorded = await listActions(testDatabase.database, 10);
  for (const statement of ["UPDATE operator_actions SET actor = 'other'", "DELETE FROM operator_actions", "TRUNCATE operator_actions"])
    await expect(testDatabase.database.query(statement)).rejects.toMatchObject(refused);
  expect(await listActions(testDatabase.database, 10)).toEqual(recorded);
});
