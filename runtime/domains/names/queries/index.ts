import { bytes, bytesArray } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import { type CacheLookups, uncachedLookups } from "../../../lib/cache-lookups.ts";
import type { Address, Hash, Hex } from "../../../lib/hex.ts";
import { memoizeText } from "../../../lib/memoize-text.ts";
import { normalizeName } from "../../../lib/normalize-name.ts";
import { nodeOf, reverseNamespaces, reverseNode } from "../name-nodes.ts";
import { type NameRecordKind, nameRecordKinds } from "../projection.ts";

/** Max length of a name that an address may claim. It equals the max length of a parameter, so that every served name can be requested. */
const maxNameLength = 255;
/** Max number of names whose normalized form and node are cached: a name with many labels takes milliseconds to compute. */
const maxNames = 10_000;
const nodeOfName = memoizeText((name) => {
  const normalized = normalizeName(name);
  return normalized === null ? null : { isNormalized: normalized === name, node: nodeOf(normalized) };
}, maxNames);

/** Max cached addresses of a chain, including those without a name, about 10 MB. */
const maxAddresses = 50_000;

/** The nodes in which an address of a chain may claim its name, in order of precedence. */
const reverseNodesOf = (chainId: number, address: Address): readonly Hash[] =>
  reverseNamespaces(chainId).map((namespace) => reverseNode(namespace, address));

/** All name queries. */
export type NameQueries = ReturnType<typeof createNameQueries>;

/** The name registries of a chain: the current one, then its fallback. Empty for a chain without names. */
export type RegistriesOf = (chainId: number) => readonly Address[];

/** The configured registries of a chain. */
export const registriesOfChain = (chain: {
  readonly nameRegistry?: Address | undefined;
  readonly nameRegistryFallback?: Address | undefined;
}): readonly Address[] => [chain.nameRegistry, chain.nameRegistryFallback].filter((registry) => registry !== undefined);

/** The newest record of a node from a contract. */
const newest = (contract: Sql, record: Sql): Sql =>
  sql`SELECT value FROM name_records WHERE chain_id = $1 AND contract = ${contract} AND node = requested.node AND record = ${record}
    ORDER BY block_number DESC LIMIT 1`;

const selectRecords = plannedOnce(sql`SELECT requested.node, found.value FROM unnest($3::bytea[]) AS requested(node)
  CROSS JOIN LATERAL (
    SELECT registry FROM unnest($2::bytea[]) WITH ORDINALITY AS r(registry, position)
    WHERE EXISTS (SELECT 1 FROM name_records e WHERE e.chain_id = $1 AND e.contract = registry AND e.node = requested.node
                  AND e.record IN (${nameRecordKinds.owner}, ${nameRecordKinds.resolver}))
    ORDER BY position LIMIT 1) chosen
  CROSS JOIN LATERAL (${newest(sql`chosen.registry`, sql`${nameRecordKinds.resolver}`)}) resolver
  CROSS JOIN LATERAL (${newest(sql`resolver.value`, sql`$4`)}) found
  WHERE found.value IS NOT NULL`);

/** The addresses in $2 that a name resolves to, according to any contract. Served by name_records_address, one probe per address. */
const selectNamed = plannedOnce(sql`SELECT requested.address FROM unnest($2::bytea[]) AS requested(address)
  WHERE EXISTS (SELECT 1 FROM name_records n WHERE n.chain_id = $1 AND n.value = requested.address AND n.record = ${nameRecordKinds.address})`);

/**
 * Creates the name queries; `cache` may cache names by address. Names that resolve outside of the chain, or by custom rules of a resolver, have no record and
 * do not resolve.
 */
export const createNameQueries = (
  { query }: Pick<Database, "query">,
  registriesOf: RegistriesOf,
  cache: CacheLookups = uncachedLookups,
) => {
  /**
   * Several nodes' records of one kind, each from the node's current resolver in the registry. If a registry never had the node, the next one is used. Served
   * by the primary key of name_records; the newest row of a key applies.
   */
  const recordsOf = async (chainId: number, nodes: readonly Hash[], record: NameRecordKind): Promise<ReadonlyMap<Hash, Hex>> => {
    const registries = registriesOf(chainId);
    if (nodes.length === 0 || registries.length === 0) return new Map();
    const rows = await query<{ node: Hash; value: Hex }>(selectRecords, [chainId, registries.map(bytes), nodes.map(bytes), record]);
    return new Map(rows.map(({ node, value }) => [node, value]));
  };

  /** The addresses that names resolve to, by requested name. Names are normalized first; those that do not resolve are omitted. */
  const addressesOf = async (chainId: number, names: Iterable<string>): Promise<ReadonlyMap<string, Address>> => {
    const nodes = new Map<string, Hash>();
    for (const name of names) {
      const normalized = nodeOfName(name);
      if (normalized !== null) nodes.set(name, normalized.node);
    }
    const records = await recordsOf(chainId, [...new Set(nodes.values())], nameRecordKinds.address);
    return new Map(
      [...nodes].flatMap(([name, node]) => (records.get(node)?.length === 42 ? [[name, records.get(node) as Address] as const] : [])),
    );
  };

  /** The address that a name resolves to, or null. */
  const resolveName = async (chainId: number, name: string): Promise<Address | null> =>
    registriesOf(chainId).length === 0 ? null : ((await addressesOf(chainId, [name])).get(name) ?? null);

  const readNames = async (chainId: number, addresses: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    // Only an address that a name resolves to can have a name. This avoids computing all other addresses' nodes, which takes two hashes each.
    const named = await query<{ address: Address }>(selectNamed, [chainId, bytesArray(addresses)]);
    const nodes = new Map(named.map(({ address }) => [address, reverseNodesOf(chainId, address)]));
    const claims = await recordsOf(chainId, [...nodes.values()].flat(), nameRecordKinds.name);
    const claimed = new Map([...claims].map(([node, value]) => [node, Buffer.from(value.slice(2), "hex").toString("utf8")]));
    const normalized = new Set(
      [...claimed.values()].filter((name) => name.length <= maxNameLength && nodeOfName(name)?.isNormalized === true),
    );
    const forward = await addressesOf(chainId, normalized);
    return new Map(
      [...nodes].flatMap(([address, claimNodes]) => {
        const name = claimNodes
          .map((node) => claimed.get(node))
          .find((candidate) => candidate !== undefined && forward.get(candidate) === address);
        return name === undefined ? [] : [[address, name] as const];
      }),
    );
  };
  const lookUp = cache(readNames, maxAddresses);

  /** The names that addresses claim and that resolve to them; a name that is not normalized (ENSIP-15) is omitted. */
  const namesOf = async (chainId: number, addresses: Iterable<Address>): Promise<ReadonlyMap<string, string>> =>
    registriesOf(chainId).length === 0 ? new Map() : lookUp(chainId, addresses);

  return { resolveName, namesOf };
};
