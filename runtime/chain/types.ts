import type { Address, Hash, Hex } from "../lib/hex.ts";

/** A block as the indexer takes it: header, transactions with their receipts, and what moved value inside them. Numbers of the chain's own width are bigint. */
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
  /** The native balances of the accounts that the block touched, as the node tells them; null where it was not asked. */
  readonly balances: readonly AccountBalance[] | null;
}

/** What the node says an account had; null where it lacks that state. */
export interface AccountBalance {
  readonly address: Address;
  /** Right after the block. */
  readonly balance: bigint | null;
  /** Right before it. */
  readonly before: bigint | null;
}

/** Where a chain's native balances come from: what its blocks moved, traces included; the node's word on the accounts that they touched; or nowhere. */
export type NativeAccounting = "traces" | "state" | "none";

export interface ChainTransaction {
  readonly index: number;
  readonly hash: Hash;
  readonly from: Address;
  /** Null for a contract creation. */
  readonly to: Address | null;
  readonly value: bigint;
  readonly nonce: number;
  readonly gasLimit: bigint;
  readonly input: Hex;
  /** EIP-2718 type. */
  readonly type: number;
  /** Null before EIP-658. */
  readonly successful: boolean | null;
  readonly gasUsed: bigint;
  /** Wei for a unit of gas, as paid (EIP-1559's effective price). */
  readonly effectiveGasPrice: bigint;
  readonly createdContract: Address | null;
  /** The fee for data on the layer below, where the receipt says it. */
  readonly l1Fee: bigint | null;
  /** What the transaction's blobs cost (EIP-4844), burnt; null where it carries none. */
  readonly blobFee: bigint | null;
  readonly logs: readonly ChainLog[];
  /** Value moved by inner calls that took effect, in order; null where the node has no traces. The transaction's own value is not among them. */
  readonly traces: readonly ValueTrace[] | null;
}

export interface ChainLog {
  /** In the block. */
  readonly index: number;
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
}

/** One inner frame that moved native value and was not undone. */
export interface ValueTrace {
  /** Position among the transaction's frames, in call order. */
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

/** The head of a chain as a node sees it. */
export interface Head {
  readonly number: number;
  readonly hash: Hash;
  readonly timestamp: number;
}
