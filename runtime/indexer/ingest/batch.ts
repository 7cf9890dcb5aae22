import type { ChainBlock } from "../../chain/types.ts";
import { createEventDecoder } from "../../events/event-decoder.ts";
import type { Address } from "../../lib/hex.ts";
import type { Projection, Row, StateLoad } from "../projection.ts";
import type { BlockBoundTable } from "../reorg/roll-back.ts";
import type { StateCache } from "../state/state-cache.ts";
import { createRowBuffers } from "../storage/row-buffers.ts";
import type { PreparedBatch } from "../storage/write-batch.ts";
import { baseReadsLoad, baseReadsTable } from "./base-reads.ts";
import { contractStandardsLoad, contractStandardsTable } from "./contract-standards.ts";
import { type FoldDeps, foldBlocks } from "./fold-blocks.ts";

/** The loads of stored node responses that folds use; their rows are cached together with projection rows. */
export const nodeReadLoads: readonly StateLoad[] = [baseReadsLoad, contractStandardsLoad];

/** The tables of `nodeReadLoads`; a row is deleted with the block that required it. */
export const nodeReadTables: readonly BlockBoundTable[] = nodeReadLoads.map(({ table }) => ({ name: table, blockColumn: "block_number" }));

export interface BatchDeps extends FoldDeps {
  readonly chainId: number;
  /** Called with contracts that the node could not call; their logs' form then determines their standard. */
  readonly onUnreadContracts: (contracts: readonly Address[]) => void;
}

/** Folds blocks as they arrive, and keeps only the resulting rows. */
export interface Batch {
  /** Adds blocks that follow the previous ones; false, with nothing added, if the signal aborts while the node is queried. */
  add(blocks: readonly ChainBlock[], signal: AbortSignal): Promise<boolean>;
  size(): { readonly blocks: number; readonly transactions: number; readonly logs: number; readonly bytes: number };
  /** The rows to write; null if no block was added. */
  finish(): PreparedBatch | null;
}

/**
 * Creates an empty batch. It can be filled while the previous batch is written, because it is folded from the cache, which already contains the
 * previous batch's rows.
 */
export const createBatch = (deps: BatchDeps, cache: StateCache, projections: readonly Projection[]): Batch => {
  const decode = createEventDecoder(projections.flatMap(({ events }) => events));
  const buffers = createRowBuffers(deps.chainId, projections);
  const baseReads: Row[] = [];
  const standards: Row[] = [];
  let first: ChainBlock | undefined;
  let last: ChainBlock | undefined;
  const size = { blocks: 0, transactions: 0, logs: 0 };
  cache.clear();
  return {
    add: async (blocks, signal) => {
      const folded = await foldBlocks({ ...deps, cache, projections, decode, buffers }, blocks, signal);
      if (folded === null) return false;
      baseReads.push(...folded.baseReads);
      standards.push(...folded.standards);
      if (folded.unreadContracts.length > 0) deps.onUnreadContracts(folded.unreadContracts);
      first ??= blocks[0];
      last = blocks.at(-1) ?? last;
      size.blocks += blocks.length;
      for (const { transactions } of blocks) {
        size.transactions += transactions.length;
        for (const { logs } of transactions) size.logs += logs.length;
      }
      return true;
    },
    size: () => ({ ...size, bytes: buffers.bytes() }),
    finish: () => {
      if (first === undefined || last === undefined) return null;
      const nodeReads = [
        { table: baseReadsTable, rows: baseReads },
        { table: contractStandardsTable, rows: standards },
      ];
      const { blocks, transactions } = size;
      const heights = { firstBlock: first.number, lastBlock: last.number, lastBlockHash: last.hash };
      return {
        projections,
        blockCount: blocks,
        transactionCount: transactions,
        ...heights,
        rows: [...nodeReads, ...buffers.take()],
        cache,
      };
    },
  };
};
