import { join } from "node:path";
import type { Database } from "../../runtime/database/database.ts";
import type { IndexerOptions, IndexerRun } from "../indexing/runs.ts";
import { type Run, timedRun } from "../indexing/timed-run.ts";
import { compileScript } from "../support/compiled.ts";
import { describeTokens } from "../support/fill.ts";
import { measureProcess } from "../support/measured-process.ts";
import { projections } from "../support/projections.ts";
import { type ChoreTime, runChores } from "../support/run-chores.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows } from "../support/tables.ts";
import { choresOf } from "./chores.ts";
import type { SwapHistory } from "./swap-chain.ts";

/** The projections that are there for exchanges and their prices. */
const ofExchanges: ReadonlySet<string> = new Set(["pools", "feeds"]);
const indexerScript = new URL("../indexing/indexer-process.ts", import.meta.url);

export interface DomainComparison {
  /** With all projections, and right after each without those of exchanges. */
  readonly whole: readonly Run<IndexerRun>[];
  readonly without: readonly Run<IndexerRun>[];
  readonly rows: Readonly<Record<string, number>>;
  readonly chores: ChoresDone;
}

/** What chores did on an index that had just come to its head, and the rows that they left. */
export interface ChoresDone {
  readonly times: readonly ChoreTime[];
  readonly rows: Readonly<Record<string, number>>;
}

/** Indexes a chain so many times with the projections of exchanges and, in turn, without; compiled, as an installed package is. */
export async function compareDomain(server: BenchServer, chain: SwapHistory, folder: string, runs: number): Promise<DomainComparison> {
  const script = compileScript(indexerScript, join(folder, "indexer"));
  const work = { rpc: chain.url, chainId: chain.config.id, head: await chain.head(), traces: false };
  const index = (without: readonly string[]) => (databaseUrl: string) =>
    measureProcess<IndexerRun>(script, { ...work, databaseUrl, without } satisfies IndexerOptions);
  // Not counted: it warms the node, and tells what rows there are to be.
  await index([])(await server.create("target"));
  const rows = await server.on("target", countRows);
  // Every pool begins with one deposit.
  const actions = chain.swaps + chain.pools;
  if (rows.pool_actions !== actions) throw new Error(`${actions} actions were made and ${rows.pool_actions ?? 0} indexed.`);
  const own = new Set(projections.filter(({ id }) => ofExchanges.has(id)).flatMap(({ tables }) => tables.map(({ name }) => name)));
  // There is a checkpoint for each projection.
  const others = Object.fromEntries(Object.entries(rows).filter(([table]) => !own.has(table) && table !== "projection_checkpoints"));
  const whole: Run<IndexerRun>[] = [];
  const without: Run<IndexerRun>[] = [];
  let chores: ChoresDone = { times: [], rows: {} };
  for (let count = 0; count < runs; count += 1) {
    whole.push(await timedRun(server, "all projections", rows, index([])));
    if (count === 0) chores = await server.on("target", workOff(chain, rows));
    without.push(await timedRun(server, "without exchanges", others, index([...ofExchanges])));
  }
  return { whole, without, rows, chores };
}

/** Does the chores, which wait for what contracts say of their tokens: that is not asked here. */
const workOff =
  ({ config }: SwapHistory, before: DomainComparison["rows"]) =>
  async (database: Database): Promise<ChoresDone> => {
    await describeTokens(database, config.id);
    const times = await runChores(database, config.id, choresOf(config));
    const after = Object.entries(await countRows(database));
    return { times, rows: Object.fromEntries(after.filter(([table]) => before[table] === undefined && table !== "token_metadata")) };
  };
