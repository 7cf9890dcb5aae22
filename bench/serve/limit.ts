import type { Cell } from "./cells.ts";

/** A part that uses this share of the cores that it could use is the limit. */
const busy = 0.85;

/** The cores that a part has used. */
export const coresOf = (cpu: number | null, { perSecond }: Pick<Cell, "perSecond">): number =>
  cpu === null ? Number.NaN : (cpu * perSecond) / 1000;

/** The limit of a rate that uses up neither its own share of the cores nor all of them. */
export const otherLoad = "other load, or waiting";

/** What limits the rate: the CPU of the workers, PostgreSQL, the load generator, or the cores of this machine, which they share. */
export function limitOf(
  cell: Pick<Cell, "serverCpu" | "databaseCpu" | "perSecond" | "loadCpu" | "milliseconds">,
  workers: number,
  cores: number,
): string {
  const [product, database, load] = [coresOf(cell.serverCpu, cell), coresOf(cell.databaseCpu, cell), cell.loadCpu / cell.milliseconds];
  if (Number.isNaN(product + database)) return "";
  if (product >= busy * Math.min(workers, cores)) return "product CPU";
  if (database >= busy * cores) return "PostgreSQL";
  if (load >= busy) return "load generator";
  if (product + database + load < busy * cores) return otherLoad;
  const largest = Math.max(product, database, load);
  const name = largest === product ? "product CPU" : largest === database ? "PostgreSQL" : "load generator";
  return `cores of this machine, mostly ${name}`;
}
