import { mkdir, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { Hex } from "../runtime/lib/hex.ts";
import { buildChain } from "./build-chain.ts";
import { demoChainConfig } from "./chain-config.ts";
import { loadArtifacts } from "./contracts/artifacts.ts";
import { missingDependency, NodeFailed, portTaken } from "./errors.ts";
import { type IpfsGateway, startIpfsGateway } from "./ipfs-gateway.ts";
import { createLiveChain } from "./live/live-chain.ts";
import { anvilBinary } from "./node/binary.ts";
import { lockFolder } from "./node/folder-lock.ts";
import { type DemoNode, type LaunchOptions, launchNode } from "./node/launch.ts";
import { adoptOrphan } from "./node/orphan.ts";
import { isPortFree } from "./node/port.ts";
import { stopProcess } from "./node/processes.ts";
import { readNodeRecord, removeNodeRecord, writeNodeRecord } from "./node/record.ts";
import { demoFiles, discardSavedState, dumpState, type Identity, readIdentity, saveState, unpackState } from "./state.ts";
import { treasury } from "./story/genesis.ts";
import { storyDays } from "./story/types.ts";
import { storyVersion } from "./story/version.ts";
import type { Demo, DemoLogger, DemoOptions, DemoPhase } from "./types.ts";

export type { Demo, DemoOptions } from "./types.ts";

const secondsPerDay = 86_400;
/** Below the default, because saving a past state during the build dumps all past states of the node. */
const maxPastStatesDuringBuild = 6;

/** Loads the Bitcoin demo on demand, because its development dependency may be missing. @throws {DemoUnavailable} if it is not installed */
const loadBitcoin = async () => {
  try {
    return await import("./bitcoin/start-bitcoin.ts");
  } catch (error) {
    throw error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND" ? missingDependency("bitcoinjs-lib") : error;
  }
};

const silent: DemoLogger = { info: () => undefined, warn: () => undefined };

const matches = (identity: Identity, options: DemoOptions): boolean =>
  identity.storyVersion === storyVersion() &&
  identity.scale === (options.scale ?? 1) &&
  (options.endTime === undefined || identity.endTime === options.endTime);

interface Running {
  readonly node: DemoNode;
  readonly identity: Identity;
  readonly origin: Demo["origin"];
  /** Resolves when the chain is saved. */
  readonly saving: Promise<void>;
}

const alreadySaved = Promise.resolve();

type Progress = (phase: DemoPhase, done: number, total: number) => void;

const createLauncher = (folder: string, options: DemoOptions) => {
  const files = demoFiles(folder);
  const launch = (
    genesisTime: number,
    genesisHash: Hex | null,
    more: Pick<LaunchOptions, "statePath" | "maxPastStates">,
  ): Promise<DemoNode> =>
    launchNode({
      cachePath: files.cache,
      genesisTime,
      port: options.rpcPort,
      ...more,
      onSpawned: (handle, port) => writeNodeRecord(files.node, { ...handle, port, genesisHash }),
    });
  return {
    launchNew: (genesisTime: number) => launch(genesisTime, null, { maxPastStates: maxPastStatesDuringBuild }),
    /** Launches a node with the saved chain; returns null if its files are missing or unusable. */
    launchSaved: async (identity: Identity, progress: Progress): Promise<DemoNode | null> => {
      progress("load", 0, 1);
      const statePath = await unpackState(folder, identity);
      if (statePath === null) return null;
      try {
        const node = await launch(identity.genesisTime, identity.genesisHash, { statePath });
        options.onProgress?.("load", 1, 1);
        return node;
      } catch (error) {
        // An unreadable state is treated like a missing one. Other failures do not discard it.
        if (error instanceof NodeFailed) return null;
        throw error;
      } finally {
        await rm(statePath, { force: true });
      }
    },
  };
};

/** Whether a node still has the genesis state, which a new index reads: nodes drop it after a few dozen live blocks; the saved state restores it. */
const hasGenesisState = ({ client }: DemoNode): Promise<boolean> =>
  client.request("eth_getBalance", [treasury, "0x0"]).then(
    () => true,
    () => false,
  );

/** Returns the node of a killed run if it has the requested chain and port. Otherwise saves its chain if that matches, stops it, and returns null. */
const takeOverOrphan = async (folder: string, identity: Identity | null, options: DemoOptions): Promise<DemoNode | null> => {
  const files = demoFiles(folder);
  const record = await readNodeRecord(files.node);
  const orphan = record === null ? null : await adoptOrphan(record, files.cache);
  if (orphan === null) return null;
  if (identity !== null && (options.rpcPort ?? orphan.port) === orphan.port && (await hasGenesisState(orphan))) return orphan;
  if (identity !== null) await saveState(folder, await dumpState(orphan.client), identity);
  await orphan.client.close();
  await stopProcess(orphan.handle);
  return null;
};

const readMatchingIdentity = async (folder: string, options: DemoOptions): Promise<Identity | null> => {
  const saved = await readIdentity(folder);
  return saved !== null && matches(saved, options) ? saved : null;
};

const openChain = async (folder: string, options: DemoOptions): Promise<Running> => {
  const progress: Progress = (phase, done, total) => {
    options.signal?.throwIfAborted();
    options.onProgress?.(phase, done, total);
  };
  const launcher = createLauncher(folder, options);
  const identity = await readMatchingIdentity(folder, options);
  const orphan = await takeOverOrphan(folder, identity, options);
  if (orphan !== null && identity !== null) return { node: orphan, identity, origin: "adopted", saving: alreadySaved };
  if (options.rpcPort !== undefined && !(await isPortFree(options.rpcPort))) throw portTaken(options.rpcPort);
  // Read again: stopping the orphan may have saved its chain.
  const found = await readMatchingIdentity(folder, options);
  const loaded = found === null ? null : await launcher.launchSaved(found, progress);
  if (found !== null && loaded !== null) return { node: loaded, identity: found, origin: "loaded", saving: alreadySaved };

  await discardSavedState(folder);
  const endTime = options.endTime ?? Math.floor(Date.now() / 1000);
  const built = await buildChain({
    folder,
    genesisTime: endTime - storyDays * secondsPerDay,
    endTime,
    scale: options.scale ?? 1,
    signal: options.signal,
    launch: launcher.launchNew,
    onProgress: progress,
  });
  // From now on, another run can adopt the node.
  const { handle, port } = built.node;
  await writeNodeRecord(demoFiles(folder).node, { ...handle, port, genesisHash: built.identity.genesisHash });
  return { ...built, origin: "built" };
};

/** Stops the node that a failed start may have left running. */
const stopLeftoverNode = async (folder: string): Promise<void> => {
  const files = demoFiles(folder);
  const record = await readNodeRecord(files.node);
  const node = record === null ? null : await adoptOrphan(record, files.cache);
  if (node === null) return;
  await node.client.close();
  await stopProcess(node.handle);
};

/**
 * Starts the demo chain: adopts the node of a killed run, loads the saved state, or builds the chain.
 * @throws {DemoUnavailable} with a message for the user
 */
export const startDemo = async (options: DemoOptions): Promise<Demo> => {
  const folder = resolve(options.dataDirectory, "demo");
  const logger = options.logger ?? silent;
  anvilBinary();
  await mkdir(folder, { recursive: true });
  const files = demoFiles(folder);
  const release = await lockFolder(files.owner, options.dataDirectory);
  let startedGateway: IpfsGateway | undefined;
  try {
    const { startBitcoin } = await loadBitcoin();
    const running = await openChain(folder, options);
    options.signal?.throwIfAborted();
    const artifacts = loadArtifacts();
    const { node, origin } = running;
    if (origin === "adopted") logger.info(`Continuing the demo with the node from an earlier run (process ${node.handle.processId})`);
    const liveChain = createLiveChain({ ...running, folder, artifacts, logger });
    const gateway = await startIpfsGateway();
    startedGateway = gateway;
    const bitcoin = await startBitcoin(running.identity.genesisTime);
    const stopAll = async (): Promise<void> => {
      await Promise.all([gateway.stop(), bitcoin.stop()]);
      await liveChain.idle();
      await node.client.close();
      await stopProcess(node.handle);
      await removeNodeRecord(files.node);
      await rm(files.cache, { recursive: true, force: true });
    };
    return {
      rpcUrl: node.url,
      chain: demoChainConfig(node.url, running.identity.values, gateway.origin),
      bitcoin,
      story: {
        version: running.identity.storyVersion,
        values: { ...running.identity.values, ...bitcoin.values },
        inventory: running.identity.inventory,
      },
      forbiddenConnectionCount: gateway.forbiddenConnectionCount,
      processId: node.handle.processId,
      origin,
      identity: liveChain.identity,
      keepMining: liveChain.keepMining,
      mineLiveBlock: liveChain.mineLiveBlock,
      save: liveChain.save,
      stop: async () => {
        await liveChain.save().catch((error: unknown) => logger.warn(`Failed to save the last blocks of the demo chain: ${String(error)}`));
        await stopAll().finally(release);
      },
      discardState: async () => {
        await stopAll()
          .then(() => discardSavedState(folder))
          .finally(release);
      },
    };
  } catch (error) {
    await startedGateway?.stop();
    await stopLeftoverNode(folder).finally(release);
    throw error;
  }
};
