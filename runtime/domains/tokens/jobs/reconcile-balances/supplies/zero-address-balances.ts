import { bytes } from "../../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../../database/database.ts";
import { identifier, sql } from "../../../../../database/sql.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { pivotOf } from "../../../projection/periods.ts";
import { standards } from "../../../projection/standards.ts";
import { zeroAddressLiteral } from "../sql-conditions.ts";
import { type Gap, maxSteps, type Step } from "./step-function.ts";

/*
 * The zero address as a holder of ERC-20 tokens. Whether a Transfer to it burns tokens or credits it depends on the contract, so its balance is read. It is
 * stored like any other balance; a period without a balance is a gap.
 */

const zero = bytes(zeroAddress);
const matchesKey = sql`chain_id = $1 AND owner = $2 AND token = $3 AND standard = ${standards.erc20}`;

/**
 * Writes the zero address's balance at the head, and opens a gap since the last known balance. A token with `maxSteps` periods gets a gap only if a transfer
 * may have changed the balance; otherwise the last balance holds until the head. The row is read in this transaction, so that concurrent writes, and
 * writes of blocks after the head, are not lost.
 */
export const writeZeroAddressBalance = async (
  client: DatabaseClient,
  chainId: number,
  token: Address,
  head: number,
  firstBlock: number,
  balance: bigint,
): Promise<void> => {
  const key = [chainId, zero, bytes(token)];
  const [row] = await client.query<{ since: number; balance: string | null }>(
    sql`SELECT since_block AS since, balance FROM balances WHERE ${matchesKey}`,
    key,
  );
  if (row !== undefined && (row.since > head || row.balance === balance.toString())) return;
  const before = row === undefined || row.balance === null ? null : BigInt(row.balance);
  // Sums of mints to the zero address, written before the first reading, are not balances.
  await client.query(sql`UPDATE balance_periods SET net_change = NULL WHERE ${matchesKey} AND net_change IS NOT NULL`, key);
  const first = row === undefined ? firstBlock : before === null ? row.since : row.since + 1;
  const isGap = first < head && !(await changesContinuously(client, chainId, { token, first, last: head - 1 }, before ?? undefined));
  if (row !== undefined && row.since < head && before !== null)
    await insertPeriods(client, chainId, token, [[row.since, isGap ? row.since : head - 1, before]]);
  if (isGap) await insertPeriods(client, chainId, token, [[first, head - 1, null]]);
  await client.query(
    sql`INSERT INTO balances (chain_id, owner, token, standard, since_block, balance) VALUES ($1, $2, $3, ${standards.erc20}, $4, $5)
     ON CONFLICT (chain_id, owner, token, standard) DO UPDATE SET since_block = $4, balance = $5, net_change = NULL`,
    [...key, head, balance.toString()],
  );
};

/** Whether the zero address has too many periods of a token for its changes to be located. Served by the primary key. */
const changesContinuously = async (
  client: Queryable,
  chainId: number,
  gap: Pick<ZeroAddressGap, "token" | "first" | "last">,
  before: bigint | undefined,
): Promise<boolean> => {
  if (before === undefined) return false;
  const [row] = await client.query<{ periods: number }>(
    sql`SELECT count(*) AS periods FROM (SELECT FROM balance_periods WHERE ${matchesKey} LIMIT ${maxSteps}) p`,
    [chainId, zero, bytes(gap.token)],
  );
  return (row?.periods ?? 0) >= maxSteps && (await zeroAddressCandidates(client, chainId, gap, 1)).length === 0;
};

/** A gap in the zero address's balance of a token. */
export interface ZeroAddressGap extends Gap {
  readonly token: Address;
  /** The number of the balance's ended periods, up to `maxSteps`. */
  readonly periodCount: number;
}

