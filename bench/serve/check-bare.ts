import { availableCores } from "../../runtime/lib/available-cores.ts";
import { rounded } from "../result.ts";
import { sqlOf, valuesOf } from "./bare-statement.ts";
import { type Cell, type LoadOptions, measureCell } from "./cells.ts";
import { limitOf, otherLoad } from "./limit.ts";
import { firstWarmUpMilliseconds } from "./options.ts";
import { findPgbench, runPgbench } from "./pgbench.ts";
import type { ServerProcess } from "./processes.ts";
import type { RowCase } from "./row-case.ts";
import { barePoolSize } from "./servers.ts";

/** The least share of the rate of pgbench that an expert's server reaches. */
export const minRatio = 0.3;
const seconds = 2;
const maxAttempts = 3;

/** The bare server and pgbench with the same statement and the same number of clients. */
export interface BareCheck {
  readonly bare: number;
  readonly pgbench: number;
  readonly ratio: number;
  /** What the ratio compares: rates, or on a machine with other work the rates that follow from CPU times. */
  readonly basis: "rates" | "CPU";
}

/** What the check needs. */
export interface BareCheckOptions {
  readonly bare: ServerProcess;
  readonly databaseUrl: string;
  readonly load: LoadOptions;
  readonly folder: string;
  /** Whether the check of a slow bare server is returned, instead of an error. */
  readonly keepsGoing: boolean;
}

/**
 * Compares the bare server with pgbench; null if pgbench is not installed. It is repeated if the bare server is too slow.
 * @throws {Error} if the bare server is slower than an expert's.
 */
export async function checkBare(
  rowCase: RowCase,
  { bare, databaseUrl, load, folder, keepsGoing }: BareCheckOptions,
): Promise<BareCheck | null> {
  const program = findPgbench();
  if (program === null) return null;
  const found: number[] = [];
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const cellOptions = {
      ...load,
      milliseconds: 1000,
      warmUpMilliseconds: attempt === 0 ? firstWarmUpMilliseconds : load.warmUpMilliseconds,
    };
    const cell = await measureCell(bare, rowCase, barePoolSize, cellOptions);
    const work = { sql: sqlOf(rowCase), values: valuesOf(rowCase), databaseUrl, clients: barePoolSize, seconds, folder };
    const check = compareRates(cell, await runPgbench(program, work));
    if (rowCase.isLong === true || check.ratio >= minRatio || (keepsGoing && attempt === maxAttempts - 1)) return check;
    found.push(rounded(check.ratio));
  }
  throw new Error(
    `The bare server reaches ${found.join(", ")} of pgbench with the statement of row ${rowCase.row}; an expert's server reaches at least ${minRatio}. ` +
      "Improve bench/serve/bare or the statement, or run on a machine with less other work.",
  );
}

/**
 * The ratio of the rates. With other work on the machine, the eight processes of pgbench's connections receive more of its cores than the one of the bare
 * server: then the ratio of the rates that both would reach alone, as their CPU times allow.
 */
export function compareRates(cell: Cell, pgbench: number, cores = availableCores()): BareCheck {
  const { perSecond, serverCpu, databaseCpu } = cell;
  const rates = { bare: perSecond, pgbench };
  if (serverCpu === null || databaseCpu === null || limitOf(cell, 1, cores) !== otherLoad)
    return { ...rates, ratio: perSecond / pgbench, basis: "rates" };
  const bareAlone = Math.min(1000 / serverCpu, (cores * 1000) / (serverCpu + databaseCpu));
  return { ...rates, ratio: bareAlone / ((cores * 1000) / databaseCpu), basis: "CPU" };
}
