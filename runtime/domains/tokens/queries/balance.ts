import { bytes } from "../../../database/codecs.ts";
import { addressesIn, joinedAddresses, listOf } from "../../../database/columns.ts";
import type { Database } from "../../../database/database.ts";
import { columnList, identifier, joinSql, type Sql, sql } from "../../../database/sql.ts";
import { type Address, type Hex, nativeTokenAddress } from "../../../lib/hex.ts";
import { standards } from "../projection/standards.ts";
import { type BalanceSource, joinSource, sourceOf, sourceOfNative } from "./balance-source.ts";
import { type MetadataColumns, metadataIn, selectMetadata, type TokenMetadata } from "./metadata.ts";

/** The balance of an owner after a block (for collections: the number of tokens); null if unknown. */
export interface BalanceRow {
  readonly token: Address;
  readonly standard: number;
  readonly balance: string | null;
}

/** A balance with the last transfer up to that block; null if none is indexed. */
export interface HoldingRow extends BalanceRow {
  readonly source: BalanceSource;
  readonly transfer_block: number | null;
  readonly transfer_timestamp: number | null;
}

/** Rows as lists (see database/columns.ts). */
interface BalanceColumns {
  readonly tokens: Hex;
  readonly standards: readonly number[];
  readonly balances: readonly (string | null)[];
}
interface HoldingColumns extends BalanceColumns {
  readonly moved: readonly number[];
  /** The node-sourced tokens among them. */
  readonly sourced: Hex;
  readonly sourced_standards: readonly number[];
  readonly sourced_moved: readonly (number | null)[];
  readonly numbers: readonly number[];
  readonly timestamps: readonly number[];
  readonly native_accounting: string | null;
  /** The last transfer of native value. */
  readonly native_block: number | null;
  readonly native_timestamp: number | null;
}
/** Lists with the block that they are as of; null if there is none. */
interface BalancesBeforeColumns extends BalanceColumns {
  readonly block: number | null;
}

type LastTransfer = Pick<HoldingRow, "transfer_block" | "transfer_timestamp">;
const noTransfer: LastTransfer = { transfer_block: null, transfer_timestamp: null };

/** An owner's balance of one token id. */
export interface NftBalanceRow {
  readonly token: Address;
  readonly token_id: string;
  readonly standard: number;
  readonly balance: string | null;
}

/**
 * The rows of an owner ($2) as of a block (by default $3): those that were set by that block, and for each row that was set later, the period that contains the block.
 * `among` restricts them by the first columns of the key. Served by the primary keys: a range of the owner's rows, and one probe per token touched since.
 */
export const asOfBlock = (
  table: "balances" | "nft_balances",
  periods: "balance_periods" | "nft_balance_periods",
  key: readonly string[],
  among: Sql = sql`true`,
  block: Sql = sql`$3`,
): Sql => {
  const isSameKey = joinSql(
    key.map((column) => sql`${identifier(`h.${column}`)} = ${identifier(`t.${column}`)}`),
    sql` AND `,
  );
  return sql`(SELECT ${columnList(key, "t")}, t.balance, t.since_block FROM ${identifier(table)} t
    WHERE t.chain_id = $1 AND t.owner = $2 AND t.since_block <= ${block} AND ${among}
    UNION ALL
    SELECT ${columnList(key, "t")}, p.balance, p.from_block FROM ${identifier(table)} t CROSS JOIN LATERAL (
      SELECT balance, from_block FROM ${identifier(periods)} h
      WHERE h.chain_id = t.chain_id AND h.owner = t.owner AND ${isSameKey} AND h.from_block <= ${block}
      ORDER BY h.from_block DESC LIMIT 1) p
    WHERE t.chain_id = $1 AND t.owner = $2 AND t.since_block > ${block} AND ${among})`;
};

/** The last transfer of a held token ($2 its owner) up to a block ($3). Served by transfers_from and transfers_to, one probe each. */
const lastTransfer = (column: "from_address" | "to_address"): Sql =>
  sql`(SELECT block_number FROM transfers
    WHERE chain_id = $1 AND ${identifier(column)} = $2 AND token = h.token AND standard = h.standard AND block_number <= $3
    ORDER BY block_number DESC LIMIT 1)`;

const balancesAsOf = asOfBlock("balances", "balance_periods", ["token", "standard"]);
const nftBalancesAsOf = asOfBlock("nft_balances", "nft_balance_periods", ["token", "token_id", "standard"]);

