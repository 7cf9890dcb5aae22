import type { Hex } from "../runtime/lib/hex.ts";
import { loadArtifacts } from "./contracts/artifacts.ts";
import { installMulticall } from "./contracts/multicall.ts";
import { createNodeClient, untilAborted } from "./node/client.ts";
import type { DemoNode } from "./node/launch.ts";
import { stopProcess } from "./node/processes.ts";
import { dumpState, type Identity, savePastState, saveState } from "./state.ts";
import { buildStory } from "./story/build-story.ts";
import { verifyStory } from "./story/verify.ts";
import { verifyCollections } from "./story/verify-collections.ts";
import { verifyExchanges } from "./story/verify-exchanges.ts";
import { storyVersion } from "./story/version.ts";
import type { DemoPhase } from "./types.ts";

/**
 * The blocks whose states are saved: that of genesis, and one at which declared protocols read vaults, whose share prices would otherwise have no earlier value
 * to grow from.
 */
const savedBlocks: readonly number[] = [0, 1_000];

/** The options of buildChain. */
export interface BuildOptions {
  readonly folder: string;
  readonly genesisTime: number;
  readonly endTime: number;
  readonly scale: number;
  readonly contractsDirectory: string;
  /** Aborts the build. */
  readonly signal: AbortSignal | undefined;
  /** Launches a node without past states other than the newest ones. */
  launch(genesisTime: number): Promise<DemoNode>;
  onProgress(phase: DemoPhase, done: number, total: number): void;
}

/** Builds the demo chain on a new node, verifies it, saves its state in the folder, and stops the node. */
export const buildChain = async (options: BuildOptions): Promise<Identity> => {
  const { folder, genesisTime, endTime, scale, onProgress } = options;
  onProgress("contracts", 0, 1);
  const artifacts = await loadArtifacts(options.contractsDirectory);
  onProgress("contracts", 1, 1);
  const node = await options.launch(genesisTime);
  const { handle } = node;
  const client = untilAborted(node.client, options.signal);
  // With a connection of its own, the last dump is made while the story is verified.
  const dumpClient = createNodeClient(node.url);
  try {
    await installMulticall(client);
    const { hash: genesisHash } = await client.request<{ hash: Hex }>("eth_getBlockByNumber", ["0x0", false]);
    const story = await buildStory({
      node: client,
      artifacts,
      genesisTime,
      scale,
      onBlock: async (height) => {
        if (savedBlocks.includes(height - 1)) await savePastState(folder, client, height - 1);
      },
      onProgress: (done, total) => onProgress("story", done, total),
    });
    onProgress("check", 0, 1);
    const dumping = dumpState(untilAborted(dumpClient, options.signal));
    // Awaited below; without this, its failure during the verification would be unhandled.
    dumping.catch(() => undefined);
    await verifyStory(client, story.miner);
    await verifyExchanges(client, artifacts, story.values, endTime);
    await verifyCollections(client, artifacts, story.values, story.ownership);
    onProgress("check", 1, 1);
    onProgress("save", 0, 1);
    const { values, inventory } = story;
    const identity = await saveState(folder, await dumping, {
      genesisHash,
      genesisTime,
      storyVersion: storyVersion(),
      scale,
      endTime,
      values,
      inventory,
    });
    onProgress("save", 1, 1);
    return identity;
  } finally {
    // The node stops first, because the client closes only after its requests have ended. SIGKILL after 0.3 s is safe: the state is saved, and a node that
    // dumps its state ignores SIGTERM.
    await stopProcess(handle, 300);
    await Promise.all([client.close(), dumpClient.close()]);
  }
};
