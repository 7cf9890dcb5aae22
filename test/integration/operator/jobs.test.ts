import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIndexers } from "../../../runtime/commands/index-chains.ts";
import { chainConfigSchema } from "../../../runtime/config/config.ts";
import { bytes } from "../../../runtime/database/codecs.ts";
import { estimateDiskUsage } from "../../../runtime/domains/chains/queries/disk-usage.ts";
import { readIndexState } from "../../../runtime/domains/chains/queries/index-state.ts";
import { createLedgerQueries } from "../../../runtime/domains/ledger/queries/index.ts";
import { listActions } from "../../../runtime/operator/actions.ts";
import { refreshMetadata, retryJobs } from "../../../runtime/operator/jobs.ts";
import { lastAudit, recordAudit } from "../../../runtime/operator/last-audit.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/until.ts";

const target = { id: 31337, name: "test" };
/** An account without code: calls to it return nothing, so its metadata is null once read. */
const contract = "0x1111111111111111111111111111111111111111";
const unread = "0x3333333333333333333333333333333333333333";
let chain: TestChain;
let testDatabase: TestDatabase;
let stop: () => Promise<void>;

beforeAll(async () => {
  chain = await startTestChain();
  for (let block = 0; block < 5; block += 1) await chain.mine();
  testDatabase = await createTestDatabase();
  const config = { ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: chain.url, pollMilliseconds: 50 }), id: 31337 };
  const progress = { report: () => undefined, print: () => undefined, end: () => undefined };
  const options = {
    protocols: [],
    database: { indexing: testDatabase.database, readerRole: "" },
    logger: pino({ level: "silent" }),
    progress,
  };
  const stopController = new AbortController();
  const indexing = runIndexers({ ...options, chains: [config] }, stopController.signal);
  stop = async () => {
    stopController.abort();
    await indexing;
  };
  await until("the first blocks", async () => (await createLedgerQueries(testDatabase.database).head(31337))?.number === 5);
});
afterAll(async () => {
  await stop?.();
  await testDatabase?.drop();
  await chain?.stop();
});

const metadata = async () => {
  const rows = await testDatabase.database.query<{ name: string | null }>("SELECT name FROM token_metadata WHERE address = $1", [
    bytes(contract),
  ]);
  return rows.map(({ name }) => name);
};
const queued = async () =>
  (await readIndexState(testDatabase.database)).queues.find(({ queue }) => queue === "contract-reads") ?? { entries: -1, attempted: -1 };

test("the indexer reads metadata from the contract again after a refresh", async () => {
  await testDatabase.database.query(
    "INSERT INTO token_metadata (chain_id, address, block_number, name, read_at_block) VALUES (31337, $1, 1, 'Old', 1)",
    [bytes(contract)],
  );
  const other = "0x2222222222222222222222222222222222222222";
  expect(await refreshMetadata(testDatabase.database, target, other, "operator@test")).toEqual({ tokenCount: 0, isCollection: false });
  expect(await metadata()).toEqual(["Old"]);
  expect(await refreshMetadata(testDatabase.database, target, null, "operator@test")).toEqual({ tokenCount: 1, isCollection: false });
  await until("the new metadata", async () => (await metadata())[0] === null);
  const [action, ...others] = await listActions(testDatabase.database, 10);
  expect([action?.action, action?.details, others]).toEqual(["chain.refresh-metadata", { contract: "all", tokens: 1 }, []]);
});

test("retrying jobs runs failed entries in the given queues immediately", async () => {
  await testDatabase.database.query(
    `INSERT INTO node_reads (chain_id, kind, key, block_number, attempts, run_after) VALUES (31337, 'token-metadata', $1, 1, 7, now() + interval '1 day')`,
    [bytes(unread)],
  );
  expect(await queued()).toMatchObject({ entries: 1, attempted: 1, overdue_seconds: 0 });
  expect(await retryJobs(testDatabase.database, target, ["nft-metadata"], "operator@test")).toBe(0);
  expect((await queued()).entries).toBe(1);
  expect(await retryJobs(testDatabase.database, target, ["contract-reads", "nft-metadata"], "operator@test")).toBe(1);
  await until("the attempt", async () => (await queued()).entries === 0);
  const [read] = await testDatabase.database.query<{ rows: number }>("SELECT count(*) AS rows FROM token_metadata WHERE address = $1", [
    bytes(unread),
  ]);
  expect(read?.rows).toBe(1);
});

test("the size of a chain is estimated from statistics, and the last audit is stored", async () => {
  await testDatabase.database.query("ANALYZE");
  const [table] = await testDatabase.database.query<{ bytes: number }>("SELECT pg_total_relation_size('blocks') AS bytes");
  const use = await estimateDiskUsage(testDatabase.database, 31337);
  // Blocks 0 to 5, and rows in other tables.
  expect(use.rows).toBeGreaterThanOrEqual(6);
  expect(use.bytes).toBeGreaterThanOrEqual(table?.bytes ?? Number.NaN);
  expect(await estimateDiskUsage(testDatabase.database, 1)).toEqual({ bytes: 0, rows: 0, transactions: 0 });

  expect(await lastAudit(testDatabase.database, "test")).toBeNull();
  await recordAudit(testDatabase.database, "test", { block: 4, compared: 10, differences: 1 }, "operator@test");
  await recordAudit(testDatabase.database, "test", { block: 5, compared: 10, differences: 0 }, "operator@test");
  expect((await lastAudit(testDatabase.database, "test"))?.details).toEqual({ block: 5, compared: 10, differences: 0 });
  expect(await lastAudit(testDatabase.database, "other")).toBeNull();
});
