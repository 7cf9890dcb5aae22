import type { LatestTable, PeriodTable } from "../../../indexer/projection.ts";

const allowanceKey = { owner: "bytea", token: "bytea", spender: "bytea" } as const;
const nftKey = { token: "bytea", token_id: "numeric" } as const;
const operatorKey = { owner: "bytea", token: "bytea", operator: "bytea" } as const;
const eventPosition = { transaction_index: "int4", log_index: "int4" } as const;
const allowanceColumns = { approved_block: "int8", ...eventPosition, amount: "numeric" } as const;
const nftApprovalColumns = { ...eventPosition, owner: "bytea", spender: "bytea" } as const;
const operatorColumns = { ...eventPosition, approved: "bool" } as const;
const currentColumns = { since_block: "int8" } as const;
const periodColumns = { from_block: "int8", to_block: "int8" } as const;

const latest = (name: string, key: Readonly<Record<string, unknown>>, periods: string, columns: LatestTable["columns"]): LatestTable => ({
  kind: "latest",
  name,
  key: Object.keys(key),
  periodTable: periods,
  columns,
});

export const allowancesTable = latest("allowances", allowanceKey, "allowance_periods", {
  ...allowanceKey,
  ...currentColumns,
  ...allowanceColumns,
});
export const nftApprovalsTable = latest("nft_approvals", nftKey, "nft_approval_periods", {
  ...nftKey,
  ...currentColumns,
  ...nftApprovalColumns,
});
export const nftOperatorsTable = latest("nft_operators", operatorKey, "nft_operator_periods", {
  ...operatorKey,
  ...currentColumns,
  ...operatorColumns,
});

/** The tables with past values. */
export const approvalPeriodTables: readonly PeriodTable[] = [
  { kind: "periods", name: "allowance_periods", columns: { ...allowanceKey, ...periodColumns, ...allowanceColumns } },
  { kind: "periods", name: "nft_approval_periods", columns: { ...nftKey, ...periodColumns, ...nftApprovalColumns } },
  { kind: "periods", name: "nft_operator_periods", columns: { ...operatorKey, ...periodColumns, ...operatorColumns } },
];

/**
 * Owners and tokens whose allowances are to be read from the contract. Not a queue table, whose rows are never updated: a later transfer must
 * invalidate a read in progress. Not rolled back: a superfluous read is harmless, a missing one is not.
 */
export const allowanceReadsTable: LatestTable = {
  kind: "latest",
  name: "allowance_reads",
  key: ["owner", "token"],
  periodTable: null,
  columns: { owner: "bytea", token: "bytea", block_number: "int8", read_at_block: "int8", read_at_hash: "bytea", attempts: "int2" },
};
