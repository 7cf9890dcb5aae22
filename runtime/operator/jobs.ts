import { bytes } from "../database/codecs.ts";
import type { Database } from "../database/database.ts";
import { identifier, sql } from "../database/sql.ts";
import { requestRefresh } from "../domains/nft-metadata/jobs/queue-refreshes.ts";
import { tokenMetadataRefreshKind } from "../domains/tokens/projection/metadata-reads.ts";
import type { Address } from "../lib/hex.ts";
import { recordAction } from "./actions.ts";
import type { IndexedChain } from "./indexed-chain.ts";

/** A chain's background work queues, by their names in metrics, and their tables. */
export const queueTables = { "contract-reads": "node_reads", "nft-metadata": "nft_reads" } as const;

export type QueueName = keyof typeof queueTables;

/** Max entries that one transaction changes. */
const batchSize = 10_000;

/**
 * Makes entries due that failed and are waiting for their next attempt; entries that a worker is processing are attempted once more. Returns
 * their number. Works in batches, so that the next retry completes an interrupted one. Served by the index of due entries.
 */
export async function retryJobs(
  database: Pick<Database, "transaction" | "query">,
  { id, name, actionLog }: IndexedChain,
  queues: readonly QueueName[],
  actor: string,
): Promise<number> {
  await database.transaction((client) =>
    recordAction(actionLog ?? client, { actor, action: "chain.retry-jobs", subject: name, details: { queues } }),
  );
  let retried = 0;
  for (const queue of queues) {
    const table = identifier(queueTables[queue]);
    const statement = sql`WITH waiting AS (SELECT ctid FROM ${table} WHERE chain_id = $1 AND run_after > now() AND attempts > 0 LIMIT $2 FOR UPDATE SKIP LOCKED),
      retried AS (UPDATE ${table} q SET run_after = now() FROM waiting WHERE q.ctid = waiting.ctid RETURNING 1) SELECT count(*) AS entries FROM retried`;
    for (let changed = batchSize; changed === batchSize; ) {
      const [row] = await database.query<{ entries: number }>(statement.text, [id, batchSize]);
      changed = row?.entries ?? 0;
      retried += changed;
    }
  }
  return retried;
}

/** The metadata that is read again. */
export interface RefreshResult {
  /** How many tokens have their name, symbol and decimals read from their contracts. */
  readonly tokenCount: number;
  /** Whether the contract's NFT documents are fetched. */
  readonly isCollection: boolean;
}

/**
 * Queues the names, symbols and decimals of a chain's tokens, or of one contract, to be read again; for one contract also its NFT documents. Scans the
 * chain's token metadata; for one contract, the statement is served by the primary key.
 */
export const refreshMetadata = (
  database: Pick<Database, "transaction">,
  { id, name, actionLog }: IndexedChain,
  contract: Address | null,
  actor: string,
): Promise<RefreshResult> =>
  database.transaction(async (client) => {
    const [row] = await client.query<{ tokens: number }>(
      `WITH queued AS (INSERT INTO node_reads (chain_id, kind, key, block_number)
         SELECT chain_id, $2, address, block_number FROM token_metadata WHERE chain_id = $1 AND ($3::bytea IS NULL OR address = $3)
         ON CONFLICT (chain_id, kind, key) DO UPDATE SET attempts = 0, run_after = now() RETURNING 1) SELECT count(*) AS tokens FROM queued`,
      [id, tokenMetadataRefreshKind, contract === null ? null : bytes(contract)],
    );
    const tokenCount = row?.tokens ?? 0;
    const isCollection = contract !== null && (await requestRefresh(client, id, contract, null));
    if (tokenCount > 0 || isCollection)
      await recordAction(actionLog ?? client, {
        actor,
        action: "chain.refresh-metadata",
        subject: name,
        details: { contract: contract ?? "all", tokens: tokenCount },
      });
    return { tokenCount, isCollection };
  });
