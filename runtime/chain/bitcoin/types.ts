import type { Hash, Hex } from "../../lib/hex.ts";

/** An amount in satoshi, and the script that determines who can spend it. */
export interface BitcoinOutput {
  readonly value: bigint;
  readonly script: Hex;
}

/** An earlier transaction's output that a transaction spends. */
export interface BitcoinInput {
  readonly txid: Hash;
  readonly index: number;
  /** The spent output, if the node's response has it. */
  readonly spent: BitcoinOutput | null;
}

export interface BitcoinTransaction {
  /** In the byte order in which Bitcoin software displays it. */
  readonly txid: Hash;
  /** A block's first transaction, which creates its coins and has no inputs. */
  readonly isCoinbase: boolean;
  /** The fee that the node reports; null if it reports none, and for a coinbase. */
  readonly reportedFee: bigint | null;
  readonly inputs: readonly BitcoinInput[];
  readonly outputs: readonly BitcoinOutput[];
}

/** A Bitcoin block. */
export interface BitcoinBlock {
  readonly number: number;
  readonly hash: Hash;
  /** Zeros for the genesis block. */
  readonly parentHash: Hash;
  /** Unix seconds as claimed by the miner, not necessarily ascending. */
  readonly timestamp: number;
  readonly transactions: readonly BitcoinTransaction[];
}
