import type { Queryable } from "../../runtime/database/database.ts";
import { startCpuClock } from "./cpu-time.ts";

/** The times of a query's iterations. */
export interface QueryTimes {
  readonly milliseconds: readonly number[];
  /** CPU milliseconds of database and this process together; empty if the system does not report them. */
  readonly cpu: readonly number[];
}

/** The number of unmeasured runs, which warm up caches and connections. */
const warmUpRuns = 3;

/** Runs a query repeatedly and measures each run. `check` receives the rows of each run. */
export async function timeQuery<Rows>(
  database: Queryable,
  run: (iteration: number) => Promise<Rows>,
  times: number,
  check: (rows: Rows) => void = () => undefined,
): Promise<QueryTimes> {
  const milliseconds: number[] = [];
  const cpu: number[] = [];
  for (let iteration = 0; iteration < warmUpRuns; iteration += 1) await run(0);
  for (let iteration = 0; iteration < times; iteration += 1) {
    const cpuTime = await startCpuClock(database);
    const started = performance.now();
    const rows = await run(iteration);
    milliseconds.push(performance.now() - started);
    const elapsed = cpuTime();
    if (elapsed !== null) cpu.push(elapsed);
    check(rows);
  }
  return { milliseconds, cpu };
}
