import type { BitcoinCapabilities } from "../../../chain/bitcoin/capabilities.ts";
import type { BitcoinSource } from "../../../chain/bitcoin/source.ts";
import type { Database } from "../../../database/database.ts";
import type { Heartbeat } from "../../../indexer/heartbeat.ts";
import type { Leadership } from "../../../indexer/leader/leader.ts";
import type { BlockBoundTable } from "../../../indexer/reorg/roll-back.ts";
import type { Progress } from "../../../indexer/session/progress.ts";
import type { Timing } from "../../../indexer/types.ts";
import type { BitcoinNetwork } from "../../../lib/bitcoin/networks.ts";
import type { Hash } from "../../../lib/hex.ts";
import type { BitcoinQueries } from "../queries.ts";

/** The configuration of a Bitcoin chain that its indexer depends on. */
export interface IndexedBitcoinChain {
  readonly id: number;
  readonly name: string;
  readonly network: Pick<BitcoinNetwork, "coreName">;
  readonly from: number;
  /** Confirmations after which a block is final; undefined if blocks are never final. */
  readonly finality?: number | undefined;
  readonly pollMilliseconds: number;
}

/** The last committed block; in an empty index, the height before the first block, with `hash` null. */
export interface BitcoinPosition {
  readonly block: number;
  readonly hash: Hash | null;
}

/** Sizes of requests and batches: the blocks of one request are written in one transaction. */
export interface BitcoinTuning {
  readonly requestBlocks: number;
  readonly requestTransactions: number;
  readonly requestsInFlight: number;
}

export interface BitcoinIndexerDeps {
  readonly chain: IndexedBitcoinChain;
  readonly source: BitcoinSource;
  readonly capabilities: BitcoinCapabilities;
  readonly database: Database;
  /** Tables that the fold does not write but a rollback includes. */
  readonly blockBoundTables: readonly BlockBoundTable[];
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly clock: () => Date;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Milliseconds for which the node has not responded (see `Rpc`). */
  readonly nodeSilentMilliseconds?: () => number;
  /** Reports to servers that the chain is being indexed. */
  readonly heartbeat?: Pick<Heartbeat, "beat" | "fail">;
  readonly tuning?: Partial<BitcoinTuning>;
  readonly timing?: Partial<Timing>;
}

/** The state that the loop's steps share while this process is the leader. */
export interface BitcoinSession extends Omit<BitcoinIndexerDeps, "tuning" | "timing"> {
  readonly queries: BitcoinQueries;
  readonly guard: Leadership["guard"];
  /** The first indexed block. */
  readonly from: number;
  readonly tuning: BitcoinTuning;
  readonly timing: Timing;
  position: BitcoinPosition;
}
