import { execFile } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const debianFolder = "/usr/lib/postgresql";
/** Statements with different values: pgbench has no text variables that it can change. */
const variants = 16;

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
  readonly seconds: number;
  readonly folder: string;
}

/** Statements per second of pgbench with prepared statements and generic plans. */
export async function runPgbench(program: string, { sql, values, databaseUrl, clients, seconds, folder }: PgbenchWork): Promise<number> {
  const args: string[] = [];
  const statement = sql.replace(/^--.*\n/gm, "").trim();
  for (const [variant, list] of values.slice(0, variants).entries()) {
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
  const fixed = ["-n", "-M", "prepared", "-c", String(clients), "-j", "1", "-T", String(seconds)];
  const { stdout } = await run(program, [...fixed, ...args], { env });
  const rate = /tps = ([\d.]+)/.exec(stdout)?.[1];
  if (rate === undefined) throw new Error(`pgbench reported no rate: ${stdout.slice(-300)}`);
  return Number(rate);
}
