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

/** The databases of a server, each with its chains. */
export interface Shards {
  /** The shard of the control database. */
  readonly control: Shard;
  /** All shards, that of the control database first. */
  readonly all: readonly Shard[];
  readonly chainOfCurrency: ChainOfCurrency;
  /** The shard of a chain. */
  of(chainId: number): Shard;
  /** The progress of chains, as `Heads` has it. @throws {DatabaseUnavailable} if one of their databases does not respond. */
  readonly progressOf: ProgressQueries["progressOf"];
  /** Runs queries on all databases at once, each for a limited time. @throws {DatabaseUnavailable} if none responds. */
  readonly askAll: <Result>(ask: (database: DatabaseView) => Promise<Result>) => Promise<Asked<Result>>;
  close(): Promise<void>;
}

/** The chains of a database, and the queries of what is not about one chain. */
interface DatabaseView extends Pick<Queries, "ledger" | "network" | "bitcoin"> {
  readonly chains: readonly AnyChainConfig[];
}

/** What the databases returned, and the ids of the chains of those that did not respond. */
interface Asked<Result> {
  readonly results: readonly Result[];
  readonly unavailable: ReadonlySet<number>;
}

/** How long each database may take to respond when all are asked at once. */
const askMilliseconds = 3_000;

/** The result of work on a database. @throws {DatabaseUnavailable} if it takes too long. */
export const inTime = <Result>(work: Promise<Result>): Promise<Result> =>
  abortable(AbortSignal.timeout(askMilliseconds), work).catch((error: unknown) => {
    if (!(error instanceof Error && error.name === "TimeoutError")) throw error;
    throw new DatabaseUnavailable("ETIMEDOUT", `it did not respond within ${askMilliseconds / 1_000} s`);
  });

/** How a database is while its primary is lost: not usable without replicas. */
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
  const create = (name: string | null, to: DatabaseConnections): Shard => {
    const own = chains.filter((chain) => databaseOf(chain) === name);
    /** Reads rates of a chain of another database; they are unknown while that is lost. */
    const elsewhere = (chainId: number): ReadCloses | undefined => {
      const lender = byChain.get(chainId);
      if (lender === undefined || lender === shard) return undefined;
      return (_, spans, lookups) =>
        lender.queries.prices.closes(chainId, spans, lookups).catch((error: unknown) => {
          if (!isUnavailable(error)) throw error;
          return lookups.map(() => null);
        });
    };
    const shard = createShard(name, own, to, { chainOfCurrency, elsewhere }, now, outageOf(name, to));
    for (const { id } of own) byChain.set(id, shard);
    return shard;
  };
  const home = create(null, connections);
  const all = [home, ...Object.entries(others).map(([name, to]) => create(name, to))];
  const of: Shards["of"] = (chainId) => byChain.get(chainId) ?? home;
  const isOne = all.length === 1;
  return {
    control: home,
    all,
    chainOfCurrency,
    of,
    progressOf: isOne ? home.heads.progressOf : progressInAll(of),
    askAll: isOne ? askOnly(home) : askEach(all),
    async close() {
      await Promise.all(all.map((shard) => shard.close()));
    },
  };
}

/** Reads the progress of chains in several databases, each with one load. */
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

const askOnly =
  (shard: Shard): Shards["askAll"] =>
  async (ask) => ({ results: [await ask(viewOf(shard))], unavailable: new Set() });

const askEach =
  (all: readonly Shard[]): Shards["askAll"] =>
  async <Result>(ask: (database: DatabaseView) => Promise<Result>): Promise<Asked<Result>> => {
    const unavailable = new Set<number>();
    const failures: unknown[] = [];
    const asked = all.map(async (shard) => {
      // A database without chains has nothing to say.
      if (shard.chains.length === 0) return [];
      try {
        return [await inTime(ask(viewOf(shard)))];
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        failures.push(error);
        for (const { id } of shard.chains) unavailable.add(id);
        return [];
      }
    });
    const results = (await Promise.all(asked)).flat();
    if (results.length === 0 && failures.length > 0) throw failures[0];
    return { results, unavailable };
  };
