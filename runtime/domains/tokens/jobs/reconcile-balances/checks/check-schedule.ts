import { bytes } from "../../../../../database/codecs.ts";
import type { Queryable } from "../../../../../database/database.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";

/** Whose balance of which ERC-20 token is compared. */
export interface TokenHolder {
  readonly token: Address;
  readonly owner: Address;
}

/** What events say of it; null where they say what cannot be. */
export interface EventBalance extends TokenHolder {
  readonly balance: string | null;
}

const notSourced = (alias: string) =>
  `NOT EXISTS (SELECT 1 FROM node_sourced_tokens n WHERE n.chain_id = $1 AND n.token = ${alias}.token AND n.standard = ${standards.erc20})`;

/**
 * Owners who were touched above a block: of the newest rows two a token, those with a balance first, as zero proves nothing; tokens not compared for longest
 * first. Served by balances_roll_back.
 */
export const touchedHolders = (
  database: Queryable,
  chainId: number,
  above: number,
  deferred: readonly Address[],
  limit: number,
): Promise<TokenHolder[]> =>
  database.query<TokenHolder>(
    `SELECT b.token, b.owner FROM (
       SELECT *, row_number() OVER (PARTITION BY token ORDER BY balance IS NOT DISTINCT FROM 0, since_block DESC, md5(owner)) AS place FROM (
         SELECT token, owner, since_block, balance FROM balances
         WHERE chain_id = $1 AND since_block > $2 AND standard = ${standards.erc20} AND token <> ALL ($3) ORDER BY since_block DESC LIMIT 2000) newest) b
     LEFT JOIN token_checks c ON c.chain_id = $1 AND c.token = b.token AND c.standard = ${standards.erc20}
     WHERE b.place <= 2 AND ${notSourced("b")} ORDER BY c.checked_at NULLS FIRST, b.place, b.token LIMIT $4`,
    [chainId, above, deferred.map(bytes), limit],
  );

/** Owners whose balance events took below zero or above a word, one a token. Served by balances_unknown. */
export const outOfRangeHolders = (
  database: Queryable,
  chainId: number,
  deferred: readonly Address[],
  limit: number,
): Promise<TokenHolder[]> =>
  database.query<TokenHolder>(
    `SELECT DISTINCT ON (token) token, owner FROM (
       SELECT b.token, b.owner FROM balances b WHERE b.chain_id = $1 AND b.balance IS NULL AND b.net_change IS NULL AND b.standard = ${standards.erc20}
         AND b.owner <> $4 AND b.token <> ALL ($2) AND ${notSourced("b")} LIMIT 1000) b LIMIT $3`,
    [chainId, deferred.map(bytes), limit, bytes(zeroAddress)],
  );

/** Enters tokens that began above a block among those to be compared. Served by token_standards_roll_back. */
export const addNewTokens = async (database: Queryable, chainId: number, above: number): Promise<void> => {
  await database.query(
    `INSERT INTO token_checks (chain_id, token, standard) SELECT chain_id, address, standard FROM token_standards
     WHERE chain_id = $1 AND standard = ${standards.erc20} AND block_number > $2 ON CONFLICT DO NOTHING`,
    [chainId, above],
  );
};

/** A token whose comparison is due; of a node-sourced one only the supply is compared, as its balances are read again on a schedule of their own. */
export interface DueToken {
  readonly token: Address;
  readonly isSourced: boolean;
}

/** Requested tokens that one look goes through, in the order of their addresses. */
const maxRequested = 5_000;

/**
 * Tokens whose comparison is due, by turns one that was brought forward, one that requests asked for and one of all, the one due for longest first: a backlog
 * of one kind takes no share of the others. Requested tokens are looked up after `askedAfter` and up to the `askedUpTo` of the answer, where the next look
 * goes on. Served by token_checks_urgent, token_checks_due and the primary keys of token_requests and token_checks.
 */
