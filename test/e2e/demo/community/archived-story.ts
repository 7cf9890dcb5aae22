import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demoChainConfig } from "../../../../demo/chain-config.ts";
import { loadArtifacts } from "../../../../demo/contracts/artifacts.ts";
import { installMulticall } from "../../../../demo/contracts/multicall.ts";
import { launchNode } from "../../../../demo/node/launch.ts";
import { stopProcess } from "../../../../demo/node/processes.ts";
import { buildStory } from "../../../../demo/story/build-story.ts";
import type { StoryValues } from "../../../../demo/story/story-values.ts";
import { storyDays } from "../../../../demo/story/types.ts";
import type { ChainConfig } from "../../../../runtime/config/config.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../support/chain.ts";
import { storyEndTime } from "../../../support/story.ts";
import { batchedRpc } from "./batched-rpc.ts";

/** The protocol chapters have the same number of actions at any scale. The full story's past states would take gigabytes. */
const scale = 0.1;
const maxPastStates = 10_000;

/** The demo's story on a node that has every block's state. */
export interface ArchivedStory extends Pick<TestChain, "rpc"> {
  readonly config: ChainConfig;
  readonly values: StoryValues;
  /** All accounts in the story, and its Safe. */
  readonly wallets: readonly Address[];
  /** All block timestamps. */
  readonly times: readonly number[];
  stop(): Promise<void>;
}

/** Builds the story on a node that keeps all past states. */
export const startArchivedStory = async (): Promise<ArchivedStory> => {
  const cachePath = await mkdtemp(join(tmpdir(), "ashlar-archive-"));
  const genesisTime = storyEndTime - storyDays * 86_400;
  const node = await launchNode({ cachePath, genesisTime, port: undefined, maxPastStates, onSpawned: async () => undefined });
  await installMulticall(node.client);
  const { values, inventory, miner } = await buildStory({
    node: node.client,
    artifacts: loadArtifacts(),
    genesisTime,
    scale,
    onBlock: async () => undefined,
    onProgress: () => undefined,
  });
  const heights = Array.from({ length: miner.height() + 1 }, (_, height) => `0x${height.toString(16)}`);
  const blocks = await node.client.batch<{ timestamp: Hex }>(
    heights.map((height) => ({ method: "eth_getBlockByNumber", parameters: [height, false] })),
  );
  const config = demoChainConfig(node.url, values);
  return {
    rpc: batchedRpc(node.client),
    config: { ...config, nfts: { ...config.nfts, metadata: "uncached" } },
    values,
    wallets: [...inventory.accounts, values.safe as Address],
    times: blocks.map(({ timestamp }) => Number(timestamp)),
    stop: async () => {
      await node.client.close();
      await stopProcess(node.handle, 300);
      await rm(cachePath, { recursive: true, force: true });
    },
  };
};
