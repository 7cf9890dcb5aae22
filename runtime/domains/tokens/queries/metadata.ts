import { bytesArray } from "../../../database/codecs.ts";
import { addressesIn, joinedAddresses, listOf } from "../../../database/columns.ts";
import type { Database } from "../../../database/database.ts";
import type { Address, Hex } from "../../../lib/hex.ts";

/** What a token contract says of itself; null where it says nothing usable or was not asked yet. */
export interface TokenMetadata {
  readonly address: Address;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** The numbers of its standards, ascending; empty for a contract that is no token. */
  readonly standards: readonly number[];
}

/** What `describing` gives: the contracts that metadata was read of, and each standard that a contract has shown, as lists. */
export interface DescribedColumns {
  readonly described: Hex;
  readonly names: readonly (string | null)[];
  readonly symbols: readonly (string | null)[];
  readonly decimals: readonly (number | null)[];
  readonly classed: Hex;
  readonly standards: readonly number[];
}

/**
 * Metadata and standards of the contracts of chain $1 that a SELECT gives. Served by the primary keys, each read once in the order of its addresses: a
 * wallet may hold so many tokens that a probe each would be most of the work. As an array, the planner does not look at each address before it begins.
 */
export const describing = (addresses: string): string =>
  `SELECT * FROM
     (SELECT ${joinedAddresses("address")} AS described, ${listOf("name")} AS names, ${listOf("symbol")} AS symbols, ${listOf("decimals")} AS decimals
      FROM token_metadata WHERE chain_id = $1 AND address = ANY (ARRAY(${addresses}))) m,
     (SELECT ${joinedAddresses("address")} AS classed, ${listOf("standard")} AS standards
      FROM token_standards WHERE chain_id = $1 AND address = ANY (ARRAY(${addresses}))) s`;

/** The metadata in the one row of `describing`, by address; of what neither table knows there is none. */
export function describedIn([columns]: readonly DescribedColumns[]): Map<Address, TokenMetadata> {
  const found = new Map<Address, TokenMetadata & { standards: readonly number[] }>();
  if (columns === undefined) return found;
  const { names, symbols, decimals, standards } = columns;
  addressesIn(columns.described).forEach((address, index) => {
    const [name, symbol] = [names[index] ?? null, symbols[index] ?? null];
    found.set(address, { address, name, symbol, decimals: decimals[index] ?? null, standards: none });
  });
  addressesIn(columns.classed).forEach((address, index) => {
    const standard = standards[index] ?? 0;
    const token = found.get(address);
    if (token === undefined) found.set(address, { ...undescribed(address), standards: alone[standard] ?? [standard] });
    else token.standards = token.standards === none ? (alone[standard] ?? [standard]) : ascending([...token.standards, standard]);
  });
  return found;
}

const none: readonly number[] = [];
/** Nearly every token has one standard: lists that all of these share. */
const alone: readonly (readonly number[])[] = [[0], [1], [2], [3]];
const ascending = (numbers: number[]): number[] => numbers.sort((left, right) => left - right);

/** A contract that nothing is known of. */
export const undescribed = (address: Address): TokenMetadata => ({ address, name: null, symbol: null, decimals: null, standards: [] });

/** Questions about what tokens are. */
export function createMetadataQueries({ query }: Pick<Database, "query">) {
  /** Metadata of several contracts by address; every address that was asked has an entry. */
  const metadata = async (chainId: number, addresses: Iterable<Address>): Promise<ReadonlyMap<Address, TokenMetadata>> => {
    const distinct = new Set(addresses);
    if (distinct.size === 0) return new Map();
    const found = describedIn(await query<DescribedColumns>(describing("SELECT unnest($2::bytea[])"), [chainId, bytesArray(distinct)]));
    if (found.size === distinct.size) return found;
    for (const address of distinct) if (!found.has(address)) found.set(address, undescribed(address));
    return found;
  };

  return { metadata };
}
