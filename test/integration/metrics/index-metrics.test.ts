import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainConfigSchema } from "../../../runtime/config/config.ts";
import { readIndexState } from "../../../runtime/domains/chains/queries/index-state.ts";
import { countProgress, countRequest } from "../../../runtime/indexer/counts.ts";
import { type Metrics, startMetrics } from "../../../runtime/metrics/start-metrics.ts";
import { lastAudits, recordAudit } from "../../../runtime/operator/last-audit.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { parseScrape, type Sample, scrape, sumOf, typesOf } from "../../support/scrape.ts";
import { indexUntilHead } from "../../support/service.ts";

let chain: TestChain;
let testDatabase: TestDatabase;
let metrics: Metrics;

beforeAll(async () => {
  [chain, testDatabase] = await Promise.all([startTestChain(), createTestDatabase()]);
  await chain.mine();
  await chain.mine();
  const { stop } = await indexUntilHead(
    { ...chainConfigSchema.parse({ name: "own", id: 31337, rpc: chain.url }), id: 31337 },
    testDatabase.url,
  );
  await stop();
  metrics = await startMetrics({ host: "127.0.0.1", port: 0 });
  metrics.addIndex(async () => ({
    ...(await readIndexState(testDatabase.database)),
    audits: await lastAudits(testDatabase.database, ["own"]),
  }));
  metrics.addDataDirectory("/");
});
afterAll(async () => {
  metrics.close();
  await chain.stop();
  await testDatabase.drop();
});

const text = (): Promise<string> => scrape(`http://127.0.0.1:${metrics.address.port}/metrics`);
const samples = async (): Promise<readonly Sample[]> => parseScrape(await text());

describe("index metrics", () => {
  it("include the chain's position, lag, projections and queues", async () => {
    await testDatabase.database.query("UPDATE chains SET latest_block = 7");
    await testDatabase.database.query(
      `INSERT INTO node_reads (chain_id, kind, key, block_number, run_after) VALUES
       (31337, 'token', '\\x01', 1, now() - interval '90 seconds'), (31337, 'token', '\\x02', 1, now() + interval '1 hour')`,
    );
    const found = await samples();
    const value = (name: string, labels = {}): number => sumOf(found, name, { chain: "own", ...labels });
    // Two blocks were mined after block 0.
    expect(value("ashlar_index_block")).toBe(2);
    expect(value("ashlar_index_node_block")).toBe(7);
    expect(value("ashlar_index_lag_blocks")).toBe(5);
    const { timestamp } = await chain.rpc<{ timestamp: string }>("eth_getBlockByNumber", ["0x2", false]);
    const age = Date.now() / 1000 - Number(timestamp);
    expect(value("ashlar_index_lag_seconds")).toBeGreaterThan(age - 60);
    expect(value("ashlar_index_lag_seconds")).toBeLessThanOrEqual(age);
    expect(value("ashlar_index_checkpoint_block", { projection: "ledger" })).toBe(2);
    expect(value("ashlar_index_stopped")).toBe(0);
    expect(value("ashlar_index_paused")).toBe(0);
    expect(value("ashlar_index_queue_entries", { queue: "contract-reads" })).toBe(2);
    expect(value("ashlar_index_queue_entries", { queue: "nft-metadata" })).toBe(0);
    expect(value("ashlar_index_queue_overdue_seconds", { queue: "contract-reads" })).toBeGreaterThanOrEqual(90);
    expect(value("ashlar_index_queue_overdue_seconds", { queue: "contract-reads" })).toBeLessThan(600);
    expect(sumOf(found, "ashlar_data_directory_free_bytes")).toBeGreaterThan(0);
    expect(sumOf(found, "ashlar_metrics_source_up", { source: "index" })).toBe(1);
  });
});

describe("audit metrics", () => {
  it("are absent until a chain has been audited, and then describe its last audit", async () => {
    expect((await samples()).filter(({ name }) => name.startsWith("ashlar_index_audit_"))).toEqual([]);
    const before = Date.now() / 1000;
    await recordAudit(testDatabase.database, "own", { block: 1, compared: 9, differences: 4 }, "operator@test");
    await recordAudit(testDatabase.database, "own", { block: 2, compared: 9, differences: 3 }, "operator@test");
    await recordAudit(testDatabase.database, "removed", { block: 2, compared: 9, differences: 1 }, "operator@test");
    const found = await samples();
    expect(sumOf(found, "ashlar_index_audit_differences")).toBe(3);
    expect(sumOf(found, "ashlar_index_audit_timestamp_seconds", { chain: "own" })).toBeGreaterThanOrEqual(Math.floor(before));
    expect(sumOf(found, "ashlar_index_audit_timestamp_seconds", { chain: "own" })).toBeLessThanOrEqual(Date.now() / 1000 + 1);
  });
});

describe("indexer metrics", () => {
  it("count batches, reorganisations by depth, and requests to the node", async () => {
    const counts = metrics.addIndexer("indexer", { indexing: testDatabase.database })("own");
    const event = { projection: null, from: 0, block: 10, target: 10 };
    countProgress(counts, { ...event, phase: "follow", blockCount: 4, transactionCount: 5, rowCount: 60 });
    countProgress(counts, { ...event, phase: "catch-up", projection: "prices", blockCount: 4, transactionCount: 5, rowCount: 7 });
    countProgress(counts, { ...event, phase: "reorganisation", blockCount: 3, transactionCount: 0, rowCount: 0 });
    countRequest(counts, 20, null);
    countRequest(counts, 1, "down");
    const found = await samples();
    const value = (name: string, labels = {}): number => sumOf(found, name, { chain: "own", ...labels });
    expect(value("ashlar_indexer_blocks_total")).toBe(4);
    expect(value("ashlar_indexer_rows_total")).toBe(67);
    expect(value("ashlar_indexer_reorganisation_depth_blocks_bucket", { le: "2" })).toBe(0);
    expect(value("ashlar_indexer_reorganisation_depth_blocks_bucket", { le: "3" })).toBe(1);
    expect(value("ashlar_node_requests_total")).toBe(2);
    expect(value("ashlar_node_calls_total")).toBe(21);
    expect(value("ashlar_node_failures_total", { kind: "down" })).toBe(1);
    expect(value("ashlar_node_failures_total")).toBe(1);
    expect(typesOf(await text()).get("ashlar_indexer_reorganisation_depth_blocks")).toBe("histogram");
  });
});
