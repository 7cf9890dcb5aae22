import { bytesArray } from "../../../database/codecs.ts";
import { concatenatedAddresses, jsonArrayOf, splitAddresses } from "../../../database/columns.ts";
import type { Database } from "../../../database/database.ts";
import { plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import { type CacheLookups, uncachedLookups } from "../../../lib/cache-lookups.ts";
import type { Address, Hex } from "../../../lib/hex.ts";
import { forEachInTurns } from "../../../lib/turns.ts";

/** The metadata of a token contract. A field is null if the contract does not return it in a usable form, or if it has not been read yet. */
export interface TokenMetadata {
  readonly address: Address;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** Its standards as numbers, ascending; empty for a contract that is not a token. */
  readonly standards: readonly number[];
}

/** The row of `selectMetadata`: parallel lists of the contracts whose metadata has been read, and of the contracts and standards that were observed. */
export interface MetadataColumns {
  /** Concatenated addresses, in the order of the names, symbols and decimals. */
  readonly metadata_addresses: Hex;
  readonly names: readonly (string | null)[];
  readonly symbols: readonly (string | null)[];
  readonly decimals: readonly (number | null)[];
  /** Concatenated addresses, in the order of the observed standards. */
  readonly standard_addresses: Hex;
  readonly observed_standards: readonly number[];
}

/**
 * Metadata and standards of the contracts of chain $1 that a SELECT returns. Served by the primary keys, each read once in the order of its addresses: for a
 * wallet with many tokens, one probe per token would dominate the cost. With an array, the planner does not estimate each address first.
 */
export const selectMetadata = (addresses: Sql): Sql =>
  sql`SELECT * FROM
     (SELECT ${concatenatedAddresses("address")} AS metadata_addresses, ${jsonArrayOf("name")} AS names, ${jsonArrayOf("symbol")} AS symbols, ${jsonArrayOf("decimals")} AS decimals
      FROM token_metadata WHERE chain_id = $1 AND address = ANY (ARRAY(${addresses}))) m,
     (SELECT ${concatenatedAddresses("address")} AS standard_addresses, ${jsonArrayOf("standard")} AS observed_standards
      FROM token_standards WHERE chain_id = $1 AND address = ANY (ARRAY(${addresses}))) s`;
const selectMetadataOfAddresses = plannedOnce(selectMetadata(sql`SELECT unnest($2::bytea[])`));

/** The metadata in the one row of `selectMetadata`, by address, without addresses that neither table contains. */
export async function metadataIn(columns: MetadataColumns | undefined): Promise<Map<Address, TokenMetadata>> {
  const byAddress = new Map<Address, TokenMetadata & { standards: readonly number[] }>();
  if (columns === undefined) return byAddress;
  const { names, symbols, decimals, observed_standards: standards } = columns;
  await forEachInTurns(splitAddresses(columns.metadata_addresses), (address, index) => {
    const [name, symbol] = [names[index] ?? null, symbols[index] ?? null];
    byAddress.set(address, { address, name, symbol, decimals: decimals[index] ?? null, standards: noStandards });
  });
  await forEachInTurns(splitAddresses(columns.standard_addresses), (address, index) => {
    const standard = standards[index] ?? 0;
    const token = byAddress.get(address);
    if (token === undefined) byAddress.set(address, { ...emptyMetadata(address), standards: singleStandard[standard] ?? [standard] });
    else
      token.standards =
        token.standards === noStandards ? (singleStandard[standard] ?? [standard]) : ascending([...token.standards, standard]);
  });
  return byAddress;
}

const noStandards: readonly number[] = [];
/** Lists that tokens share, because nearly every token has one standard. */
const singleStandard: readonly (readonly number[])[] = [[0], [1], [2], [3]];
const ascending = (numbers: number[]): number[] => numbers.sort((left, right) => left - right);

/** The metadata of an unknown contract. */
export const emptyMetadata = (address: Address): TokenMetadata => ({ address, name: null, symbol: null, decimals: null, standards: [] });

/** Max number of contracts of a chain whose metadata is cached, about 20 MB. */
const maxCached = 50_000;

/** Token metadata queries; `cache` may cache the results. */
export function createMetadataQueries({ query }: Pick<Database, "query">, cache: CacheLookups = uncachedLookups) {
  const lookUp = cache<TokenMetadata>(async (chainId, addresses) => {
    const [columns] = await query<MetadataColumns>(selectMetadataOfAddresses, [chainId, bytesArray(addresses)]);
    return metadataIn(columns);
  }, maxCached);

  /** The metadata of contracts by address, with an entry for every address in `addresses`. */
  const metadata = async (chainId: number, addresses: Iterable<Address>): Promise<ReadonlyMap<Address, TokenMetadata>> => {
    const distinct = new Set<Address>();
    await forEachInTurns(addresses, (address) => void distinct.add(address));
    const found = await lookUp(chainId, distinct);
    const byAddress = new Map<Address, TokenMetadata>();
    await forEachInTurns(distinct, (address) => void byAddress.set(address, found.get(address) ?? emptyMetadata(address)));
    return byAddress;
  };

  return { metadata };
}
