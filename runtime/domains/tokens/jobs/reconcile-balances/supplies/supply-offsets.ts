import { bytes } from "../../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../../database/database.ts";
import { identifier, nothing, type Sql, sql } from "../../../../../database/sql.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";
import { type Gap, maxSteps, type Step, type Value } from "./step-function.ts";

/** The stored supply of an ERC-20 token and its zero-address balance as of a block. */
export interface StoredSupply {
  readonly token: Address;
  readonly isNodeSourced: boolean;
  /** Mints minus burns since the first indexed block; null if there were none. */
  readonly eventSupply: bigint | null;
  /** The step that holds at the block; its value is undefined in a gap. Null if there is no step. */
  readonly offset: Step | null;
  /** The zero address's row; null if there is none, undefined if it was set after the block. */
  readonly zeroAddressBalance: { readonly since: number; readonly balance: bigint | null } | null | undefined;
}

const stepOf = (block: number, difference: string | null, hasNoSupply: boolean): Step => ({
  block,
  value: difference !== null ? BigInt(difference) : hasNoSupply ? null : undefined,
});

const bigintOf = (value: string | null): bigint | null => (value === null ? null : BigInt(value));

/** The stored supplies and zero-address balances as of a block. Served by the primary keys. */
export const storedSupplies = async (
  database: Queryable,
  chainId: number,
  tokens: readonly Address[],
  height: number,
): Promise<StoredSupply[]> => {
  const rows = await database.query<{
    token: Address;
    sourced: boolean;
    events: string | null;
    offset_block: number | null;
    difference: string | null;
    is_silent: boolean | null;
    zero_since: number | null;
    zero_balance: string | null;
  }>(
    sql`SELECT k.token, n.token IS NOT NULL AS sourced, s.supply AS events, o.block_number AS offset_block, o.difference, o.is_silent,
       z.since_block AS zero_since, z.balance AS zero_balance
     FROM unnest($2::bytea[]) AS k(token)
     LEFT JOIN node_sourced_tokens n ON n.chain_id = $1 AND n.token = k.token AND n.standard = ${standards.erc20}
     LEFT JOIN LATERAL (SELECT supply FROM token_supplies s WHERE s.chain_id = $1 AND s.token = k.token AND s.standard = ${standards.erc20}
       AND s.block_number <= $3 ORDER BY s.block_number DESC LIMIT 1) s ON true
     LEFT JOIN LATERAL (SELECT block_number, difference, is_silent FROM supply_offsets o WHERE o.chain_id = $1 AND o.token = k.token
       AND o.block_number <= $3 ORDER BY o.block_number DESC LIMIT 1) o ON true
     LEFT JOIN balances z ON z.chain_id = $1 AND z.owner = $4 AND z.token = k.token AND z.standard = ${standards.erc20}`,
    [chainId, tokens.map(bytes), height, bytes(zeroAddress)],
  );
  return rows.map((row) => ({
    token: row.token,
    isNodeSourced: row.sourced,
    eventSupply: bigintOf(row.events),
    offset: row.offset_block === null ? null : stepOf(row.offset_block, row.difference, row.is_silent === true),
    zeroAddressBalance:
      row.zero_since === null ? null : row.zero_since > height ? undefined : { since: row.zero_since, balance: bigintOf(row.zero_balance) },
  }));
};

/** Mints minus burns up to each of the blocks; null if there were none by that block. Served by the primary key of token_supplies. */
export const eventSupplies = async (
  database: Queryable,
  chainId: number,
  reads: readonly { readonly token: Address; readonly block: number }[],
): Promise<(bigint | null)[]> => {
  const rows = await database.query<{ supply: string | null }>(
    sql`SELECT s.supply FROM unnest($2::bytea[], $3::int8[]) WITH ORDINALITY AS k(token, block, position)
     LEFT JOIN LATERAL (SELECT supply FROM token_supplies s WHERE s.chain_id = $1 AND s.token = k.token AND s.standard = ${standards.erc20}
       AND s.block_number <= k.block ORDER BY s.block_number DESC LIMIT 1) s ON true ORDER BY k.position`,
    [chainId, reads.map(({ token }) => bytes(token)), reads.map(({ block }) => block)],
  );
  return rows.map(({ supply }) => bigintOf(supply));
};

/** ERC-20 tokens with mints or burns after a block, newest first. Served by token_supplies_roll_back. */
export const mintedOrBurnedTokens = async (
  database: Queryable,
  chainId: number,
  afterBlock: number,
  skipped: readonly Address[],
  limit: number,
): Promise<Address[]> => {
  const rows = await database.query<{ token: Address }>(
    sql`SELECT token FROM (SELECT token, max(block_number) AS block_number FROM token_supplies
       WHERE chain_id = $1 AND block_number > $2 AND standard = ${standards.erc20} AND token <> ALL ($3) GROUP BY token) s
     ORDER BY block_number DESC, md5(token) LIMIT $4`,
    [chainId, afterBlock, skipped.map(bytes), limit],
  );
  return rows.map(({ token }) => token);
};

