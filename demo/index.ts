import { resolve } from "node:path";
import type { DemoModule } from "../runtime/commands/demo.ts";

const demoFolder = (dataDirectory: string): string => resolve(dataDirectory, "demo");

const lastDemoChain: DemoModule["lastDemoChain"] = async (dataDirectory) => {
  const [{ demoChainConfig }, { readNodeRecord }, { demoFiles, readIdentity }] = await Promise.all([
    import("./chain-config.ts"),
    import("./node/record.ts"),
    import("./state.ts"),
  ]);
  const folder = demoFolder(dataDirectory);
  const [record, identity] = await Promise.all([readNodeRecord(demoFiles(folder).node), readIdentity(folder)]);
  return record === null || identity === null ? null : demoChainConfig(`http://127.0.0.1:${record.port}`, identity.values);
};

/** The entry point for the commands. It loads the other modules of the demo on demand. */
export const demo: DemoModule = {
  startDemo: async (options) => (await import("./start-demo.ts")).startDemo(options),
  lastDemoChain,
};
