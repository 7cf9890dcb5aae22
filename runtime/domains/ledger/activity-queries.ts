import { bytes } from "../../database/codecs.ts";
import type { Database } from "../../database/database.ts";
import type { Address } from "../../lib/hex.ts";
import { addressActivityId } from "./projection-activity.ts";

/** What an address sent and paid for it, in wei. */
export interface FeesPaid {
  readonly sentCount: number;
  readonly feesPaid: string;
}

/** The time of one of an address's transactions. */
interface OrdinalTime {
  readonly ordinal: number;
  readonly timestamp: number;
}

/** Questions about what an address did. */
export function createActivityQueries({ query }: Pick<Database, "query">) {
  /** What an address sent up to a block; null while the sums are not built so far. Served by the primary keys of address_fees and projection_checkpoints. */
  const feesPaidBy = async (chainId: number, address: Address, block: number): Promise<FeesPaid | null> => {
    const rows = await query<{ sent_count: number | null; fees_paid: string | null }>(
      `SELECT f.sent_count, f.fees_paid FROM projection_checkpoints c
       LEFT JOIN LATERAL (SELECT sent_count, fees_paid FROM address_fees
         WHERE chain_id = $1 AND address = $2 AND block_number <= $3 ORDER BY block_number DESC LIMIT 1) f ON true
       WHERE c.chain_id = $1 AND c.projection = $4 AND c.block_number >= $3`,
      [chainId, bytes(address), block, addressActivityId],
    );
    const row = rows[0];
    return row === undefined ? null : { sentCount: row.sent_count ?? 0, feesPaid: row.fees_paid ?? "0" };
  };

  /** When some of an address's transactions were, by ordinal. Served by the primary keys of address_transactions and blocks. */
  const timesOfOrdinals = async (chainId: number, address: Address, ordinals: readonly number[]): Promise<ReadonlyMap<number, number>> => {
    if (ordinals.length === 0) return new Map();
    const rows = await query<OrdinalTime>(
      `SELECT a.ordinal, b.timestamp FROM address_transactions a JOIN blocks b ON b.chain_id = a.chain_id AND b.number = a.block_number
       WHERE a.chain_id = $1 AND a.address = $2 AND a.ordinal = ANY($3::int8[])`,
      [chainId, bytes(address), ordinals],
    );
    return new Map(rows.map(({ ordinal, timestamp }) => [ordinal, timestamp]));
  };

  return { feesPaidBy, timesOfOrdinals };
}