const balanceLists = sql`${joinedAddresses("token")} AS tokens, ${listOf("standard")} AS standards, ${listOf(sql`balance::text`)} AS balances`;

/** The holdings of an owner ($2) of chain $1 after a block ($3), except zero token balances; any $4 of them if there are more. */
const held = sql`SELECT token, standard, balance, since_block FROM ${balancesAsOf} h
  WHERE balance IS DISTINCT FROM 0 OR standard = ${standards.native} LIMIT $4`;

const lastNativeTransferOf = (column: "from_address" | "to_address"): Sql =>
  sql`(SELECT block_number FROM transfers WHERE chain_id = $1 AND ${identifier(column)} = $2 AND token = $5 AND block_number <= $3
    ORDER BY block_number DESC LIMIT 1)`;
/** The last transfer of native value ($5 its token) from or to the owner. Served by transfers_from and transfers_to, one probe each. */
const selectLastNativeTransfer = sql`SELECT number AS native_block, timestamp AS native_timestamp FROM blocks
  WHERE chain_id = $1 AND number = greatest(${lastNativeTransferOf("from_address")}, ${lastNativeTransferOf("to_address")})`;

// All heights are looked up together, each once: a wallet may hold so many tokens that one probe per token would be most of the work.
const selectHoldings = sql`WITH held AS MATERIALIZED (${held}),
  sourced AS MATERIALIZED (
    SELECT token, standard, greatest(${lastTransfer("from_address")}, ${lastTransfer("to_address")}) AS moved
    FROM held h JOIN node_sourced_tokens s USING (token, standard) WHERE s.chain_id = $1)
  SELECT * FROM (SELECT ${balanceLists}, ${listOf("since_block")} AS moved FROM held) held_lists,
    (SELECT ${joinedAddresses("token")} AS sourced, ${listOf("standard")} AS sourced_standards, ${listOf("moved")} AS sourced_moved FROM sourced) sourced_lists,
    (SELECT ${listOf("number")} AS numbers, ${listOf("timestamp")} AS timestamps FROM blocks
     WHERE chain_id = $1 AND number = ANY (ARRAY(SELECT since_block FROM held UNION ALL SELECT moved FROM sourced))) times,
    (SELECT max(native_accounting) AS native_accounting FROM chains WHERE chain_id = $1) chain
    LEFT JOIN (${selectLastNativeTransfer}) native ON true`;

const selectHeldMetadata = sql`WITH held AS MATERIALIZED (${held}) ${selectMetadata(sql`SELECT token FROM held`)}`;

const selectBalances = sql`SELECT ${balanceLists} FROM ${balancesAsOf} h`;

/** As of the last block before a time ($3), but at most of a block ($4). The block is served by blocks_timestamp. */
const selectBalancesBefore = sql`WITH bound AS MATERIALIZED (
    SELECT least(number, $4::int8) AS number FROM blocks WHERE chain_id = $1 AND timestamp < $3 ORDER BY timestamp DESC, number DESC LIMIT 1)
  SELECT (SELECT number FROM bound) AS block, ${balanceLists}
  FROM ${asOfBlock("balances", "balance_periods", ["token", "standard"], sql`true`, sql`(SELECT number FROM bound)`)} h`;

const matchesBalance = sql`chain_id = $1 AND owner = $2 AND token = $3 AND standard = $4`;
const selectBalance = sql`SELECT h.balance, ${sourceOf("h")} AS source FROM (
    SELECT token, standard, balance FROM balances WHERE ${matchesBalance} AND since_block <= $5
    UNION ALL
    (SELECT token, standard, balance FROM balance_periods WHERE ${matchesBalance} AND from_block <= $5 AND to_block >= $5
     ORDER BY from_block DESC LIMIT 1)) h ${joinSource("h")}`;

const selectNftBalances = sql`SELECT token, token_id, standard, balance FROM ${nftBalancesAsOf} h
  WHERE balance IS DISTINCT FROM 0 ORDER BY token, token_id LIMIT $4`;

