import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";

/** The number of transactions that an address sent, and the fees that it paid for them in wei. */
export interface FeesPaid {
  readonly sentCount: number;
  readonly feesPaid: string;
}

/** The transaction fees in wei that an address paid on a UTC day (days since 1970). */
export interface DailyFees {
  readonly day: number;
  readonly feesPaid: string;
}

/** Address activity queries. */
export function createActivityQueries({ query }: Pick<Database, "query">) {
  /** The fees that an address paid up to a block. Served by the primary key of address_fees. */
  const feesPaidBy = async (chainId: number, address: Address, block: number): Promise<FeesPaid> => {
    const rows = await query<{ sent_count: number; fees_paid: string }>(
      `SELECT sent_count, fees_paid FROM address_fees
       WHERE chain_id = $1 AND address = $2 AND block_number <= $3 ORDER BY block_number DESC LIMIT 1`,
      [chainId, bytes(address), block],
    );
    const row = rows[0];
    return row === undefined ? { sentCount: 0, feesPaid: "0" } : { sentCount: row.sent_count, feesPaid: row.fees_paid };
  };

  /**
   * The fees that an address paid up to a block on each day on which it sent a transaction, oldest first. One stored running sum is read per day, so the cost
   * grows with the number of these days, not with the number of transactions. Served by the primary keys of address_fees and blocks, and by blocks_timestamp.
   */
  const dailyFeesPaidBy = (chainId: number, address: Address, block: number): Promise<DailyFees[]> =>
    query<DailyFees>(
      `WITH RECURSIVE days AS (
         SELECT -1::int8 AS last_block, NULL::int4 AS day, 0::numeric AS paid
         UNION ALL
         SELECT greatest(e.number, f.block_number), b.day, s.fees_paid FROM days d
         CROSS JOIN LATERAL (SELECT block_number FROM address_fees
           WHERE chain_id = $1 AND address = $2 AND block_number > d.last_block AND block_number <= $3 ORDER BY block_number LIMIT 1) f
         CROSS JOIN LATERAL (SELECT (timestamp / 86400)::int4 AS day FROM blocks WHERE chain_id = $1 AND number = f.block_number LIMIT 1) b
         CROSS JOIN LATERAL (SELECT number FROM blocks
           WHERE chain_id = $1 AND timestamp < (b.day + 1)::int8 * 86400 ORDER BY timestamp DESC, number DESC LIMIT 1) e
         CROSS JOIN LATERAL (SELECT fees_paid FROM address_fees
           WHERE chain_id = $1 AND address = $2 AND block_number <= least(greatest(e.number, f.block_number), $3) ORDER BY block_number DESC LIMIT 1) s)
       SELECT day, (paid - lag(paid) OVER (ORDER BY last_block))::text AS "feesPaid" FROM days ORDER BY last_block OFFSET 1`,
      [chainId, bytes(address), block],
    );

  return { feesPaidBy, dailyFeesPaidBy };
}
