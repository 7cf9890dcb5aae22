import { bytesArray } from "../../database/codecs.ts";
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
  /**
   * Metadata of several contracts by address; every address that was asked has an entry. Served by the primary keys, each read once in the order of its
   * addresses: a wallet may hold so many tokens that a probe each would be most of the work.
   */
  const metadata = async (chainId: number, addresses: Iterable<Address>): Promise<ReadonlyMap<Address, TokenMetadata>> => {
    const distinct = new Set(addresses);
    if (distinct.size === 0) return new Map();
    // Behind a subquery, the planner does not look at each of the addresses before it begins.
    const asked = "chain_id = $1 AND address = ANY (ARRAY(SELECT unnest($2::bytea[])))";
    const rows = await query<TokenMetadata>(
      `SELECT address, m.name, m.symbol, m.decimals, coalesce(s.standards, '{}') AS standards
       FROM (SELECT address, name, symbol, decimals FROM token_metadata WHERE ${asked}) m
       FULL JOIN (SELECT address, array_agg(standard ORDER BY standard) AS standards FROM token_standards WHERE ${asked} GROUP BY address) s
         USING (address)`,
      [chainId, bytesArray(distinct)],
    );
    const found = new Map<Address, TokenMetadata>();
    for (const row of rows) found.set(row.address, row);
    if (found.size === distinct.size) return found;
    for (const address of distinct) {
      if (!found.has(address)) found.set(address, { address, name: null, symbol: null, decimals: null, standards: [] });
    }
    return found;
  };

  return { metadata };
}
