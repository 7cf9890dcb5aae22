import { availableCores } from "../../runtime/cluster/cores.ts";
import { rounded } from "../result.ts";
import type { Cell } from "./cells.ts";
import type { RowCase } from "./row-case.ts";

/** The figures of the product in one process and with workers, under the same load. */
export interface WorkersFigures {
  readonly rowCase: RowCase;
  readonly connections: number;
  readonly one: Cell;
  readonly several: Cell;
}

/** A part that uses this share of the cores that it could use is the limit. */
const busy = 0.85;

/** What a number of workers brings: rates, the cores that were used, and what limits the rate. */
export const workersTable = (figures: readonly WorkersFigures[], workers: number, cores = availableCores()) =>
  figures.map(({ rowCase: { row, name }, connections, one, several }) => ({
    row: `${row} ${name}`,
    connections,
    "one process/s": rounded(one.perSecond, 0),
    [`${workers} workers/s`]: rounded(several.perSecond, 0),
    times: rounded(several.perSecond / one.perSecond),
    "p99 ms": rounded(several.p99, 1),
    "product cores": rounded(coresOf(several.serverCpu, several) ?? Number.NaN),
    "database cores": rounded(coresOf(several.databaseCpu, several) ?? Number.NaN),
    limit: limitOf(several, workers, cores),
    "PostgreSQL is the limit above": scalesTo(several, cores),
  }));

/** The cores that a part has used. */
const coresOf = (cpu: number | null, { perSecond }: Cell): number | null => (cpu === null ? null : (cpu * perSecond) / 1000);

/** What limits the rate: the CPU of the workers, PostgreSQL, or the cores of this machine, which both and the load share. */
function limitOf(cell: Pick<Cell, "serverCpu" | "databaseCpu" | "perSecond">, workers: number, cores: number): string {
  const [product, database] = [cell.serverCpu, cell.databaseCpu].map((cpu) => (cpu === null ? Number.NaN : (cpu * cell.perSecond) / 1000));
  if (product === undefined || database === undefined || Number.isNaN(product + database)) return "";
  if (product >= busy * Math.min(workers, cores)) return "product CPU";
  if (database >= busy * cores) return "PostgreSQL";
  if (product + database < cores / 2) return "other load on this machine";
  return product >= database ? "shared cores, mostly product CPU" : "shared cores, mostly PostgreSQL";
}

/** The number of workers, each with a core of its own, whose requests need all cores of a PostgreSQL server like this machine. */
const scalesTo = ({ serverCpu, databaseCpu }: Cell, cores: number): string =>
  serverCpu === null || databaseCpu === null || databaseCpu === 0 ? "" : `${rounded((cores * serverCpu) / databaseCpu, 1)} workers`;
