import { type AnyChainConfig, isEvmChain } from "./config/config.ts";
import { databaseOf } from "./config/database-config.ts";
import { DatabaseUnavailable, isUnavailable } from "./database/errors.ts";
import type { PrimaryOutage } from "./database/primary-outage.ts";
import type { Progress, ProgressQueries } from "./domains/ledger/queries/progress.ts";
import { type ChainOfCurrency, chainOfCurrencies, type ReadCloses } from "./domains/prices/queries/rates.ts";
import { abortable } from "./lib/async.ts";
import { groupBy } from "./lib/group-by.ts";
import type { Queries } from "./queries.ts";
import { createShard, type DatabaseConnections, type Shard } from "./shard.ts";

/** A server's databases, each with its chains. */
export interface Shards {
  /** The control database's shard. */
  readonly control: Shard;
  /** All shards, the control database's first. */
  readonly all: readonly Shard[];
  readonly chainOfCurrency: ChainOfCurrency;
  /** A chain's shard. */
  of(chainId: number): Shard;
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
  readonly unavailable: ReadonlySet<number>;
}

/** How long each database may take to respond when all are queried concurrently. */
const queryMilliseconds = 3_000;

/** Awaits work on a database. @throws {DatabaseUnavailable} if it takes too long. */
export const inTime = <Result>(work: Promise<Result>): Promise<Result> =>
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
  const chainOfCurrency = chainOfCurrencies(chains.filter((chain) => isEvmChain(chain)));
  const byChain = new Map<number, Shard>();
  const create = (name: string | null, opened: DatabaseConnections): Shard => {
    const chainsOfShard = chains.filter((chain) => databaseOf(chain) === name);
    /** Reads a chain's rates from another database; they are unknown while that database does not respond. */
    const remoteCloses = (chainId: number): ReadCloses | undefined => {
      const source = byChain.get(chainId);
      if (source === undefined || source === shard) return undefined;
      return (_, spans, lookups) =>
        source.queries.prices.closes(chainId, spans, lookups).catch((error: unknown) => {
          if (!isUnavailable(error)) throw error;
          return lookups.map(() => null);
        });
    };
    const shard = createShard(name, chainsOfShard, opened, { chainOfCurrency, remoteCloses }, now, outageOf(name, opened));
    for (const { id } of chainsOfShard) byChain.set(id, shard);
    return shard;
  };
  const control = create(null, connections);
  const all = [control, ...Object.entries(others).map(([name, opened]) => create(name, opened))];
  const of: Shards["of"] = (chainId) => byChain.get(chainId) ?? control;
  const isSingle = all.length === 1;
  return {
    control,
    all,
    chainOfCurrency,
    of,
    progressOf: isSingle ? control.heads.progressOf : progressInAll(of),
    queryAll: isSingle ? queryOnly(control) : queryEach(all),
    async close() {
      await Promise.all(all.map((shard) => shard.close()));
    },
  };
}

/** Reads chains' progress from several databases, with one load per database. */
const progressInAll =
  (of: Shards["of"]): ProgressQueries["progressOf"] =>
  async (chainIds) => {
    const [first, ...rest] = chainIds;
    if (first === undefined) return new Map();
    // Most requests read one chain.
    if (rest.length === 0) return of(first).heads.progressOf(chainIds);
    const loads = [...groupBy(chainIds, of)].map(([shard, ids]) => inTime(shard.heads.progressOf(ids)));
    return new Map<number, Progress>((await Promise.all(loads)).flatMap((progress) => [...progress]));
  };

const viewOf = ({ chains, queries: { ledger, network, bitcoin } }: Shard): DatabaseView => ({ chains, ledger, network, bitcoin });

const queryOnly =
  (shard: Shard): Shards["queryAll"] =>
  async (query) => ({ results: [await query(viewOf(shard))], unavailable: new Set() });

const queryEach =
  (all: readonly Shard[]): Shards["queryAll"] =>
  async <Result>(query: (database: DatabaseView) => Promise<Result>): Promise<QueryResults<Result>> => {
    const unavailable = new Set<number>();
    const failures: unknown[] = [];
    const running = all.map(async (shard) => {
      // A database without chains has no results.
      if (shard.chains.length === 0) return [];
      try {
        return [await inTime(query(viewOf(shard)))];
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        failures.push(error);
        for (const { id } of shard.chains) unavailable.add(id);
        return [];
      }
    });
    const results = (await Promise.all(running)).flat();
    if (results.length === 0 && failures.length > 0) throw failures[0];
    return { results, unavailable };
  };