export const dueTokens = async (
  database: Queryable,
  chainId: number,
  now: Date,
  deferred: readonly Address[],
  askedAfter: Address,
  limit: number,
): Promise<{ readonly tokens: DueToken[]; readonly askedUpTo: Address }> => {
  const due = (column: string) => `SELECT token, ${column} AS since FROM token_checks
    WHERE chain_id = $1 AND ${column} <= $2 AND standard = ${standards.erc20} AND token <> ALL ($3) ORDER BY ${column}, token LIMIT $4`;
  const placed = (lot: number, rows: string) =>
    `SELECT token, ${lot} AS lot, row_number() OVER (ORDER BY since, token) AS place FROM (${rows}) lot${lot}`;
  const asked = `SELECT c.token, c.due_at AS since FROM asked a
    CROSS JOIN LATERAL (SELECT token, due_at FROM token_checks t WHERE t.chain_id = $1 AND t.token = a.token AND t.standard = ${standards.erc20} LIMIT 1) c
    WHERE c.due_at <= $2 AND c.token <> ALL ($3) ORDER BY c.due_at, c.token LIMIT $4`;
  const rows = await database.query<{ token: Address | null; sourced: boolean; asked_up_to: Address | null }>(
    `WITH asked AS MATERIALIZED (SELECT token FROM token_requests WHERE chain_id = $1 AND token > $5 ORDER BY token LIMIT ${maxRequested}),
       lots AS (${placed(1, due("urgent_at"))} UNION ALL ${placed(2, asked)} UNION ALL ${placed(3, due("due_at"))}),
       first AS (SELECT token, min(place * 3 + lot) AS turn FROM lots GROUP BY token ORDER BY turn LIMIT $4)
     SELECT c.token, NOT ${notSourced("c")} AS sourced, u.token AS asked_up_to
     FROM (SELECT) one LEFT JOIN (SELECT token FROM asked ORDER BY token OFFSET ${maxRequested - 1}) u ON true LEFT JOIN first c ON true ORDER BY c.turn`,
    [chainId, now, deferred.map(bytes), limit, bytes(askedAfter)],
  );
  return {
    tokens: rows.flatMap(({ token, sourced }) => (token === null ? [] : [{ token, isSourced: sourced }])),
    askedUpTo: rows[0]?.asked_up_to ?? zeroAddress,
  };
};

/** How long after a look a token is due again, in seconds. */
export interface CheckIntervals {
  readonly first: number;
  /** After this the wait grows no more. */
  readonly max: number;
  /** The same of tokens that requests asked for, and of node-sourced ones. */
  readonly maxRequested: number;
}

/** What a look at a token found. */
export interface CheckResult {
  readonly token: Address;
  readonly agrees: boolean;
  /** False where nothing but zeros was compared, or the contract gave no answer. */
  readonly isConclusive: boolean;
}

/**
 * Says when tokens are due again: twice as long after this look as this one was after the last, soon where a difference was found, and after the same wait
 * where nothing was proven.
 */
export const scheduleChecks = async (
  database: Queryable,
  chainId: number,
  looks: readonly CheckResult[],
  { first, max, maxRequested: maxAsked }: CheckIntervals,
  now: Date,
): Promise<void> => {
  if (looks.length === 0) return;
  await database.query(
    `UPDATE token_checks c SET looked_at = $5, urgent_at = NULL, wait_seconds = n.wait, due_at = $5::timestamptz + make_interval(secs => n.wait)
     FROM (SELECT k.token, CASE WHEN NOT k.agrees OR t.wait_seconds = 0 THEN $6::int4
         ELSE least(t.wait_seconds * CASE WHEN k.proves THEN 2 ELSE 1 END, CASE WHEN ${isFollowed("k")} THEN $8::int4 ELSE $7::int4 END) END AS wait
       FROM unnest($2::bytea[], $3::boolean[], $4::boolean[]) AS k(token, agrees, proves)
       JOIN token_checks t ON t.chain_id = $1 AND t.token = k.token AND t.standard = ${standards.erc20}) n
     WHERE c.chain_id = $1 AND c.token = n.token AND c.standard = ${standards.erc20}`,
    [
      chainId,
      looks.map(({ token }) => bytes(token)),
      looks.map(({ agrees }) => agrees),
      looks.map(({ isConclusive: proves }) => proves),
      now,
      first,
      max,
      maxAsked,
    ],
  );
};

