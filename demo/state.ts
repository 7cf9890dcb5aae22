import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGunzip, gunzip } from "node:zlib";
import type { Hex } from "../runtime/lib/hex.ts";
import type { NodeClient } from "./node/client.ts";
import type { Cast, Inventory } from "./story/cast.ts";
import { writeWhole } from "./write-whole.ts";

const unzip = promisify(gunzip);

/** Identifies a saved chain: an index belongs to it if it has the same hash at this last block. */
export interface Identity {
  readonly genesisHash: Hex;
  /** Unix seconds of the genesis block. */
  readonly genesisTime: number;
  readonly storyVersion: string;
  readonly scale: number;
  /** Unix seconds of the story's last block. */
  readonly endTime: number;
  /** The last saved block. */
  readonly lastBlock: number;
  readonly lastBlockHash: Hex;
  readonly stateFile: string;
  readonly cast: Cast;
  readonly inventory: Inventory;
}

/** The files of a demo in its folder. */
export const demoFiles = (folder: string) => ({
  identity: join(folder, "identity.json"),
  genesisState: join(folder, "genesis-state.json"),
  unpacked: join(folder, "unpacked.json"),
  node: join(folder, "node.json"),
  owner: join(folder, "owner.json"),
  cache: join(folder, "node-cache"),
});

/** The saved identity, or null without one. */
export const readIdentity = async (folder: string): Promise<Identity | null> => {
  try {
    return JSON.parse(await readFile(demoFiles(folder).identity, "utf8")) as Identity;
  } catch {
    return null;
  }
};

interface Head {
  readonly number: Hex;
  readonly hash: Hex;
}
const readHead = (client: NodeClient): Promise<Head> => client.request<Head>("eth_getBlockByNumber", ["latest", false]);

/** The node's dumped state (gzip of JSON) and the head that it belongs to. */
const dumpState = async (client: NodeClient): Promise<{ head: Head; content: Buffer }> => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const head = await readHead(client);
    const dump = await client.request<Hex>("anvil_dumpState");
    // Another client may mine in between.
    if ((await readHead(client)).hash === head.hash) return { head, content: Buffer.from(dump.slice(2), "hex") };
  }
  throw new Error("Cannot save the state of the demo chain: its head keeps changing.");
};

/** Saves the node's state beside its identity, and returns that; a kill at any moment leaves the older pair. */
export const saveState = async (
  folder: string,
  client: NodeClient,
  identity: Omit<Identity, "lastBlock" | "lastBlockHash" | "stateFile">,
) => {
  const { head, content } = await dumpState(client);
  const stateFile = `state-${head.hash.slice(2, 18)}.json.gz`;
  await writeWhole(join(folder, stateFile), content);
  const kept: Identity = { ...identity, lastBlock: Number(head.number), lastBlockHash: head.hash, stateFile };
  await writeWhole(demoFiles(folder).identity, JSON.stringify(kept));
  const outdated = (await readdir(folder)).filter((name) => name.startsWith("state-") && name !== stateFile);
  await Promise.all(outdated.map((name) => rm(join(folder, name), { force: true })));
  return kept;
};

/** Keeps the state before the first block: the node forgets it over a restart, and an index asks for balances at block 0. */
export const keepGenesisState = async (folder: string, client: NodeClient, genesisHash: Hex): Promise<void> => {
  const dump = await client.request<Hex>("anvil_dumpState", [true]);
  const state = JSON.parse((await unzip(Buffer.from(dump.slice(2), "hex"))).toString("utf8")) as { historical_states?: [Hex, unknown][] };
  const genesis = state.historical_states?.filter(([hash]) => hash === genesisHash) ?? [];
  await writeWhole(demoFiles(folder).genesisState, JSON.stringify(genesis));
};

/** How a dump ends whose node keeps no past states. */
const emptyHistory = Buffer.from('"historical_states":null}');

/** Passes everything on, and swaps the end for another when it is the expected one. */
const replaceEnd = (expected: Buffer, replacement: Buffer): Transform => {
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const all = Buffer.concat([held, chunk]);
      const passed = Math.max(0, all.length - expected.length);
      held = all.subarray(passed);
      done(null, all.subarray(0, passed));
    },
    flush: (done) => done(null, held.equals(expected) ? replacement : held),
  });
};

/** Unpacks the saved state for a node to load, with the genesis state restored; null if a file is missing or invalid. */
export const unpackState = async (folder: string, identity: Identity): Promise<string | null> => {
  const files = demoFiles(folder);
  try {
    const genesis = await readFile(files.genesisState, "utf8");
    const end = replaceEnd(emptyHistory, Buffer.from(`"historical_states":${genesis}}`));
    await pipeline(createReadStream(join(folder, identity.stateFile)), createGunzip(), end, createWriteStream(files.unpacked));
    return files.unpacked;
  } catch {
    return null;
  }
};

/** Removes the saved chain from the folder; compiled contracts stay. */
export const discardKeptState = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const files = demoFiles(folder);
  const states = (await readdir(folder)).filter((name) => name.startsWith("state-")).map((name) => join(folder, name));
  await Promise.all(
    [files.identity, files.genesisState, files.unpacked, files.cache, ...states].map((path) => rm(path, { recursive: true, force: true })),
  );
};
