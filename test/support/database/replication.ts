import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { type Embedded, startEmbedded } from "../../../runtime/database/embedded.ts";
import { openSession } from "../../../runtime/database/session.ts";
import { descendantsOf, isGone } from "../../e2e/start/service-process.ts";
import { until } from "../until.ts";
import { postmasterOf } from "./embedded-fixture.ts";

/** A PostgreSQL server that streams to standbys, or a standby. */
export interface ReplicatedServer extends Embedded {
  readonly dataDirectory: string;
  /** Ends it as a crash does, and keeps its data. */
  kill(): Promise<void>;
  /** Starts it again on its port, after a kill. */
  restart(): Promise<void>;
  /** Ends it at once, as a crash does, and removes its data. */
  remove(): Promise<void>;
}

/** The embedded server streams only if it is told to; a standby needs the same settings. */
const settings = { fsync: "off", wal_level: "replica", max_wal_senders: "8", wal_keep_size: "512MB", shared_buffers: "32MB" };

async function startIn(dataDirectory: string): Promise<ReplicatedServer> {
  let server = await startEmbedded({ dataDirectory, settings });
  return {
    ...server,
    dataDirectory,
    async kill() {
      const postmaster = postmasterOf(dataDirectory);
      // A session that runs would outlive the postmaster until its statement ends.
      const processes = [postmaster, ...descendantsOf(postmaster)];
      for (const pid of processes) process.kill(pid, "SIGKILL");
      await until("the server to exit", () => processes.every(isGone));
    },
    async restart() {
      // Releases the data directory.
      await server.stop();
      server = await startEmbedded({ dataDirectory, settings, port: server.port });
    },
    async remove() {
      await server.stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), "ashlar-replicated-"));

/** Starts a server that standbys can follow. */
export const startPrimary = (): Promise<ReplicatedServer> => startIn(newFolder());

/**
 * Starts a standby of a server, from a base backup: with the functions of PostgreSQL ("Making a Base Backup Using the Low Level API"), because the embedded
 * binaries have no pg_basebackup, and that of another version refuses them.
 */
export async function startStandby(primary: ReplicatedServer): Promise<ReplicatedServer> {
  const folder = newFolder();
  const [from, to] = [join(primary.dataDirectory, "postgres"), join(folder, "postgres")];
  const session = await openSession({ url: primary.url, applicationName: "ashlar-test" });
  try {
    await session.query("SELECT pg_backup_start('standby', true)");
    // The WAL is streamed.
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
  const connection = `host=127.0.0.1 port=${primary.port} user=ashlar password=${password}`;
  writeFileSync(join(to, "postgresql.auto.conf"), `primary_conninfo = '${connection}'\n`);
  writeFileSync(join(to, "standby.signal"), "");
  return startIn(folder);
}
