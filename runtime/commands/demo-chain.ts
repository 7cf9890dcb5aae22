import { resolve } from "node:path";
import { demoChainConfig } from "../../demo/chain-config.ts";
import { readNodeRecord } from "../../demo/node/record.ts";
import { demoFiles, readIdentity } from "../../demo/state.ts";
import type { ChainConfig } from "../config/config.ts";

/** The chain of the demo that runs, or last ran, on a data folder; null where none did. */
export async function runningDemoChain(dataDirectory: string): Promise<ChainConfig | null> {
  const folder = resolve(dataDirectory, "demo");
  const [record, identity] = await Promise.all([readNodeRecord(demoFiles(folder).node), readIdentity(folder)]);
  return record === null || identity === null ? null : demoChainConfig(`http://127.0.0.1:${record.port}`, identity.cast);
}
