import { bytes } from "../../../database/codecs.ts";
import type { DatabaseClient } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Job } from "../../../jobs/job.ts";
import type { Address } from "../../../lib/hex.ts";
import { lockQueue } from "./fetch/lock-queue.ts";

/** Max tokens from ranges per run, and max single tokens: the indexing loop waits for the run. */
const portionSize = 2_000;
const intervalMilliseconds = 1_000;

interface Range {
  readonly token: Address;
  readonly from_id: string;
  readonly to_id: string;
  readonly next_id: string;
  readonly wanted_block: number;
}

/** Queues the rows of `seen` to be read again, as of the wanted block or later; results of reads in progress become invalid. */
const insertIntoQueue = sql`INSERT INTO nft_reads AS q (chain_id, token, token_id, standard, block_number, wanted_block, queued_at, run_after)
   SELECT $1, token, token_id, standard, block_number, wanted_block, $2::timestamptz, $2::timestamptz FROM seen ORDER BY token, token_id
   ON CONFLICT (chain_id, token, token_id) DO UPDATE SET wanted_block = greatest(q.wanted_block, excluded.wanted_block), url = NULL, host = NULL,
     asked_at = NULL, attempts = 0, problem = NULL, run_after = least(q.run_after, excluded.run_after), leased_until = NULL`;

/**
 * Queues, in portions, the tokens in ranges whose metadata changed or that an operator wants refreshed. Collections take turns, so that a collection that
 * announces many tokens in every block does not starve the others.
 */
export const createQueueRefreshesJob = (): Job => {
  /** The collection of the previous turn. */
  let last: Address | null = null;
  return {
    name: "queue-nft-refreshes",
    intervalMilliseconds,
    run: async ({ chainId, database, runExclusiveKeepingCache, clock }) => {
      // Served by the primary key; most runs find nothing.
      if ((await database.query("SELECT FROM nft_refreshes WHERE chain_id = $1 LIMIT 1", [chainId])).length === 0) return false;
      const hasMore = await runExclusiveKeepingCache(async (client) => {
        await lockQueue(client, chainId);
        const singles = await queueSingles(client, chainId, clock());
        const range = (await nextRange(client, chainId, last)) ?? (await nextRange(client, chainId, null));
        last = range?.token ?? null;
        if (range !== null) await queueRange(client, chainId, range, clock());
        return singles === portionSize || range !== null;
      });
      return hasMore === true;
    },
  };
};

/** Queues ranges of a single id; returns their number. Served by nft_refreshes_order and the primary key of nft_tokens. */
const queueSingles = async (client: DatabaseClient, chainId: number, now: Date): Promise<number> => {
  const [row] = await client.query<{ count: number }>(
    sql`WITH due AS (
       SELECT token, from_id, wanted_block FROM nft_refreshes WHERE chain_id = $1 AND from_id = to_id ORDER BY block_number LIMIT ${portionSize}
     ), done AS (
       DELETE FROM nft_refreshes r USING due d WHERE r.chain_id = $1 AND r.token = d.token AND r.from_id = d.from_id AND r.to_id = d.from_id
     ), seen AS (
       SELECT d.token, d.from_id AS token_id, t.standard, t.block_number, d.wanted_block FROM due d CROSS JOIN LATERAL (
         SELECT standard, block_number FROM nft_tokens n WHERE n.chain_id = $1 AND n.token = d.token AND n.token_id = d.from_id ORDER BY standard LIMIT 1) t
     ), queued AS (${insertIntoQueue})
     SELECT count(*) FROM due`,
    [chainId, now],
  );
  return row?.count ?? 0;
};

/** The first range of the next collection after the given one, or of the first collection. Served by the primary key. */
const nextRange = async (client: DatabaseClient, chainId: number, after: Address | null): Promise<Range | null> => {
  const [range] = await client.query<Range>(
    `SELECT token, from_id, to_id, next_id, wanted_block FROM nft_refreshes WHERE chain_id = $1 AND token > $2 AND from_id < to_id
     ORDER BY token, from_id, to_id LIMIT 1`,
    [chainId, bytes(after ?? "0x")],
  );
  return range ?? null;
};

/** Queues the next tokens of a range. Served by the primary key of nft_tokens. */
const queueRange = async (client: DatabaseClient, chainId: number, range: Range, now: Date): Promise<void> => {
  const [row] = await client.query<{ count: number; last: string | null }>(
    sql`WITH seen AS (
       SELECT token, token_id, min(standard) AS standard, min(block_number) AS block_number, $6::int8 AS wanted_block FROM nft_tokens
       WHERE chain_id = $1 AND token = $3 AND token_id BETWEEN $4 AND $5 GROUP BY token, token_id ORDER BY token, token_id LIMIT ${portionSize}
     ), queued AS (${insertIntoQueue})
     SELECT count(*), max(token_id) AS last FROM seen`,
    [chainId, now, bytes(range.token), range.next_id, range.to_id, range.wanted_block],
  );
  const key = [chainId, bytes(range.token), range.from_id, range.to_id];
  const matchesRange = sql`chain_id = $1 AND token = $2 AND from_id = $3 AND to_id = $4`;
  if (row !== undefined && row.count === portionSize) {
    await client.query(sql`UPDATE nft_refreshes SET next_id = $5::numeric + 1 WHERE ${matchesRange}`, [...key, row.last]);
    return;
  }
  await client.query(sql`DELETE FROM nft_refreshes WHERE ${matchesRange} AND NOT again`, key);
  await client.query(sql`UPDATE nft_refreshes SET next_id = from_id, again = false WHERE ${matchesRange} AND again`, key);
};

/**
 * Requests a refresh of one or all tokens of a collection; the process that indexes the chain queues them. Returns false if the collection or the
 * token is unknown. Served by the primary key of nft_tokens.
 */
export const requestRefresh = async (client: DatabaseClient, chainId: number, token: Address, tokenId: string | null): Promise<boolean> => {
  const ids = tokenId === null ? ["0", String(2n ** 256n - 1n)] : [tokenId, tokenId];
  const found = await client.query("SELECT FROM nft_tokens WHERE chain_id = $1 AND token = $2 AND token_id BETWEEN $3 AND $4 LIMIT 1", [
    chainId,
    bytes(token),
    ...ids,
  ]);
  if (found.length === 0) return false;
  await lockQueue(client, chainId);
  await client.query(
    `INSERT INTO nft_refreshes AS r (chain_id, token, from_id, to_id, next_id, block_number, wanted_block) VALUES ($1, $2, $3, $4, $3, 0, 0)
     ON CONFLICT (chain_id, token, from_id, to_id) DO UPDATE SET again = r.again OR r.next_id > r.from_id`,
    [chainId, bytes(token), ...ids],
  );
  return true;
};
