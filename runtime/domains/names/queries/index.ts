import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address, Hash, Hex } from "../../../lib/hex.ts";
import { memoizeText } from "../../../lib/memoize-text.ts";
import { normalName } from "../../../lib/normal-name.ts";
import { nodeOf, reverseNamespaces, reverseNode } from "../nodes.ts";
import { type NameRecord, nameRecords } from "../records.ts";

/** Characters of a name that an address may claim: those that a parameter may have, so that whatever is shown can be asked for. */
const maxNameLength = 255;
/** Names whose normal form and node are kept: a name of many labels takes milliseconds. */
const maxNames = 10_000;
const nodeOfName = memoizeText((name) => {
  const normal = normalName(name);
  return normal === null ? null : { isNormal: normal === name, node: nodeOf(normal) };
}, maxNames);

/** Everything that can be asked of the tables about names. */
export type NameQueries = ReturnType<typeof createNameQueries>;

/** A chain's registries: its own, then the one that it falls back on. None where names are not known. */
export type RegistriesOf = (chainId: number) => readonly Address[];

/** The registries that a chain is configured with. */
export const registriesOfChain = (chain: {
  readonly nameRegistry?: Address | undefined;
  readonly nameRegistryFallback?: Address | undefined;
}): readonly Address[] => [chain.nameRegistry, chain.nameRegistryFallback].filter((registry) => registry !== undefined);

/** What a contract said last of the asked node. */
const newest = (contract: string, record: string): string =>
  `SELECT value FROM name_records WHERE chain_id = $1 AND contract = ${contract} AND node = asked.node AND record = ${record}
   ORDER BY block_number DESC LIMIT 1`;

/** The reading side of names. Names that resolve outside of the chain, or by a resolver's own rules, have no record and are not known. */
export const createNameQueries = ({ query }: Pick<Database, "query">, registriesOf: RegistriesOf) => {
  /**
   * A record of several nodes, each from the resolver that the registry names now. A registry that never had the node sends on to the next one.
   * Served by the primary key of name_records, whose newest row of a key is the one that counts.
   */
  const recordsOf = async (chainId: number, nodes: readonly Hash[], record: NameRecord): Promise<ReadonlyMap<Hash, Hex>> => {
    const registries = registriesOf(chainId);
    if (nodes.length === 0 || registries.length === 0) return new Map();
    const rows = await query<{ node: Hash; value: Hex }>(
      `SELECT asked.node, said.value FROM unnest($3::bytea[]) AS asked(node)
       CROSS JOIN LATERAL (
         SELECT registry FROM unnest($2::bytea[]) WITH ORDINALITY AS r(registry, place)
         WHERE EXISTS (SELECT 1 FROM name_records e WHERE e.chain_id = $1 AND e.contract = registry AND e.node = asked.node
                       AND e.record IN (${nameRecords.owner}, ${nameRecords.resolver}))
         ORDER BY place LIMIT 1) chosen
       CROSS JOIN LATERAL (${newest("chosen.registry", String(nameRecords.resolver))}) resolver
       CROSS JOIN LATERAL (${newest("resolver.value", "$4")}) said
       WHERE said.value IS NOT NULL`,
      [chainId, registries.map(bytes), nodes.map(bytes), record],
    );
    return new Map(rows.map(({ node, value }) => [node, value]));
  };

  /** The addresses that names lead to, by name as given; one that is not normal is normalised first, one that leads nowhere is left out. */
  const addressesOf = async (chainId: number, names: Iterable<string>): Promise<ReadonlyMap<string, Address>> => {
    const nodes = new Map<string, Hash>();
    for (const name of names) {
      const known = nodeOfName(name);
      if (known !== null) nodes.set(name, known.node);
    }
    const known = await recordsOf(chainId, [...new Set(nodes.values())], nameRecords.address);
    return new Map(
      [...nodes].flatMap(([name, node]) => (known.get(node)?.length === 42 ? [[name, known.get(node) as Address] as const] : [])),
    );
  };

  /** The address that a name leads to, or null. */
  const resolveName = async (chainId: number, name: string): Promise<Address | null> =>
    registriesOf(chainId).length === 0 ? null : ((await addressesOf(chainId, [name])).get(name) ?? null);

  /** The names that addresses claim and that lead back to them; a name that is not in its normal form is not shown (ENSIP-15). */
  const namesOf = async (chainId: number, addresses: Iterable<Address>): Promise<ReadonlyMap<Address, string>> => {
    if (registriesOf(chainId).length === 0) return new Map();
    const namespaces = reverseNamespaces(chainId);
    const nodes = new Map([...new Set(addresses)].map((address) => [address, namespaces.map((space) => reverseNode(space, address))]));
    const claims = await recordsOf(chainId, [...nodes.values()].flat(), nameRecords.name);
    const claimed = new Map([...claims].map(([node, value]) => [node, Buffer.from(value.slice(2), "hex").toString("utf8")]));
    const normal = new Set([...claimed.values()].filter((name) => name.length <= maxNameLength && nodeOfName(name)?.isNormal === true));
    const forward = await addressesOf(chainId, normal);
    return new Map(
      [...nodes].flatMap(([address, own]) => {
        const name = own
          .map((node) => claimed.get(node))
          .find((candidate) => candidate !== undefined && forward.get(candidate) === address);
        return name === undefined ? [] : [[address, name] as const];
      }),
    );
  };

  return { resolveName, namesOf };
};
