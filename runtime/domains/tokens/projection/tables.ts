import type { Table } from "../../../indexer/projection.ts";

const balanceKey = { owner: "bytea", token: "bytea", standard: "int2" } as const;
const nftKey = { owner: "bytea", token: "bytea", token_id: "numeric", standard: "int2" } as const;
const currentColumns = { since_block: "int8", balance: "numeric", net_change: "numeric" } as const;
const periodColumns = { from_block: "int8", to_block: "int8", balance: "numeric", net_change: "numeric" } as const;

/** The projection's tables (migrations 0002, 0007, 0020 and 0021), and the queue of metadata reads. */
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
  {
    kind: "latest",
    name: "balances",
    key: Object.keys(balanceKey),
    periodTable: "balance_periods",
    columns: { ...balanceKey, ...currentColumns },
  },
  { kind: "periods", name: "balance_periods", columns: { ...balanceKey, ...periodColumns, pivot_block: "int8" } },
  {
    kind: "latest",
    name: "nft_balances",
    key: Object.keys(nftKey),
    periodTable: "nft_balance_periods",
    columns: { ...nftKey, ...currentColumns },
  },
  { kind: "periods", name: "nft_balance_periods", columns: { ...nftKey, ...periodColumns } },
  {
    kind: "append",
    name: "holder_counts",
    columns: { token: "bytea", standard: "int2", block_number: "int8", holders: "int8" },
  },
  {
    kind: "append",
    name: "token_supplies",
    columns: { token: "bytea", standard: "int2", block_number: "int8", supply: "numeric" },
  },
  // Written by jobs, never by the fold. They are listed so that rollbacks and rebuilds include them.
  {
    kind: "append",
    name: "supply_offsets",
    columns: { token: "bytea", block_number: "int8", difference: "numeric", is_silent: "bool" },
  },
  {
    kind: "append",
    name: "quiet_calls",
    columns: { token: "bytea", block_number: "int8", is_read: "bool" },
  },
  // Never rolled back; a rebuild clears it, so that every token is due for comparison with its contract again.
  { kind: "latest", name: "token_checks", key: ["token", "standard"], periodTable: null, columns: { token: "bytea", standard: "int2" } },
  { kind: "queue", name: "node_reads", key: ["kind", "key"], columns: { kind: "text", key: "bytea", block_number: "int8" } },
];
