import type { BitcoinOutput } from "../../chain/bitcoin/types.ts";
import { bytesArray } from "../../database/codecs.ts";
import type { Queryable } from "../../database/database.ts";
import type { Hash, Hex } from "../../lib/hex.ts";

/** The newest indexed block of a Bitcoin chain. */
export interface BitcoinHead {
  readonly number: number;
  readonly timestamp: number;
}

/** Identifies an output by its transaction and its index. */
export interface OutputReference {
  readonly txid: Hash;
  readonly index: number;
}

export type BitcoinQueries = ReturnType<typeof createBitcoinQueries>;

/** Queries for Bitcoin chains. */
export const createBitcoinQueries = ({ query }: Pick<Queryable, "query">) => ({
  /** The highest indexed block. Served by the primary key. */
  head: async (chainId: number): Promise<BitcoinHead | null> =>
    (
      await query<BitcoinHead>("SELECT number, timestamp FROM bitcoin_blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1", [chainId])
    )[0] ?? null,

  /** Hashes of the stored blocks from..to inclusive, by height. Served by the primary key. */
  hashes: async (chainId: number, from: number, to: number): Promise<ReadonlyMap<number, Hash>> => {
    const rows = await query<{ number: number; hash: Hash }>(
      "SELECT number, hash FROM bitcoin_blocks WHERE chain_id = $1 AND number BETWEEN $2 AND $3",
      [chainId, from, to],
    );
    return new Map(rows.map(({ number, hash }) => [number, hash]));
  },

  /**
   * Outputs in the order of the references; null for outputs that are not stored. If transactions share an id, the newest one applies, because its outputs
   * replaced the earlier ones (BIP 30). Served by bitcoin_transactions_txid and the primary key of bitcoin_outputs.
   */
  outputs: async (chainId: number, references: readonly OutputReference[]): Promise<(BitcoinOutput | null)[]> => {
    if (references.length === 0) return [];
    const rows = await query<{ position: number; value: string; script: Hex }>(
      `SELECT r.position, o.value::text, o.script FROM unnest($2::bytea[], $3::int8[]) WITH ORDINALITY AS r(txid, index, position)
       CROSS JOIN LATERAL (
         SELECT t.block_number, t.transaction_index FROM bitcoin_transactions t
         WHERE t.chain_id = $1 AND t.txid = r.txid ORDER BY t.block_number DESC LIMIT 1) t
       JOIN bitcoin_outputs o ON o.chain_id = $1 AND o.block_number = t.block_number AND o.transaction_index = t.transaction_index AND o.output_index = r.index`,
      [chainId, bytesArray(references.map(({ txid }) => txid)), references.map(({ index }) => index)],
    );
    const found = new Map(rows.map(({ position, value, script }) => [position, { value: BigInt(value), script }]));
    return references.map((_, position) => found.get(position + 1) ?? null);
  },
});
