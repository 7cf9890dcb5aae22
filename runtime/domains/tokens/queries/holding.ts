import { bytes } from "../../../database/codecs.ts";
import { concatenatedAddresses, jsonArrayOf, splitAddresses } from "../../../database/columns.ts";
import type { Database } from "../../../database/database.ts";
import { identifier, type Sql, sql } from "../../../database/sql.ts";
import { type Address, type Hex, nativeTokenAddress } from "../../../lib/hex.ts";
import { mapInTurns } from "../../../lib/turns.ts";
import { standards } from "../projection/standards.ts";
import { type BalanceColumns, type BalanceRow, balanceLists, balancesAsOf, type SourcedBalance } from "./balance.ts";
import { sourceOfNative } from "./balance-source.ts";
import { type MetadataColumns, metadataIn, selectMetadata, type TokenMetadata } from "./metadata.ts";

/** A balance with the last transfer up to that block; null if none is indexed. */
export interface HoldingRow extends BalanceRow, SourcedBalance {
  readonly transfer_block: number | null;
  readonly transfer_timestamp: number | null;
}

/** Rows as lists (see database/columns.ts). */
export interface HoldingColumns extends BalanceColumns {
  readonly since_blocks: readonly number[];
  /** The node-sourced tokens among the holdings; the three lists are parallel. */
  readonly node_sourced: Hex;
  readonly node_sourced_standards: readonly number[];
  readonly node_sourced_transfer_blocks: readonly (number | null)[];
  /** All blocks named above, with their timestamps. */
  readonly block_numbers: readonly number[];
  readonly block_timestamps: readonly number[];
  readonly native_accounting: string | null;
  /** The last transfer of native value. */
  readonly native_block: number | null;
  readonly native_timestamp: number | null;
}

type LastTransfer = Pick<HoldingRow, "transfer_block" | "transfer_timestamp">;
const noTransfer: LastTransfer = { transfer_block: null, transfer_timestamp: null };

/** The last transfer of a held token ($2 its owner) up to a block ($3). Served by transfers_from and transfers_to, one probe each. */
const lastTransfer = (column: "from_address" | "to_address"): Sql =>
  sql`(SELECT block_number FROM transfers
    WHERE chain_id = $1 AND ${identifier(column)} = $2 AND token = h.token AND standard = h.standard AND block_number <= $3
    ORDER BY block_number DESC LIMIT 1)`;

/** Up to $4 holdings of an owner ($2) on chain $1 as of a block ($3), except zero token balances, in no particular order. */
const held = sql`SELECT token, standard, balance, since_block FROM ${balancesAsOf()} h
  WHERE balance IS DISTINCT FROM 0 OR standard = ${standards.native} LIMIT $4`;

const lastNativeTransferOf = (column: "from_address" | "to_address"): Sql =>
  sql`(SELECT block_number FROM transfers WHERE chain_id = $1 AND ${identifier(column)} = $2 AND token = $5 AND block_number <= $3
    ORDER BY block_number DESC LIMIT 1)`;
/** The last transfer of native value ($5 its token) from or to the owner. Served by transfers_from and transfers_to, one probe each. */
const selectLastNativeTransfer = sql`SELECT number AS native_block, timestamp AS native_timestamp FROM blocks
  WHERE chain_id = $1 AND number = greatest(${lastNativeTransferOf("from_address")}, ${lastNativeTransferOf("to_address")})`;

/**
 * CTEs with up to $4 holdings of an owner ($2) on chain $1 as of a block ($3); `$5` is the native token. All heights are looked up together, each once: for a
 * wallet with many tokens, one probe per token would dominate the cost.
 */
export const holdingCtes = sql`held AS MATERIALIZED (${held}),
  node_sourced AS MATERIALIZED (
    SELECT token, standard, greatest(${lastTransfer("from_address")}, ${lastTransfer("to_address")}) AS transfer_block
    FROM held h JOIN node_sourced_tokens s USING (token, standard) WHERE s.chain_id = $1)`;
