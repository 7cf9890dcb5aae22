import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";

/** A chain on which an address is active, and the time of its last activity there (unix seconds). */
export interface ActivityRow {
  readonly chain_id: number;
  readonly timestamp: number | null;
}

/** Queries for the chains on which an address is active. */
export function createActivityQueries({ query }: Pick<Database, "query">) {
  /**
   * The given chains on which an address is active, with the time of the last block in which it was a party to a transaction or transfer, or its balance
   * changed. Balances of node-sourced tokens provide no time, because their rows have the block at which they were read. Served by the primary keys of
   * address_transactions and transfer_transactions (their last row), of balances (the owner's rows) and of node_sourced_tokens.
   */
  const lastSeen = (chainIds: readonly number[], address: Address) =>
    query<ActivityRow>(
      `SELECT requested.chain_id, b.timestamp FROM unnest($1::int8[]) AS requested(chain_id)
       CROSS JOIN LATERAL (SELECT greatest(
         (SELECT block_number FROM address_transactions a WHERE a.chain_id = requested.chain_id AND a.address = $2 ORDER BY a.ordinal DESC LIMIT 1),
         (SELECT block_number FROM transfer_transactions t WHERE t.chain_id = requested.chain_id AND t.address = $2 ORDER BY t.ordinal DESC LIMIT 1),
         held.changed_at) AS block_number, held.has_balances FROM (
           SELECT max(o.since_block) FILTER (WHERE n.token IS NULL) AS changed_at, count(*) > 0 AS has_balances
           FROM balances o LEFT JOIN node_sourced_tokens n ON n.chain_id = o.chain_id AND n.token = o.token AND n.standard = o.standard
           WHERE o.chain_id = requested.chain_id AND o.owner = $2) held) seen
       LEFT JOIN blocks b ON b.chain_id = requested.chain_id AND b.number = seen.block_number
       WHERE seen.block_number IS NOT NULL OR seen.has_balances`,
      [chainIds, bytes(address)],
    );

  return { lastSeen };
}
