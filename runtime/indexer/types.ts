import type { HeadFeed } from "../chain/heads.ts";
import type { Source } from "../chain/source.ts";
import type { NativeAccounting } from "../chain/types.ts";
import type { Database, DatabaseClient } from "../database/database.ts";
import type { Address, Hash } from "../lib/hex.ts";
import type { GenesisAllocation } from "./ingest/base-reads.ts";
import type { Projection } from "./projection.ts";
import type { FollowingTable } from "./reorg/roll-back.ts";
import type { Progress, Step } from "./session/progress.ts";
import type { StoredLedger } from "./storage/stored-ledger.ts";

/** What of a chain's configuration the indexer needs. */
export interface IndexedChain {
  readonly id: number;
  readonly name: string;
  readonly from: number;
  readonly wrappedNative: readonly Address[];
  readonly nativeAccounting: NativeAccounting;
  /** Blocks upon one after which it is final, where the node does not say; without it none is. */
  readonly finality?: number | undefined;
  readonly pollMilliseconds: number;
}

/** How much is done at once; what is in memory follows from it. */
export interface Tuning {
  /** What a batch is written after, whichever comes first; in memory it is the text of its rows. */
  readonly batchTransactions: number;
  readonly batchLogs: number;
  readonly batchBlocks: number;
  readonly batchBytes: number;
  /** So that a slow node's blocks are not long in coming. */
  readonly batchMilliseconds: number;
  /** Transactions that one request for blocks should bring, and blocks in it at most. */
  readonly requestTransactions: number;
  readonly requestBlocks: number;
  readonly requestsInFlight: number;
}

export interface IndexerDeps {
  readonly chain: IndexedChain;
  readonly source: Source;
  /** Where the node tells new heads by itself; without it, it is asked for them. */
  readonly heads?: HeadFeed;
  readonly database: Database;
  readonly ledger: StoredLedger;
  /** All but the ledger's own. */
  readonly projections: readonly Projection[];
  /** Tables that no projection writes and that a reorganisation must reach. */
  readonly following?: readonly FollowingTable[];
  readonly genesisAllocation?: GenesisAllocation;
  /** Accounts whose native balances the next blocks are to tell although they do not touch them; taken when it is called. */
  readonly alsoTouched?: () => readonly Address[];
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly clock: () => Date;
  readonly onProgress?: (progress: Progress) => void;
  readonly tuning?: Partial<Tuning>;
}

export interface IndexerStatus {
  /** The last block of the ledger in the index; before the first one at the start. */
  readonly block: number;
  readonly head: number | null;
  /** The head was reached in this run. */
  readonly following: boolean;
  /** This process holds the chain's lock; another one waits. */
  readonly leading: boolean;
  /** Projections that are still being built from the ledger. */
  readonly catchingUp: readonly string[];
  /** Milliseconds by step since the start. */
  readonly spent: Readonly<Record<Step, number>>;
}

/** The last block of the ledger in the index. */
export interface IndexedBlock {
  readonly number: number;
  readonly hash: Hash;
}

/** Keeps one chain's index in step with its node. */
export interface Indexer {
  /** Runs until the signal, and ends at a batch's border. @throws {IndexMismatchError} when an operator has to decide. */
  run(signal: AbortSignal): Promise<void>;
  status(): IndexerStatus;
  /**
   * Runs work between two batches, in one database transaction that holds the checkpoints: what it reads and writes is as of the indexed block.
   * Null, and nothing done, while this process does not lead or a projection is behind. It holds the loop up: it must be short, and wait for no node.
   */
  exclusive<T>(work: (client: DatabaseClient, indexed: IndexedBlock) => Promise<T>): Promise<T | null>;
  /**
   * The same for work that writes no projection's table: the blocks that are folded beside it stay folded.
   */
  beside<T>(work: (client: DatabaseClient, indexed: IndexedBlock) => Promise<T>): Promise<T | null>;
}
