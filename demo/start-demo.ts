import { mkdir, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { Hex } from "../runtime/lib/hex.ts";
import { buildChain } from "./build-chain.ts";
import { demoChainConfig } from "./chain-config.ts";
import { loadArtifacts } from "./contracts/artifacts.ts";
import { portTaken } from "./errors.ts";
import { createLiveChain } from "./live/live-chain.ts";
import { startMetadataServer } from "./metadata-server.ts";
import { anvilBinary } from "./node/binary.ts";
import { type DemoNode, launchNode } from "./node/launch.ts";
import { adoptOrphan } from "./node/orphan.ts";
import { claimFolder } from "./node/owner.ts";
import { portIsFree } from "./node/port.ts";
import { endProcess } from "./node/processes.ts";
import { readNodeRecord, removeNodeRecord, writeNodeRecord } from "./node/record.ts";
import { demoFiles, discardKeptState, type Identity, readIdentity, saveState, unpackState } from "./state.ts";
import { treasury } from "./story/genesis.ts";
import { storyDays } from "./story/types.ts";
import { storyVersion } from "./story/version.ts";
import type { Demo, DemoLogger, DemoOptions, DemoPhase } from "./types.ts";

export type { Demo, DemoOptions } from "./types.ts";

const secondsPerDay = 86_400;

const silent: DemoLogger = { info: () => undefined, warn: () => undefined };

const matches = (identity: Identity, options: DemoOptions): boolean =>
  identity.storyVersion === storyVersion() &&
  identity.scale === (options.scale ?? 1) &&
  (options.endTime === undefined || identity.endTime === options.endTime);

interface Running {
  readonly node: DemoNode;
  readonly identity: Identity;
  readonly origin: Demo["origin"];
}

type Progress = (phase: DemoPhase, done: number, total: number) => void;

const createLauncher = (folder: string, options: DemoOptions) => {
  const files = demoFiles(folder);
  const launch = (genesisTime: number, genesisHash: Hex | null, statePath?: string): Promise<DemoNode> =>
    launchNode({
      cachePath: files.cache,
      genesisTime,
      port: options.rpcPort,
      ...(statePath === undefined ? {} : { statePath }),
      onSpawned: (mark, port) => writeNodeRecord(files.node, { ...mark, port, genesisHash }),
    });
  return {
    fresh: (genesisTime: number) => launch(genesisTime, null),
    /** A node with the kept chain, or null when its files are gone or of no use. */
    loaded: async (identity: Identity, progress: Progress): Promise<DemoNode | null> => {
      progress("load", 0, 1);
      const statePath = await unpackState(folder, identity);
      if (statePath === null) return null;
      try {
        const node = await launch(identity.genesisTime, identity.genesisHash, statePath);
        options.onProgress?.("load", 1, 1);
        return node;
      } catch {
        // A state that the node cannot read is as good as none.
        return null;
      } finally {
        await rm(statePath, { force: true });
      }
    },
  };
};

/** After some dozens of live blocks a node forgets the genesis state, which an index that starts anew asks for; loading puts it back. */
const knowsGenesis = ({ client }: DemoNode): Promise<boolean> =>
  client.request("eth_getBalance", [treasury, "0x0"]).then(
    () => true,
    () => false,
  );

/** The node that a killed run left behind, if it has the wanted chain on the wanted port; else it is ended, its chain saved when it is the wanted one. */
const takeOverOrphan = async (folder: string, identity: Identity | null, options: DemoOptions): Promise<DemoNode | null> => {
  const files = demoFiles(folder);
  const record = await readNodeRecord(files.node);
  const orphan = record === null ? null : await adoptOrphan(record, files.cache);
  if (orphan === null) return null;
  if (identity !== null && (options.rpcPort ?? orphan.port) === orphan.port && (await knowsGenesis(orphan))) return orphan;
  if (identity !== null) await saveState(folder, orphan.client, identity);
  await orphan.client.close();
  await endProcess(orphan.mark);
  return null;
};

const readWanted = async (folder: string, options: DemoOptions): Promise<Identity | null> => {
  const kept = await readIdentity(folder);
  return kept !== null && matches(kept, options) ? kept : null;
};

const openChain = async (folder: string, options: DemoOptions): Promise<Running> => {
  const progress: Progress = (phase, done, total) => {
    options.signal?.throwIfAborted();
    options.onProgress?.(phase, done, total);
  };
  const launcher = createLauncher(folder, options);
  const identity = await readWanted(folder, options);
  const orphan = await takeOverOrphan(folder, identity, options);
  if (orphan !== null && identity !== null) return { node: orphan, identity, origin: "adopted" };
  if (options.rpcPort !== undefined && !(await portIsFree(options.rpcPort))) throw portTaken(options.rpcPort);
  // Read again: an orphan may have been saved on its way out.
  const kept = await readWanted(folder, options);
  const loaded = kept === null ? null : await launcher.loaded(kept, progress);
  if (kept !== null && loaded !== null) return { node: loaded, identity: kept, origin: "loaded" };

  await discardKeptState(folder);
  const endTime = options.endTime ?? Math.floor(Date.now() / 1000);
  const told = await buildChain({
    folder,
    genesisTime: endTime - storyDays * secondsPerDay,
    endTime,
    scale: options.scale ?? 1,
    contractsDirectory: options.contractsDirectory ?? folder,
    signal: options.signal,
    launch: launcher.fresh,
    onProgress: progress,
  });
  // The node that told the story is full of what telling needs. From its state it starts small, and as every later start will find it.
  const node = await launcher.loaded(told, progress);
  if (node === null) throw new Error("The demo's state could not be read back.");
  return { node, identity: told, origin: "told" };
};

/** Ends what a failed start may have left running. */
const endLeftNode = async (folder: string): Promise<void> => {
  const files = demoFiles(folder);
  const record = await readNodeRecord(files.node);
  const left = record === null ? null : await adoptOrphan(record, files.cache);
  if (left === null) return;
  await left.client.close();
  await endProcess(left.mark);
};

/** Starts the demo chain: finds the node of a killed run, loads the kept state, or tells the story anew. @throws {DemoUnavailable} with one sentence for the user */
export const startDemo = async (options: DemoOptions): Promise<Demo> => {
  const folder = resolve(options.dataDirectory, "demo");
  const logger = options.logger ?? silent;
  anvilBinary();
  await mkdir(folder, { recursive: true });
  const files = demoFiles(folder);
  const letGo = await claimFolder(files.owner, options.dataDirectory);
  try {
    const artifacts = await loadArtifacts(options.contractsDirectory ?? folder);
    const running = await openChain(folder, options);
    options.signal?.throwIfAborted();
    const { node, origin } = running;
    if (origin === "adopted")
      logger.info(`The demo goes on with the node that an earlier run left behind (process ${node.mark.processId}).`);
    const living = createLiveChain({ folder, node, artifacts, identity: running.identity, logger });
    const documents = await startMetadataServer();
    const end = async (): Promise<void> => {
      await documents.stop();
      await living.rest();
      await node.client.close();
      await endProcess(node.mark);
      await removeNodeRecord(files.node);
      await rm(files.cache, { recursive: true, force: true });
    };
    return {
      rpcUrl: node.url,
      chain: demoChainConfig(node.url, running.identity.cast, documents.origin),
      story: { version: running.identity.storyVersion, cast: running.identity.cast, inventory: running.identity.inventory },
      forbiddenRequests: documents.forbiddenRequests,
      processId: node.mark.processId,
      origin,
      identity: living.identity,
      live: living.live,
      liveOneBlock: living.liveOneBlock,
      checkpoint: living.checkpoint,
      stop: async () => {
        await living.checkpoint().catch((error: unknown) => logger.warn(`The demo chain's last blocks are not saved: ${String(error)}`));
        await end();
        await letGo();
      },
      discardState: async () => {
        await end();
        await discardKeptState(folder);
        await letGo();
      },
    };
  } catch (error) {
    await endLeftNode(folder);
    await letGo();
    throw error;
  }
};
