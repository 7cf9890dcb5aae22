import { bytes } from "../../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../../database/database.ts";
import { identifier, type Sql, sql } from "../../../../../database/sql.ts";
import { type Address, nativeTokenAddress, zeroAddress } from "../../../../../lib/hex.ts";
import type { BalanceKey } from "../../../projection/base-reads.ts";
import { pivotOf } from "../../../projection/periods.ts";
import { standards } from "../../../projection/standards.ts";
import { isCounted, isUnread } from "../sql-conditions.ts";

/** A balance to read from the node, and the first block for which it holds. */
export interface UnreadBalance {
  readonly key: BalanceKey;
  readonly since: number;
}

/** The balance that the node returned as of block `readAt`, which is `since` or later. */
export interface NodeReading extends UnreadBalance {
  readonly balance: bigint;
  readonly readAt: number;
}

const nodeSourced = sql`SELECT token, standard FROM node_sourced_tokens WHERE chain_id = $1`;
/** The native token ($5), if its accounting is by state: the fold stores null if the node did not return the balance when the block was indexed. */
const nativeByState = sql`SELECT $5::bytea AS token, ${standards.native}::int2 FROM chains WHERE chain_id = $1 AND native_accounting = 'state'`;

const unreadIn = (table: string, sinceColumn: string, tokens: Sql): Sql => {
  const since = identifier(`b.${sinceColumn}`);
  return sql`SELECT b.owner, b.token, b.standard, ${since} AS since FROM (${tokens}) n
     JOIN ${identifier(table)} b ON b.chain_id = $1 AND b.token = n.token AND b.standard = n.standard AND ${isUnread("b")}
     WHERE n.token <> ALL ($2) AND (b.owner <> $4 OR b.standard = ${standards.native}) ORDER BY ${since} DESC LIMIT $3`;
};

/**
 * Unread current balances, and unread ended periods. Ended native periods are not read: the balance changed within them, so one reading does not describe them.
 */
const unreadSql = {
  current: unreadIn("balances", "since_block", sql`${nodeSourced} UNION ALL ${nativeByState}`),
  periods: unreadIn("balance_periods", "from_block", nodeSourced),
} as const;

/**
 * Balances that have not been read yet, newest first, because nodes drop old state. The zero address's balances are read by locate-supply-changes. Served by
 * balances_unknown and balance_periods_unknown.
 */
export const unreadBalances = async (
  database: Queryable,
  chainId: number,
  table: keyof typeof unreadSql,
  skipped: readonly Address[],
  limit: number,
): Promise<UnreadBalance[]> => {
  const native = table === "current" ? [bytes(nativeTokenAddress)] : [];
  const rows = await database.query<{ owner: Address; token: Address; standard: number; since: number }>(unreadSql[table], [
    chainId,
    skipped.map(bytes),
    limit,
    bytes(zeroAddress),
    ...native,
  ]);
  return rows.map((row) => ({ key: { owner: row.owner, token: row.token, standard: row.standard, tokenId: null }, since: row.since }));
};

const withoutUnreadPeriodsSql = sql`SELECT k.token, k.standard FROM unnest($2::bytea[], $3::int2[]) AS k(token, standard) WHERE NOT EXISTS (
     SELECT FROM balance_periods p WHERE p.chain_id = $1 AND p.token = k.token AND p.standard = k.standard AND ${isUnread("p")} AND ${isCounted("p")})`;

/** The tokens of `readings` without remaining unread periods; the zero address is not counted as a holder. Served by balance_periods_unknown. */
export const tokensWithoutUnreadPeriods = async (
  database: Queryable,
  chainId: number,
  readings: readonly NodeReading[],
): Promise<{ readonly token: Address; readonly standard: number }[]> => {
  const tokens = [...new Map(readings.map(({ key }) => [`${key.token}${key.standard}`, key])).values()];
  return database.query(withoutUnreadPeriodsSql, [
    chainId,
    tokens.map(({ token }) => bytes(token)),
    tokens.map(({ standard }) => standard),
  ]);
};

