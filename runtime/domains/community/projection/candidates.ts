import type { ChainLog, ChainTransaction } from "../../../chain/types.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import type { Emitter, EventUse } from "./event-uses.ts";

/** A block as far as its events need it. */
export interface BlockOfLogs {
  readonly block: { readonly number: number; readonly transactions: readonly Pick<ChainTransaction, "index" | "logs">[] };
}

/** One use of a log that may be an event of the protocol: whether its contract has been announced depends on stored rows and on earlier logs. */
export interface Candidate {
  readonly use: EventUse;
  readonly log: ChainLog;
  readonly transactionIndex: number;
}

/** Whether a contract of this kind is at the address without an announcement, at this block. */
export const isFixed = ({ fixed }: Emitter, address: Address, block: number): boolean => {
  const from = fixed.get(address);
  return from !== undefined && (from ?? 0) <= block;
};

/** Finds the candidates of a block by first topics, then by contracts, in the order of logs. The result is cached, because it is needed twice. */
export const createCandidates = (uses: ReadonlyMap<Hash, readonly EventUse[]>): ((decoded: BlockOfLogs) => readonly Candidate[]) => {
  const cache = new WeakMap<BlockOfLogs, readonly Candidate[]>();
  return (decoded) => {
    const known = cache.get(decoded);
    if (known !== undefined) return known;
    const found: Candidate[] = [];
    const { number, transactions } = decoded.block;
    for (const { index: transactionIndex, logs } of transactions) {
      for (const log of logs) {
        const own = uses.get(log.topics[0] ?? "0x");
        if (own !== undefined) found.push(...candidatesOf(own, log, transactionIndex, number));
      }
    }
    cache.set(decoded, found);
    return found;
  };
};

const candidatesOf = (uses: readonly EventUse[], log: ChainLog, transactionIndex: number, block: number): Candidate[] =>
  uses.flatMap((use) => {
    const isForeign = use.announces === null && use.ofOthers.has(log.topics.length);
    return !isForeign && (use.emitter.isDiscovered || isFixed(use.emitter, log.address, block)) ? [{ use, log, transactionIndex }] : [];
  });
