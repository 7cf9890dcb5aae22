import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";

/** A chain that has seen an address, and when it last did (unix seconds). */
export interface SeenRow {
  readonly chain_id: number;
  readonly timestamp: number | null;
}

/** Questions about where an address is active. */
export function createActivityQueries({ query }: Pick<Database, "query">) {
  /**
   * Which of the given chains know an address, and the time of the last block that concerned it: as a party of a transaction, by a transfer, or
   * because a balance of it changed. Served by the primary keys of address_transactions and transfer_transactions (their last row) and of balances (the rows of the owner).
   */
  const lastSeen = (chainIds: readonly number[], address: Address) =>
    query<SeenRow>(
      `SELECT asked.chain_id, b.timestamp FROM unnest($1::int8[]) AS asked(chain_id)
       CROSS JOIN LATERAL (SELECT greatest(
         (SELECT block_number FROM address_transactions a WHERE a.chain_id = asked.chain_id AND a.address = $2 ORDER BY a.ordinal DESC LIMIT 1),
         (SELECT block_number FROM transfer_transactions t WHERE t.chain_id = asked.chain_id AND t.address = $2 ORDER BY t.ordinal DESC LIMIT 1),
         (SELECT max(o.since_block) FROM balances o WHERE o.chain_id = asked.chain_id AND o.owner = $2)) AS block_number) seen
       LEFT JOIN blocks b ON b.chain_id = asked.chain_id AND b.number = seen.block_number
       WHERE seen.block_number IS NOT NULL`,
      [chainIds, bytes(address)],
    );

  return { lastSeen };
}
