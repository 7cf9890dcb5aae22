import type { Table } from "../../indexer/projection.ts";

const balanceKey = ["owner", "token", "standard"];
const balanceColumns = { owner: "bytea", token: "bytea", standard: "int2", block_number: "int8", balance: "numeric" } as const;
const nftKey = ["owner", "token", "token_id", "standard"];
const nftColumns = { ...balanceColumns, token_id: "numeric" } as const;

/** The tables of migration 0002 that are filled from blocks, and the queue that metadata is read by. */
export const tokenTables: readonly Table[] = [
  { kind: "append", name: "token_standards", columns: { address: "bytea", standard: "int2", block_number: "int8" } },
  {
    kind: "append",
    name: "transfers",
    columns: {
      block_number: "int8",
      ordinal: "int4",
      transaction_index: "int4",
      log_index: "int4",
      standard: "int2",
      token: "bytea",
      from_address: "bytea",
      to_address: "bytea",
      token_id: "numeric",
      amount: "numeric",
      from_balance: "numeric",
      to_balance: "numeric",
    },
  },
  {
    kind: "append",
    name: "transfer_transactions",
    columns: { address: "bytea", ordinal: "int8", block_number: "int8", transaction_index: "int4" },
  },
  { kind: "append", name: "balance_history", columns: { ...balanceColumns, change: "numeric" } },
  { kind: "latest", name: "balances", key: balanceKey, history: "balance_history", columns: balanceColumns },
  { kind: "append", name: "nft_balance_history", columns: { ...nftColumns, change: "numeric" } },
  { kind: "latest", name: "nft_balances", key: nftKey, history: "nft_balance_history", columns: nftColumns },
  { kind: "queue", name: "node_reads", key: ["kind", "key"], columns: { kind: "text", key: "bytea", block_number: "int8" } },
];
