import { loadavg } from "node:os";
import { cpuSecondsOf } from "../support/cpu-time.ts";
import type { Measured } from "../support/measured-process.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows, listIndexes } from "../support/tables.ts";
import type { Timing } from "./runs.ts";

/** One run with the CPU seconds of the node and the database (null if the system does not report them), and the machine's load at its end. */
export interface Run<T extends Timing> extends Measured<T> {
  readonly kind: string;
  readonly load: number;
  readonly nodeCpuSeconds: number | null;
  readonly databaseCpuSeconds: number | null;
}

type Rows = Readonly<Record<string, number>>;

/**
 * Runs `work` on an empty database, then checks that it has as many rows as the other runs and that every index exists and is valid. `prepare`
 * creates the tables that migrations do not create; it is not measured.
 */
export async function timeRun<T extends Timing>(
  server: BenchServer,
  kind: string,
  rows: Rows,
  work: (databaseUrl: string) => Promise<Measured<T>>,
  prepare: () => Promise<void> = () => Promise.resolve(),
): Promise<Run<T>> {
  const url = await server.create("target");
  await prepare();
  const indexes = await server.runOn("target", listIndexes);
  // Pending writes of earlier runs must not be measured with this one.
  await server.runOn("target", (database) => database.query("CHECKPOINT"));
  const before = { node: cpuSecondsOf("anvil"), database: cpuSecondsOf("postgres") };
  const measured = await work(url);
  const [load = Number.NaN] = loadavg();
  const after = { node: cpuSecondsOf("anvil"), database: cpuSecondsOf("postgres") };
  await checkDatabase(
    server,
    kind,
    indexes.map(({ name }) => name),
    rows,
  );
  return {
    ...measured,
    kind,
    load,
    nodeCpuSeconds: difference(after.node, before.node),
    databaseCpuSeconds: difference(after.database, before.database),
  };
}

/** @throws {Error} if an index is missing or invalid, or if the number of rows differs. */
const checkDatabase = (server: BenchServer, kind: string, indexes: readonly string[], rows: Rows): Promise<void> =>
  server.runOn("target", async (database) => {
    const found = await listIndexes(database);
    const missing = indexes.filter((name) => found.find((index) => index.name === name)?.valid !== true);
    if (missing.length > 0) throw new Error(`Indexes are missing or invalid after the run "${kind}": ${missing.join(", ")}.`);
    const counts = await countRows(database);
    const [mismatch] = Object.entries(rows).filter(([table, count]) => counts[table] !== count);
    if (mismatch !== undefined)
      throw new Error(`The run "${kind}" left ${counts[mismatch[0]] ?? 0} rows in ${mismatch[0]}; expected ${mismatch[1]}.`);
  });

const difference = (after: number | null, before: number | null): number | null =>
  after === null || before === null ? null : after - before;
