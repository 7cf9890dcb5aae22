import { spawn } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Hex } from "../../runtime/lib/hex.ts";
import { type DemoUnavailable, NodeFailed, nodeNotStarted, portTaken } from "../errors.ts";
import { blockProducer, genesisArguments } from "../story/genesis.ts";
import { anvilBinary } from "./binary.ts";
import { createNodeClient, type NodeClient } from "./client.ts";
import { findFreePort, isPortFree } from "./port.ts";
import { inspectProcess, listensOn, type ProcessHandle, stopProcess } from "./processes.ts";

const startMilliseconds = 60_000;
/** Each past state takes some megabytes. */
const defaultMaxPastStates = 64;

/** A running node of the demo. */
export interface DemoNode {
  readonly handle: ProcessHandle;
  readonly port: number;
  readonly url: string;
  readonly client: NodeClient;
}

/** The options of a node. */
export interface LaunchOptions {
  /** Unique to the data directory; this argument identifies the process. */
  readonly cachePath: string;
  /** Unix seconds of the genesis block. */
  readonly genesisTime: number;
  /** The state file to continue from. */
  readonly statePath?: string;
  readonly port: number | undefined;
  /** The number of past states that remain readable. */
  readonly maxPastStates?: number;
  /** Called when the process exists, before it responds, so that it is recorded even if Ashlar is killed in between. */
  onSpawned(handle: ProcessHandle, port: number): Promise<void>;
}

const argumentsOf = (options: LaunchOptions, port: number): string[] => [
  ...["--host", "127.0.0.1", "--port", String(port), "--quiet"],
  ...genesisArguments(options.genesisTime),
  ...["--prune-history", String(options.maxPastStates ?? defaultMaxPastStates), "--cache-path", options.cachePath],
  ...(options.statePath === undefined ? [] : ["--load-state", options.statePath]),
];

const spawnNode = async (options: LaunchOptions, port: number): Promise<ProcessHandle & { failure(): DemoUnavailable | null }> => {
  // A separate session, so that Ctrl-C in the terminal reaches Ashlar only, which saves the state before it stops the node.
  const child = spawn(anvilBinary(), argumentsOf(options, port), { detached: true, stdio: "ignore" });
  let failure: DemoUnavailable | null = null;
  child.once("error", (error) => {
    failure = nodeNotStarted(error.message);
  });
  child.once("exit", (code, signal) => {
    failure = code === null ? nodeNotStarted(`it exited with ${signal}`) : new NodeFailed(code);
  });
  child.unref();
  const info = child.pid === undefined ? null : await inspectProcess(child.pid);
  if (info === null) {
    await wait(0);
    throw failure ?? nodeNotStarted("it exited immediately");
  }
  return { processId: info.processId, startedAt: info.startedAt, failure: () => failure };
};

const responds = async (client: NodeClient): Promise<boolean> => {
  try {
    await client.request<Hex>("eth_chainId");
    return true;
  } catch {
    return false;
  }
};

/** Starts a node and waits until it responds. @throws {DemoUnavailable} if the port is in use or the node does not start. */
export const launchNode = async (options: LaunchOptions): Promise<DemoNode> => {
  if (options.port !== undefined && !(await isPortFree(options.port))) throw portTaken(options.port);
  const port = options.port ?? (await findFreePort());
  await rm(options.cachePath, { recursive: true, force: true });
  await mkdir(options.cachePath, { recursive: true });
  const { failure, ...handle } = await spawnNode(options, port);
  await options.onSpawned(handle, port);
  const url = `http://127.0.0.1:${port}`;
  const client = createNodeClient(url);
  try {
    for (const deadline = Date.now() + startMilliseconds; Date.now() < deadline; await wait(20)) {
      const failed = failure();
      if (failed !== null) throw failed;
      // The response may come from another node on the same port.
      if ((await listensOn(handle.processId, port)) === false || !(await responds(client))) continue;
      await client.request("anvil_setCoinbase", [blockProducer]);
      return { handle, port, url, client };
    }
    throw nodeNotStarted(`it did not respond within ${startMilliseconds / 1000} seconds`);
  } catch (error) {
    await client.close();
    await stopProcess(handle);
    throw error;
  }
};