/** The row of `HoldingColumns`, from `holdingCtes`. */
export const selectHoldingLists = sql`SELECT * FROM (SELECT ${balanceLists}, ${jsonArrayOf("since_block")} AS since_blocks FROM held) held_lists,
    (SELECT ${concatenatedAddresses("token")} AS node_sourced, ${jsonArrayOf("standard")} AS node_sourced_standards,
       ${jsonArrayOf("transfer_block")} AS node_sourced_transfer_blocks FROM node_sourced) node_sourced_lists,
    (SELECT ${jsonArrayOf("number")} AS block_numbers, ${jsonArrayOf("timestamp")} AS block_timestamps FROM blocks
     WHERE chain_id = $1 AND number = ANY (ARRAY(SELECT since_block FROM held UNION ALL SELECT transfer_block FROM node_sourced))) times,
    (SELECT max(native_accounting) AS native_accounting FROM chains WHERE chain_id = $1) chain
    LEFT JOIN (${selectLastNativeTransfer}) native ON true`;
/** The holdings' `MetadataColumns` row, from `holdingCtes`. */
export const selectHeldMetadataLists = selectMetadata(sql`SELECT token FROM held`);

const selectHoldings = sql`WITH ${holdingCtes} SELECT * FROM (${selectHoldingLists}) holdings, (${selectHeldMetadataLists}) metadata`;

/** Converts lists to holdings, the native token first. */
export async function holdingsIn(columns: HoldingColumns): Promise<HoldingRow[]> {
  const times = new Map<number, number>();
  columns.block_numbers.forEach((number, index) => {
    times.set(number, columns.block_timestamps[index] ?? 0);
  });
  const lastAt = (height: number): LastTransfer => {
    const timestamp = times.get(height);
    return timestamp === undefined ? noTransfer : { transfer_block: height, transfer_timestamp: timestamp };
  };
  const nodeSourced = new Map<string, LastTransfer>();
  splitAddresses(columns.node_sourced).forEach((token, index) => {
    const height = columns.node_sourced_transfer_blocks[index] ?? null;
    nodeSourced.set(`${token}:${columns.node_sourced_standards[index]}`, height === null ? noTransfer : lastAt(height));
  });
  const native: LastTransfer = { transfer_block: columns.native_block, transfer_timestamp: columns.native_timestamp };
  const nativeSource = sourceOfNative(columns.native_accounting);
  const rows = await mapInTurns(splitAddresses(columns.tokens), (token, index): HoldingRow => {
    const [standard, balance] = [columns.standards[index] ?? standards.native, columns.balances[index] ?? null];
    if (standard === standards.native) return { token, standard, balance, source: nativeSource, ...native };
    const lastOfNodeSourced = nodeSourced.size === 0 ? undefined : nodeSourced.get(`${token}:${standard}`);
    const { transfer_block, transfer_timestamp } = lastOfNodeSourced ?? lastAt(columns.since_blocks[index] ?? 0);
    return { token, standard, balance, source: lastOfNodeSourced === undefined ? "events" : "node", transfer_block, transfer_timestamp };
  });
  return rows.sort(byStandard);
}

/** Sorts the native token first; a token of several standards has one row per standard. */
const byStandard = (left: BalanceRow, right: BalanceRow): number => left.standard - right.standard || (left.token < right.token ? -1 : 1);

/** A wallet's holdings, and the metadata of their tokens by address. */
export interface HeldTokens {
  readonly holdings: readonly HoldingRow[];
  readonly metadata: Map<Address, TokenMetadata>;
}

/** The parameters of `holdingCtes`. */
export const holdingParameters = (chainId: number, owner: Address, block: number, limit: number): readonly unknown[] =>
  // Usually, only transfers set the row of a token. Fees and rewards also set the native token's row, and readings also set a node-sourced token's row; the
  // last transfer of these tokens is looked up.
  [chainId, bytes(owner), block, limit, bytes(nativeTokenAddress)];

/** Holdings queries. */
export const createHoldingQueries = ({ query }: Pick<Database, "query">) => ({
  /** An owner's holdings as of a block, except zero token balances; the native token is first. If there are more than `limit`, an arbitrary subset. */
  holdingsAt: async (chainId: number, owner: Address, block: number, limit: number): Promise<HeldTokens> => {
    const [columns] = await query<HoldingColumns & MetadataColumns>(selectHoldings, holdingParameters(chainId, owner, block, limit));
    if (columns === undefined) return { holdings: [], metadata: new Map() };
    return { holdings: await holdingsIn(columns), metadata: await metadataIn(columns) };
  },
});
