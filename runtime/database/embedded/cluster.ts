import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Account, handOver, inside } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import type { Places } from "./places.ts";
import { EmbeddedUnavailable, reasonOf } from "./unavailable.ts";

/** The only role and the only database of an embedded server. */
export const roleName = "ashlar";

/** Creates the cluster and its password if they are missing, synced to the disk or not. To be called while no server runs on it. */
export async function prepareCluster(places: Places, binaries: Binaries, account: Account, synced = true): Promise<void> {
  if (!existsSync(places.cluster)) return createCluster(places, binaries, account, synced);
  const major = readMajor(places);
  if (major !== binaries.major) {
    throw new EmbeddedUnavailable(
      `the data in ${places.cluster} was created by PostgreSQL ${major}, and the installed version is ${binaries.major}`,
    );
  }
  // A copy created by root belongs to root.
  if (account !== undefined && statSync(places.cluster).uid !== account.uid) handOver(places.cluster, account);
  if (!existsSync(places.password)) await setPassword(places, places.cluster, [], binaries, account);
}

function readMajor(places: Places): string {
  try {
    return readFileSync(join(places.cluster, "PG_VERSION"), "utf8").trim();
  } catch (error) {
    throw new EmbeddedUnavailable(`${places.cluster} is not a PostgreSQL data folder or is not readable by this user (${reasonOf(error)})`);
  }
}

/**
 * Creates the cluster under another name and renames it when it is complete, so that an interrupted start leaves no incomplete database under the final name.
 */
async function createCluster(places: Places, binaries: Binaries, account: Account, synced: boolean): Promise<void> {
  rmSync(places.unfinished, { recursive: true, force: true });
  mkdirSync(places.unfinished, { mode: 0o700 });
  handOver(places.unfinished, account);
  const { options, dataFolder } = inside(places.unfinished, account);
  // Text sorts by code point and follows Unicode's case rules on every machine.
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  await run(
    join(binaries.folder, "bin", "initdb"),
    ["-D", dataFolder, "-U", roleName, "--auth-local=reject", "--auth-host=scram-sha-256", ...locale, ...(synced ? [] : ["--no-sync"])],
    options,
  );
  await setPassword(places, places.unfinished, [`CREATE DATABASE ${roleName};`], binaries, account);
  renameSync(places.unfinished, places.cluster);
}

/** Sets a new password of the role in single-user mode, over standard input: it appears in no log and on no command line. */
async function setPassword(places: Places, folder: string, more: readonly string[], binaries: Binaries, account: Account): Promise<void> {
  const password = randomBytes(32).toString("hex");
  const { options, dataFolder } = inside(folder, account);
  const statements = [`ALTER ROLE ${roleName} PASSWORD '${password}';`, ...more];
  const single = ["--single", "-D", dataFolder, "-c", "log_min_messages=fatal", "postgres"];
  await run(join(binaries.folder, "bin", "postgres"), single, options, `${statements.join("\n")}\n`);
  const unfinished = `${places.password}.unfinished`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, password, { mode: 0o600, flag: "wx" });
  renameSync(unfinished, places.password);
}

function run(program: string, parameters: readonly string[], options: ReturnType<typeof inside>["options"], input = ""): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { ...options, stdio: ["pipe", "ignore", "pipe"] });
    let errors = "";
    child.stderr?.on("data", (text) => {
      errors += text;
    });
    child.on("error", (error) => reject(new EmbeddedUnavailable(`its program ${basename(program)} cannot be run (${reasonOf(error)})`)));
    child.on("close", (status) => {
      if (status === 0) resolve();
      else reject(new EmbeddedUnavailable(`its data folder cannot be prepared (${lastErrorIn(errors) ?? `status ${status}`})`));
    });
    child.stdin?.on("error", () => undefined); // The exit status reports the failure.
    child.stdin?.end(input);
  });
}

/** The last error message in the output of a PostgreSQL program. */
export function lastErrorIn(text: string): string | undefined {
  return [...text.matchAll(/(?:FATAL|PANIC|error): +(.*)/g)].at(-1)?.[1];
}
