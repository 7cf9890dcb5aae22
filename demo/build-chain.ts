import type { Hex } from "../runtime/lib/hex.ts";
import { loadArtifacts } from "./contracts/artifacts.ts";
import { installMulticall } from "./contracts/multicall.ts";
import { createNodeClient, withAbortSignal } from "./node/client.ts";
import type { DemoNode } from "./node/launch.ts";
import { stopProcess } from "./node/processes.ts";
import { createPastStateRestorer, savePastState } from "./past-states.ts";
import { dumpState, type Identity, identityAt, readHead, saveState } from "./state.ts";
import { buildStory } from "./story/build-story.ts";
import { verifyCollections } from "./story/verify-collections.ts";
import { verifyExchanges } from "./story/verify-exchanges.ts";
import { verifyStory } from "./story/verify-story.ts";
import { storyVersion } from "./story/version.ts";
import type { DemoPhase } from "./types.ts";

/**
 * The blocks whose states are saved: genesis, and one at which declared protocols read vaults. Without the latter, share prices would have no
 * earlier value to compute their growth from.
 */
const savedBlocks: readonly number[] = [0, 1_000];

/** The options of buildChain. */
export interface BuildOptions {
  readonly folder: string;
  readonly genesisTime: number;
  readonly endTime: number;
  readonly scale: number;
  /** Aborts the build. */
  readonly signal: AbortSignal | undefined;
  /** Launches a node that keeps only the newest past states. */
  launch(genesisTime: number): Promise<DemoNode>;
  onProgress(phase: DemoPhase, done: number, total: number): void;
}

/** A built chain with its running node. */
export interface BuiltChain {
  readonly node: DemoNode;
  readonly identity: Identity;
  /** Resolves when the chain is saved, which takes about a second. */
  readonly saving: Promise<void>;
}

/** Builds the demo chain on a new node, verifies it, and saves its state in the folder. The node continues to run, with the saved past states. */
export const buildChain = async (options: BuildOptions): Promise<BuiltChain> => {
  const { folder, genesisTime, endTime, scale, signal, onProgress } = options;
  const artifacts = loadArtifacts();
  const node = await options.launch(genesisTime);
  const client = withAbortSignal(node.client, signal);
  // With a separate connection, the state is dumped while the story is verified and indexed.
  const dumpClient = createNodeClient(node.url);
  try {
    await installMulticall(client);
    const { hash: genesisHash } = await client.request<{ hash: Hex }>("eth_getBlockByNumber", ["0x0", false]);
    const { values, inventory, ownership, miner } = await buildStory({
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
    const dumping = dumpState(withAbortSignal(dumpClient, signal));
    // `saving` reports its failure; without this handler, a failure during the verification would be an unhandled rejection.
    dumping.catch(() => undefined);
    await verifyStory(client, miner);
    await verifyExchanges(client, artifacts, values, endTime);
    await verifyCollections(client, artifacts, values, ownership);
    await (await createPastStateRestorer(folder, client))();
    const parts = { genesisHash, genesisTime, storyVersion: storyVersion(), scale, endTime, values, inventory };
    const identity = identityAt(await readHead(client), parts);
    onProgress("check", 1, 1);
    const saving = dumping.then(async (dump) => void (await saveState(folder, dump, parts))).finally(() => dumpClient.close());
    // The caller handles its failure later; a failure before then would be an unhandled rejection.
    saving.catch(() => undefined);
    return { node, identity, saving };
  } catch (error) {
    // The node stops first, because the clients close only after their requests have ended. SIGKILL after 0.3 s is needed, because a node that dumps
    // its state ignores SIGTERM, and safe, because nothing is saved.
    await stopProcess(node.handle, 300);
    await Promise.all([node.client.close(), dumpClient.close()]);
    throw error;
  }
};
