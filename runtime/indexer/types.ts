import type { HeadFeed } from "../chain/head-feed.ts";
import type { Source } from "../chain/source.ts";
import type { ChainBlock, NativeAccounting } from "../chain/types.ts";
import type { Database, DatabaseClient, Queryable } from "../database/database.ts";
import type { BackoffOptions } from "../lib/async.ts";
import type { Address, Hash } from "../lib/hex.ts";
import type { Tracer } from "../lib/tracing.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { GenesisAllocation } from "./ingest/base-reads.ts";
import type { Step } from "./ingest/stopwatch.ts";
import type { Projection } from "./projection.ts";
import type { BlockBoundTable } from "./reorg/roll-back.ts";
import type { Progress } from "./session/progress.ts";

/** The chain configuration that the indexer depends on. */
export interface IndexedChain {
  readonly id: number;
  readonly name: string;
  readonly from: number;
  readonly wrappedNative: readonly Address[];
  readonly nativeAccounting: NativeAccounting;
  /** How many confirmations make a block final if the node has no finalized tag; undefined if blocks are then never final. */
  readonly finality?: number | undefined;
  readonly pollMilliseconds: number;
}

/** Batch and request sizes, which bound memory use. */
export interface Tuning {
  /** A batch is written when the first of these limits is reached; `batchBytes` limits the text of its rows. */
  readonly batchTransactions: number;
  readonly batchLogs: number;
  readonly batchBlocks: number;
  readonly batchBytes: number;
  /** Max time until a batch is written, which bounds how long blocks from a slow node are delayed. */
  readonly batchMilliseconds: number;
  /** The target number of transactions per request for blocks, and the max number of blocks. */
  readonly requestTransactions: number;
  readonly requestBlocks: number;
  readonly requestsInFlight: number;
}

/** Wait times in milliseconds. */
export interface Timing {
  /** Before the indexing loop continues after a temporary failure. */
  readonly retry: BackoffOptions;
  /** Between two attempts to become the leader. */
  readonly lockWaitMilliseconds: number;
  /** A leader whose node is silent for this long lets another process become the leader. */
  readonly maxSilenceMilliseconds?: number | undefined;
  /** Before each check that confirms that the node has replaced a finalized block. */
  readonly confirmationWaitMilliseconds: number;
}

/** The chain's own storage: the projection that writes blocks, and the queries that read them back. */
export interface StoredLedger {
  readonly projection: Projection;
  /** Stored blocks from..to inclusive, with the traces or balances that the accounting stores. */
  blocks(from: number, to: number, accounting: NativeAccounting): Promise<ChainBlock[]>;
  /** The same blocks with only the logs that have one of these first topics and those logs' transactions; without traces, withdrawals and balances. */
  blocksWithLogs(from: number, to: number, topics: readonly Hash[]): Promise<ChainBlock[]>;
  /** Hashes of the stored blocks from..to inclusive, by height. */
  hashes(from: number, to: number): Promise<ReadonlyMap<number, Hash>>;
  /** Whether a native balance right before or after a block that touched its account is unknown, because the node lacked that state. */
  lacksBalances(): Promise<boolean>;
  /** The last of at most `maxBlocks` stored blocks with at most `maxTransactions` transactions together, but at least one block; null if none is stored. */
  batchEnd(from: number, maxTransactions: number, maxBlocks: number): Promise<number | null>;
}

export interface IndexerDeps {
  readonly chain: IndexedChain;
  readonly source: Source;
  /** Announces new heads over WebSocket; without it, the node is polled. */
  readonly headFeed?: HeadFeed;
  readonly database: Database;
  readonly ledger: StoredLedger;
  /** All projections except the ledger's. */
  readonly projections: readonly Projection[];
  /** Tables that a rollback includes although no projection writes them. */
  readonly blockBoundTables?: readonly BlockBoundTable[];
  /**
   * Called each time before the leader opens the index: creates or removes the tables of projections that no migration creates. `guard` verifies in a
   * transaction that this process is still the leader; projections that are switched off are left unchanged.
   */
  readonly prepareTables?: (guard: (client: Queryable) => Promise<void>, switchedOff: ReadonlySet<string>) => Promise<void>;
  readonly genesisAllocation?: GenesisAllocation;
  /** Removes and returns accounts whose native balances are read with the next blocks even if these do not touch them. */
  readonly takeExtraAccounts?: () => readonly Address[];
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly clock: () => Date;
  readonly onProgress?: (progress: Progress) => void;
  /** How long the node has been silent, in milliseconds (see `Rpc`). */
  readonly nodeSilentMilliseconds?: () => number;
  /** Reports to servers that the chain is being indexed. */
  readonly heartbeat?: Pick<Heartbeat, "beat" | "fail">;
  /** Traces batches; not traced by default. */
  readonly tracer?: Tracer | undefined;
  readonly tuning?: Partial<Tuning>;
  readonly timing?: Partial<Timing>;
}

export interface IndexerStatus {
  /** The last indexed block; in an empty index the block before the first one. */
  readonly block: number;
  readonly head: number | null;
  /** Whether the head was reached since the start. */
  readonly isFollowing: boolean;
  /** Whether this process is the chain's leader. */
  readonly isLeading: boolean;
  /** Projections that are being built from the stored ledger. */
  readonly catchingUp: readonly string[];
  /** Milliseconds that each step has taken since the start. */
  readonly millisecondsByStep: Readonly<Record<Step, number>>;
}

/** The last indexed block. */
export interface IndexedBlock {
  readonly number: number;
  readonly hash: Hash;
}

/** One chain's indexing loop. */
export interface Indexer {
  /** Runs until the signal aborts, and stops between two batches. @throws {IndexMismatchError} if the operator has to decide. */
  run(signal: AbortSignal): Promise<void>;
  status(): IndexerStatus;
  /**
   * Runs work between two batches, in one database transaction that locks the checkpoints: it reads and writes as of the indexed block. Returns null, without
   * running it, while this process is not the leader or a projection is behind. The work blocks the loop: it must be short and must not wait for a node.
   */
  runExclusive<T>(work: (client: DatabaseClient, indexed: IndexedBlock) => Promise<T>): Promise<T | null>;
  /**
   * Like `runExclusive`, for work that does not write to tables that folds load: the prefetched state stays valid, and prepared blocks need not be
   * folded again.
   */
  runExclusiveKeepingCache<T>(work: (client: DatabaseClient, indexed: IndexedBlock) => Promise<T>): Promise<T | null>;
}
