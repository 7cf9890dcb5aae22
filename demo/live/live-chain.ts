import type { Artifacts } from "../contracts/artifacts.ts";
import type { DemoNode } from "../node/launch.ts";
import { isRunning } from "../node/processes.ts";
import { createPastStateRestorer } from "../past-states.ts";
import { dumpState, type Identity, saveState } from "../state.ts";
import { createRandom } from "../story/random.ts";
import type { DemoLogger } from "../types.ts";
import { mineLiveBlock, pause } from "./live-block.ts";
import type { LiveContext } from "./live-types.ts";

const defaultSecondsPerBlock = 4;
/**
 * The number of blocks that can be lost if the process is killed: fewer than the 64 by which anvil's finalized block trails the head, so that an
 * index can still roll them back.
 */
const blocksPerSave = 40;

/** The options of createLiveChain. */
export interface LiveChainOptions {
  readonly folder: string;
  readonly node: DemoNode;
  readonly artifacts: Artifacts;
  readonly identity: Identity;
  /** Resolves when the chain built so far is saved. */
  readonly saving: Promise<void>;
  readonly logger: DemoLogger;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Mines and saves blocks after the end of the story, one operation at a time. */
export const createLiveChain = ({ folder, node, artifacts, identity, saving, logger }: LiveChainOptions) => {
  let saved = identity;
  let isSaved = false;
  let last: Promise<unknown> = saving.then(
    () => {
      isSaved = true;
    },
    (error: unknown) => logger.warn(`Failed to save the demo chain, retrying after its next blocks: ${reasonOf(error)}`),
  );
  const context: LiveContext = {
    client: node.client,
    values: identity.values,
    inventory: identity.inventory,
    artifacts,
    random: createRandom(`life since ${identity.lastBlockHash}`),
    now: () => Math.floor(Date.now() / 1000),
  };
  /** Runs operations one after another, because the state must not be saved while a block is mined. */
  const inSequence = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };
  const save = (): Promise<void> =>
    inSequence(async () => {
      const head = await node.client.request<{ hash: string }>("eth_getBlockByNumber", ["latest", false]);
      if (isSaved && head.hash === saved.lastBlockHash) return;
      saved = await saveState(folder, await dumpState(node.client), saved);
      isSaved = true;
    });
  const mineOne = (): Promise<void> => inSequence(() => mineLiveBlock(context));
  let restoring: Promise<() => Promise<void>> | null = null;
  const restorePastStates = (): Promise<void> =>
    inSequence(async () => {
      restoring ??= createPastStateRestorer(folder, node.client);
      await (await restoring)();
    });

  /** Returns false if the node has exited. */
  const step = async (count: number): Promise<boolean> => {
    try {
      await mineOne();
      await restorePastStates();
      if (count % blocksPerSave === 0) await save();
      return true;
    } catch (error) {
      logger.warn(`Failed to mine a block of the demo chain: ${reasonOf(error)}`);
      if (await isRunning(node.handle)) return true;
      logger.warn("The demo's node has exited, so the demo chain has stopped; restart Ashlar to continue from its last saved state.");
      return false;
    }
  };
  return {
    identity: (): Identity => saved,
    save,
    mineLiveBlock: mineOne,
    keepMining: async (signal: AbortSignal, secondsPerBlock = defaultSecondsPerBlock): Promise<void> => {
      for (let count = 1; await pause(secondsPerBlock * 1000, signal); count++) if (!(await step(count))) return;
    },
    /** Resolves when no operation is running. */
    idle: async (): Promise<void> => {
      await last;
    },
  };
};
