import { type AnyChainConfig, type ChainConfig, isEvmChain } from "./config/config.ts";
import type { Database } from "./database/database.ts";
import { createIndexCache } from "./database/index-cache.ts";
import type { Notifications } from "./database/notifications.ts";
import { noOutage, type PrimaryOutage } from "./database/primary-outage.ts";
import type { Replicas } from "./database/replicas/replicas.ts";
import { createHeads, type Heads } from "./domains/ledger/queries/heads.ts";
import { createLabelQueries, type LabelQueries } from "./domains/names/labels.ts";
import { readLabels } from "./operator-files.ts";
import { createQueries, type Queries, type RateSources } from "./queries.ts";

/** A server's connections to one database. */
export interface DatabaseConnections {
  readonly database: Database;
  /** For keys, anchors, health and readiness, so that they do not wait for resolvers; the same database by default. */
  readonly control?: Database | undefined;
  /** Connected as the role that runs the SQL of declared protocols; without it, community endpoints respond with 503. */
  readonly reader?: Database | undefined;
  /** Replicas that run resolvers' statements; without them, `database` does. */
  readonly replicas?: Replicas | undefined;
  /** Notifications of the index (`indexChannel`); without them, index data is not cached. */
  readonly notifications?: Notifications | undefined;
}

/** A database, the chains stored in it, and everything that reads them for responses. */
export interface Shard {
  /** Its name in `databases`; null for the control database. */
  readonly name: string | null;
  readonly chains: readonly AnyChainConfig[];
  readonly control: Database;
  readonly reader: Database | undefined;
  readonly queries: Queries;
  readonly labels: LabelQueries["labels"];
  readonly heads: Heads;
  /** Tracks whether its primary is lost. */
  readonly outage: PrimaryOutage;
  /** The size of its connection pool for resolvers. */
  readonly poolSize: number;
  close(): Promise<void>;
}

/** Creates the shard for a database and its chains. */
export function createShard(
  name: string | null,
  chains: readonly AnyChainConfig[],
  { database, control = database, reader, replicas, notifications }: DatabaseConnections,
  rates: RateSources,
  now: () => Date,
  outage: PrimaryOutage = noOutage,
): Shard {
  const evmChains: readonly ChainConfig[] = chains.filter((chain) => isEvmChain(chain));
  const cache = createIndexCache(notifications);
  const queries = createQueries(evmChains, { database: replicas?.readDatabase ?? database, primary: database }, rates, now, cache);
  const heads = createHeads({
    database,
    chainIds: chains.map(({ id }) => id),
    notifications,
    cache: cache.loads("blocks", "bitcoin_blocks", "chains", "projection_checkpoints", "content_versions"),
    outage,
  });
  heads.onProgress((chainId, progress) => replicas?.requireContent(chainId, progress?.contentVersion));
  // A response must not be cached under a content version that is newer than the values from which it was computed.
  heads.onProgress(cache.invalidate);
  const { labels } = createLabelQueries(queries.names, readLabels(evmChains));
  return {
    name,
    chains,
    control,
    reader,
    queries,
    labels,
    heads,
    outage,
    poolSize: database.poolSize,
    async close() {
      heads.stop();
      await Promise.all([queries.uncachedMetadata.close(), queries.untouchedBalances.close(), queries.tokenRequests.close()]);
    },
  };
}