const isFollowed = (alias: string) =>
  `(NOT ${notSourced(alias)} OR EXISTS (SELECT FROM token_requests r WHERE r.chain_id = $1 AND r.token = ${alias}.token AND r.asked_at > $5::timestamptz - interval '1 day'))`;

/**
 * Has tokens compared at once, ahead of those that are due for longer, but no sooner than some seconds after the last look. Tokens that were brought forward
 * before keep their place. Served by the primary key.
 */
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
     WHERE c.chain_id = $1 AND c.token = k.token AND c.standard = ${standards.erc20} AND c.urgent_at IS NULL`,
    [chainId, tokens.map(bytes), now, seconds],
  );
};

/** Some holders of each token: the two largest, and two below a part of the largest that the lot decides. Served by balances_rank. */
export const sampleHolders = (database: Queryable, chainId: number, tokens: readonly Address[], lot: number): Promise<TokenHolder[]> =>
  database.query<TokenHolder>(
    `SELECT DISTINCT h.token, h.owner FROM unnest($2::bytea[]) AS k(token)
     CROSS JOIN LATERAL (
       (SELECT token, owner FROM balances WHERE chain_id = $1 AND token = k.token AND standard = ${standards.erc20} AND balance > 0 AND standard > 0
        ORDER BY balance DESC, owner LIMIT 2)
       UNION ALL
       (SELECT token, owner FROM balances WHERE chain_id = $1 AND token = k.token AND standard = ${standards.erc20} AND balance > 0 AND standard > 0
          AND balance <= $3::numeric * (SELECT balance FROM balances WHERE chain_id = $1 AND token = k.token AND standard = ${standards.erc20}
            AND balance > 0 AND standard > 0 ORDER BY balance DESC LIMIT 1)
        ORDER BY balance DESC, owner LIMIT 2)) h`,
    [chainId, tokens.map(bytes), lot],
  );

/** Records that a balance of each of these tokens that is not zero was compared. */
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
     SELECT $1, token, ${standards.erc20}, $3, $4 FROM unnest($2::bytea[]) AS k(token) ORDER BY token
     ON CONFLICT (chain_id, token, standard) DO UPDATE SET checked_at_block = excluded.checked_at_block, checked_at = excluded.checked_at`,
    [chainId, tokens.map(bytes), block, at],
  );
};

/**
 * What events say of balances, and the block after which they say it: one statement, so that both are of one moment. An owner whom no event named has nothing,
 * in an index from the chain's start. What waits for the base of a late index is not among them, nor is the zero address (compare-supplies). Served by
 * the primary keys.
 */
export const eventBalances = async (
  database: Queryable,
  chainId: number,
  pairs: readonly TokenHolder[],
): Promise<{ readonly head: IndexedBlock; readonly balances: readonly EventBalance[] } | null> => {
  const rows = await database.query<EventBalance & IndexedBlock>(
    `SELECT h.number, h.hash, k.token, k.owner, CASE WHEN b.owner IS NULL THEN 0 ELSE b.balance END AS balance
     FROM (SELECT number, hash FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1) h
     CROSS JOIN unnest($2::bytea[], $3::bytea[]) AS k(token, owner)
     LEFT JOIN balances b ON b.chain_id = $1 AND b.owner = k.owner AND b.token = k.token AND b.standard = ${standards.erc20}
     WHERE CASE WHEN b.owner IS NULL THEN (SELECT indexed_from FROM chains WHERE chain_id = $1) = 0
         ELSE b.balance IS NOT NULL OR b.net_change IS NULL END
       AND k.owner <> $4 AND ${notSourced("k")}`,
    [chainId, pairs.map(({ token }) => bytes(token)), pairs.map(({ owner }) => bytes(owner)), bytes(zeroAddress)],
  );
  const [first] = rows;
  return first === undefined ? null : { head: { number: first.number, hash: first.hash }, balances: rows };
};
