import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type EmbeddedServer, startEmbedded } from "../../../runtime/database/embedded.ts";
import { descendantsOf, isGone } from "../../e2e/start/service-process.ts";
import { until } from "../until.ts";
import { copyCluster } from "./copy-cluster.ts";
import { postmasterOf } from "./embedded-fixture.ts";

/** A PostgreSQL server that streams to standbys, or a standby. */
export interface ReplicatedServer extends EmbeddedServer {
  readonly dataDirectory: string;
  /** Kills the server as in a crash. Its data remains. */
  kill(): Promise<void>;
  /** Starts the server on the same port after `kill`. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. */
  remove(): Promise<void>;
}

/** Enables streaming replication, which is off by default. A standby needs the same settings. */
const settings = { fsync: "off", wal_level: "replica", max_wal_senders: "8", wal_keep_size: "512MB", shared_buffers: "32MB" };

async function startIn(dataDirectory: string): Promise<ReplicatedServer> {
  let server = await startEmbedded({ dataDirectory, settings });
  return {
    ...server,
    dataDirectory,
    async kill() {
      const postmaster = postmasterOf(dataDirectory);
      // A session that runs a statement would outlive the postmaster until the statement ends.
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

/** Starts a standby of a server. */
export async function startStandby(primary: ReplicatedServer): Promise<ReplicatedServer> {
  const folder = newFolder();
  await copyCluster(primary, folder);
  return startIn(folder);
}
