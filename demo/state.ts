import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Hex } from "../runtime/lib/hex.ts";
import type { NodeClient } from "./node/client.ts";
import { gunzipChunkBytes, pastStatesFile, pastStatesKey } from "./past-states.ts";
import type { Inventory, StoryValues } from "./story/story-values.ts";
import { writeAtomically } from "./write-atomically.ts";

/** Identifies a saved chain. An index belongs to it if both have the same hash at the last saved block. */
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
  readonly values: StoryValues;
  readonly inventory: Inventory;
}

/** The files of a demo in its folder. */
export const demoFiles = (folder: string) => ({
  identity: join(folder, "identity.json"),
  pastStates: pastStatesFile(folder),
  unpacked: join(folder, "unpacked.json"),
  node: join(folder, "node.json"),
  owner: join(folder, "owner.json"),
  cache: join(folder, "node-cache"),
});

/** Reads the saved identity; null if there is none, or if it has the older format without `values`. */
export const readIdentity = async (folder: string): Promise<Identity | null> => {
  try {
    const identity = JSON.parse(await readFile(demoFiles(folder).identity, "utf8")) as Identity;
    return "values" in identity ? identity : null;
  } catch {
    return null;
  }
};

interface Head {
  readonly number: Hex;
  readonly hash: Hex;
}
/** The newest block of a node. */
export const readHead = (client: NodeClient): Promise<Head> => client.request<Head>("eth_getBlockByNumber", ["latest", false]);

/** A node's state as gzipped JSON, with the head that it belongs to. */
interface Dump {
  readonly head: Head;
  readonly content: Buffer;
}

/** Dumps the node's state, without past states. */
export const dumpState = async (client: NodeClient): Promise<Dump> => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const head = await readHead(client);
    const dump = await client.request<Hex>("anvil_dumpState");
    // Another client may have mined a block in between.
    if ((await readHead(client)).hash === head.hash) return { head, content: Buffer.from(dump.slice(2), "hex") };
  }
  throw new Error("Failed to save the state of the demo chain: its head keeps changing");
};

/** The identity of a chain with this head. */
export const identityAt = (head: Head, identity: Omit<Identity, "lastBlock" | "lastBlockHash" | "stateFile">): Identity => ({
  ...identity,
  lastBlock: Number(head.number),
  lastBlockHash: head.hash,
  stateFile: `state-${head.hash.slice(2, 18)}.json.gz`,
});

/** Saves a node's state and its identity, and returns the identity. If the process is killed, the older pair remains. */
export const saveState = async (folder: string, { head, content }: Dump, identity: Parameters<typeof identityAt>[1]): Promise<Identity> => {
  const saved = identityAt(head, identity);
  const { stateFile } = saved;
  await writeAtomically(join(folder, stateFile), content);
  await writeAtomically(demoFiles(folder).identity, JSON.stringify(saved));
  const outdated = (await readdir(folder)).filter((name) => name.startsWith("state-") && name !== stateFile);
  await Promise.all(outdated.map((name) => rm(join(folder, name), { force: true })));
  return saved;
};

/** How a dump ends if the node has no past states. */
const emptyHistory = Buffer.from(`${pastStatesKey}null}`);

/** Creates a stream that replaces the end of its input if it equals `expected`. */
const replaceEnd = (expected: Buffer, replacement: Buffer): Transform => {
  let tail: Buffer = Buffer.alloc(0);
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const all = Buffer.concat([tail, chunk]);
      const passed = Math.max(0, all.length - expected.length);
      tail = all.subarray(passed);
      done(null, all.subarray(0, passed));
    },
    flush: (done) => done(null, tail.equals(expected) ? replacement : tail),
  });
};

/** Unpacks the saved state for a node to load, with the saved past states; null if a file is missing or invalid. */
export const unpackState = async (folder: string, identity: Identity): Promise<string | null> => {
  const files = demoFiles(folder);
  try {
    const pastStates = await readFile(files.pastStates, "utf8");
    const end = replaceEnd(emptyHistory, Buffer.from(`${pastStatesKey}${pastStates}}`));
    await pipeline(
      createReadStream(join(folder, identity.stateFile)),
      createGunzip({ chunkSize: gunzipChunkBytes }),
      end,
      createWriteStream(files.unpacked),
    );
    return files.unpacked;
  } catch {
    return null;
  }
};

/** Removes the saved chain from the folder. */
export const discardSavedState = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const files = demoFiles(folder);
  const states = (await readdir(folder))
    .filter((name) => name.startsWith("state-") || name === "genesis-state.json")
    .map((name) => join(folder, name));
  await Promise.all(
    [files.identity, files.pastStates, files.unpacked, files.cache, ...states].map((path) => rm(path, { recursive: true, force: true })),
  );
};
