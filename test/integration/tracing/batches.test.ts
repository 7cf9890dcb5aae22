import { afterAll, beforeAll, expect, it } from "vitest";
import { startTracing } from "../../../runtime/tracing/start-tracing.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createTestIndexer } from "../../support/indexer/support.ts";
import { attributesOf, startTraceCollector, type TraceCollector } from "../../support/trace-collector.ts";

let chain: TestChain;
let testDatabase: TestDatabase;
let collector: TraceCollector;
beforeAll(async () => {
  [chain, testDatabase, collector] = await Promise.all([startTestChain(), createTestDatabase(), startTraceCollector()]);
  for (let block = 0; block < 5; block += 1) await chain.mine();
});
afterAll(async () => {
  await collector?.close();
  await testDatabase?.drop();
  await chain?.stop();
});

/** Indexes the chain and exports the given share of traces. */
async function indexChain(sampleRatio: number): Promise<void> {
  const warnings: string[] = [];
  const logger = { warn: (_: object, message: string) => warnings.push(message) };
  const tracing = startTracing({ endpoint: collector.endpoint, sampleRatio, process: "indexer", logger });
  // Each batch has two blocks.
  const indexer = await createTestIndexer(chain.url, testDatabase.database, {
    tracer: tracing.tracer,
    tuning: { batchBlocks: 2, requestBlocks: 1 },
  });
  await indexer.runToHead(await chain.head());
  await indexer.close();
  await tracing.close();
  expect(warnings).toEqual([]);
}

it("exports a span for each batch of blocks, with child spans for fetching, folding and writing", async () => {
  await indexChain(1);
  const batches = collector.spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  const ranges = batches
    .map(attributesOf)
    .filter((attributes) => attributes["ashlar.blocks"] !== 0)
    .map((attributes) => [attributes["ashlar.chain"], attributes["ashlar.first_block"], attributes["ashlar.last_block"]]);
  expect(ranges).toEqual([
    ["test", 0, 1],
    ["test", 2, 3],
    ["test", 4, 5],
  ]);
  for (const { spanId, traceId, name, startTimeUnixNano } of batches.slice(0, 3)) {
    expect(name).toBe("index blocks");
    const steps = collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId);
    expect(new Set(steps.map((step) => step.name))).toEqual(new Set(["fetch", "fold", "write"]));
    expect(steps.filter((step) => step.name === "fold")).toHaveLength(2);
    for (const step of steps) {
      expect(step.traceId).toBe(traceId);
      expect(BigInt(step.startTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
    }
  }
  const rows = batches.map((batch) => Number(attributesOf(batch)["ashlar.rows"] ?? 0)).reduce((sum, count) => sum + count, 0);
  // There is at least one row for each of the six blocks.
  expect(rows).toBeGreaterThanOrEqual(6);
});

it("exports no spans that are not sampled", async () => {
  await chain.mine();
  const before = collector.spans.length;
  await indexChain(0);
  expect(collector.spans.length).toBe(before);
});
