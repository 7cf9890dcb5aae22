import { bytes } from "../../../../../database/codecs.ts";
import type { Queryable } from "../../../../../database/database.ts";
import { identifier, type Sql, sql } from "../../../../../database/sql.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";
import { isEventSourced, isUnread } from "../sql-conditions.ts";

/** A holder whose ERC-20 balance is compared. */
export interface TokenHolder {
  readonly token: Address;
  readonly owner: Address;
}

/** The event-sourced balance of a holder; null if it is out of range. */
export interface EventBalance extends TokenHolder {
  readonly balance: string | null;
}

const touchedSql = sql`SELECT b.token, b.owner FROM (
     SELECT *, row_number() OVER (PARTITION BY token ORDER BY balance IS NOT DISTINCT FROM 0, since_block DESC, md5(owner)) AS rank FROM (
       SELECT token, owner, since_block, balance FROM balances
       WHERE chain_id = $1 AND since_block > $2 AND standard = ${standards.erc20} AND token <> ALL ($3) ORDER BY since_block DESC LIMIT 2000) newest) b
   LEFT JOIN token_checks c ON c.chain_id = $1 AND c.token = b.token AND c.standard = ${standards.erc20}
   WHERE b.rank <= 2 AND ${isEventSourced("b")} ORDER BY c.checked_at NULLS FIRST, b.rank, b.token LIMIT $4`;

/**
 * Holders touched after a block, up to two per token from the newest rows, non-zero balances first because a zero proves nothing. Tokens with the oldest check
 * come first. Served by balances_roll_back.
 */
export const touchedHolders = (
  database: Queryable,
  chainId: number,
  afterBlock: number,
  skipped: readonly Address[],
  limit: number,
): Promise<TokenHolder[]> => database.query<TokenHolder>(touchedSql, [chainId, afterBlock, skipped.map(bytes), limit]);

const outOfRangeSql = sql`SELECT DISTINCT ON (token) token, owner FROM (
     SELECT b.token, b.owner FROM balances b WHERE b.chain_id = $1 AND ${isUnread("b")} AND b.standard = ${standards.erc20}
       AND b.owner <> $4 AND b.token <> ALL ($2) AND ${isEventSourced("b")} LIMIT 1000) b LIMIT $3`;

/** Holders whose event-sourced balance is out of range, one per token. Served by balances_unknown. */
export const outOfRangeHolders = (
  database: Queryable,
  chainId: number,
  skipped: readonly Address[],
  limit: number,
): Promise<TokenHolder[]> => database.query<TokenHolder>(outOfRangeSql, [chainId, skipped.map(bytes), limit, bytes(zeroAddress)]);

/** Adds ERC-20 tokens that first appeared after a block to the schedule. Served by token_standards_roll_back. */
export const addNewTokens = async (database: Queryable, chainId: number, afterBlock: number): Promise<void> => {
  await database.query(
    `INSERT INTO token_checks (chain_id, token, standard) SELECT chain_id, address, standard FROM token_standards
     WHERE chain_id = $1 AND standard = $3 AND block_number > $2 ON CONFLICT DO NOTHING`,
    [chainId, afterBlock, standards.erc20],
  );
};

/** A token whose comparison is due. For a node-sourced token only the supply is compared: another job refreshes its balances. */
export interface DueToken {
  readonly token: Address;
  readonly isNodeSourced: boolean;
}

/** Max requested tokens that one run searches, in the order of their addresses. */
const maxRequested = 5_000;

const dueBy = (column: Sql): Sql => sql`SELECT token, ${column} AS since FROM token_checks
   WHERE chain_id = $1 AND ${column} <= $2 AND standard = ${standards.erc20} AND token <> ALL ($3) ORDER BY ${column}, token LIMIT $4`;
const requested = sql`SELECT c.token, c.due_at AS since FROM requested a
   CROSS JOIN LATERAL (SELECT token, due_at FROM token_checks t WHERE t.chain_id = $1 AND t.token = a.token AND t.standard = ${standards.erc20} LIMIT 1) c
   WHERE c.due_at <= $2 AND c.token <> ALL ($3) ORDER BY c.due_at, c.token LIMIT $4`;
const ranked = (kind: number, rows: Sql): Sql =>
  sql`SELECT token, ${kind} AS kind, row_number() OVER (ORDER BY since, token) AS rank FROM (${rows}) ${identifier(`kind${kind}`)}`;
