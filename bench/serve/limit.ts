import type { Cell } from "./cells.ts";

/** A component is the limit if it uses at least this share of the cores available to it. */
const busyShare = 0.85;

/** The number of cores that a component used; NaN if the system does not report its CPU time. */
export const coresOf = (cpu: number | null, { perSecond }: Pick<Cell, "perSecond">): number =>
  cpu === null ? Number.NaN : (cpu * perSecond) / 1000;

/** The result if no component saturates the cores available to it and the machine is not saturated either. */
export const otherLoad = "other load, or waiting";

/** What limits the rate: the CPU of the workers, PostgreSQL, the load generator, or the cores of this machine, which they share; empty if unknown. */
export function limitOf(
  cell: Pick<Cell, "serverCpu" | "databaseCpu" | "perSecond" | "loadCpu" | "milliseconds">,
  workers: number,
  cores: number,
): string {
  const [product, database, load] = [coresOf(cell.serverCpu, cell), coresOf(cell.databaseCpu, cell), cell.loadCpu / cell.milliseconds];
  if (Number.isNaN(product + database)) return "";
  if (product >= busyShare * Math.min(workers, cores)) return "product CPU";
  if (database >= busyShare * cores) return "PostgreSQL";
  if (load >= busyShare) return "load generator";
  if (product + database + load < busyShare * cores) return otherLoad;
  const largest = Math.max(product, database, load);
  const name = largest === product ? "product CPU" : largest === database ? "PostgreSQL" : "load generator";
  return `cores of this machine, mostly ${name}`;
}
