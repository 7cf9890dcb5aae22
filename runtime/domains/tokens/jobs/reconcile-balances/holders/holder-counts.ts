import { bytes } from "../../../../../database/codecs.ts";
import type { DatabaseClient } from "../../../../../database/database.ts";
import { identifier, type Sql, sql } from "../../../../../database/sql.ts";
import type { Address } from "../../../../../lib/hex.ts";
import { isCounted, isUnread } from "../sql-conditions.ts";

export interface CountedToken {
  readonly token: Address;
  readonly standard: number;
}

const matchesToken = (alias: string): Sql => {
  const row = identifier(alias);
  return sql`${row}.chain_id = $1 AND ${row}.token = k.token AND ${row}.standard = k.standard`;
};

const isHeld = (alias: string): Sql => {
  const row = identifier(alias);
  return sql`${matchesToken(alias)} AND ${row}.balance > 0 AND ${row}.standard > 0 AND ${isCounted(alias)}`;
};

const isUnreadBalance = (alias: string): Sql => sql`${matchesToken(alias)} AND ${isUnread(alias)} AND ${isCounted(alias)}`;

/** The start and end of a period as two changes. */
const bounds = sql`(VALUES (p.from_block, 1), (p.to_block + 1, -1)) e(block_number, change)`;
const isIndexed = sql`p.from_block >= (SELECT indexed_from FROM chains WHERE chain_id = $1)`;

/** Inserts counts from changes `(token, standard, since, block_number, holders, unknown)`, for the blocks from `since` on. */
const insertCounts = (changes: Sql): Sql =>
  sql`INSERT INTO holder_counts (chain_id, token, standard, block_number, holders)
   SELECT $1, token, standard, block_number, holders FROM (
     SELECT *, lag(holders, 1, 0::int8) OVER (PARTITION BY token, standard ORDER BY block_number) AS before FROM (
       SELECT token, standard, since, block_number, CASE WHEN sum(unknown) OVER upwards = 0 THEN (sum(holders) OVER upwards)::int8 END AS holders
       FROM (
         SELECT token, standard, since, block_number, sum(holders) AS holders, sum(unknown) AS unknown FROM (${changes}) changes
         GROUP BY token, standard, since, block_number) sums
       WINDOW upwards AS (PARTITION BY token, standard ORDER BY block_number)) counted) compared
   WHERE holders IS DISTINCT FROM before AND block_number >= since`;

const deleteAllCounts = sql`DELETE FROM holder_counts c USING unnest($2::bytea[], $3::int2[]) AS k(token, standard)
   WHERE c.chain_id = $1 AND c.token = k.token AND c.standard = k.standard`;

const insertAllCounts = insertCounts(
  sql`SELECT k.token, k.standard, 0 AS since, c.* FROM unnest($2::bytea[], $3::int2[]) AS k(token, standard)
       LEFT JOIN node_sourced_tokens n ON ${matchesToken("n")}
       CROSS JOIN LATERAL (
         SELECT since_block AS block_number, 1 AS holders, 0 AS unknown FROM balances b WHERE ${isHeld("b")}
         UNION ALL
         SELECT e.block_number, e.change, 0 FROM balance_periods p CROSS JOIN LATERAL ${bounds} WHERE ${isHeld("p")} AND ${isIndexed}
         UNION ALL
         SELECT since_block, 0, 1 FROM balances b WHERE n.token IS NOT NULL AND ${isUnreadBalance("b")}
         UNION ALL
         SELECT e.block_number, 0, e.change FROM balance_periods p CROSS JOIN LATERAL ${bounds}
         WHERE n.token IS NOT NULL AND ${isUnreadBalance("p")} AND ${isIndexed}) c`,
);

/**
 * Recounts tokens' holders at each block that changed their number, from rows and periods, as the fold would have counted them if it had known all balances.
 * Like the fold, it does not count base balances, nor the zero address in ERC-20 tokens, which tokenTotalsAt adds. For a node-sourced token, a block with an
 * unknown balance has no count. Served by balances_rank, balance_periods_rank, balances_unknown and balance_periods_unknown.
 */
export const recountHolders = async (client: DatabaseClient, chainId: number, tokens: readonly CountedToken[]): Promise<void> => {
  const distinct = [
    ...new Map(tokens.filter(({ standard }) => standard > 0).map((token) => [`${token.token}${token.standard}`, token])).values(),
  ];
  if (distinct.length === 0) return;
  const parameters = [chainId, distinct.map(({ token }) => bytes(token)), distinct.map(({ standard }) => standard)];
  await client.query(deleteAllCounts, parameters);
  await client.query(insertAllCounts, parameters);
};

