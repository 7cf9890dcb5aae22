import type { Database, DatabaseClient, Queryable } from "../database/database.ts";
import { identifier, sql } from "../database/sql.ts";
import { createLeader, type Leadership } from "../indexer/leader/leader.ts";
import { recordAction } from "./actions.ts";
import type { IndexedChain } from "./indexed-chain.ts";

export interface RemoveChainOptions {
  readonly database: Database;
  readonly chain: IndexedChain;
  readonly actor: string;
  /** Called after each batch. */
  readonly onProgress: (pagesDone: number, pages: number) => void;
  /** How long to wait for an indexer that is releasing the chain. */
  readonly waitMilliseconds: number;
  /** The number of a table's pages that a batch reads. */
  readonly batchPages?: number;
}

/** 16 MB of a table: up to about 200,000 short rows in one transaction. */
const defaultBatchPages = 2_048;
/** Each pass deletes the rows that triggers wrote during the previous one, such as content versions. */
const maxPasses = 10;

/**
 * Deletes all of a chain's rows in batches, and its row in `chains` last, so that repeating a killed removal continues it. Holds the chain's indexer
 * lock, and the chain is neither served nor indexed from then on. Returns the number of deleted rows; null if another process is indexing the chain.
 * @throws {LeadershipLostError}
 */
export async function removeChain(options: RemoveChainOptions): Promise<number | null> {
  const { database, chain, actor, waitMilliseconds } = options;
  const result = { rows: null as number | null };
  const leader = createLeader({ database, chain, logger: { info: () => undefined, warn: () => undefined } });
  await leader.lead(AbortSignal.timeout(waitMilliseconds), async ({ guard }) => {
    await database.transaction(async (client) => {
      await guard(client);
      const marked = await client.query(
        `UPDATE chains SET removal_started_at = now(), paused_at = coalesce(paused_at, now()) WHERE chain_id = $1 AND removal_started_at IS NULL RETURNING 1`,
        [chain.id],
      );
      if (marked.length > 0)
        await recordAction(chain.actionLog ?? client, {
          actor,
          action: "chain.remove",
          subject: chain.name,
          details: { status: "started" },
        });
    });
    const rows = await deleteTables(options, guard);
    await database.transaction(async (client) => {
      await guard(client);
      await client.query("DELETE FROM chains WHERE chain_id = $1", [chain.id]);
      await recordAction(chain.actionLog ?? client, {
        actor,
        action: "chain.remove",
        subject: chain.name,
        details: { status: "completed", rows },
      });
    });
    result.rows = rows;
  });
  return result.rows;
}

async function deleteTables(
  { database, chain, onProgress, batchPages = defaultBatchPages }: RemoveChainOptions,
  guard: Leadership["guard"],
): Promise<number> {
  let rows = 0;
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const tables = await tablesWithRows(database, chain.id);
    if (tables.length === 0) return rows;
    const pages = tables.reduce((sum, table) => sum + table.pages, 0);
    let done = 0;
    for (const table of tables) {
      for (let page = 0; page < table.pages; page += batchPages) {
        const range = { first: page, end: page + batchPages };
        rows += await database.transaction(async (client) => {
          await guard(client);
          return deletePages(client, chain.id, table.name, range);
        });
        done += Math.min(batchPages, table.pages - page);
        onProgress(done, pages);
      }
    }
  }
  throw new Error(`Rows of ${chain.name} are still being written: stop the processes that index or serve it, and repeat this command.`);
}

/**
 * Deletes a chain's rows in a page range. Each range of a table is read once: selecting the chain's next rows by an index would read the entries of
 * all deleted rows again in each batch.
 */
async function deletePages(
  client: DatabaseClient,
  chainId: number,
  table: string,
  { first, end }: { readonly first: number; readonly end: number },
): Promise<number> {
  const [deleted] = await client.query<{ rows: number }>(
    sql`WITH deleted AS (DELETE FROM ${identifier(table)} WHERE ctid >= $2::tid AND ctid < $3::tid AND chain_id = $1 RETURNING 1)
      SELECT count(*) AS rows FROM deleted`.text,
    [chainId, `(${first},0)`, `(${end},0)`],
  );
  return deleted?.rows ?? 0;
}

/**
 * The tables that have rows of a chain, including those of declared protocols, and their sizes. Blocks come last: servers find a chain's state by its last
 * block, and refuse requests while it is being removed.
 */
async function tablesWithRows(database: Queryable, chainId: number): Promise<readonly { readonly name: string; readonly pages: number }[]> {
  const tables = await database.query<{ name: string; pages: number }>(
    `SELECT c.relname::text AS name, (pg_relation_size(c.oid) / current_setting('block_size')::int8)::int8 AS pages
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'chain_id' AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'chains' ORDER BY c.relname IN ('blocks', 'bitcoin_blocks'), c.relname`,
  );
  const found: { name: string; pages: number }[] = [];
  for (const table of tables) {
    const rows = await database.query(sql`SELECT 1 FROM ${identifier(table.name)} WHERE chain_id = $1 LIMIT 1`.text, [chainId]);
    if (rows.length > 0) found.push(table);
  }
  return found;
}
