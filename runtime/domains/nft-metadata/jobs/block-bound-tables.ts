import type { DatabaseClient } from "../../../database/database.ts";
import type { BlockBoundTable } from "../../../indexer/reorg/roll-back.ts";
import { lockQueue } from "./fetch/lock-queue.ts";

/**
 * Discards URLs read above the ancestor, so that they are read again. Waits for transactions that store outcomes, so that the following steps see
 * their rows. The queue is short enough for a full scan.
 */
const discardUrls: BlockBoundTable["beforeDelete"] = async (client, chainId, ancestor) => {
  await lockQueue(client, chainId);
  await client.query(
    `UPDATE nft_reads SET url = NULL, host = NULL, asked_at = NULL, leased_until = NULL, wanted_block = least(wanted_block, $2)
     WHERE chain_id = $1 AND (asked_at > $2 OR wanted_block > $2)`,
    [chainId, ancestor],
  );
  await client.query("UPDATE nft_refreshes SET wanted_block = $2 WHERE chain_id = $1 AND wanted_block > $2", [chainId, ancestor]);
};

/** Requeues tokens whose metadata was read above the ancestor, unless they are rolled back themselves. Served by nft_metadata_roll_back. */
const requeueTokens = async (client: DatabaseClient, chainId: number, ancestor: number): Promise<void> => {
  await client.query(
    `INSERT INTO nft_reads (chain_id, token, token_id, standard, block_number, run_after)
     SELECT chain_id, token, token_id, standard, block_number, 'epoch' FROM nft_metadata WHERE chain_id = $1 AND read_at_block > $2 AND block_number <= $2
     ON CONFLICT (chain_id, token, token_id) DO NOTHING`,
    [chainId, ancestor],
  );
};

/**
 * The metadata tables, in the order in which a reorganisation rolls them back: the queue before the stored metadata, as in transactions that store
 * outcomes.
 */
export const metadataTables: readonly BlockBoundTable[] = [
  { name: "nft_reads", blockColumn: "block_number", beforeDelete: discardUrls },
  { name: "nft_read_progress", blockColumn: "block_number" },
  { name: "nft_refreshes", blockColumn: "block_number" },
  { name: "nft_metadata", blockColumn: "read_at_block", beforeDelete: requeueTokens },
  { name: "nft_attributes", blockColumn: "read_at_block" },
];
