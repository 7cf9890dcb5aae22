import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { availableCores } from "../../runtime/lib/available-cores.ts";
import { rounded } from "../result.ts";
import { type Cell, type LoadOptions, measureCell } from "./cells.ts";
import { coresOf, limitOf } from "./limit.ts";
import { comparedConnectionsOf } from "./measure-row.ts";
import { firstWarmUpMilliseconds, type Options } from "./options.ts";
import type { ServerProcess } from "./processes.ts";
import { type Programs, startProduct } from "./product.ts";
import type { RowCase } from "./row-case.ts";

/** A row's figures with a number of workers. */
export interface WorkersFigures {
  readonly rowCase: RowCase;
  readonly workers: number;
  readonly connections: number;
  readonly cell: Cell;
}

/** The inputs of `measureWorkers`. */
export interface WorkersOptions {
  readonly programs: Programs;
  readonly databaseUrl: string;
  readonly folder: string;
  readonly cases: readonly RowCase[];
  readonly load: LoadOptions;
  readonly options: Pick<Options, "workers" | "connections">;
}

/** Measures the product with each number of workers in turn, row by row. */
export async function measureWorkers({ programs, databaseUrl, folder, cases, load, options }: WorkersOptions): Promise<WorkersFigures[]> {
  const started: { readonly workers: number; readonly server: ServerProcess }[] = [];
  try {
    for (const workers of options.workers) {
      const serverFolder = join(folder, `workers-${workers}`);
      mkdirSync(serverFolder);
      started.push({ workers, server: await startProduct(programs, databaseUrl, serverFolder, { workers }) });
    }
    const figures: WorkersFigures[] = [];
    for (const rowCase of cases) {
      const connections = comparedConnectionsOf(options.connections, rowCase.maxConnections);
      for (const { workers, server } of started) {
        // Each worker compiles the row's code and caches what its share of the paths reads.
        const cellOptions = { ...load, warmUpMilliseconds: firstWarmUpMilliseconds };
        const cell = await measureCell(server, rowCase, connections, cellOptions, { minWarmUpResponses: rowCase.paths.length });
        figures.push({ rowCase, workers, connections, cell });
      }
    }
    return figures;
  } finally {
    for (const { server } of started) await server.stop();
  }
}

/** The table of rates, cores used and limits, by row and number of workers. */
export const workersTable = (figures: readonly WorkersFigures[], cores = availableCores()) =>
  figures.map(({ rowCase: { row, name }, workers, connections, cell }) => {
    const singleWorker = figures.find((other) => other.rowCase.row === row && other.workers === 1)?.cell;
    return {
      row: `${row} ${name}`,
      workers,
      connections,
      "req/s": rounded(cell.perSecond, 0),
      "times one worker": singleWorker === undefined ? "" : rounded(cell.perSecond / singleWorker.perSecond),
      "p99 ms": rounded(cell.p99, 1),
      "product cores": rounded(coresOf(cell.serverCpu, cell)),
      "PostgreSQL cores": rounded(coresOf(cell.databaseCpu, cell)),
      "load cores": rounded(cell.loadCpu / cell.milliseconds),
      limit: limitOf(cell, workers, cores),
    };
  });
