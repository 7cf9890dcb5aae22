import type {
  AccountBalance,
  ChainBlock,
  ChainLog,
  ChainTransaction,
  ChainWithdrawal,
  NativeAccounting,
  ValueTrace,
} from "../../chain/types.ts";
import type { Queryable } from "../../database/database.ts";
import type { StoredLedger } from "../../indexer/types.ts";
import type { Address, Hash, Hex } from "../../lib/hex.ts";
import { ledgerProjection } from "./projection/index.ts";

interface BlockRecord {
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
interface TransactionRecord {
  block_number: number;
  transaction_index: number;
  hash: Hash;
  from_address: Address;
  to_address: Address | null;
  created_contract: Address | null;
  value: string;
  nonce: number;
  gas_limit: string;
  gas_used: number;
  gas_price: string;
  type: number;
  successful: boolean | null;
  input: Hex;
  l1_fee: string | null;
  blob_fee: string | null;
}
interface LogRecord {
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
interface TraceRecord {
  block_number: number;
  transaction_index: number;
  trace_index: number;
  type: ValueTrace["type"];
  from_address: Address;
  to_address: Address;
  value: string;
}
interface WithdrawalRecord {
  block_number: number;
  withdrawal_index: number;
  validator_index: number;
  address: Address;
  amount_gwei: string;
}

interface BalanceRecord {
  block_number: number;
  address: Address;
  balance: string | null;
  balance_before: string | null;
}

/** The stored ledger: blocks as the node returned them, for projections that are built later. */
export const createStoredLedger = (database: Queryable, chainId: number): StoredLedger => ({
  projection: ledgerProjection,
  blocks: (from, to, accounting) => readBlocks(database, chainId, from, to, accounting),
  hashes: async (from, to) => {
    const rows = await database.query<{ number: number; hash: Hash }>(
      "SELECT number, hash FROM blocks WHERE chain_id = $1 AND number BETWEEN $2 AND $3 ORDER BY number",
      [chainId, from, to],
    );
    return new Map(rows.map(({ number, hash }) => [number, hash]));
  },
  lacksBalances: async () => {
    // Served by account_balances_unknown.
    const unknown = await database.query(
      "SELECT 1 FROM account_balances WHERE chain_id = $1 AND (balance IS NULL OR balance_before IS NULL) LIMIT 1",
      [chainId],
    );
    return unknown.length > 0;
  },
  heightAfter: async (from, transactions, blocks) => {
    // Served by the primary key of blocks: reads at most `blocks` rows and sums their transactions.
    const rows = await database.query<{ number: number; weight: number }>(
      `SELECT number, sum(transaction_count) OVER (ORDER BY number)::int8 AS weight FROM (
         SELECT number, transaction_count FROM blocks WHERE chain_id = $1 AND number >= $2 ORDER BY number LIMIT $3) b ORDER BY number`,
      [chainId, from, blocks],
    );
    const withinLimit = rows.filter(({ weight }) => weight <= transactions);
    return (withinLimit.at(-1) ?? rows[0])?.number ?? null;
  },
});

/** Reads blocks with their contents; each statement reads a range of its table's primary key. */
const readBlocks = async (
  database: Queryable,
  chainId: number,
  from: number,
  to: number,
  accounting: NativeAccounting,
): Promise<ChainBlock[]> => {
  const range = [chainId, from, to];
  const [blocks, transactions, logs, traces, withdrawals, balances] = await Promise.all([
    database.query<BlockRecord>("SELECT * FROM blocks WHERE chain_id = $1 AND number BETWEEN $2 AND $3 ORDER BY number", range),
    database.query<TransactionRecord>(
      "SELECT * FROM transactions WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 ORDER BY block_number, transaction_index",
      range,
    ),
    database.query<LogRecord>(
      "SELECT * FROM logs WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 ORDER BY block_number, log_index",
      range,
    ),
    database.query<TraceRecord>(
      "SELECT * FROM traces WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 ORDER BY block_number, transaction_index, trace_index",
      range,
    ),
    database.query<WithdrawalRecord>(
      "SELECT * FROM withdrawals WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 ORDER BY block_number, withdrawal_index",
      range,
    ),
    accounting === "state"
      ? database.query<BalanceRecord>(
          "SELECT * FROM account_balances WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 ORDER BY block_number, address",
          range,
        )
      : [],
  ]);
  const transactionKey = (row: { block_number: number; transaction_index: number }) => `${row.block_number}:${row.transaction_index}`;
  const logsOf = groupBy(logs, transactionKey, toLog);
  const tracesOf = groupBy(traces, transactionKey, toTrace);
  const withdrawalsOf = groupBy(withdrawals, (row) => row.block_number, toWithdrawal);
  const balancesOf = groupBy(balances, (row) => row.block_number, toBalance);
  const transactionsOf = groupBy(
    transactions,
    (row) => row.block_number,
    (row): ChainTransaction => {
      const key = transactionKey(row);
      return { ...toTransaction(row), logs: logsOf.get(key) ?? [], traces: accounting === "none" ? null : (tracesOf.get(key) ?? []) };
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
    withdrawals: withdrawalsOf.get(row.number) ?? [],
    balances: accounting === "state" ? (balancesOf.get(row.number) ?? []) : null,
  }));
};

const groupBy = <Row, Group, Item>(rows: readonly Row[], groupOf: (row: Row) => Group, toItem: (row: Row) => Item): Map<Group, Item[]> => {
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
  nonce: row.nonce,
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

const toLog = (row: LogRecord): ChainLog => ({
  index: row.log_index,
  address: row.address,
  topics: [row.topic0, row.topic1, row.topic2, row.topic3].filter((topic) => topic !== null),
  data: row.data,
});

const toTrace = (row: TraceRecord): ValueTrace => ({
  index: row.trace_index,
  type: row.type,
  from: row.from_address,
  to: row.to_address,
  value: BigInt(row.value),
});

const toWithdrawal = (row: WithdrawalRecord): ChainWithdrawal => ({
  index: row.withdrawal_index,
  validatorIndex: row.validator_index,
  address: row.address,
  amountGwei: BigInt(row.amount_gwei),
});

const toBalance = (row: BalanceRecord): AccountBalance => ({
  address: row.address,
  balance: toBigInt(row.balance),
  before: toBigInt(row.balance_before),
});
