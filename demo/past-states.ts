import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { createGunzip, gzip } from "node:zlib";
import { type Hex, zeroAddress } from "../runtime/lib/hex.ts";
import type { NodeCall, NodeClient } from "./node/client.ts";
import { writeAtomically } from "./write-atomically.ts";

/** The file of the saved past states in the demo's folder. */
export const pastStatesFile = (folder: string): string => join(folder, "past-states.json");

/** The key of the past states, which are a dump's last member. */
export const pastStatesKey = '"historical_states":';

/** The chunk size for unpacking dumps, which take about a hundred megabytes. */
export const gunzipChunkBytes = 1_048_576;

type PastState = readonly [blockHash: Hex, state: unknown];

/**
 * Extracts a block's state from a dump; empty if the dump lacks it. Only this state is parsed, because most of a dump is transactions and other
 * blocks' states.
 */
const pastStateIn = async (content: Buffer, hash: Hex): Promise<PastState[]> => {
  let tail = "";
  let isFound = false;
  for await (const chunk of Readable.from([content]).pipe(createGunzip({ chunkSize: gunzipChunkBytes }))) {
    tail += (chunk as Buffer).toString("latin1");
    if (isFound) continue;
    const start = tail.indexOf(pastStatesKey);
    isFound = start !== -1;
    tail = tail.slice(isFound ? start : -pastStatesKey.length);
  }
  const start = tail.indexOf(`["${hash}",`);
  if (start === -1) return [];
  // The next entry, or the end of the list.
  const next = tail.indexOf('],["0x', start);
  return [JSON.parse(tail.slice(start, (next === -1 ? tail.lastIndexOf("]]") : next) + 1)) as PastState];
};

const readPastStates = async (folder: string): Promise<PastState[]> => {
  try {
    return JSON.parse(await readFile(pastStatesFile(folder), "utf8")) as PastState[];
  } catch {
    return [];
  }
};

/**
 * Saves the state of a past block, which the node must still have. It is saved separately, because the node does not retain it across a restart
 * and an index reads balances at block 0 and contracts at some later blocks.
 */
export const savePastState = async (folder: string, client: NodeClient, height: number): Promise<void> => {
  const { hash } = await client.request<{ hash: Hex }>("eth_getBlockByNumber", [`0x${height.toString(16)}`, false]);
  const dump = await client.request<Hex>("anvil_dumpState", [true]);
  const found = await pastStateIn(Buffer.from(dump.slice(2), "hex"), hash);
  await writeAtomically(pastStatesFile(folder), JSON.stringify([...(await readPastStates(folder)), ...found]));
};

/** A call that loads only past states: the node keeps its blocks and accounts. */
const loadCall = async (states: readonly PastState[]): Promise<NodeCall> => {
  const emptyState = { block: null, accounts: {}, best_block_number: null, blocks: [], transactions: [] };
  const packed = await promisify(gzip)(JSON.stringify({ ...emptyState, historical_states: states }), { level: 1 });
  return { method: "anvil_loadState", parameters: [`0x${packed.toString("hex")}`] };
};

/** Creates a function that restores the saved past states that a node has dropped; nodes drop them after some live blocks. */
export const createPastStateRestorer = async (folder: string, client: NodeClient): Promise<() => Promise<void>> => {
  const states = await readPastStates(folder);
  const calls = new Map<Hex, NodeCall>();
  for (const state of states) calls.set(state[0], await loadCall([state]));
  const hasState = (blockHash: Hex): Promise<boolean> =>
    client.request("eth_getBalance", [zeroAddress, { blockHash }]).then(
      () => true,
      () => false,
    );
  return async () => {
    for (const [hash, { method, parameters }] of calls) if (!(await hasState(hash))) await client.request(method, parameters);
  };
};
