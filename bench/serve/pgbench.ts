import { execFile } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { median } from "../result.ts";

const warmUpSeconds = 1;
const maxMilliseconds = 60_000;
const run = promisify(execFile);
const debianFolder = "/usr/lib/postgresql";
/** The number of statements with different values, because pgbench cannot vary text variables. Each client plans each statement once. */
const variantCount = 8;

/** The path of pgbench; null if it is not installed. */
export function findPgbench(): string | null {
  const versions = existsSync(debianFolder)
    ? readdirSync(debianFolder).map((version) => join(debianFolder, version, "bin", "pgbench"))
    : [];
  const inPath = (process.env.PATH ?? "").split(":").map((folder) => join(folder, "pgbench"));
  return [...versions, ...inPath].find((path) => existsSync(path)) ?? null;
}

/** One statement with the values of several requests. */
export interface PgbenchWork {
  readonly sql: string;
  readonly values: readonly (readonly (string | number)[])[];
  readonly databaseUrl: string;
  readonly clients: number;
  /** The measured time. */
  readonly seconds: number;
  readonly folder: string;
}

/** Some of the values, evenly spread: the first ones may be exceptional. */
function spread<T>(values: readonly T[]): readonly T[] {
  const count = Math.min(variantCount, values.length);
  return Array.from({ length: count }, (_, index) => values[Math.floor(((index + 0.5) * values.length) / count)]).filter(
    (value) => value !== undefined,
  );
}

/** Returns pgbench's statements per second with prepared statements and generic plans, excluding the time to connect and to plan them. */
export async function runPgbench(program: string, { sql, values, databaseUrl, clients, seconds, folder }: PgbenchWork): Promise<number> {
  const args: string[] = [];
  const statement = sql.replace(/^--.*\n/gm, "").trim();
  for (const [variant, list] of spread(values).entries()) {
    const file = join(folder, `statement-${variant}.sql`);
    writeFileSync(file, `${statement.replace(/\$(\d+)/g, `:v$1_${variant}`)};\n`);
    args.push("-f", file, ...list.flatMap((value, position) => ["-D", `v${position + 1}_${variant}=${value}`]));
  }
  const url = new URL(databaseUrl);
  const env = {
    ...process.env,
    PGHOST: url.hostname,
    PGPORT: url.port,
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: url.pathname.slice(1),
    PGOPTIONS: "-c plan_cache_mode=force_generic_plan",
  };
  const fixed = ["-n", "-M", "prepared", "-c", String(clients), "-j", "1", "-T", String(warmUpSeconds + seconds), "-P", "1"];
  const { stdout, stderr } = await run(program, [...fixed, ...args], { env, timeout: maxMilliseconds });
  const rates = [...stderr.matchAll(/^progress: [\d.]+ s, ([\d.]+) tps/gm)].map(([, rate]) => Number(rate)).slice(warmUpSeconds);
  const overall = /tps = ([\d.]+)/.exec(stdout)?.[1];
  if (overall === undefined) throw new Error(`pgbench reported no rate: ${stdout.slice(-300)}`);
  // Slow statements may have no progress in a second.
  return rates.length === 0 || Math.min(...rates) === 0 ? Number(overall) : median(rates);
}
