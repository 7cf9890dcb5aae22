import type { HeadFeed } from "../chain/heads.ts";
import type { Source } from "../chain/source.ts";
import type { ChainBlock, NativeAccounting } from "../chain/types.ts";
import type { Database, DatabaseClient } from "../database/database.ts";
import type { BackoffOptions } from "../lib/async.ts";
import type { Address, Hash } from "../lib/hex.ts";
import type { GenesisAllocation } from "./ingest/base-reads.ts";
import type { Step } from "./ingest/stopwatch.ts";
import type { Projection } from "./projection.ts";
import type { BlockBoundTable } from "./reorg/roll-back.ts";
import type { Progress } from "./session/progress.ts";

/** The configuration of a chain that the indexer depends on. */
export interface IndexedChain {
  readonly id: number;
  readonly name: string;
  readonly from: number;
  readonly wrappedNative: readonly Address[];
  readonly nativeAccounting: NativeAccounting;
  /** Number of later blocks after which a block is final, where the node has no finalized tag; undefined if none is. */
  readonly finality?: number | undefined;
  readonly pollMilliseconds: number;
}

/** Sizes of batches and requests, which bound the used memory. */
export interface Tuning {
  /** A batch is written when the first of these limits is reached; `batchBytes` counts the text of its rows. */
  readonly batchTransactions: number;
  readonly batchLogs: number;
  readonly batchBlocks: number;
  readonly batchBytes: number;
  /** Bounds the delay of blocks from a slow node. */
  readonly batchMilliseconds: number;
  /** The number of transactions that one request for blocks should return, and the max number of its blocks. */
  readonly requestTransactions: number;
  readonly requestBlocks: number;
  readonly requestsInFlight: number;
}

/** Waits of the loop, in milliseconds. */
export interface Timing {
  /** Before the loop continues after a temporary failure. */
  readonly retry: BackoffOptions;
  /** Between two attempts to become the leader. */
  readonly lock: number;
  /** Before each confirmation that the node has replaced a finalized block. */
  readonly confirmation: number;
}

/** Storage of the chain itself: the projection that writes blocks, and the queries that read them back. */
export interface StoredLedger {
  readonly projection: Projection;
  /** Stored blocks from..to inclusive, with the traces or balances that the accounting stores. */
  blocks(from: number, to: number, accounting: NativeAccounting): Promise<ChainBlock[]>;
  /** Hashes of the stored blocks from..to inclusive, by height. */
  hashes(from: number, to: number): Promise<ReadonlyMap<number, Hash>>;
  /** Whether a native balance right before or after a block that touched its account is unknown, because the node lacked that state. */
  lacksBalances(): Promise<boolean>;
  /** The last of at most `blocks` stored blocks that together have at most that many transactions, but at least one block; null where none is stored. */
  heightAfter(from: number, transactions: number, blocks: number): Promise<number | null>;
}

export interface IndexerDeps {
  readonly chain: IndexedChain;
  readonly source: Source;
  /** Announces new heads over WebSocket; without it, the node is polled. */
  readonly heads?: HeadFeed;
  readonly database: Database;
  readonly ledger: StoredLedger;
  /** All but the ledger's. */
  readonly projections: readonly Projection[];
  /** Tables that no projection writes and that a roll-back includes. */
  readonly blockBoundTables?: readonly BlockBoundTable[];
  readonly genesisAllocation?: GenesisAllocation;
  /** Removes and returns accounts whose native balances are read with the next blocks although these do not touch them. */
  readonly alsoTouched?: () => readonly Address[];
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly clock: () => Date;
  readonly onProgress?: (progress: Progress) => void;
  readonly tuning?: Partial<Tuning>;
  readonly timing?: Partial<Timing>;
}

export interface IndexerStatus {
  /** The last indexed block; the one before the first in an empty index. */
  readonly block: number;
  readonly head: number | null;
  /** Whether the head was reached in this run. */
  readonly following: boolean;
  /** Whether this process is the chain's leader. */
  readonly leading: boolean;
  /** Projections that are being built from the stored ledger. */
  readonly catchingUp: readonly string[];
  /** Milliseconds that each step took since the start. */
  readonly spent: Readonly<Record<Step, number>>;
}

/** The last indexed block. */
export interface IndexedBlock {
  readonly number: number;
  readonly hash: Hash;
}

/** The indexing loop of one chain. */
export interface Indexer {
  /** Runs until the signal, and ends between two batches. @throws {IndexMismatchError} when an operator has to decide. */
  run(signal: AbortSignal): Promise<void>;
  status(): IndexerStatus;
  /**
   * Runs work between two batches, in one database transaction that locks the checkpoints: it reads and writes as of the indexed block.
   * Null, without running it, while this process is not the leader or a projection is behind. It blocks the loop: it must be short and must not wait for a node.
   */
  exclusive<T>(work: (client: DatabaseClient, indexed: IndexedBlock) => Promise<T>): Promise<T | null>;
  /** As `exclusive`, for work that writes to no table that folds load, so that blocks folded meanwhile need not be folded again. */
  beside<T>(work: (client: DatabaseClient, indexed: IndexedBlock) => Promise<T>): Promise<T | null>;
}
