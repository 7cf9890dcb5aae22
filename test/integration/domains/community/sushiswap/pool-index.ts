import { expect } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import { poolsProjection } from "../../../../../runtime/domains/pools/projection/index.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf, type ItemsOf, insertTokens, type OperationParameters, timeOf } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { type ExchangeMarket, startExchangeMarket } from "./exchange-market.ts";
import { type Pool, readPool } from "./views.ts";

const stepCount = 10;
export const secondsPerDay = 86_400;
/** The decimals of all tokens except the odd one. */
export const decimals = 18;
/** US dollars per whole token. */
const prices = { gold: 3, silver: 2 } as const;

/** An index of two exchanges' pools, used for 50 days. */
export interface PoolIndex {
  readonly chain: TestChain;
  readonly market: ExchangeMarket;
  readonly testDatabase: TestDatabase;
  readonly index: CommunityIndex;
  readonly head: number;
  /** Heights at which responses are compared with the pools. */
  readonly heights: readonly number[];
  /** An operation's items, at the head if no height is given. */
  itemsOf(operation: string, parameters?: Partial<OperationParameters>): ReturnType<ItemsOf>;
  poolAt(pool: Address, height: number): Promise<Pool>;
  /** US dollars per whole token; null if unknown. */
  priceOf(token: Address): number | null;
  /** The value of reserves in US dollars; null if a price is unknown. */
  valueOfReserves(pool: Pick<Pool, "tokens" | "reserves">): number | null;
  end(): Promise<void>;
}

/** Starts a chain with exchanges, uses their pools for 50 days, and indexes protocol 07. */
export const startPoolIndex = async (seed: string): Promise<PoolIndex> => {
  const random = createRandom(seed);
  const chain = await startTestChain();
  const market = await startExchangeMarket(chain);
  const testDatabase = await createTestDatabase();
  const protocol = builtInProtocol("protocol_07");
  const community = { protocol_07: { factory: [market.plain.factory, market.taxed.factory] } };
  const index = await startCommunityIndex(chain, testDatabase.database, {
    protocols: [protocol],
    community,
    projections: [poolsProjection],
  });
  const start = (await timeOf(chain, await chain.head())) + secondsPerDay;
  for (let step = 0; step < stepCount; step += 1) {
    await chain.send(...Array.from({ length: random.between(4, 9) }, () => market.randomTransaction(random)));
    await chain.mine(start + step * 5 * secondsPerDay);
  }
  await index.sync();
  const head = await chain.head();
  const { gold, silver, dust, odd } = market.tokens;
  await insertTokens(testDatabase.database, [
    { address: gold, name: "Gold", decimals, price: prices.gold },
    { address: silver, name: "Silver", decimals, price: prices.silver },
    { address: dust, name: "Dust", decimals },
    { address: odd, name: "Odd", decimals: null },
    ...market.pools.map((address) => ({ address, name: "Pool", decimals })),
  ]);
  const run = createItemsOf(testDatabase.database, protocol);
  const priceOf = (token: Address): number | null => (token === gold ? prices.gold : token === silver ? prices.silver : null);
  return {
    chain,
    market,
    testDatabase,
    index,
    head,
    heights: [0, 2, 4, 7, stepCount].map((step) => head - stepCount + step),
    itemsOf: (operation, parameters = {}) => run(operation, { height: head, ...parameters }),
    poolAt: (pool, height) => readPool(chain, pool, height),
    priceOf,
    valueOfReserves: ({ tokens, reserves }) => {
      const [first, second] = tokens.map(priceOf);
      return first == null || second == null ? null : (Number(reserves[0]) * first + Number(reserves[1]) * second) / 10 ** decimals;
    },
    end: async () => {
      await index.end();
      await testDatabase.drop();
      await chain.stop();
    },
  };
};

/** Expects a number that differs only by rounding errors, or null if null is expected. */
export const expectNear = (actual: unknown, expected: number | null, label: string): void => {
  if (expected === null) expect(actual, label).toBeNull();
  else
    expect(Math.abs((actual as number) - expected), `${label}: ${actual} for ${expected}`).toBeLessThanOrEqual(Math.abs(expected) * 1e-9);
};