/** The newest gap of each token after `after`, ordered by address. Served by balance_periods_zero_open and the primary keys. */
export const zeroAddressGaps = async (
  database: Queryable,
  chainId: number,
  after: Address,
  skipped: readonly Address[],
  limit: number,
): Promise<ZeroAddressGap[]> => {
  const rows = await database.query<{
    token: Address;
    periods: number;
    first: number;
    last: number;
    before: string | null;
    has_before: boolean;
    after: string | null;
    late: boolean;
  }>(
    sql`SELECT g.token, g.from_block AS first, g.to_block AS last, b.balance AS before, b.owner IS NOT NULL AS has_before,
       coalesce(a.balance, z.balance) AS after, coalesce((SELECT indexed_from FROM chains WHERE chain_id = $1), 0) > 0 AS late,
       (SELECT count(*) FROM (SELECT FROM balance_periods p WHERE p.chain_id = $1 AND p.owner = $2 AND p.token = g.token
         AND p.standard = ${standards.erc20} LIMIT ${maxSteps}) p) AS periods
     FROM (SELECT DISTINCT ON (token) token, from_block, to_block FROM balance_periods
           WHERE chain_id = $1 AND owner = ${zeroAddressLiteral} AND standard = ${standards.erc20} AND balance IS NULL AND net_change IS NULL
             AND token > $3 AND token <> ALL ($4) ORDER BY token, from_block DESC LIMIT $5) g
     LEFT JOIN LATERAL (SELECT owner, balance FROM balance_periods b WHERE b.chain_id = $1 AND b.owner = $2 AND b.token = g.token
       AND b.standard = ${standards.erc20} AND b.from_block < g.from_block ORDER BY b.from_block DESC LIMIT 1) b ON true
     LEFT JOIN balance_periods a ON a.chain_id = $1 AND a.owner = $2 AND a.token = g.token AND a.standard = ${standards.erc20}
       AND a.from_block = g.to_block + 1
     LEFT JOIN balances z ON z.chain_id = $1 AND z.owner = $2 AND z.token = g.token AND z.standard = ${standards.erc20}
       AND z.since_block = g.to_block + 1`,
    [chainId, zero, bytes(after), skipped.map(bytes), limit],
  );
  return rows.flatMap((row): ZeroAddressGap[] => {
    // The balance right after the gap is also unknown, until the next comparison.
    if (row.after === null) return [];
    const before = row.has_before ? (row.before === null ? undefined : BigInt(row.before)) : row.late ? undefined : 0n;
    return [{ token: row.token, periodCount: row.periods, first: row.first, last: row.last, before, after: BigInt(row.after) }];
  });
};

/** Blocks with transfers of a token from or to the zero address, newest first. Served by transfers_from and transfers_to. */
export const zeroAddressCandidates = async (
  database: Queryable,
  chainId: number,
  { token, first, last }: Pick<ZeroAddressGap, "token" | "first" | "last">,
  limit: number,
): Promise<number[]> => {
  const rows = await database.query<{ block_number: number }>(candidatesSql, [chainId, zero, bytes(token), first, last, limit]);
  return rows.map(({ block_number }) => block_number);
};

const newestTransfers = (side: string) =>
  sql`(SELECT DISTINCT block_number FROM transfers WHERE chain_id = $1 AND ${identifier(side)} = $2 AND token = $3 AND block_number BETWEEN $4 AND $5
      ORDER BY block_number DESC LIMIT $6)`;
const candidatesSql = sql`${newestTransfers("to_address")} UNION ${newestTransfers("from_address")} ORDER BY block_number DESC LIMIT $6`;

/** Replaces a gap with the steps that were located in it. */
export const writeZeroAddressSteps = async (
  client: DatabaseClient,
  chainId: number,
  gap: ZeroAddressGap,
  steps: readonly Step[],
): Promise<void> => {
  const { token, first, last, before } = gap;
  const deleted = await client.query(
    sql`DELETE FROM balance_periods WHERE ${matchesKey} AND from_block = $4 AND to_block = $5 AND balance IS NULL AND net_change IS NULL RETURNING 1`,
    [chainId, zero, bytes(token), first, last],
  );
  // The gap has been replaced since it was read.
  if (deleted.length === 0) return;
  const inside = steps.filter(({ block }) => block <= last);
  const starts = inside[0]?.block === first ? inside : [{ block: first, value: before }, ...inside];
  const pieces = starts.map(({ block, value }, position) => ({
    from: block,
    to: (starts[position + 1]?.block ?? last + 1) - 1,
    value: value ?? null,
  }));
  // An initial balance of 0 has no period, as in the fold.
  const isFirst =
    (
      await client.query(sql`SELECT 1 FROM balance_periods WHERE ${matchesKey} AND from_block < $4 LIMIT 1`, [
        chainId,
        zero,
        bytes(token),
        first,
      ])
    ).length === 0;
  const periods = isFirst && pieces[0]?.value === 0n ? pieces.slice(1) : pieces;
  await insertPeriods(
    client,
    chainId,
    token,
    periods.map(({ from, to, value }) => [from, to, value]),
  );
};

const insertPeriods = async (
  client: DatabaseClient,
  chainId: number,
  token: Address,
  periods: readonly (readonly [from: number, to: number, balance: bigint | null])[],
): Promise<void> => {
  await client.query(
    sql`INSERT INTO balance_periods (chain_id, owner, token, standard, from_block, to_block, pivot_block, balance)
     SELECT $1, $2, $3, ${standards.erc20}, * FROM unnest($4::int8[], $5::int8[], $6::int8[], $7::numeric[])`,
    [
      chainId,
      zero,
      bytes(token),
      periods.map(([from]) => from),
      periods.map(([, to]) => to),
      periods.map(([from, to]) => pivotOf(from, to)),
      periods.map(([, , balance]) => balance?.toString() ?? null),
    ],
  );
};
