import { rounded } from "../result.ts";
import type { WorkersFigures } from "./workers.ts";

const estimatedWorkers = [1, 2, 4, 8, 16];

/** States the assumptions of the estimate. */
export const estimateNote = (databaseCores: number): string =>
  "Estimate, not a measurement: requests/s = min(workers * 1000 / worker CPU ms, PostgreSQL cores * 1000 / PostgreSQL CPU ms), " +
  `with the CPU times per request of the measurement with the fewest workers, a core for each worker, and ${databaseCores} cores for PostgreSQL ` +
  "alone (--database-cores). It ignores the network, locks, and CPU caches that more processes share.";

/** The rate that workers with a core each would reach, with PostgreSQL on other cores; CPU times are milliseconds per request. */
export const estimatedRate = (workers: number, workerCpu: number, databaseCpu: number, databaseCores: number): number =>
  Math.min((workers * 1000) / workerCpu, (databaseCores * 1000) / databaseCpu);

/** The estimate for each row, from its cell with the fewest workers. */
export function estimateTable(figures: readonly WorkersFigures[], databaseCores: number) {
  const fewest = Math.min(...figures.map(({ workers }) => workers));
  return figures.flatMap(({ rowCase: { row, name }, workers, cell: { serverCpu, databaseCpu } }) => {
    if (workers !== fewest || serverCpu === null || databaseCpu === null) return [];
    const rates = estimatedWorkers.map((count) => [
      `${count} ${count === 1 ? "worker" : "workers"}`,
      rounded(estimatedRate(count, serverCpu, databaseCpu, databaseCores), 0),
    ]);
    return {
      row: `${row} ${name}`,
      "worker CPU ms": rounded(serverCpu, 3),
      "PostgreSQL CPU ms": rounded(databaseCpu, 3),
      ...Object.fromEntries(rates),
      "PostgreSQL is the limit above": `${rounded((databaseCores * serverCpu) / databaseCpu, 1)} workers`,
    };
  });
}