const dueSql = sql`WITH requested AS MATERIALIZED (SELECT token FROM token_requests WHERE chain_id = $1 AND token > $5 ORDER BY token LIMIT ${maxRequested}),
     candidates AS (${ranked(1, dueBy(sql`urgent_at`))} UNION ALL ${ranked(2, requested)} UNION ALL ${ranked(3, dueBy(sql`due_at`))}),
     first AS (SELECT token, min(rank * 3 + kind) AS turn FROM candidates GROUP BY token ORDER BY turn LIMIT $4)
   SELECT c.token, NOT ${isEventSourced("c")} AS sourced, u.token AS requested_up_to
   FROM (SELECT) one LEFT JOIN (SELECT token FROM requested ORDER BY token OFFSET ${maxRequested - 1}) u ON true LEFT JOIN first c ON true ORDER BY c.turn`;

/**
 * Tokens whose comparison is due, alternating between urgent, requested and all other tokens, each kind in order of due time, so that a backlog of one kind
 * does not delay the others. Requested tokens are searched after `requestedAfter` and up to the returned `requestedUpTo`, where the next run continues.
 * Served by token_checks_urgent, token_checks_due and the primary keys of token_requests and token_checks.
 */
export const dueTokens = async (
  database: Queryable,
  chainId: number,
  now: Date,
  skipped: readonly Address[],
  requestedAfter: Address,
  limit: number,
): Promise<{ readonly tokens: DueToken[]; readonly requestedUpTo: Address }> => {
  const rows = await database.query<{ token: Address | null; sourced: boolean; requested_up_to: Address | null }>(dueSql, [
    chainId,
    now,
    skipped.map(bytes),
    limit,
    bytes(requestedAfter),
  ]);
  return {
    tokens: rows.flatMap(({ token, sourced }) => (token === null ? [] : [{ token, isNodeSourced: sourced }])),
    requestedUpTo: rows[0]?.requested_up_to ?? zeroAddress,
  };
};

/** Seconds between two comparisons of a token. */
export interface CheckIntervals {
  readonly first: number;
  readonly max: number;
  /** The maximum for requested and node-sourced tokens. */
  readonly maxRequested: number;
}

/** The result of comparing a token. */
export interface CheckResult {
  readonly token: Address;
  readonly agrees: boolean;
  /** False if only zeros were compared, or the contract did not respond. */
  readonly isConclusive: boolean;
}

const isComparedMoreOften = sql`(NOT ${isEventSourced("k")} OR EXISTS (SELECT FROM token_requests r WHERE r.chain_id = $1 AND r.token = k.token
     AND r.asked_at > $5::timestamptz - interval '1 day'))`;
const scheduleSql = sql`UPDATE token_checks c SET looked_at = $5, urgent_at = NULL, wait_seconds = n.wait, due_at = $5::timestamptz + make_interval(secs => n.wait)
   FROM (SELECT k.token, CASE WHEN NOT k.agrees OR t.wait_seconds = 0 THEN $6::int4
       ELSE least(t.wait_seconds * CASE WHEN k.is_conclusive THEN 2 ELSE 1 END, CASE WHEN ${isComparedMoreOften} THEN $8::int4 ELSE $7::int4 END) END AS wait
     FROM unnest($2::bytea[], $3::boolean[], $4::boolean[]) AS k(token, agrees, is_conclusive)
     JOIN token_checks t ON t.chain_id = $1 AND t.token = k.token AND t.standard = ${standards.erc20}) n
   WHERE c.chain_id = $1 AND c.token = n.token AND c.standard = ${standards.erc20}`;

/**
 * Schedules the next comparisons: after twice the previous interval, after the first interval if a difference was found, or after the same interval if the
 * result is inconclusive.
 */
export const scheduleChecks = async (
  database: Queryable,
  chainId: number,
  results: readonly CheckResult[],
  { first, max, maxRequested: maxOfRequested }: CheckIntervals,
  now: Date,
): Promise<void> => {
  if (results.length === 0) return;
  await database.query(scheduleSql, [
    chainId,
    results.map(({ token }) => bytes(token)),
    results.map(({ agrees }) => agrees),
    results.map(({ isConclusive }) => isConclusive),
    now,
    first,
    max,
    maxOfRequested,
  ]);
};

