import { availableCores } from "../../runtime/lib/available-cores.ts";
import { rounded } from "../result.ts";
import { statementTextOf, valuesOf } from "./bare-statement.ts";
import { type Cell, type LoadOptions, measureCell } from "./cells.ts";
import { limitOf, otherLoad } from "./limit.ts";
import { firstWarmUpMilliseconds } from "./options.ts";
import { findPgbench, runPgbench } from "./pgbench.ts";
import type { ServerProcess } from "./processes.ts";
import type { RowCase } from "./row-case.ts";
import { barePoolSize } from "./servers.ts";

/** The minimum share of pgbench's rate that a server written by an expert reaches. */
export const minRatio = 0.3;
const seconds = 2;
const maxAttempts = 3;

/** The rates of the bare server and of pgbench with the same statement and the same number of clients. */
export interface BareCheck {
  readonly bare: number;
  readonly pgbench: number;
  readonly ratio: number;
  /** What the ratio compares: measured rates or, on a machine with other load, rates derived from CPU times. */
  readonly basis: "rates" | "CPU";
}

/** The inputs of the check. */
export interface BareCheckOptions {
  readonly bare: ServerProcess;
  readonly databaseUrl: string;
  readonly load: LoadOptions;
  readonly folder: string;
  /** If the bare server is too slow, returns the check instead of throwing an error. */
  readonly keepGoing: boolean;
}

/**
 * Compares the bare server with pgbench; null if pgbench is not installed. Repeats the comparison if the bare server is too slow.
 * @throws {Error} if it is too slow in every attempt.
 */
export async function checkBare(
  rowCase: RowCase,
  { bare, databaseUrl, load, folder, keepGoing }: BareCheckOptions,
): Promise<BareCheck | null> {
  const program = findPgbench();
  if (program === null) return null;
  const ratios: number[] = [];
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const cellOptions = {
      ...load,
      milliseconds: 1000,
      warmUpMilliseconds: attempt === 0 ? firstWarmUpMilliseconds : load.warmUpMilliseconds,
    };
    const cell = await measureCell(bare, rowCase, barePoolSize, cellOptions);
    const work = { sql: statementTextOf(rowCase), values: valuesOf(rowCase), databaseUrl, clients: barePoolSize, seconds, folder };
    const check = compareRates(cell, await runPgbench(program, work));
    if (rowCase.isLong === true || check.ratio >= minRatio || (keepGoing && attempt === maxAttempts - 1)) return check;
    ratios.push(rounded(check.ratio));
  }
  throw new Error(
    `The bare server reached ${ratios.join(", ")} of pgbench's rate with the statement of row ${rowCase.row}; expected at least ${minRatio}. ` +
      "Improve bench/serve/bare or the statement, or use a machine with less other load.",
  );
}

/**
 * The ratio of the rates. On a machine with other load, the eight backend processes of pgbench get more CPU time than the single process of the
 * bare server; the ratio then compares the rates that both would reach without other load, derived from their CPU times.
 */
export function compareRates(cell: Cell, pgbench: number, cores = availableCores()): BareCheck {
  const { perSecond, serverCpu, databaseCpu } = cell;
  const rates = { bare: perSecond, pgbench };
  if (serverCpu === null || databaseCpu === null || limitOf(cell, 1, cores) !== otherLoad)
    return { ...rates, ratio: perSecond / pgbench, basis: "rates" };
  const bareAlone = Math.min(1000 / serverCpu, (cores * 1000) / (serverCpu + databaseCpu));
  return { ...rates, ratio: bareAlone / ((cores * 1000) / databaseCpu), basis: "CPU" };
}