const matchesKey = sql`b.chain_id = $1 AND b.owner = k.owner AND b.token = k.token AND b.standard = k.standard`;
const readingRows = sql`unnest($2::bytea[], $3::bytea[], $4::int2[], $5::int8[], $6::int8[], $7::numeric[]) AS k(owner, token, standard, since, read_at, balance)`;

const fillSql = {
  rows: sql`UPDATE balances b SET balance = k.balance FROM ${readingRows} WHERE ${matchesKey} AND b.since_block = k.since AND b.net_change IS NULL`,
  periods: sql`UPDATE balance_periods b SET balance = k.balance FROM ${readingRows} WHERE ${matchesKey} AND b.from_block = k.since AND ${isUnread("b")}`,
};

const endPeriodsSql = sql`INSERT INTO balance_periods (chain_id, owner, token, standard, from_block, to_block, pivot_block, balance)
   SELECT $1, b.owner, b.token, b.standard, k.from_block, k.to_block, k.pivot, CASE WHEN k.is_known THEN b.balance END
   FROM unnest($2::bytea[], $3::bytea[], $4::int2[], $5::int8[], $6::int8[], $7::int8[], $8::int8[], $9::boolean[])
     AS k(owner, token, standard, since, from_block, to_block, pivot, is_known)
   JOIN balances b ON ${matchesKey} AND b.since_block = k.since AND b.net_change IS NULL`;

const replaceSql = sql`UPDATE balances b SET since_block = k.read_at, balance = k.balance FROM ${readingRows}
   WHERE ${matchesKey} AND b.since_block = k.since AND b.net_change IS NULL`;

/**
 * Writes readings. A reading at the balance's first block sets that balance, whether it is current or has ended in the meantime. A later reading holds from its
 * block on and ends the previous balance. A native balance changed at an unknown block, so the previous value is certain only in its first block. Rows that
 * were touched after the read are left unchanged. Served by the primary keys.
 */
export const writeReadings = async (client: DatabaseClient, chainId: number, written: readonly NodeReading[]): Promise<void> => {
  const exact = written.filter(({ since, readAt }) => since === readAt);
  const later = written.filter(({ since, readAt }) => since < readAt);
  if (exact.length > 0) {
    await client.query(fillSql.rows, columnsOf(chainId, exact));
    await client.query(fillSql.periods, columnsOf(chainId, exact));
  }
  if (later.length === 0) return;
  const ended = later.flatMap((reading) => endedPeriodsOf(reading));
  await client.query(endPeriodsSql, [
    ...columnsOf(
      chainId,
      ended.map(({ reading }) => reading),
    ).slice(0, 5),
    ended.map(({ from }) => from),
    ended.map(({ to }) => to),
    ended.map(({ from, to }) => pivotOf(from, to)),
    ended.map(({ isKnown }) => isKnown),
  ]);
  await client.query(replaceSql, columnsOf(chainId, later));
};

const columnsOf = (chainId: number, readings: readonly NodeReading[]) => [
  chainId,
  readings.map(({ key: { owner } }) => bytes(owner)),
  readings.map(({ key: { token } }) => bytes(token)),
  readings.map(({ key: { standard } }) => standard),
  readings.map(({ since }) => since),
  readings.map(({ readAt }) => readAt),
  readings.map(({ balance }) => balance.toString()),
];

/** The periods that end with a later reading: the previous balance; for a native one, that balance in its first block and unknown afterwards. */
const endedPeriodsOf = (reading: NodeReading) => {
  const { key, since } = reading;
  const last = reading.readAt - 1;
  if (key.standard !== standards.native || since === last) return [{ reading, from: since, to: last, isKnown: true }];
  return [
    { reading, from: since, to: since, isKnown: true },
    { reading, from: since + 1, to: last, isKnown: false },
  ];
};
