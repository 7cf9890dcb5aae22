import { mkdirSync } from "node:fs";
import { copyCluster } from "../../test/support/database/copy-cluster.ts";
import { type BenchServer, startBenchServer } from "../support/server.ts";

/** Starts a streaming replica of a server with the given settings. Its data directory is `folder`. */
export async function startStandby(
  primary: BenchServer,
  dataDirectory: string,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<BenchServer> {
  mkdirSync(folder);
  await copyCluster({ url: primary.urlOf("postgres"), dataDirectory }, folder);
  return startBenchServer(folder, settings);
}
