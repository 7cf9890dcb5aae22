import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChainConfig } from "../../../../runtime/config/config.ts";
import { poolsProjection } from "../../../../runtime/domains/pools/projection/index.ts";
import { createComputePricesJob } from "../../../../runtime/domains/prices/jobs/compute-prices/job.ts";
import { discardPrices } from "../../../../runtime/domains/prices/jobs/compute-prices/price-settings.ts";
import { feedsProjection } from "../../../../runtime/domains/prices/projection.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import type { JobContext } from "../../../../runtime/jobs/job.ts";
import { nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { scaleTimeLimit } from "../../../support/scale-time-limit.ts";
import { type Market, midnight, openMarket, unit } from "./market.ts";
import { pricedChain, pricesIn, pricesOfFreshIndex } from "./support.ts";

// Runs the job alone on an idle index; each test controls how the job writes.
let market: Market;
let settings: ChainConfig;
let testDatabase: TestDatabase;

const index = async () => {
  const projections = [tokensProjection, poolsProjection, feedsProjection];
  const indexer = await createTestIndexer(market.chain.url, testDatabase.database, { projections });
  await indexer.runToHead(await market.chain.head());
  await indexer.close();
  // Stores the tokens' decimals as if they had been read.
  await testDatabase.database.query("DELETE FROM node_reads");
  for (const token of [market.usd, market.token, market.other]) {
    await testDatabase.database.query(
      `INSERT INTO token_metadata (chain_id, address, decimals, read_at_block, block_number) VALUES (31337, decode($1, 'hex'), 18, 0, 0)
       ON CONFLICT DO NOTHING`,
      [token.slice(2)],
    );
  }
};
const contextOf = (runExclusiveKeepingCache: JobContext["runExclusiveKeepingCache"]): JobContext => {
  const unexpectedCall = () => Promise.reject(new Error("Unexpected request to the node"));
  return {
    chainId: 31337,
    database: testDatabase.database,
    runExclusiveKeepingCache,
    runExclusive: runExclusiveKeepingCache,
    clock: () => new Date(),
    logger: { info: () => undefined },
    multicall: unexpectedCall,
    source: {
      balances: unexpectedCall,
      runCalls: unexpectedCall,
      hashesOf: unexpectedCall,
      capabilities: {} as JobContext["source"]["capabilities"],
    },
  };
};
const runOnIdleIndex: JobContext["runExclusiveKeepingCache"] = (work) =>
  testDatabase.database.transaction(async (client) => {
    const [head] = await client.query<{ number: number; hash: `0x${string}` }>(
      "SELECT number, hash FROM blocks ORDER BY number DESC LIMIT 1",
    );
    return work(client, { block: head?.number ?? 0, hash: head?.hash ?? "0x" } as never);
  });

beforeAll(async () => {
  market = await openMarket();
  const { exchange, usd } = market;
  settings = pricedChain({ exchanges: [{ name: "swap", factory: exchange.factory }], prices: { stablecoins: [{ token: usd }] } });
  await market.trade("market", midnight, midnight + 40_000);
  await market.chain.mine(midnight + 40_000);
  testDatabase = await createTestDatabase();
  await index();
}, 120_000);

afterAll(async () => {
  await testDatabase?.drop();
  await market?.chain.stop();
});

describe("the compute-prices job", () => {
  it("retries the rows of a failed or rejected write", async () => {
    const job = createComputePricesJob(settings, { bounds: { maxRows: 8, maxMilliseconds: 1_000 } });
    let calls = 0;
    const failingRun: JobContext["runExclusiveKeepingCache"] = (work) => {
      calls += 1;
      if (calls % 20 === 2) return Promise.reject(new Error("The connection was closed."));
      return calls % 20 === 6 ? Promise.resolve(null) : runOnIdleIndex(work);
    };
    let hasMore = true;
    for (let rounds = 0; hasMore && rounds < 500; rounds += 1) {
      hasMore = await job.run(contextOf(failingRun)).catch(() => true);
    }
    expect(hasMore).toBe(false);
    expect(calls).toBeGreaterThan(8);
    expect(await pricesIn(testDatabase.database)).toEqual(await pricesOfFreshIndex(market.chain, settings));
  });

  it("deletes outdated preliminary rows from an earlier process", async () => {
    const swapTime = midnight + 43_200 + 60;
    await market.swap(swapTime, 200_000n * unit, [market.usd, market.token]);
    await market.swap(swapTime + 12, 35_000n * unit, [market.token, market.usd]);
    await index();
    await createComputePricesJob(settings).run(contextOf(runOnIdleIndex));
    // Simulates a preview that wrote the price of a skewed pool in the current hour and day, right after the end of the previous hour.
    const staleAsset = "99".repeat(20);
    const currentHour = "(SELECT 31337 AS chain, hour + 1 AS hour, block_number AS block FROM price_progress ORDER BY hour DESC LIMIT 1) p";
    await testDatabase.database.query(
      `INSERT INTO price_hours SELECT chain, '\\x${staleAsset}', hour, 9, 9, 9, 9, block FROM ${currentHour}`,
    );
    await testDatabase.database.query(
      `INSERT INTO price_days SELECT chain, '\\x${staleAsset}', hour / 24, 9, 9, 9, 9, block FROM ${currentHour}`,
    );
    await testDatabase.database.query(`INSERT INTO priced_assets SELECT chain, '\\x${staleAsset}', hour, block FROM ${currentHour}`);
    expect(
      Object.values(await pricesIn(testDatabase.database))
        .flat()
        .filter((line) => line.includes(staleAsset)),
    ).toHaveLength(3);
    await createComputePricesJob(settings).run(contextOf(runOnIdleIndex));
    expect(await pricesIn(testDatabase.database)).toEqual(await pricesOfFreshIndex(market.chain, settings));
  });

  it("fails without waiting while an operator deletes prices, and succeeds afterwards", async () => {
    await expect(
      testDatabase.database.transaction(async (client) => {
        await discardPrices(client, 31337, null);
        // The timeout is longer than the job may wait.
        const timeout = new Promise((_, reject) => setTimeout(() => reject(new Error("The job waited for the deletion")), 5_000).unref());
        await Promise.race([createComputePricesJob(settings).run(contextOf(runOnIdleIndex)), timeout]);
      }),
    ).rejects.toThrow("Cannot write prices of chain 31337: another process is discarding them.");
    await createComputePricesJob(settings).run(contextOf(runOnIdleIndex));
    expect(await pricesIn(testDatabase.database)).toEqual(await pricesOfFreshIndex(market.chain, settings));
  }, 30_000);

  it("previews prices only after a change, and writes nothing without configuration", async () => {
    let writes = 0;
    const countingRun: JobContext["runExclusiveKeepingCache"] = (work) => {
      writes += 1;
      return runOnIdleIndex(work);
    };
    const job = createComputePricesJob(settings);
    for (let run = 0; run < 5; run += 1) await job.run(contextOf(countingRun));
    expect(writes).toBe(1);
    const unconfigured = pricedChain({});
    expect(await pricesOfFreshIndex(market.chain, unconfigured)).toMatchObject({ price_hours: [], price_days: [], priced_assets: [] });
  });

  it("yields to other jobs while it skips years without evidence", async () => {
    // The operator's price file starts in 1970; the first pool has liquidity 60 years later.
    await testDatabase.drop();
    testDatabase = await createTestDatabase();
    await testDatabase.database.query("INSERT INTO price_imports VALUES (31337, decode($1, 'hex'), 0, 5)", [nativeTokenAddress.slice(2)]);
    await index();
    let longest = 0;
    let tick = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - tick);
      tick = performance.now();
    }, 1);
    const job = createComputePricesJob(settings);
    for (let rounds = 0; (await job.run(contextOf(runOnIdleIndex))) && rounds < 1_000; rounds += 1);
    clearInterval(timer);
    expect((await pricesIn(testDatabase.database)).price_hours?.filter((line) => line.includes("eeee"))).toHaveLength(1);
    expect(longest).toBeLessThan(scaleTimeLimit(400));
  }, 60_000);
});
