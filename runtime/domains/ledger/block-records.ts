import type { AccountBalance, ChainBlock, ChainLog, ChainTransaction, ChainWithdrawal, ValueTrace } from "../../chain/types.ts";
import { sql } from "../../database/sql.ts";
import type { Address, Hash, Hex } from "../../lib/hex.ts";

/** A row of `blocks`. */
export interface BlockRecord {
  number: number;
  hash: Hash;
  parent_hash: Hash;
  timestamp: number;
  miner: Address;
  extra_data: Hex;
  gas_used: number;
  gas_limit: string;
  base_fee: string | null;
  size: number;
}
/** A row of `transactions`. */
export interface TransactionRecord {
  block_number: number;
  transaction_index: number;
  hash: Hash;
  from_address: Address;
  to_address: Address | null;
  created_contract: Address | null;
  value: string;
  nonce: string;
  gas_limit: string;
  gas_used: number;
  gas_price: string;
  type: number;
  successful: boolean | null;
  input: Hex;
  l1_fee: string | null;
  blob_fee: string | null;
}
/** The columns of a TransactionRecord. A nonce is text, because it may exceed 2^53. */
export const transactionColumns = sql`block_number, transaction_index, hash, from_address, to_address, created_contract, value, nonce::text, gas_limit, gas_used,
       gas_price, type, successful, input, l1_fee, blob_fee`;
/** A row of `logs`. */
export interface LogRecord {
  block_number: number;
  log_index: number;
  transaction_index: number;
  address: Address;
  topic0: Hash | null;
  topic1: Hash | null;
  topic2: Hash | null;
  topic3: Hash | null;
  data: Hex;
}
/** A row of `traces`. */
export interface TraceRecord {
  block_number: number;
  transaction_index: number;
  trace_index: number;
  type: ValueTrace["type"];
  from_address: Address;
  to_address: Address;
  value: string;
}
/** A row of `withdrawals`. */
export interface WithdrawalRecord {
  block_number: number;
  withdrawal_index: number;
  validator_index: number;
  address: Address;
  amount_gwei: string;
}

/** A row of `account_balances`. */
export interface BalanceRecord {
  block_number: number;
  address: Address;
  balance: string | null;
  balance_before: string | null;
}

/** The contents of blocks, by transaction or by block; null if they are not stored or not read. */
interface BlockContents {
  readonly logs: ReadonlyMap<string, ChainLog[]>;
  readonly traces: ReadonlyMap<string, ValueTrace[]> | null;
  readonly withdrawals: ReadonlyMap<number, ChainWithdrawal[]>;
  readonly balances: ReadonlyMap<number, AccountBalance[]> | null;
}

/** The key of a transaction in `BlockContents`. */
export const transactionKey = (row: { block_number: number; transaction_index: number }) => `${row.block_number}:${row.transaction_index}`;

/** Assembles blocks from their rows. */
export const toBlocks = (
  blocks: readonly BlockRecord[],
  transactions: readonly TransactionRecord[],
  { logs, traces, withdrawals, balances }: BlockContents,
): ChainBlock[] => {
  const transactionsOf = groupItems(
    transactions,
    (row) => row.block_number,
    (row): ChainTransaction => {
      const key = transactionKey(row);
      return { ...toTransaction(row), logs: logs.get(key) ?? [], traces: traces === null ? null : (traces.get(key) ?? []) };
    },
  );
  return blocks.map((row) => ({
    number: row.number,
    hash: row.hash,
    parentHash: row.parent_hash,
    timestamp: row.timestamp,
    miner: row.miner,
    extraData: row.extra_data,
    gasUsed: BigInt(row.gas_used),
    gasLimit: BigInt(row.gas_limit),
    baseFeePerGas: toBigInt(row.base_fee),
    size: row.size,
    transactions: transactionsOf.get(row.number) ?? [],
    withdrawals: withdrawals.get(row.number) ?? [],
    balances: balances === null ? null : (balances.get(row.number) ?? []),
  }));
};

/** Converts and groups rows, preserving their order. */
export const groupItems = <Row, Group, Item>(
  rows: readonly Row[],
  groupOf: (row: Row) => Group,
  toItem: (row: Row) => Item,
): Map<Group, Item[]> => {
  const groups = new Map<Group, Item[]>();
  for (const row of rows) {
    const group = groupOf(row);
    const items = groups.get(group);
    if (items === undefined) groups.set(group, [toItem(row)]);
    else items.push(toItem(row));
  }
  return groups;
};

const toBigInt = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

const toTransaction = (row: TransactionRecord): Omit<ChainTransaction, "logs" | "traces"> => ({
  index: row.transaction_index,
  hash: row.hash,
  from: row.from_address,
  to: row.to_address,
  value: BigInt(row.value),
  nonce: BigInt(row.nonce),
  gasLimit: BigInt(row.gas_limit),
  input: row.input,
  type: row.type,
  successful: row.successful,
  gasUsed: BigInt(row.gas_used),
  effectiveGasPrice: BigInt(row.gas_price),
  createdContract: row.created_contract,
  l1Fee: toBigInt(row.l1_fee),
  blobFee: toBigInt(row.blob_fee),
});

export const toLog = (row: LogRecord): ChainLog => ({
  index: row.log_index,
  address: row.address,
  topics: [row.topic0, row.topic1, row.topic2, row.topic3].filter((topic) => topic !== null),
  data: row.data,
});

export const toTrace = (row: TraceRecord): ValueTrace => ({
  index: row.trace_index,
  type: row.type,
  from: row.from_address,
  to: row.to_address,
  value: BigInt(row.value),
});

export const toWithdrawal = (row: WithdrawalRecord): ChainWithdrawal => ({
  index: row.withdrawal_index,
  validatorIndex: row.validator_index,
  address: row.address,
  amountGwei: BigInt(row.amount_gwei),
});

export const toBalance = (row: BalanceRecord): AccountBalance => ({
  address: row.address,
  balance: toBigInt(row.balance),
  balanceBefore: toBigInt(row.balance_before),
});
