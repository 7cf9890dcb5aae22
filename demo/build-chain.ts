import type { Hex } from "../runtime/lib/hex.ts";
import { loadArtifacts } from "./contracts/artifacts.ts";
import { installMulticall } from "./contracts/multicall.ts";
import { untilAborted } from "./node/client.ts";
import type { DemoNode } from "./node/launch.ts";
import { endProcess } from "./node/processes.ts";
import { type Identity, keepGenesisState, saveState } from "./state.ts";
import { buildStory } from "./story/build-story.ts";
import { verifyStory } from "./story/verify.ts";
import { verifyCollections } from "./story/verify-collections.ts";
import { verifyExchanges } from "./story/verify-exchanges.ts";
import { storyVersion } from "./story/version.ts";
import type { DemoPhase } from "./types.ts";

/** What a chain is built from. */
export interface BuildOptions {
  readonly folder: string;
  readonly genesisTime: number;
  readonly endTime: number;
  readonly scale: number;
  readonly contractsDirectory: string;
  /** Ends the work. */
  readonly signal: AbortSignal | undefined;
  launch(genesisTime: number): Promise<DemoNode>;
  onProgress(phase: DemoPhase, done: number, total: number): void;
}

/** Tells the story to a node of its own, proves it, keeps the state in the folder and ends the node. */
export const buildChain = async (building: BuildOptions): Promise<Identity> => {
  const { folder, genesisTime, endTime, scale, onProgress } = building;
  onProgress("contracts", 0, 1);
  const artifacts = await loadArtifacts(building.contractsDirectory);
  onProgress("contracts", 1, 1);
  const node = await building.launch(genesisTime);
  const { mark } = node;
  const client = untilAborted(node.client, building.signal);
  try {
    await installMulticall(client);
    const { hash: genesisHash } = await client.request<{ hash: Hex }>("eth_getBlockByNumber", ["0x0", false]);
    const told = await buildStory({
      node: client,
      artifacts,
      genesisTime,
      scale,
      onGenesis: () => keepGenesisState(folder, client, genesisHash),
      onProgress: (done, total) => onProgress("story", done, total),
    });
    onProgress("check", 0, 1);
    await verifyStory(client, told.miner);
    await verifyExchanges(client, artifacts, told.cast, endTime);
    await verifyCollections(client, artifacts, told.cast, told.ownership);
    onProgress("check", 1, 1);
    onProgress("save", 0, 1);
    const { cast, inventory } = told;
    const identity = await saveState(folder, client, {
      genesisHash,
      genesisTime,
      storyVersion: storyVersion(),
      scale,
      endTime,
      cast,
      inventory,
    });
    onProgress("save", 1, 1);
    return identity;
  } finally {
    // In this order: a client closes when its calls have ended, and those of a node that has ended do.
    // What it had to keep is in the folder by now: a node that dumps its state does not hear that it shall end.
    await endProcess(mark, 300);
    await client.close();
  }
};
