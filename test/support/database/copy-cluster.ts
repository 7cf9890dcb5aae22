import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openSession } from "../../../runtime/database/session.ts";

/** A running server on this machine that standbys can follow. */
export interface CopiedServer {
  /** Connects as a role with the right to replicate. */
  readonly url: string;
  readonly dataDirectory: string;
}

/**
 * Creates a standby's data directory from a base backup of a server. It uses PostgreSQL's functions ("Making a Base Backup Using the Low Level
 * API"), because the embedded binaries do not include pg_basebackup, and other versions of it do not work with this server.
 */
export async function copyCluster(primary: CopiedServer, folder: string): Promise<void> {
  const [from, to] = [join(primary.dataDirectory, "postgres"), join(folder, "postgres")];
  const session = await openSession({ url: primary.url, applicationName: "ashlar-test" });
  try {
    await session.query("SELECT pg_backup_start('standby', true)");
    // The standby streams the WAL.
    const isCopied = (path: string): boolean => basename(path) !== "postmaster.pid" && basename(dirname(path)) !== "pg_wal";
    cpSync(from, to, { recursive: true, filter: isCopied });
    mkdirSync(join(to, "pg_wal", "archive_status"), { recursive: true, mode: 0o700 });
    chmodSync(to, 0o700);
    const [stopped] = await session.query<{ label: string }>("SELECT labelfile AS label FROM pg_backup_stop(false)");
    writeFileSync(join(to, "backup_label"), stopped?.label ?? "");
  } finally {
    await session.close();
  }
  cpSync(join(primary.dataDirectory, "postgres-password"), join(folder, "postgres-password"));
  const password = readFileSync(join(folder, "postgres-password"), "utf8");
  const connection = `host=127.0.0.1 port=${new URL(primary.url).port} user=ashlar password=${password}`;
  writeFileSync(join(to, "postgresql.auto.conf"), `primary_conninfo = '${connection}'\n`);
  writeFileSync(join(to, "standby.signal"), "");
}
