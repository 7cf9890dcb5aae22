import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import type { Queryable } from "../../runtime/database/database.ts";
import { median } from "../result.ts";
import { timeQuery } from "./time-query.ts";

/** Medians on the machine for which the absolute targets were set, in milliseconds. */
const reference = { oneRow: 0.12, compiler: 250 } as const;

/** Compares the machine of a run with the reference machine; targets in milliseconds are multiplied by `factor`. */
export interface Calibration {
  readonly name: string;
  readonly milliseconds: number;
  readonly factor: number;
}

/**
 * Calibrates with a query for one row, the minimum cost of a response. It is measured like the line "one row, for comparison" of bench `queries`,
 * from which the reference comes: right after this process has read the CPU clock. Thousands of consecutive queries take a third of that time
 * each.
 */
export async function calibrateByQuery(database: Queryable, times = 31): Promise<Calibration> {
  const { milliseconds } = await timeQuery(database, () => database.query("SELECT 1 AS one"), times);
  return calibrationOf("one row", median(milliseconds), reference.oneRow);
}

/** Calibrates by a process that loads the TypeScript compiler, the minimum cost of a generator command. */
export function calibrateByCompiler(times = 5): Calibration {
  const compiler = createRequire(import.meta.url).resolve("typescript");
  const samples = Array.from({ length: times }, () => {
    const started = performance.now();
    execFileSync(process.execPath, ["-e", `require(${JSON.stringify(compiler)})`]);
    return performance.now() - started;
  });
  return calibrationOf("load of the compiler", median(samples), reference.compiler);
}

const calibrationOf = (name: string, milliseconds: number, expected: number): Calibration => ({
  name,
  milliseconds,
  factor: milliseconds / expected,
});
