import type { Queryable } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Job, JobContext } from "../../../jobs/job.ts";
import { lockQueue } from "./fetch/lock-queue.ts";

/** Max new tokens and announced changes per portion, unless it is a single block: the indexing loop waits while a portion is queued. */
const portionSize = 2_000;
const intervalMilliseconds = 1_000;
/** Blocks without new tokens after which the pointer is moved anyway. */
const maxBlocksWithoutTokens = 1_000;
/** Max pointers stored for rollbacks. After a deeper rollback, the job restarts at the first token; stored metadata remains. */
const maxPointers = 100;

/** The blocks queued in one portion. */
interface Portion {
  /** The last block of the previous portion; -1 if there is none. */
  readonly after: number;
  readonly to: number;
}

/**
 * Queues new tokens and announced metadata changes in block order. The pointer is a row with the block number that it points to, and is
 * rolled back with that block.
 */
export const createQueueNewTokensJob = (): Job => {
  /** The number of blocks to try first for the next portion, based on the size of the previous one. */
  let span = Number.MAX_SAFE_INTEGER;
  return {
    name: "queue-new-nfts",
    intervalMilliseconds,
    run: async (context) => {
      const { chainId, database } = context;
      const [after, head] = await Promise.all([pointerOf(database, chainId), headOf(database, chainId)]);
      if (head === null || head <= after) return false;
      let to = span >= head - after ? head : after + span;
      let count = await countIn(database, chainId, { after, to });
      while (count > portionSize && to > after + 1) {
        to = after + Math.max(1, Math.floor((to - after) / 2));
        count = await countIn(database, chainId, { after, to });
      }
      span = count > portionSize / 2 ? to - after : 2 * Math.max(1, to - after);
      if (count === 0 && to === head && to - after < maxBlocksWithoutTokens) return false;
      const isQueued = await queue(context, { after, to });
      return isQueued && to < head;
    },
  };
};

/** The last queued block; -1 if there is none. Served by the primary key. */
const pointerOf = async (database: Queryable, chainId: number): Promise<number> => {
  const [row] = await database.query<{ block: number }>(
    "SELECT block_number AS block FROM nft_read_progress WHERE chain_id = $1 ORDER BY block_number DESC LIMIT 1",
    [chainId],
  );
  return row?.block ?? -1;
};

/** The block up to which the chain's tokens are indexed. Served by the primary key. */
const headOf = async (database: Queryable, chainId: number): Promise<number | null> => {
  const [row] = await database.query<{ block: number }>(
    "SELECT number AS block FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1",
    [chainId],
  );
  return row?.block ?? null;
};

/**
 * The number of rows that a portion would queue, counted up to one more than the maximum. Served by nft_tokens_roll_back and the primary key of
 * nft_metadata_updates.
 */
const countIn = async (database: Queryable, chainId: number, { after, to }: Portion): Promise<number> => {
  const within = sql`chain_id = $1 AND block_number > $2 AND block_number <= $3`;
  const [row] = await database.query<{ count: number }>(
    sql`SELECT (SELECT count(*) FROM (SELECT FROM nft_tokens WHERE ${within} LIMIT $4) t)
          + (SELECT count(*) FROM (SELECT FROM nft_metadata_updates WHERE ${within} LIMIT $4) u) AS count`,
    [chainId, after, to, portionSize + 1],
  );
  return row?.count ?? 0;
};

/** Queues a portion. False if this process may not write, or if the index has changed in the meantime. */
const queue = async ({ chainId, runExclusiveKeepingCache, clock }: JobContext, { after, to }: Portion): Promise<boolean> => {
  const isDone = await runExclusiveKeepingCache(async (client, indexed) => {
    await lockQueue(client, chainId);
    if (to > indexed.number || (await pointerOf(client, chainId)) !== after) return false;
    // Served by nft_tokens_roll_back and the primary key of nft_metadata. A contract with two standards is called with the lower one's function.
    await client.query(
      `INSERT INTO nft_reads (chain_id, token, token_id, standard, block_number, queued_at, run_after)
       SELECT DISTINCT ON (token, token_id) $1, token, token_id, standard, block_number, $4::timestamptz, $4::timestamptz FROM nft_tokens t
       WHERE chain_id = $1 AND block_number > $2 AND block_number <= $3
         AND NOT EXISTS (SELECT FROM nft_metadata m WHERE m.chain_id = $1 AND m.token = t.token AND m.token_id = t.token_id)
       ORDER BY token, token_id, standard ON CONFLICT (chain_id, token, token_id) DO NOTHING`,
      [chainId, after, to, clock()],
    );
    // A change announced while the same ids are being queued is queued again afterwards. Restarting instead would starve the last ids under
    // repeated announcements.
    await client.query(
      `INSERT INTO nft_refreshes AS r (chain_id, token, from_id, to_id, next_id, block_number, wanted_block)
       SELECT $1, token, from_id, to_id, from_id, min(block_number), max(block_number) FROM nft_metadata_updates
       WHERE chain_id = $1 AND block_number > $2 AND block_number <= $3 AND from_id <= to_id GROUP BY token, from_id, to_id
       ON CONFLICT (chain_id, token, from_id, to_id) DO UPDATE SET wanted_block = greatest(r.wanted_block, excluded.wanted_block),
         again = r.again OR r.next_id > r.from_id`,
      [chainId, after, to],
    );
    await client.query("INSERT INTO nft_read_progress (chain_id, block_number) VALUES ($1, $2)", [chainId, to]);
    await client.query(
      sql`DELETE FROM nft_read_progress WHERE chain_id = $1 AND block_number <
         (SELECT block_number FROM nft_read_progress WHERE chain_id = $1 ORDER BY block_number DESC OFFSET ${maxPointers} LIMIT 1)`,
      [chainId],
    );
    return true;
  });
  return isDone === true;
};