/** Makes tokens urgent, but not within `seconds` of their last comparison. Tokens that are already urgent keep their time. Served by the primary key. */
export const expediteChecks = async (
  database: Queryable,
  chainId: number,
  tokens: readonly Address[],
  now: Date,
  seconds: number,
): Promise<void> => {
  if (tokens.length === 0) return;
  await database.query(
    `UPDATE token_checks c SET urgent_at = greatest($3, c.looked_at + make_interval(secs => $4)) FROM unnest($2::bytea[]) AS k(token)
     WHERE c.chain_id = $1 AND c.token = k.token AND c.standard = $5 AND c.urgent_at IS NULL`,
    [chainId, tokens.map(bytes), now, seconds, standards.erc20],
  );
};

const holdersOfToken = sql`chain_id = $1 AND token = k.token AND standard = ${standards.erc20} AND balance > 0 AND standard > 0`;
const sampleSql = sql`SELECT DISTINCT h.token, h.owner FROM unnest($2::bytea[]) AS k(token)
   CROSS JOIN LATERAL (
     (SELECT token, owner FROM balances WHERE ${holdersOfToken} ORDER BY balance DESC, owner LIMIT 2)
     UNION ALL
     (SELECT token, owner FROM balances WHERE ${holdersOfToken}
        AND balance <= $3::numeric * (SELECT balance FROM balances WHERE ${holdersOfToken} ORDER BY balance DESC LIMIT 1)
      ORDER BY balance DESC, owner LIMIT 2)) h`;

/** Samples each token's holders: the two largest, and the two largest with up to `sampleOffset` times the largest balance. Served by balances_rank. */
export const sampleHolders = (
  database: Queryable,
  chainId: number,
  tokens: readonly Address[],
  sampleOffset: number,
): Promise<TokenHolder[]> => database.query<TokenHolder>(sampleSql, [chainId, tokens.map(bytes), sampleOffset]);

/** Records for each token that a non-zero balance or supply was compared. */
export const recordChecks = async (
  database: Queryable,
  chainId: number,
  tokens: readonly Address[],
  block: number,
  at: Date,
): Promise<void> => {
  if (tokens.length === 0) return;
  await database.query(
    `INSERT INTO token_checks (chain_id, token, standard, checked_at_block, checked_at)
     SELECT $1, token, $5::int2, $3, $4 FROM unnest($2::bytea[]) AS k(token) ORDER BY token
     ON CONFLICT (chain_id, token, standard) DO UPDATE SET checked_at_block = excluded.checked_at_block, checked_at = excluded.checked_at`,
    [chainId, tokens.map(bytes), block, at, standards.erc20],
  );
};

const eventBalancesSql = sql`SELECT h.number, h.hash, k.token, k.owner, CASE WHEN b.owner IS NULL THEN 0 ELSE b.balance END AS balance
   FROM (SELECT number, hash FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1) h
   CROSS JOIN unnest($2::bytea[], $3::bytea[]) AS k(token, owner)
   LEFT JOIN balances b ON b.chain_id = $1 AND b.owner = k.owner AND b.token = k.token AND b.standard = ${standards.erc20}
   WHERE CASE WHEN b.owner IS NULL THEN (SELECT indexed_from FROM chains WHERE chain_id = $1) = 0
       ELSE b.balance IS NOT NULL OR b.net_change IS NULL END
     AND k.owner <> $4 AND ${isEventSourced("k")}`;

/**
 * Event-sourced balances and their as-of block, read by one statement so that they are consistent. In an index from the chain's start, an owner without a row
 * has the balance 0. Balances without a base and the zero address (compare-supplies) are excluded. Served by the primary keys.
 */
export const eventBalances = async (
  database: Queryable,
  chainId: number,
  holders: readonly TokenHolder[],
): Promise<{ readonly head: IndexedBlock; readonly balances: readonly EventBalance[] } | null> => {
  const rows = await database.query<EventBalance & IndexedBlock>(eventBalancesSql, [
    chainId,
    holders.map(({ token }) => bytes(token)),
    holders.map(({ owner }) => bytes(owner)),
    bytes(zeroAddress),
  ]);
  const [first] = rows;
  return first === undefined ? null : { head: { number: first.number, hash: first.hash }, balances: rows };
};
