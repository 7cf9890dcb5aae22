import { join } from "node:path";
import type { Database } from "../../runtime/database/database.ts";
import { openProtocols } from "../../runtime/domains/community/open-protocols.ts";
import { builtInProtocols } from "../../runtime/protocols.ts";
import { resultOfComparison } from "../indexing/compare-projections.ts";
import type { IndexerOptions, IndexerRun } from "../indexing/runs.ts";
import { type Run, timeRun } from "../indexing/time-run.ts";
import { type BenchResult, median } from "../result.ts";
import { compileScript } from "../support/compile-script.ts";
import { measureProcess, startClock } from "../support/measured-process.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows } from "../support/tables.ts";
import { communityOf } from "./chain-config.ts";
import type { EventChain } from "./event-chain.ts";
import type { PlannedProtocol } from "./plan.ts";

const indexerScript = new URL("../indexing/indexer-process.ts", import.meta.url);
/** Whether a table exists only with protocols, or contains rows of protocols. */
const belongsToProtocols = (table: string): boolean => /^cq_|^community_|^projection_checkpoints$/.test(table);

/** Indexes a chain of protocol events repeatedly, alternating with and without declared protocols. */
export async function compareDeclarations(
  server: BenchServer,
  chain: EventChain,
  planned: readonly PlannedProtocol[],
  folder: string,
  runs: number,
): Promise<BenchResult> {
  const script = compileScript(indexerScript, join(folder, "indexer"));
  const options = { rpc: chain.url, chainId: Number(await chain.rpc("eth_chainId")), head: await chain.head(), traces: false };
  const index = (withProtocols: boolean) => (databaseUrl: string) =>
    measureProcess<IndexerRun>(script, {
      ...options,
      databaseUrl,
      ...(withProtocols ? { community: communityOf(planned) } : {}),
    } satisfies IndexerOptions);
  // This run is not measured: it warms up the node and determines the expected rows.
  await index(true)(await server.create("target"));
  const rows = await server.runOn("target", countRows);
  const events = Object.entries(rows).reduce((sum, [table, count]) => sum + (tablesOf(planned).has(table) ? count : 0), 0);
  if (events !== chain.declaredEventCount) throw new Error(`Indexed ${events} of ${chain.declaredEventCount} protocol events`);
  const otherRows = Object.fromEntries(Object.entries(rows).filter(([table]) => !belongsToProtocols(table)));
  const created: number[] = [];
  const createTables = async (): Promise<void> => {
    const clock = startClock();
    await server.runOn("target", (database) => installTables(database, options.chainId, planned));
    created.push(clock().milliseconds);
  };
  const complete: Run<IndexerRun>[] = [];
  const reduced: Run<IndexerRun>[] = [];
  for (let count = 0; count < runs; count += 1) {
    complete.push(await timeRun(server, "with protocols", rows, index(true), createTables));
    reduced.push(await timeRun(server, "without protocols", otherRows, index(false)));
  }
  return resultOfComparison({ subject: "protocols", complete, reduced, rows }, [
    { run: "creating the tables of protocols, once per database", ms: Math.round(median(created)) },
  ]);
}

/** Creates the protocols' tables, as the indexer does before the first block. Migrations create the tables of the other projections. */
const installTables = (database: Database, id: number, planned: readonly PlannedProtocol[]): Promise<void> =>
  openProtocols({
    database,
    chain: { id, name: "bench", community: communityOf(planned) },
    protocols: builtInProtocols,
    readerRole: null,
    isPruned: false,
    logger: { info: () => undefined },
  }).prepareTables(() => Promise.resolve(), new Set());

const tablesOf = (planned: readonly PlannedProtocol[]): ReadonlySet<string> =>
  new Set(planned.flatMap(({ protocol: { id, tables } }) => tables.map(({ name }) => `cq_${id}_${name}`)));