/** Converts lists to rows. */
function toHoldings(columns: HoldingColumns): HoldingRow[] {
  const times = new Map<number, number>();
  columns.numbers.forEach((number, index) => {
    times.set(number, columns.timestamps[index] ?? 0);
  });
  const lastAt = (height: number): LastTransfer => {
    const timestamp = times.get(height);
    return timestamp === undefined ? noTransfer : { transfer_block: height, transfer_timestamp: timestamp };
  };
  const sourced = new Map<string, LastTransfer>();
  addressesIn(columns.sourced).forEach((token, index) => {
    const height = columns.sourced_moved[index] ?? null;
    sourced.set(`${token}:${columns.sourced_standards[index]}`, height === null ? noTransfer : lastAt(height));
  });
  const native: LastTransfer = { transfer_block: columns.native_block, transfer_timestamp: columns.native_timestamp };
  const nativeSource = sourceOfNative(columns.native_accounting);
  const rows = addressesIn(columns.tokens).map((token, index): HoldingRow => {
    const [standard, balance] = [columns.standards[index] ?? standards.native, columns.balances[index] ?? null];
    if (standard === standards.native) return { token, standard, balance, source: nativeSource, ...native };
    const read = sourced.size === 0 ? undefined : sourced.get(`${token}:${standard}`);
    const { transfer_block, transfer_timestamp } = read ?? lastAt(columns.moved[index] ?? 0);
    return { token, standard, balance, source: read === undefined ? "events" : "node", transfer_block, transfer_timestamp };
  });
  return rows.sort(byStandard);
}

const toBalances = (columns: BalanceColumns): BalanceRow[] =>
  addressesIn(columns.tokens).map((token, index) => ({
    token,
    standard: columns.standards[index] ?? standards.native,
    balance: columns.balances[index] ?? null,
  }));

/** Sorts the native token first; a token of several standards has one row per standard. */
const byStandard = (left: BalanceRow, right: BalanceRow): number => left.standard - right.standard || (left.token < right.token ? -1 : 1);

/** Balance queries. */
export function createBalanceQueries({ query }: Pick<Database, "query">) {
  /** The holdings of an owner after a block, except zero token balances; the native token is first. Any `limit` of them if there are more. */
  const holdingsAt = async (chainId: number, owner: Address, block: number, limit: number): Promise<HoldingRow[]> => {
    // The row of a token is usually set only by its transfers. Fees and rewards also set the row of the native token, and readings that of a node-sourced token:
    // their last transfer is looked up.
    const [columns] = await query<HoldingColumns>(selectHoldings, [chainId, bytes(owner), block, limit, bytes(nativeTokenAddress)]);
    return columns === undefined ? [] : toHoldings(columns);
  };

  /** The metadata of the tokens that `holdingsAt` returns for the same arguments, to be queried at the same time. */
  const heldMetadata = async (chainId: number, owner: Address, block: number, limit: number): Promise<Map<Address, TokenMetadata>> =>
    metadataIn(await query<MetadataColumns>(selectHeldMetadata, [chainId, bytes(owner), block, limit]));

  /** The balances of an owner after a block, of each token that it had received by that block. */
  const balancesAt = async (chainId: number, owner: Address, block: number): Promise<BalanceRow[]> => {
    const [columns] = await query<BalanceColumns>(selectBalances, [chainId, bytes(owner), block]);
    return columns === undefined ? [] : toBalances(columns);
  };

  /** The balances of an owner after the last block before a time (unix seconds), or after `max` if that is earlier; null without such a block. */
  const balancesBefore = async (chainId: number, owner: Address, time: number, max: number): Promise<BalanceRow[] | null> => {
    const [columns] = await query<BalancesBeforeColumns>(selectBalancesBefore, [chainId, bytes(owner), time, max]);
    return columns === undefined || columns.block === null ? null : toBalances(columns);
  };

  /** An owner's balance of one token after a block; null if no block up to it changed the balance. Served by the primary keys. */
  const balanceAt = async (
    chainId: number,
    owner: Address,
    token: Address,
    standard: number,
    block: number,
  ): Promise<Pick<HoldingRow, "balance" | "source"> | null> => {
    const rows = await query<Pick<HoldingRow, "balance" | "source">>(selectBalance, [chainId, bytes(owner), bytes(token), standard, block]);
    return rows[0] ?? null;
  };

  /** The balances of an owner by token id after a block, up to `limit`. */
  const nftBalancesAt = (chainId: number, owner: Address, block: number, limit: number) =>
    query<NftBalanceRow>(selectNftBalances, [chainId, bytes(owner), block, limit]);

  return { holdingsAt, heldMetadata, balancesAt, balancesBefore, balanceAt, nftBalancesAt };
}
