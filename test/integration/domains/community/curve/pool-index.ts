import { expect } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import { nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf, type ItemsOf, insertTokens, type OperationParameters, timeOf } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { type StableMarket, type StablePool, startStableMarket } from "./market.ts";
import { type PoolState, readState } from "./views.ts";

const stepCount = 10;
const secondsPerDay = 86_400;

/** An index of stable-swap pools that were used for 50 days. */
export interface StableIndex {
  readonly chain: TestChain;
  readonly market: StableMarket;
  readonly testDatabase: TestDatabase;
  readonly index: CommunityIndex;
  readonly head: number;
  /** Heights at which responses are compared with the pools. */
  readonly heights: readonly number[];
  itemsOf(operation: string, parameters?: Partial<OperationParameters>): ReturnType<ItemsOf>;
  stateAt(pool: StablePool, height: number): Promise<PoolState>;
  poolOf(item: Readonly<Record<string, unknown>>): StablePool;
  /** The US dollar value of amounts of a pool's coins; null if the price of a coin whose amount is not 0 is unknown. */
  valueAt(pool: StablePool, amounts: readonly bigint[]): number | null;
  end(): Promise<void>;
}

/** The contracts of protocol 05 that an operator configures. */
export const contractsOf = ({ registry, plain, ether, hostile }: StableMarket) => ({
  protocol_05: { registry: [registry], pool: [plain.address, ether.address, hostile] },
});

/** Starts a chain with pools, uses them for 50 days, and indexes protocol 05. */
export const startStableIndex = async (seed: string): Promise<StableIndex> => {
  const random = createRandom(seed);
  const chain = await startTestChain();
  const market = await startStableMarket(chain);
  const testDatabase = await createTestDatabase();
  const protocol = builtInProtocol("protocol_05");
  const index = await startCommunityIndex(chain, testDatabase.database, { protocols: [protocol], community: contractsOf(market) });
  const start = (await timeOf(chain, await chain.head())) + secondsPerDay;
  for (let step = 0; step < stepCount; step += 1) {
    await chain.send(...Array.from({ length: random.between(4, 9) }, () => market.randomTransaction(random)));
    await chain.mine(start + step * 5 * secondsPerDay);
  }
  await index.sync();
  const head = await chain.head();
  const { dollar, euro, odd } = market.tokens;
  const pricedTokens = new Map([
    [dollar, { decimals: 6, price: 1 }],
    [euro, { decimals: 18, price: 1.25 }],
    [odd, { decimals: 2, price: 4 }],
    [nativeTokenAddress, { decimals: 18, price: 1_000 }],
  ]);
  await insertTokens(testDatabase.database, [
    { address: dollar, name: "Dollar", decimals: 6, price: 1 },
    { address: euro, name: "Euro", decimals: 18, price: 1.25 },
    { address: odd, name: "Odd", decimals: 2, price: 4 },
    ...market.pools.map(({ shares }) => ({ address: shares, name: "Share", decimals: 18 })),
  ]);
  await insertNativePrice(testDatabase, 1_000);
  const run = createItemsOf(testDatabase.database, protocol);
  return {
    chain,
    market,
    testDatabase,
    index,
    head,
    heights: [0, 2, 4, 7, stepCount].map((step) => head - stepCount + step),
    itemsOf: (operation, parameters = {}) => run(operation, { height: head, ...parameters }),
    stateAt: (pool, height) => readState(chain, pool, height),
    poolOf: ({ pool_address }) => market.pools.find(({ address }) => address === pool_address) as StablePool,
    valueAt: ({ coins }, amounts) =>
      coins.reduce<number | null>((sum, coin, position) => {
        const amount = amounts[position] ?? 0n;
        const token = pricedTokens.get(coin);
        if (amount === 0n || sum === null) return sum;
        return token === undefined ? null : sum + (Number(amount) / 10 ** token.decimals) * token.price;
      }, 0),
    end: async () => {
      await index.end();
      await testDatabase.drop();
      await chain.stop();
    },
  };
};

const insertNativePrice = async ({ database }: TestDatabase, price: number): Promise<void> => {
  const native = [31337, Buffer.from(nativeTokenAddress.slice(2), "hex")];
  await database.query("INSERT INTO priced_assets VALUES ($1, $2, 0, 1)", native);
  await database.query("INSERT INTO price_hours VALUES ($1, $2, 0, $3, $3, $3, $3, 1)", [...native, `${price}e-18`]);
};

/** Expects a number that differs only by rounding errors, or null if null is expected. */
export const expectNear = (actual: unknown, expected: number | null, label: string): void => {
  if (expected === null) expect(actual, label).toBeNull();
  else
    expect(Math.abs((actual as number) - expected), `${label}: ${actual} for ${expected}`).toBeLessThanOrEqual(Math.abs(expected) * 1e-9);
};
