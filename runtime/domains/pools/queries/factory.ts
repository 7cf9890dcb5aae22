import { bytesArray } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { plannedOnce, sql } from "../../../database/sql.ts";
import { type CacheLookups, uncachedLookups } from "../../../lib/cache-lookups.ts";
import { groupBy } from "../../../lib/group-by.ts";
import type { Address } from "../../../lib/hex.ts";

/** Max number of contracts per chain whose announcements are cached, about 10 MB. */
const maxCached = 50_000;

/** A factory's announcement of a pool. */
interface Announcement {
  readonly pool: Address;
  readonly factory: Address;
  readonly block: number;
}

const selectAnnouncements = plannedOnce(sql`SELECT p.pool, p.factory, p.block_number AS block FROM unnest($2::bytea[]) AS f(factory)
  JOIN pools p ON p.chain_id = $1 AND p.factory = f.factory AND p.pool = ANY ($3::bytea[])`);

/** Queries for the factories of pools, limited to those of a chain's configured exchanges. `cache` may cache announcements. */
export const createFactoryQueries = (
  { query }: Pick<Queryable, "query">,
  factoriesOf: (chainId: number) => readonly Address[],
  cache: CacheLookups = uncachedLookups,
) => {
  const lookUp = cache<readonly Announcement[]>(async (chainId, addresses) => {
    const factories = factoriesOf(chainId);
    const rows = await query<Announcement>(selectAnnouncements, [chainId, bytesArray(factories), bytesArray(addresses)]);
    return groupBy(rows, ({ pool }) => pool);
  }, maxCached);
  return {
    /** The factory that had announced each contract as a pool by a block; other contracts are omitted. Served by pools_factory. */
    factoriesAt: async (chainId: number, addresses: Iterable<Address>, block: number): Promise<ReadonlyMap<string, Address>> => {
      if (factoriesOf(chainId).length === 0) return new Map();
      const announced = await lookUp(chainId, addresses);
      const factories = new Map<string, Address>();
      for (const [pool, announcements] of announced)
        for (const announcement of announcements) if (announcement.block <= block) factories.set(pool, announcement.factory);
      return factories;
    },
  };
};
