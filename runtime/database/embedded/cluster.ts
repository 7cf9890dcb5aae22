import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { changeOwner, type OsUser, spawnOptionsIn } from "./os-user.ts";
import type { EmbeddedPaths } from "./paths.ts";
import { EmbeddedUnavailable, reasonOf } from "./unavailable.ts";

/** The name of an embedded server's only role and of its only database. */
export const roleName = "ashlar";

/** Creates the cluster and its password if they are missing; `syncs` flushes the files to disk. Must be called while no server runs on the cluster. */
export async function prepareCluster(paths: EmbeddedPaths, binaries: Binaries, osUser: OsUser, syncs = true): Promise<void> {
  if (!existsSync(paths.cluster)) return createCluster(paths, binaries, osUser, syncs);
  const major = readMajor(paths);
  if (major !== binaries.major) {
    const remedy =
      Number(major) < Number(binaries.major)
        ? "run ashlar database upgrade"
        : `install a version of Ashlar with PostgreSQL ${major}, or restore a backup into another data directory`;
    throw new EmbeddedUnavailable(
      `the data in ${paths.cluster} was created by PostgreSQL ${major}, and the installed version is ${binaries.major}: ${remedy}`,
    );
  }
  // A cluster that root has copied is owned by root.
  if (osUser !== undefined && statSync(paths.cluster).uid !== osUser.uid) changeOwner(paths.cluster, osUser);
  if (!existsSync(paths.passwordFile)) await setPassword(paths, paths.cluster, [], binaries, osUser);
}

/** The major version of the server that created the cluster. @throws {EmbeddedUnavailable} */
export function readMajor(paths: EmbeddedPaths): string {
  try {
    return readFileSync(join(paths.cluster, "PG_VERSION"), "utf8").trim();
  } catch (error) {
    throw new EmbeddedUnavailable(
      `${paths.cluster} is not a PostgreSQL data directory or is not readable by this user (${reasonOf(error)})`,
    );
  }
}

/**
 * Creates the cluster under a temporary name and renames it when it is complete, so that an interrupted start leaves no incomplete database under the final
 * name.
 */
async function createCluster(paths: EmbeddedPaths, binaries: Binaries, osUser: OsUser, syncs: boolean): Promise<void> {
  rmSync(paths.unfinished, { recursive: true, force: true });
  mkdirSync(paths.unfinished, { mode: 0o700 });
  changeOwner(paths.unfinished, osUser);
  const { options, dataDirectory } = spawnOptionsIn(paths.unfinished, osUser);
  // On every machine, text is sorted by code point and follows Unicode's case rules.
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  await run(
    join(binaries.folder, "bin", "initdb"),
    ["-D", dataDirectory, "-U", roleName, "--auth-local=reject", "--auth-host=scram-sha-256", ...locale, ...(syncs ? [] : ["--no-sync"])],
    options,
  );
  await setPassword(paths, paths.unfinished, [`CREATE DATABASE ${roleName};`], binaries, osUser);
  renameSync(paths.unfinished, paths.cluster);
}

/** Sets a new password for the role in single-user mode, over standard input, to keep it out of logs and command lines. */
async function setPassword(
  paths: EmbeddedPaths,
  folder: string,
  otherStatements: readonly string[],
  binaries: Binaries,
  osUser: OsUser,
): Promise<void> {
  const password = randomBytes(32).toString("hex");
  const { options, dataDirectory } = spawnOptionsIn(folder, osUser);
  const statements = [`ALTER ROLE ${roleName} PASSWORD '${password}';`, ...otherStatements];
  const single = ["--single", "-D", dataDirectory, "-c", "log_min_messages=fatal", "postgres"];
  await run(join(binaries.folder, "bin", "postgres"), single, options, `${statements.join("\n")}\n`);
  const unfinished = `${paths.passwordFile}.unfinished`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, password, { mode: 0o600, flag: "wx" });
  renameSync(unfinished, paths.passwordFile);
}

function run(
  program: string,
  parameters: readonly string[],
  options: ReturnType<typeof spawnOptionsIn>["options"],
  input = "",
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { ...options, stdio: ["pipe", "ignore", "pipe"] });
    let errors = "";
    child.stderr?.on("data", (text) => {
      errors += text;
    });
    child.on("error", (error) => reject(new EmbeddedUnavailable(`its program ${basename(program)} cannot be run (${reasonOf(error)})`)));
    child.on("close", (status) => {
      if (status === 0) resolve();
      else reject(new EmbeddedUnavailable(`its data directory cannot be prepared (${lastErrorIn(errors) ?? `status ${status}`})`));
    });
    child.stdin?.on("error", () => undefined); // The exit status reports the failure.
    child.stdin?.end(input);
  });
}

/** The last error message in a PostgreSQL program's output. */
export function lastErrorIn(text: string): string | undefined {
  return [...text.matchAll(/(?:FATAL|PANIC|error): +(.*)/g)].at(-1)?.[1];
}
