import { resolve } from "node:path";
import type { DemoModule } from "../runtime/commands/demo.ts";
import { demoChainConfig } from "./chain-config.ts";
import { readNodeRecord } from "./node/record.ts";
import { startDemo } from "./start-demo.ts";
import { demoFiles, readIdentity } from "./state.ts";

const lastDemoChain: DemoModule["lastDemoChain"] = async (dataDirectory) => {
  const folder = resolve(dataDirectory, "demo");
  const [record, identity] = await Promise.all([readNodeRecord(demoFiles(folder).node), readIdentity(folder)]);
  return record === null || identity === null ? null : demoChainConfig(`http://127.0.0.1:${record.port}`, identity.values);
};

/** The module that the commands import. */
export const demo: DemoModule = { startDemo, lastDemoChain };
