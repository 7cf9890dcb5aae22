import type { Address, Hash, Hex } from "../lib/hex.ts";

/** A block as the indexer reads it: header, transactions with their receipts, and value transferred inside them. 256-bit numbers are bigint. */
export interface ChainBlock {
  readonly number: number;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly miner: Address;
  readonly extraData: Hex;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  /** Null before EIP-1559. */
  readonly baseFeePerGas: bigint | null;
  readonly size: number;
  readonly transactions: readonly ChainTransaction[];
  /** EIP-4895; empty on chains without them. */
  readonly withdrawals: readonly ChainWithdrawal[];
  /** The native balances of the accounts that the block touched, read from the node; null if they were not requested. */
  readonly balances: readonly AccountBalance[] | null;
}

/** The native balance of an account; null if the node lacks that state. */
export interface AccountBalance {
  readonly address: Address;
  /** Right after the block. */
  readonly balance: bigint | null;
  /** Right before it. */
  readonly balanceBefore: bigint | null;
}

/** Where a chain's native balances come from: value transfers including traces, the node's state of touched accounts, or no source. */
export type NativeAccounting = "traces" | "state" | "none";

export interface ChainTransaction {
  readonly index: number;
  readonly hash: Hash;
  readonly from: Address;
  /** Null for a contract creation. */
  readonly to: Address | null;
  readonly value: bigint;
  /** Below 2^63. It may exceed 2^53, because some networks derive nonces from keys or times. */
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly input: Hex;
  /** EIP-2718 type. */
  readonly type: number;
  /** Null before EIP-658. */
  readonly successful: boolean | null;
  readonly gasUsed: bigint;
  /** Wei paid per unit of gas (EIP-1559's effective price). */
  readonly effectiveGasPrice: bigint;
  readonly createdContract: Address | null;
  /** The fee for data on layer 1; null if the receipt does not contain it. */
  readonly l1Fee: bigint | null;
  /** The burnt blob fee (EIP-4844); null if the transaction has no blobs. */
  readonly blobFee: bigint | null;
  readonly logs: readonly ChainLog[];
  /** Value transferred by successful internal calls, in order, without the transaction's own value; null if the node has no traces. */
  readonly traces: readonly ValueTrace[] | null;
}

export interface ChainLog {
  /** Index in the block. */
  readonly index: number;
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
}

/** An internal frame that transferred native value and was not reverted. */
export interface ValueTrace {
  /** Index among the transaction's frames, in call order. */
  readonly index: number;
  readonly type: "call" | "create" | "selfdestruct";
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
}

export interface ChainWithdrawal {
  readonly index: number;
  readonly validatorIndex: number;
  readonly address: Address;
  readonly amountGwei: bigint;
}

/** A chain's head as a node reports it. */
export interface Head {
  readonly number: number;
  readonly hash: Hash;
  readonly timestamp: number;
}
