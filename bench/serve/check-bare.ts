import { median, rounded } from "../result.ts";
import { sqlOf, valuesOf } from "./bare-statement.ts";
import { type LoadOptions, measureCell } from "./cells.ts";
import { firstWarmUpMilliseconds } from "./options.ts";
import { findPgbench, runPgbench } from "./pgbench.ts";
import type { ServerProcess } from "./processes.ts";
import type { RowCase } from "./row-case.ts";
import { barePoolSize } from "./servers.ts";

const minRatio = 0.3;
const seconds = 2;
const rounds = 3;

/** The bare server and pgbench with the same statement and the same number of clients. */
export interface BareCheck {
  readonly bare: number;
  readonly pgbench: number;
  readonly ratio: number;
}

/** What the check needs. */
export interface BareCheckOptions {
  readonly bare: ServerProcess;
  readonly databaseUrl: string;
  readonly load: LoadOptions;
  readonly folder: string;
}

/**
 * Compares the bare server with pgbench; null if pgbench is not installed. A second and a third round are for a machine with other work.
 * @throws {Error} if the bare server is slower than an expert's.
 */
export async function checkBare(rowCase: RowCase, { bare, databaseUrl, load, folder }: BareCheckOptions): Promise<BareCheck | null> {
  const program = findPgbench();
  if (program === null) return null;
  const checks: BareCheck[] = [];
  const isSlow = (): boolean => rowCase.isLong !== true && median(checks.map(({ ratio }) => ratio)) < minRatio;
  do {
    const cellOptions = {
      ...load,
      milliseconds: 1000,
      warmUpMilliseconds: checks.length === 0 ? firstWarmUpMilliseconds : load.warmUpMilliseconds,
    };
    const { perSecond } = await measureCell(bare, rowCase, barePoolSize, cellOptions);
    const work = { sql: sqlOf(rowCase), values: valuesOf(rowCase), databaseUrl, clients: barePoolSize, seconds, folder };
    const pgbench = await runPgbench(program, work);
    checks.push({ bare: perSecond, pgbench, ratio: perSecond / pgbench });
  } while (isSlow() && checks.length < rounds);
  const best = checks.toSorted((left, right) => right.ratio - left.ratio)[0];
  if (best === undefined || isSlow()) {
    const ratios = checks.map(({ ratio }) => rounded(ratio)).join(", ");
    throw new Error(
      `The bare server reaches ${ratios} of pgbench with the statement of row ${rowCase.row}; an expert's server reaches at least ${minRatio}. ` +
        "Improve bench/serve/bare or the statement, or run on a machine with less other work.",
    );
  }
  return best;
}
