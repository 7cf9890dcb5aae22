import { readFile, rm } from "node:fs/promises";
import type { Hex } from "../../runtime/lib/hex.ts";
import { writeWhole } from "../write-whole.ts";
import type { ProcessMark } from "./processes.ts";

/** The pid file of a demo's node. */
export interface NodeRecord extends ProcessMark {
  readonly port: number;
  /** Null while the chain is being built: no other run can use that node. */
  readonly genesisHash: Hex | null;
}

/** The pid file's content, or null without one that can be read. */
export const readNodeRecord = async (path: string): Promise<NodeRecord | null> => {
  try {
    return JSON.parse(await readFile(path, "utf8")) as NodeRecord;
  } catch {
    return null;
  }
};

/** Writes the pid file. */
export const writeNodeRecord = (path: string, record: NodeRecord): Promise<void> => writeWhole(path, JSON.stringify(record));

/** Removes the pid file. */
export const removeNodeRecord = (path: string): Promise<void> => rm(path, { force: true });
