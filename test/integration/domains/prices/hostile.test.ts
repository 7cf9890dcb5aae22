import { encodeAbiParameters, numberToHex, pad } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChainConfig } from "../../../../runtime/config/config.ts";
import { feedAnswer } from "../../../../runtime/events/feeds.ts";
import { pairCreated, pairSync } from "../../../../runtime/events/pools.ts";
import { type Address, type Hex, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { emit } from "../pools/support.ts";
import { type Market, midnight, openMarket } from "./market.ts";
import { type Pricing, pricedChain, startPricing } from "./support.ts";

// Contracts emit incorrect events; the pools of the market have known prices.
let market: Market;
let testDatabase: TestDatabase;
let pricing: Pricing;
let settings: ChainConfig;
const address = (digits: string): Address => `0x${digits.repeat(20)}`;
const [feed, otherContract, impostor, unlistedPool, excessive, giantFactory, giant] = ["f1", "f2", "1d", "3d", "4d", "5d", "6d"].map(
  address,
) as [Address, Address, Address, Address, Address, Address, Address];
const encodeWords = (...values: bigint[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: "uint256" })),
    values,
  );
const emitAnswer = (aggregator: Address, value: bigint) =>
  emit(market.chain, aggregator, [feedAnswer.topic0, numberToHex(BigInt.asUintN(256, value), { size: 32 }), pad("0x1")], encodeWords(2n));
const announce = (factory: Address, pool: Address, [first, second]: readonly [Address, Address]) =>
  emit(market.chain, factory, [pairCreated.topic0, pad(first), pad(second)], `${pad(pool)}${encodeWords(1n).slice(2)}`);
const sync = (pool: Address, reserves: readonly [bigint, bigint]) => emit(market.chain, pool, [pairSync.topic0], encodeWords(...reserves));
/** Sets the next block's time. */
const setNextBlockTime = (time: number) => market.chain.rpc("evm_setNextBlockTimestamp", [time]);
const priceOf = async (asset: Address): Promise<string | null> => {
  const [row] = await testDatabase.database.query<{ close: string | null }>(
    "SELECT close FROM price_hours WHERE asset = decode($1, 'hex') ORDER BY hour DESC LIMIT 1",
    [asset.slice(2)],
  );
  return row?.close ?? null;
};
/** Advances the chain by an hour and computes all prices. */
const passHour = async (): Promise<void> => {
  const { timestamp } = await market.chain.rpc<{ timestamp: string }>("eth_getBlockByNumber", ["latest", false]);
  await market.chain.mine(Number(timestamp) + 3_600);
  await pricing.computeAll();
};
const fourDollars = "0.000000000000000004";

beforeAll(async () => {
  market = await openMarket();
  const { chain, exchange, usd } = market;
  settings = pricedChain({
    exchanges: [
      { name: "swap", factory: exchange.factory },
      { name: "giant", factory: giantFactory },
    ],
    prices: { feeds: [{ of: "native", aggregators: [feed] }], stablecoins: [{ token: usd }, { token: excessive }] },
  });
  await chain.mine(midnight);
  testDatabase = await createTestDatabase();
  pricing = await startPricing(chain, testDatabase.database, settings);
}, 120_000);

afterAll(async () => {
  await pricing?.end();
  await testDatabase?.drop();
  await market?.chain.stop();
});

describe("prices with hostile contracts", () => {
  it("are not set by pools of an unconfigured factory, regardless of the reserves they claim", async () => {
    const { usd, token } = market;
    const tokens = [usd, token].sort() as [Address, Address];
    await announce(impostor, unlistedPool, tokens);
    await sync(unlistedPool, [2n ** 112n - 1n, 2n ** 100n]);
    await emit(market.chain, otherContract, [pairSync.topic0], encodeWords(2n ** 112n - 1n, 1n));
    await passHour();
    expect(await priceOf(token)).toBe(fourDollars);
    expect(await priceOf(unlistedPool)).toBeNull();
  });

  it("are not set by a pool of the configured factory that another factory announces", async () => {
    // The pair has emitted an event, so no other factory can claim it.
    await announce(impostor, market.pairs[0], [unlistedPool, market.token]);
    await passHour();
    expect(await priceOf(market.token)).toBe(fourDollars);
  });

  it("are not set by answers from contracts that are not feeds", async () => {
    await emitAnswer(otherContract, 5_000_00000000n);
    await passHour();
    expect(await priceOf(nativeTokenAddress)).toBeNull();
    await emitAnswer(feed, 2_000_00000000n);
    await emitAnswer(otherContract, 5_000_00000000n);
    await passHour();
    expect(await priceOf(nativeTokenAddress)).toBe("0.000000000000002");
  });

  it.each([-(2n ** 255n), -1n, 0n])("are unknown after the feed answer %s", async (value) => {
    await emitAnswer(feed, 2_000_00000000n);
    await passHour();
    expect(await priceOf(nativeTokenAddress)).toBe("0.000000000000002");
    await emitAnswer(feed, value);
    await passHour();
    expect(await priceOf(nativeTokenAddress)).toBeNull();
  });

  it("are not set by logs with a feed answer's topic but a different layout", async () => {
    await emitAnswer(feed, 2_000_00000000n);
    // The value is in the data, as in an event without indexed parameters.
    await emit(market.chain, feed, [feedAnswer.topic0], encodeWords(7n, 1n, 2n));
    await emit(market.chain, feed, [feedAnswer.topic0, pad("0x7"), pad("0x1")], "0x");
    await passHour();
    expect(await priceOf(nativeTokenAddress)).toBe("0.000000000000002");
  });

  it("remain correct with the maximum reserves, larger ones, and a stablecoin with 255 decimals", async () => {
    const { usd } = market;
    await testDatabase.database.query(
      `INSERT INTO token_metadata (chain_id, address, decimals, read_at_block, block_number) VALUES (31337, decode($1, 'hex'), 255, 0, 0)
       ON CONFLICT (chain_id, address) DO UPDATE SET decimals = 255`,
      [excessive.slice(2)],
    );
    const isFirst = usd < unlistedPool;
    await announce(giantFactory, giant, (isFirst ? [usd, unlistedPool] : [unlistedPool, usd]) as [Address, Address]);
    await announce(giantFactory, address("7d"), [excessive, market.token].sort() as [Address, Address]);
    await setNextBlockTime(midnight + 100_000);
    await sync(giant, isFirst ? [2n ** 112n - 1n, 1n] : [1n, 2n ** 112n - 1n]);
    await sync(address("7d"), [2n ** 112n - 1n, 2n ** 112n - 1n]);
    await sync(giant, [2n ** 112n, 2n ** 255n]);
    await passHour();
    // 2^112 - 1 smallest units of the dollar per unit of the other token: 5192296858534827.628530496329220095 dollars.
    expect(await priceOf(unlistedPool)).toBe("5192296858534827.628530496329220095");
    expect(await priceOf(market.token)).toBe(fourDollars);
    expect(pricing.notes.filter((note) => !note.startsWith("Computed prices"))).toEqual([]);
    expect(pricing.warnings).toEqual([]);
  });
});
