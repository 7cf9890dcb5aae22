import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { BenchResult } from "./result.ts";

const folder = dirname(fileURLToPath(import.meta.url));
const helpers = new Set(["run", "result"]);

const print = (text: string): unknown => process.stdout.write(`${text}\n`);

process.exitCode = await main(process.argv[2], process.argv.slice(3));

/** Runs one benchmark. Exit code 0: all targets met; 1: a target missed; 2: unknown benchmark. */
async function main(name: string | undefined, args: readonly string[]): Promise<0 | 1 | 2> {
  const names = await benchmarks();
  if (name === undefined || !names.includes(name)) {
    process.stderr.write(`Usage: npm run bench -- <name> [options]; expected one of these names: ${names.join(", ")}\n`);
    return 2;
  }
  const module: unknown = await import(pathToFileURL(`${folder}/${name}.ts`).href);
  if (!isBenchmark(module)) throw new TypeError(`bench/${name}.ts does not export a run function.`);
  const { table, otherTables = [], notes = [], figures, missed } = await module.run(args);
  for (const rows of [table, ...otherTables].filter(({ length }) => length > 0)) for (const line of alignColumns(rows)) print(line);
  for (const sentence of notes) print(sentence);
  for (const sentence of missed) print(`MISSED: ${sentence}`);
  print(JSON.stringify({ benchmark: name, ...figures, missed: missed.length }));
  return missed.length === 0 ? 0 : 1;
}

async function benchmarks(): Promise<string[]> {
  const files = await readdir(folder);
  return files.flatMap((file) => (file.endsWith(".ts") && !helpers.has(file.slice(0, -3)) ? [file.slice(0, -3)] : [])).sort();
}

function isBenchmark(module: unknown): module is { run(args: readonly string[]): Promise<BenchResult> } {
  return typeof module === "object" && module !== null && "run" in module && typeof module.run === "function";
}

/** Renders a table with right-aligned numbers. */
function alignColumns(table: BenchResult["table"]): string[] {
  const columns = [...new Set(table.flatMap((row) => Object.keys(row)))];
  const widths = columns.map((column) => Math.max(column.length, ...table.map((row) => String(row[column] ?? "").length)));
  const line = (cells: readonly (string | number)[]): string =>
    cells
      .map((cell, index) => (typeof cell === "number" ? String(cell).padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0)))
      .join("  ");
  return [
    line(columns),
    line(widths.map((width) => "-".repeat(width))),
    ...table.map((row) => line(columns.map((column) => row[column] ?? ""))),
    "",
  ];
}
