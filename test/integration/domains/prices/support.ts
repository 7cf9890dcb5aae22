import { type ChainConfig, chainConfigSchema } from "../../../../runtime/config/config.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { poolsProjection } from "../../../../runtime/domains/pools/projection/index.ts";
import { createComputePricesJob, type PriceJobOptions } from "../../../../runtime/domains/prices/jobs/compute-prices/job.ts";
import { feedsProjection } from "../../../../runtime/domains/prices/projection.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { tokenMetadataRead } from "../../../../runtime/domains/tokens/projection/metadata-reads.ts";
import { createChainScheduler } from "../../../../runtime/jobs/chain-scheduler.ts";
import type { Job } from "../../../../runtime/jobs/job.ts";
import { createNodeReadScheduler } from "../../../../runtime/jobs/node-reads.ts";
import type { TestChain } from "../../../support/chain.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { createTestIndexer, runInBackground } from "../../../support/indexer/support.ts";
import { until } from "../../../support/until.ts";

const multicallAddress = "0xca11bde05977b3631167028862be2a173976ca11";

/** A test chain's configuration with prices. */
export const pricedChain = (settings: Record<string, unknown>): ChainConfig => ({
  ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: "http://127.0.0.1:1", ...settings }),
  id: 31337,
});

/** An index that follows a chain and computes prices on demand. */
export interface Pricing {
  /** The jobs' info messages. */
  readonly notes: string[];
  readonly warnings: string[];
  /** Waits until the node's head is indexed, then runs the jobs until all prices are computed, or `maxRounds` times. */
  computeAll(maxRounds?: number): Promise<void>;
  /** Discards the jobs' state, as a restart does. */
  restartJobs(): void;
  end(): Promise<void>;
}

/** Starts an index that follows a chain, with the price job or with other jobs. */
export const startPricing = async (
  chain: TestChain,
  database: Database,
  settings: ChainConfig,
  createJobs: () => readonly Job[] = () => [createComputePricesJob(settings)],
): Promise<Pricing> => {
  const running = await createTestIndexer(chain.url, database, {
    projections: [tokensProjection, poolsProjection, feedsProjection],
    chain: { id: 31337, name: "test", from: 0, wrappedNative: settings.wrappedNative, nativeAccounting: "traces", pollMilliseconds: 20 },
  });
  const end = runInBackground(running);
  const notes: string[] = [];
  const warnings: string[] = [];
  const { indexer, source } = running;
  const isReady = () => indexer.status().isLeading && indexer.status().isFollowing && indexer.status().catchingUp.length === 0;
  const logger = { info: (message: string) => notes.push(message), warn: (message: string) => warnings.push(message) };
  const worker = createNodeReadScheduler({
    chainName: "test",
    chainId: 31337,
    database,
    source,
    reads: [tokenMetadataRead],
    multicallAddress,
    clock: () => new Date(),
    logger,
    isLeading: () => true,
  });
  const stop = new AbortController();
  const workerRun = worker.run(stop.signal);
  const startScheduler = () =>
    createChainScheduler({
      chainName: "test",
      chainId: 31337,
      database,
      source,
      jobs: createJobs().map((job) => ({ ...job, intervalMilliseconds: 0 })),
      multicallAddress,
      runExclusive: indexer.runExclusive,
      runExclusiveKeepingCache: indexer.runExclusiveKeepingCache,
      isReady,
      clock: () => new Date(),
      logger,
    });
  let scheduler = startScheduler();
  return {
    notes,
    warnings,
    computeAll: async (maxRounds = 500) => {
      const head = await chain.head();
      await until("the index to reach the head", () => isReady() && indexer.status().block === head);
      await until("token metadata to be read", async () => (await database.query("SELECT FROM node_reads LIMIT 1")).length === 0);
      for (let rounds = 0; rounds < maxRounds && (await scheduler.runDue()); rounds += 1);
    },
    restartJobs: () => {
      scheduler = startScheduler();
    },
    end: async () => {
      stop.abort();
      await Promise.all([end(), workerRun]);
    },
  };
};

/** Returns all rows of the price computation, including block numbers. */
export const pricesIn = async (database: Database): Promise<Record<string, string[]>> => {
  const tables: Record<string, string[]> = {};
  for (const table of ["price_hours", "price_days", "priced_assets"]) {
    const rows = await database.query<{ line: string }>(`SELECT t::text COLLATE "C" AS line FROM ${table} t ORDER BY 1`);
    tables[table] = rows.map(({ line }) => line);
  }
  const [last] = await database.query<{ line: string }>(`SELECT t::text AS line FROM price_progress t ORDER BY hour DESC LIMIT 1`);
  return { ...tables, progress: [last?.line ?? "none"] };
};

/** Returns the prices of an index that is built in one run from the current chain. */
export const pricesOfFreshIndex = async (
  chain: TestChain,
  settings: ChainConfig,
  options: PriceJobOptions = {},
): Promise<Record<string, string[]>> => {
  const testDatabase = await createTestDatabase();
  const pricing = await startPricing(chain, testDatabase.database, settings, () => [createComputePricesJob(settings, options)]);
  try {
    await pricing.computeAll();
    return await pricesIn(testDatabase.database);
  } finally {
    await pricing.end();
    await testDatabase.drop();
  }
};
