import type { ChainLog, ChainTransaction } from "../../../chain/types.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import type { Emitter, EventPosition, EventUse } from "./event-uses.ts";

/** The part of a block from which its events are decoded. */
export interface BlockWithLogs {
  readonly block: { readonly number: number; readonly transactions: readonly Pick<ChainTransaction, "index" | "logs">[] };
}

/** One use of a log that may be one of the protocol's events: whether its contract has been announced depends on stored rows and on earlier logs. */
export interface Candidate {
  readonly use: EventUse;
  readonly log: ChainLog;
  readonly block: number;
  readonly transactionIndex: number;
}

type LogAt = Omit<Candidate, "use">;

/** The position of a candidate's event in the chain. */
export const positionOf = ({ log, block, transactionIndex }: LogAt): EventPosition => ({
  contract: log.address,
  block_number: block,
  transaction_index: transactionIndex,
  log_index: log.index,
});

/** Whether the address is a fixed contract of this kind at this block; fixed contracts need no announcement. */
export const isFixed = ({ fixed }: Emitter, address: Address, block: number): boolean => {
  const from = fixed.get(address);
  return from !== undefined && (from ?? 0) <= block;
};

/** Finds the candidates of blocks by first topic, then by contract, in log order. The result is cached, because it is needed twice. */
export const createCandidates = (
  uses: ReadonlyMap<Hash, readonly EventUse[]>,
): ((blocks: readonly BlockWithLogs[]) => readonly Candidate[]) => {
  const cache = new WeakMap<readonly BlockWithLogs[], readonly Candidate[]>();
  return (blocks) => {
    const existing = cache.get(blocks);
    if (existing !== undefined) return existing;
    const found = candidatesOf(uses, logsByTopic(blocks));
    cache.set(blocks, found);
    return found;
  };
};

const candidatesOf = (uses: ReadonlyMap<Hash, readonly EventUse[]>, logs: ReadonlyMap<Hash, readonly LogAt[]>): readonly Candidate[] => {
  const found: Candidate[] = [];
  for (const [topic, topicUses] of uses) {
    for (const at of logs.get(topic) ?? []) {
      for (const use of topicUses)
        if (isCandidate(use, at)) found.push({ use, log: at.log, block: at.block, transactionIndex: at.transactionIndex });
    }
  }
  // Sorting is stable: the uses of one log keep their order.
  return found.sort((left, right) => left.block - right.block || left.log.index - right.log.index);
};

const isCandidate = (use: EventUse, { log: { address, topics }, block }: LogAt): boolean =>
  !(use.announces === null && use.otherTopicCounts.has(topics.length)) &&
  (use.emitter.isDiscovered || isFixed(use.emitter, address, block));

/** The logs of blocks by their first topics; cached, because all protocols of a chain read the same blocks. */
const logsByTopic = (blocks: readonly BlockWithLogs[]): ReadonlyMap<Hash, readonly LogAt[]> => {
  const existing = groupedLogs.get(blocks);
  if (existing !== undefined) return existing;
  const groups = new Map<Hash, LogAt[]>();
  for (const { block } of blocks) {
    for (const { index: transactionIndex, logs } of block.transactions) {
      for (const log of logs) {
        const [topic] = log.topics;
        if (topic === undefined) continue;
        const at: LogAt = { log, block: block.number, transactionIndex };
        const group = groups.get(topic);
        if (group === undefined) groups.set(topic, [at]);
        else group.push(at);
      }
    }
  }
  groupedLogs.set(blocks, groups);
  return groups;
};

const groupedLogs = new WeakMap<readonly BlockWithLogs[], ReadonlyMap<Hash, readonly LogAt[]>>();
