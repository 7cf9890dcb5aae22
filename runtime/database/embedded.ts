import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { chooseAccount } from "./embedded/account.ts";
import { findBinaries } from "./embedded/binaries.ts";
import { prepareCluster, roleName } from "./embedded/cluster.ts";
import { claim, type Ownership } from "./embedded/ownership.ts";
import { findPlaces, type Places } from "./embedded/places.ts";
import { findPostmaster, isOccupied, launch, type Postmaster, stopPostmaster } from "./embedded/postmaster.ts";
import { EmbeddedUnavailable, reasonOf } from "./embedded/unavailable.ts";

export { EmbeddedUnavailable } from "./embedded/unavailable.ts";

export interface EmbeddedOptions {
  /** The cluster is in its subfolder `postgres`. */
  readonly dataDirectory: string;
  /** Settings of the server over our own, when this call starts it. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How long to wait for a server that another process starts or stops. */
  readonly patienceMilliseconds?: number;
}

export interface Embedded {
  /** With the password: a secret. */
  readonly url: string;
  /** False where another process started the server and will stop it. */
  readonly owner: boolean;
  /** Stops the server and waits for its end when we own it; else does nothing. */
  stop(): Promise<void>;
}

/** Replaying what a crash left may take minutes. */
const recoveryMilliseconds = 300_000;

/**
 * The embedded server of a data directory: started, taken over from a process that died without stopping it, or joined while another owns it.
 * @throws {EmbeddedUnavailable} with the reason and the way out.
 */
export async function startEmbedded({ dataDirectory, settings = {}, patienceMilliseconds = 30_000 }: EmbeddedOptions): Promise<Embedded> {
  const places = findPlaces(dataDirectory);
  for (const end = Date.now() + patienceMilliseconds; ; await sleep(50)) {
    const ownership = await claim(places.root);
    if (ownership !== undefined) return own(places, ownership, settings);
    const url = await joined(places);
    if (url !== undefined) return { url, owner: false, stop: async () => undefined };
    if (Date.now() >= end) throw new EmbeddedUnavailable(`another process has ${places.root}, and its server does not answer`);
  }
}

async function own(places: Places, ownership: Ownership, settings: Readonly<Record<string, string>>): Promise<Embedded> {
  let postmaster: Postmaster | undefined;
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (postmaster !== undefined) await stopPostmaster(postmaster);
    await ownership.release();
  };
  try {
    postmaster = await orphan(places);
    if (postmaster === undefined) {
      const account = chooseAccount(places);
      const binaries = findBinaries(places, account);
      await prepareCluster(places, binaries, account, settings.fsync !== "off");
      postmaster = await launch(places, binaries, account, settings);
    }
    const url = urlOf(places, postmaster);
    await tryOut(url);
    return {
      url,
      owner: true,
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await stop();
    throw error instanceof EmbeddedUnavailable ? error : new EmbeddedUnavailable(`starting it failed (${reasonOf(error)})`);
  }
}

/** The server that a killed process left behind, once it has started or stopped, whichever it was doing. */
async function orphan(places: Places): Promise<Postmaster | undefined> {
  for (const end = Date.now() + recoveryMilliseconds; Date.now() < end; await sleep(50)) {
    const postmaster = findPostmaster(places);
    if (postmaster !== undefined || !isOccupied(places)) return postmaster;
  }
  throw new EmbeddedUnavailable(`an earlier server of ${places.root} neither starts nor stops`);
}

async function joined(places: Places): Promise<string | undefined> {
  const postmaster = findPostmaster(places);
  if (postmaster === undefined) return undefined;
  try {
    const url = urlOf(places, postmaster);
    await tryOut(url);
    return url;
  } catch {
    return undefined; // It is starting or stopping.
  }
}

function urlOf(places: Places, { port }: Postmaster): string {
  return `postgresql://${roleName}:${readFileSync(places.password, "utf8")}@127.0.0.1:${port}/${roleName}`;
}

/** Ready is who answers: logs in and asks. */
async function tryOut(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SELECT 1");
  } finally {
    await client.end().catch(() => undefined);
  }
}