/** A token, and the first block whose holder count may have changed. */
export interface ChangedCount extends CountedToken {
  readonly since: number;
}

/** Max distance from the head at which finding the changed balances is faster than a full recount. */
const recentBlocks = 1_000;

const changedTokens = sql`unnest($2::bytea[], $3::int2[], $4::int8[])`;

const countsBefore = sql`SELECT CASE WHEN c.found IS NULL THEN 0 ELSE c.holders END AS holders,
     EXISTS (SELECT FROM balances b WHERE ${isUnreadBalance("b")}) AS has_unread
   FROM ${changedTokens} WITH ORDINALITY AS k(token, standard, since, position) LEFT JOIN LATERAL (
     SELECT holders, 1 AS found FROM holder_counts c WHERE ${matchesToken("c")} AND c.block_number < k.since ORDER BY c.block_number DESC LIMIT 1) c ON true
   ORDER BY k.position`;

const deleteCountsSince = sql`DELETE FROM holder_counts c USING ${changedTokens} AS k(token, standard, since)
   WHERE ${matchesToken("c")} AND c.block_number >= k.since`;

const sameOwner = sql`p.chain_id = $1 AND p.owner = b.owner AND p.token = b.token AND p.standard = b.standard`;

const insertCountsSince = insertCounts(
  sql`SELECT k.token, k.standard, k.since, c.* FROM unnest($2::bytea[], $3::int2[], $4::int8[], $5::int8[]) AS k(token, standard, since, holders)
     CROSS JOIN LATERAL (
       SELECT k.since - 1 AS block_number, k.holders, 0 AS unknown
       UNION ALL
       SELECT c.block_number, c.change * coalesce((c.balance > 0)::int4, 0), c.change * (c.balance IS NULL)::int4
       FROM balances b CROSS JOIN LATERAL (
         SELECT b.since_block AS block_number, 1 AS change, b.balance
         UNION ALL
         SELECT e.block_number, e.change, p.balance FROM balance_periods p CROSS JOIN LATERAL ${bounds}
         WHERE ${sameOwner} AND ${isIndexed} AND e.block_number >= k.since AND p.from_block >= coalesce(
           (SELECT p.from_block FROM balance_periods p WHERE ${sameOwner} AND p.from_block < k.since ORDER BY p.from_block DESC LIMIT 1), k.since)) c
       WHERE ${matchesToken("b")} AND b.since_block >= k.since AND ${isCounted("b")}) c`,
);

/**
 * Updates the holder counts of node-sourced tokens whose balances were read from a block `since` on. If the count before that block is known, counting
 * continues from there and reads only the touched balances. If it is unknown, it stays unknown while a balance is unknown, and is recounted afterwards.
 * Served by the primary keys, balances_unknown, and balances_roll_back for the touched balances.
 */
export const updateHolderCounts = async (
  client: DatabaseClient,
  chainId: number,
  changed: readonly ChangedCount[],
  head: number,
): Promise<void> => {
  const first = new Map<string, ChangedCount>();
  for (const count of changed) {
    const key = `${count.token}${count.standard}`;
    if (count.standard > 0 && count.since <= (first.get(key)?.since ?? count.since)) first.set(key, count);
  }
  const distinct = [...first.values()];
  if (distinct.length === 0) return;
  const columns = (counts: readonly ChangedCount[]) => [
    chainId,
    counts.map(({ token }) => bytes(token)),
    counts.map(({ standard }) => standard),
    counts.map(({ since }) => since),
  ];
  const before = await client.query<{ holders: number | null; has_unread: boolean }>(countsBefore, columns(distinct));
  await client.query(deleteCountsSince, columns(distinct));
  const tokens = distinct.map((count, position) => ({
    ...count,
    holders: before[position]?.holders ?? null,
    hasUnread: before[position]?.has_unread,
  }));
  const canContinue = ({ holders, since }: (typeof tokens)[number]) => holders !== null && since > head - recentBlocks;
  const continued = tokens.filter(canContinue);
  await recountHolders(
    client,
    chainId,
    tokens.filter((token) => !canContinue(token) && (token.holders !== null || token.hasUnread !== true)),
  );
  if (continued.length === 0) return;
  await client.query(insertCountsSince, [...columns(continued), continued.map(({ holders }) => holders)]);
};
