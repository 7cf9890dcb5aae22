import type { Artifacts } from "../contracts/artifacts.ts";
import type { DemoNode } from "../node/launch.ts";
import { stillRuns } from "../node/processes.ts";
import { type Identity, saveState } from "../state.ts";
import { createRandom } from "../story/random.ts";
import type { DemoLogger } from "../types.ts";
import { mineLiveBlock, pause } from "./live-block.ts";
import type { LiveContext } from "./live-types.ts";

const defaultSecondsPerBlock = 4;
/** A kill loses at most so many blocks: fewer than the 64 by which anvil's finalized block trails the head, so an index can still roll them back. */
const blocksPerCheckpoint = 40;

/** What the running chain is made of. */
export interface LiveChainOptions {
  readonly folder: string;
  readonly node: DemoNode;
  readonly artifacts: Artifacts;
  readonly identity: Identity;
  readonly logger: DemoLogger;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The life of the chain after the story: blocks, saves, and one at a time of either. */
export const createLiveChain = ({ folder, node, artifacts, identity, logger }: LiveChainOptions) => {
  let kept = identity;
  let last: Promise<unknown> = Promise.resolve();
  const life: LiveContext = {
    client: node.client,
    cast: identity.cast,
    inventory: identity.inventory,
    artifacts,
    random: createRandom(`life since ${identity.lastBlockHash}`),
    now: () => Math.floor(Date.now() / 1000),
  };
  /** One after the other: a save must not meet a block being mined. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };
  const checkpoint = (): Promise<void> =>
    inTurn(async () => {
      const head = await node.client.request<{ hash: string }>("eth_getBlockByNumber", ["latest", false]);
      if (head.hash !== kept.lastBlockHash) kept = await saveState(folder, node.client, kept);
    });
  const mineOne = (): Promise<void> => inTurn(() => mineLiveBlock(life));

  /** Gives false when there is no node any more to go on with. */
  const step = async (count: number): Promise<boolean> => {
    try {
      await mineOne();
      if (count % blocksPerCheckpoint === 0) await checkpoint();
      return true;
    } catch (error) {
      logger.warn(`The demo chain missed a block: ${reasonOf(error)}`);
      if (await stillRuns(node.mark)) return true;
      logger.warn("The demo's node has ended, so the demo chain stands still; start Ashlar again to go on from its last saved state.");
      return false;
    }
  };
  return {
    identity: (): Identity => kept,
    checkpoint,
    liveOneBlock: mineOne,
    live: async (signal: AbortSignal, secondsPerBlock = defaultSecondsPerBlock): Promise<void> => {
      for (let count = 1; await pause(secondsPerBlock * 1000, signal); count++) if (!(await step(count))) return;
    },
    /** Resolves when nothing is under way any more. */
    rest: async (): Promise<void> => {
      await last;
    },
  };
};
