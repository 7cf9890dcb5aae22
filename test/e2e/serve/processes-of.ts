import { readFileSync } from "node:fs";
import { descendantsOf, isGone } from "../start/service-process.ts";

/** A service's descendant processes, by their name in the process table: `worker 1`, `server`, `indexer`. */
export function processesOf(root: number): ReadonlyMap<string, number> {
  const named = descendantsOf(root).flatMap((pid): [string, number][] => {
    const name = /^ashlar ([^\0]+)/.exec(titleOf(pid))?.[1]?.trim();
    return name === undefined || isGone(pid) ? [] : [[name, pid]];
  });
  return new Map(named);
}

const titleOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};
