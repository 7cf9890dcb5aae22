import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import { prepareCluster, roleName } from "../../../runtime/database/embedded/cluster.ts";
import { changeOwner, chooseOsUser, spawnOptionsIn } from "../../../runtime/database/embedded/os-user.ts";
import { findPaths } from "../../../runtime/database/embedded/paths.ts";
import { launch, stopPostmaster } from "../../../runtime/database/embedded/postmaster.ts";
import { urlOf } from "../../../runtime/database/embedded/url.ts";

/** PostgreSQL 15 as installed by Debian (`apt-get install postgresql-15`). */
export const oldPrograms = "/usr/lib/postgresql/15";
export const hasOldPrograms = existsSync(`${oldPrograms}/bin/initdb`);

/** Creates the data directory of an older Ashlar with an embedded PostgreSQL 15, and fills its database. */
export async function createOldCluster(dataDirectory: string, fill: (database: Database, url: string) => Promise<void>): Promise<void> {
  const paths = findPaths(dataDirectory);
  // PostgreSQL programs before version 16 change back to their working directory by path, so the server's account must have access to it.
  chmodSync(dataDirectory, 0o755);
  const osUser = chooseOsUser(paths);
  mkdirSync(paths.cluster, { mode: 0o700 });
  changeOwner(paths.cluster, osUser);
  const { options, dataDirectory: folder } = spawnOptionsIn(paths.cluster, osUser);
  const run = (program: string, parameters: readonly string[], input = ""): void =>
    void execFileSync(`${oldPrograms}/bin/${program}`, parameters, { ...options, stdio: ["pipe", "ignore", "inherit"], input });
  const access = ["--auth-local=reject", "--auth-host=scram-sha-256"];
  run("initdb", ["-D", folder, "-U", roleName, ...access, "--encoding=UTF8", "--locale=C", "--no-sync"]);
  run("postgres", ["--single", "-D", folder, "-c", "log_min_messages=fatal", "postgres"], `CREATE DATABASE ${roleName};\n`);
  const binaries = { folder: oldPrograms, major: "15" };
  await prepareCluster(paths, binaries, osUser);
  const server = await launch(paths, binaries, osUser, { settings: { fsync: "off" } });
  const url = urlOf(paths, server);
  const database = createDatabase({ url, poolSize: 2, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
  try {
    await fill(database, url);
  } finally {
    await database.close();
    await stopPostmaster(server);
  }
}
