import { type AnyChainConfig, isEvmChain } from "./config/config.ts";
import { databaseNameOf } from "./config/database-config.ts";
import { DatabaseUnavailable, isUnavailable } from "./database/errors.ts";
import type { PrimaryOutage } from "./database/primary-outage.ts";
import type { IndexProgress, ProgressQueries } from "./domains/ledger/queries/progress.ts";
import { type ChainOfCurrency, createChainOfCurrency, type ReadClosingPrices } from "./domains/prices/queries/rates.ts";
import { abortable } from "./lib/async.ts";
import { groupBy } from "./lib/group-by.ts";
import type { Queries } from "./queries.ts";
import { createShard, type DatabaseConnections, type Shard } from "./shard.ts";

/** A server's databases, each with its chains. */
export interface Shards {
  /** The control database's shard. */
  readonly controlShard: Shard;
  /** All shards, the control database's first. */
  readonly all: readonly Shard[];
  readonly chainOfCurrency: ChainOfCurrency;
  /** A chain's shard. */
  shardOf(chainId: number): Shard;
  /** Chains' progress, as tracked by `Heads`. @throws {DatabaseUnavailable} if one of their databases does not respond. */
  readonly progressOf: ProgressQueries["progressOf"];
  /** Runs queries on all databases concurrently, each for a limited time. @throws {DatabaseUnavailable} if none responds. */
  readonly queryAll: <Result>(query: (database: DatabaseView) => Promise<Result>) => Promise<QueryResults<Result>>;
  close(): Promise<void>;
}

/** A database's chains, and its queries for requests without a chain. */
interface DatabaseView extends Pick<Queries, "ledger" | "network" | "bitcoin"> {
  readonly chains: readonly AnyChainConfig[];
}

/** The results from the databases that responded, and the ids of the other databases' chains. */
interface QueryResults<Result> {
  readonly results: readonly Result[];
  readonly unavailableChainIds: ReadonlySet<number>;
}

/** How long each database may take to respond when all are queried concurrently. */
const queryMilliseconds = 3_000;

/** Awaits work on a database. @throws {DatabaseUnavailable} if it takes too long. */
export const withTimeout = <Result>(work: Promise<Result>): Promise<Result> =>
  abortable(AbortSignal.timeout(queryMilliseconds), work).catch((error: unknown) => {
    if (!(error instanceof Error && error.name === "TimeoutError")) throw error;
    throw new DatabaseUnavailable("ETIMEDOUT", `it did not respond within ${queryMilliseconds / 1_000} s`);
  });

/** A database's outage tracker; without replicas, the database is unusable while its primary is lost. */
export type OutageOf = (name: string | null, connections: DatabaseConnections) => PrimaryOutage;

/** Creates the shards: the chains without the setting `database` are in the control database. */
export function createShards(
  chains: readonly AnyChainConfig[],
  connections: DatabaseConnections,
  others: Readonly<Record<string, DatabaseConnections>>,
  now: () => Date,
  outageOf: OutageOf,
): Shards {
  const chainOfCurrency = createChainOfCurrency(chains.filter((chain) => isEvmChain(chain)));
  const byChain = new Map<number, Shard>();
  const create = (name: string | null, opened: DatabaseConnections): Shard => {
    const chainsOfShard = chains.filter((chain) => databaseNameOf(chain) === name);
    /** Reads a chain's rates from another database; they are unknown while that database does not respond. */
    const remoteClosingPrices = (chainId: number): ReadClosingPrices | undefined => {
      const source = byChain.get(chainId);
      if (source === undefined || source === shard) return undefined;
      return (_, spans, lookups) =>
        source.queries.prices.closingPrices(chainId, spans, lookups).catch((error: unknown) => {
          if (!isUnavailable(error)) throw error;
          return lookups.map(() => null);
        });
    };
    const shard = createShard(name, chainsOfShard, opened, { chainOfCurrency, remoteClosingPrices }, now, outageOf(name, opened));
    for (const { id } of chainsOfShard) byChain.set(id, shard);
    return shard;
  };
  const control = create(null, connections);
  const all = [control, ...Object.entries(others).map(([name, opened]) => create(name, opened))];
  const shardOf: Shards["shardOf"] = (chainId) => byChain.get(chainId) ?? control;
  const isSingle = all.length === 1;
  return {
    controlShard: control,
    all,
    chainOfCurrency,
    shardOf,
    progressOf: isSingle ? control.heads.progressOf : progressInAll(shardOf),
    queryAll: isSingle ? queryOnly(control) : queryEach(all),
    async close() {
      await Promise.all(all.map((shard) => shard.close()));
    },
  };
}

/** Reads chains' progress from several databases, with one load per database. */
const progressInAll =
  (shardOf: Shards["shardOf"]): ProgressQueries["progressOf"] =>
  async (chainIds) => {
    const [first, ...rest] = chainIds;
    if (first === undefined) return new Map();
    // Most requests read one chain.
    if (rest.length === 0) return shardOf(first).heads.progressOf(chainIds);
    const loads = [...groupBy(chainIds, shardOf)].map(([shard, ids]) => withTimeout(shard.heads.progressOf(ids)));
    return new Map<number, IndexProgress>((await Promise.all(loads)).flatMap((progress) => [...progress]));
  };

const viewOf = ({ chains, queries: { ledger, network, bitcoin } }: Shard): DatabaseView => ({ chains, ledger, network, bitcoin });

const queryOnly =
  (shard: Shard): Shards["queryAll"] =>
  async (query) => ({ results: [await query(viewOf(shard))], unavailableChainIds: new Set() });

const queryEach =
  (all: readonly Shard[]): Shards["queryAll"] =>
  async <Result>(query: (database: DatabaseView) => Promise<Result>): Promise<QueryResults<Result>> => {
    const unavailableChainIds = new Set<number>();
    const failures: unknown[] = [];
    const running = all.map(async (shard) => {
      // A database without chains has no results.
      if (shard.chains.length === 0) return [];
      try {
        return [await withTimeout(query(viewOf(shard)))];
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        failures.push(error);
        for (const { id } of shard.chains) unavailableChainIds.add(id);
        return [];
      }
    });
    const results = (await Promise.all(running)).flat();
    if (results.length === 0 && failures.length > 0) throw failures[0];
    return { results, unavailableChainIds };
  };