/** Replaces a token's steps from `first` to `last`, both included. */
export const writeSteps = async (
  client: DatabaseClient,
  chainId: number,
  token: Address,
  first: number,
  last: number,
  steps: readonly Step[],
): Promise<void> => {
  await client.query("DELETE FROM supply_offsets WHERE chain_id = $1 AND token = $2 AND block_number BETWEEN $3 AND $4", [
    chainId,
    bytes(token),
    first,
    last,
  ]);
  await client.query(
    `INSERT INTO supply_offsets (chain_id, token, block_number, difference, is_silent)
     SELECT $1, $2, * FROM unnest($3::int8[], $4::numeric[], $5::boolean[])`,
    [
      chainId,
      bytes(token),
      steps.map(({ block }) => block),
      steps.map(({ value }) => value?.toString() ?? null),
      steps.map(({ value }) => value === null),
    ],
  );
};

/** A gap in a token's supply offsets. */
export interface SupplyGap extends Omit<Gap, "after"> {
  readonly token: Address;
  readonly isNodeSourced: boolean;
  /** Undefined if a reorganisation deleted the reading after the gap. */
  readonly after: Value | undefined;
  /** Whether no step precedes the gap. */
  readonly isFirst: boolean;
  /** The number of the token's steps, up to `maxSteps`. */
  readonly stepCount: number;
}

/** The newest gap of each token after `after`, ordered by address. Served by supply_offsets_open and the primary key. */
export const supplyGaps = async (
  database: Queryable,
  chainId: number,
  after: Address,
  skipped: readonly Address[],
  limit: number,
): Promise<SupplyGap[]> => {
  const rows = await database.query<{
    token: Address;
    sourced: boolean;
    first: number;
    indexed_from: number;
    before_block: number | null;
    before_difference: string | null;
    before_has_no_supply: boolean | null;
    after_block: number | null;
    after_difference: string | null;
    after_has_no_supply: boolean | null;
    steps: number;
  }>(
    sql`SELECT g.token, n.token IS NOT NULL AS sourced, g.block_number AS first, coalesce(c.indexed_from, 0) AS indexed_from,
       b.block_number AS before_block, b.difference AS before_difference, b.is_silent AS before_has_no_supply,
       a.block_number AS after_block, a.difference AS after_difference, a.is_silent AS after_has_no_supply,
       (SELECT count(*) FROM (SELECT FROM supply_offsets o WHERE o.chain_id = $1 AND o.token = g.token LIMIT ${maxSteps}) o) AS steps
     FROM (SELECT DISTINCT ON (token) token, block_number FROM supply_offsets
           WHERE chain_id = $1 AND difference IS NULL AND NOT is_silent AND token > $2 AND token <> ALL ($3)
           ORDER BY token, block_number DESC LIMIT $4) g
     LEFT JOIN node_sourced_tokens n ON n.chain_id = $1 AND n.token = g.token AND n.standard = ${standards.erc20}
     LEFT JOIN chains c ON c.chain_id = $1
     LEFT JOIN LATERAL (SELECT * FROM supply_offsets o WHERE o.chain_id = $1 AND o.token = g.token AND o.block_number < g.block_number
       ORDER BY o.block_number DESC LIMIT 1) b ON true
     LEFT JOIN LATERAL (SELECT * FROM supply_offsets o WHERE o.chain_id = $1 AND o.token = g.token AND o.block_number > g.block_number
       ORDER BY o.block_number LIMIT 1) a ON true`,
    [chainId, bytes(after), skipped.map(bytes), limit],
  );
  return rows.map((row) => ({
    token: row.token,
    isNodeSourced: row.sourced,
    first: row.first,
    last: (row.after_block ?? row.first + 1) - 1,
    before:
      row.before_block !== null
        ? stepOf(row.before_block, row.before_difference, row.before_has_no_supply === true).value
        : // Before the first block of a chain every supply is 0.
          row.indexed_from === 0
          ? 0n
          : undefined,
    after: row.after_block === null ? undefined : stepOf(row.after_block, row.after_difference, row.after_has_no_supply === true).value,
    isFirst: row.before_block === null,
    stepCount: row.steps,
  }));
};

/**
 * Blocks in which a token's supply may have changed, newest first: blocks with mints, burns or transactions to the contract and, for a node-sourced token, with
 * any of its logs. Served by the primary key of token_supplies, address_transactions_block and logs_address.
 */
export const supplyCandidates = async (
  database: Queryable,
  chainId: number,
  { token, first, last, isNodeSourced }: Pick<SupplyGap, "token" | "first" | "last" | "isNodeSourced">,
  limit: number,
): Promise<number[]> => {
  const rows = await database.query<{ block_number: number }>(candidatesSql[isNodeSourced ? "nodeSourced" : "eventSourced"], [
    chainId,
    bytes(token),
    first,
    last,
    limit,
  ]);
  return rows.map(({ block_number }) => block_number);
};

const newestIn = (table: string, column: string, where: Sql = nothing): Sql =>
  sql`(SELECT DISTINCT block_number FROM ${identifier(table)} WHERE chain_id = $1 AND ${identifier(column)} = $2 ${where} AND block_number BETWEEN $3 AND $4
      ORDER BY block_number DESC LIMIT $5)`;
const candidates = (others: Sql): Sql =>
  sql`${newestIn("token_supplies", "token", sql`AND standard = ${standards.erc20}`)} UNION ${newestIn("address_transactions", "address")} ${others}
      ORDER BY block_number DESC LIMIT $5`;
const candidatesSql = { eventSourced: candidates(nothing), nodeSourced: candidates(sql`UNION ${newestIn("logs", "address")}`) };
