import { readFile, rm } from "node:fs/promises";
import type { Hex } from "../../runtime/lib/hex.ts";
import { writeAtomically } from "../write-atomically.ts";
import type { ProcessHandle } from "./processes.ts";

/** The content of the demo node's pid file. */
export interface NodeRecord extends ProcessHandle {
  readonly port: number;
  /** Null while the chain is being built; other runs cannot adopt such a node. */
  readonly genesisHash: Hex | null;
}

/** Reads the pid file; null if there is none or it is invalid. */
export const readNodeRecord = async (path: string): Promise<NodeRecord | null> => {
  try {
    return JSON.parse(await readFile(path, "utf8")) as NodeRecord;
  } catch {
    return null;
  }
};

/** Writes the pid file. */
export const writeNodeRecord = (path: string, record: NodeRecord): Promise<void> => writeAtomically(path, JSON.stringify(record));

/** Removes the pid file. */
export const removeNodeRecord = (path: string): Promise<void> => rm(path, { force: true });
