import { spawn } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Hex } from "../../runtime/lib/hex.ts";
import { nodeNotStarted, portTaken } from "../errors.ts";
import { blockProducer, genesisArguments } from "../story/genesis.ts";
import { anvilBinary } from "./binary.ts";
import { createNodeClient, type NodeClient } from "./client.ts";
import { findFreePort, portIsFree } from "./port.ts";
import { endProcess, inspectProcess, listensOn, type ProcessMark } from "./processes.ts";

const startMilliseconds = 20_000;
/** The number of past states that stay readable; each costs some megabytes. */
const keptStates = 64;

/** A running node of the demo. */
export interface DemoNode {
  readonly mark: ProcessMark;
  readonly port: number;
  readonly url: string;
  readonly client: NodeClient;
}

/** The options of a node. */
export interface Launch {
  /** Unique to the data folder; this argument identifies the process. */
  readonly cachePath: string;
  /** Unix seconds of the genesis block. */
  readonly genesisTime: number;
  /** The state file to continue from. */
  readonly statePath?: string;
  readonly port: number | undefined;
  /** Called as soon as the process exists, before it responds, so that it is recorded even if Ashlar is killed in between. */
  onSpawned(mark: ProcessMark, port: number): Promise<void>;
}

const argumentsOf = (launch: Launch, port: number): string[] => [
  ...["--host", "127.0.0.1", "--port", String(port), "--quiet"],
  ...genesisArguments(launch.genesisTime),
  ...["--prune-history", String(keptStates), "--cache-path", launch.cachePath],
  ...(launch.statePath === undefined ? [] : ["--load-state", launch.statePath]),
];

const spawnNode = async (launch: Launch, port: number): Promise<ProcessMark & { exited(): string | null }> => {
  // A separate session: Ctrl-C in the terminal reaches Ashlar alone, which saves the state before it ends the node.
  const child = spawn(anvilBinary(), argumentsOf(launch, port), { detached: true, stdio: "ignore" });
  let ending: string | null = null;
  child.once("error", (error) => {
    ending = error.message;
  });
  child.once("exit", (code, signal) => {
    ending = `it ended with ${signal ?? `code ${code}`}`;
  });
  child.unref();
  const facts = child.pid === undefined ? null : await inspectProcess(child.pid);
  if (facts === null) {
    await wait(0);
    throw nodeNotStarted(ending ?? "it ended at once");
  }
  return { processId: facts.processId, startedAt: facts.startedAt, exited: () => ending };
};

const answers = async (client: NodeClient): Promise<boolean> => {
  try {
    await client.request<Hex>("eth_chainId");
    return true;
  } catch {
    return false;
  }
};

/** Starts a node and waits until it answers on its own port. @throws {DemoUnavailable} */
export const launchNode = async (launch: Launch): Promise<DemoNode> => {
  if (launch.port !== undefined && !(await portIsFree(launch.port))) throw portTaken(launch.port);
  const port = launch.port ?? (await findFreePort());
  await rm(launch.cachePath, { recursive: true, force: true });
  await mkdir(launch.cachePath, { recursive: true });
  const { exited, ...mark } = await spawnNode(launch, port);
  await launch.onSpawned(mark, port);
  const url = `http://127.0.0.1:${port}`;
  const client = createNodeClient(url);
  for (const deadline = Date.now() + startMilliseconds; Date.now() < deadline; await wait(20)) {
    const ending = exited();
    if (ending !== null) throw nodeNotStarted(ending);
    // Another node on the same port would respond too.
    if ((await listensOn(mark.processId, port)) === false || !(await answers(client))) continue;
    await client.request("anvil_setCoinbase", [blockProducer]);
    return { mark, port, url, client };
  }
  await endProcess(mark);
  throw nodeNotStarted(`it did not answer within ${startMilliseconds / 1000} seconds`);
};
