import { bytes } from "../../database/codecs.ts";
import type { Database } from "../../database/database.ts";
import type { Address } from "../../lib/hex.ts";

/** What a token contract says of itself; null where it says nothing usable or was not asked yet. */
export interface TokenMetadata {
  readonly address: Address;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** The numbers of its standards, ascending; empty for a contract that is no token. */
  readonly standards: readonly number[];
}

/** Questions about what tokens are. */
export function createMetadataQueries({ query }: Pick<Database, "query">) {
  /** Metadata of several contracts by address; every address that was asked has an entry. Served by the primary keys. */
  const metadata = async (chainId: number, addresses: Iterable<Address>): Promise<ReadonlyMap<Address, TokenMetadata>> => {
    const distinct = [...new Set(addresses)];
    if (distinct.length === 0) return new Map();
    const rows = await query<TokenMetadata>(
      `SELECT asked.address, m.name, m.symbol, m.decimals,
              ARRAY(SELECT s.standard FROM token_standards s WHERE s.chain_id = $1 AND s.address = asked.address ORDER BY s.standard) AS standards
       FROM unnest($2::bytea[]) AS asked(address)
       LEFT JOIN token_metadata m ON m.chain_id = $1 AND m.address = asked.address`,
      [chainId, distinct.map(bytes)],
    );
    return new Map(rows.map((row) => [row.address, row]));
  };

  return { metadata };
}
