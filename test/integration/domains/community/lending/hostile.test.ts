import { toEventSelector } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Address, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf, type ItemsOf, insertTokens } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { contracts } from "./contracts.ts";
import { type LendingMarket, startLending } from "./market.ts";
import { configurationOf } from "./story.ts";
import { viewsOf } from "./views.ts";

const protocol = builtInProtocol("protocol_01");
const maxUint = 2n ** 256n - 1n;
const ray = 10n ** 27n;

let chain: TestChain;
let market: LendingMarket;
let impostor: Address;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let itemsOf: ItemsOf;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startLending(chain);
  impostor = await chain.deploy(contracts("Impostor"));
  testDatabase = await createTestDatabase();
  const { pool, configurator, configurator_v2 } = configurationOf(market).protocol_01;
  const community = { protocol_01: { pool: [...pool, impostor], configurator: [...configurator, impostor], configurator_v2 } };
  index = await startCommunityIndex(chain, testDatabase.database, { protocols: [protocol], community });
  itemsOf = createItemsOf(testDatabase.database, protocol);
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

const asImpostor = async (name: string, args: readonly unknown[]): Promise<void> => {
  await chain.send(encodeCall(contracts("Impostor"), impostor, name, args));
};

/** Mines the sent transactions, waits until they are indexed, and returns the head. */
const mineAndSync = async (): Promise<number> => {
  await chain.mine();
  await index.sync();
  return chain.head();
};

const marketOf = async (aToken: Address, height: number) =>
  (await itemsOf("market_data", { height })).find(({ pool_address }) => pool_address === aToken);

describe("protocol 01 with an impostor among its contracts", () => {
  it("returns reserves whose contracts return nothing or the largest number", async () => {
    const [asset, account] = [market.coins[0]?.address as Address, chain.accounts[7] as Address];
    await asImpostor("announce", [asset, impostor, account]);
    await asImpostor("announce", [asset, account, zeroAddress]);
    const height = await mineAndSync();
    expect(await marketOf(impostor, height)).toMatchObject({ total_supply: String(maxUint), total_borrow: null, borrow_rate: null });
    // An account without code returns no pool.
    expect(await marketOf(account, height)).toMatchObject({ total_supply: null, supply_rate: null, available_liquidity: null });
  });

  it("multiplies the largest numbers, and returns null for a balance that changed at index 0", async () => {
    const [first, second, third] = chain.accounts.slice(6) as [Address, Address, Address];
    await asImpostor("mint", [first, maxUint, 0n, ray]);
    await asImpostor("mint", [second, 5n, 0n, 0n]);
    // The minted amount is less than the interest: the scaled balance falls below zero.
    await asImpostor("mint", [third, 1n, maxUint, ray]);
    const before = await mineAndSync();
    const balance = async (wallet: Address, height: number) => (await itemsOf("balances", { wallet, height })).map((item) => item.balance);
    expect(await balance(first, before)).toEqual([String(maxUint)]);
    expect(await balance(second, before)).toEqual([null]);
    expect(await balance(third, before)).toEqual([null]);
    await asImpostor("update", [market.coins[0]?.address, maxUint, maxUint]);
    const height = await mineAndSync();
    // (2^256 - 1)^2 / 10^27, rounded half up, in the block of the update.
    expect(await balance(first, height)).toEqual([String((maxUint * maxUint + ray / 2n) / ray)]);
    expect((await itemsOf("markets", { height })).length).toBe(6);
  });

  it("counts logs that do not encode their event, and still returns the other reserves", async () => {
    const topic = toEventSelector("ReserveDataUpdated(address,uint256,uint256,uint256,uint256,uint256)");
    await asImpostor("garbage", [topic, "0x01"]);
    await asImpostor("garbage", [toEventSelector("Mint(address,address,uint256,uint256,uint256)"), `0x${"ff".repeat(96)}`]);
    const height = await mineAndSync();
    const skipped = await testDatabase.database.query<{ table_name: string }>("SELECT table_name FROM cq_protocol_01.skipped ORDER BY 1");
    expect(skipped.map(({ table_name }) => table_name)).toEqual(["a_token_changes", "reserve_updates"]);
    for (const reserve of market.reserves) {
      const { supplied } = await viewsOf(chain).reserveAt(reserve, height);
      expect(await marketOf(reserve.aToken, height)).toMatchObject({ total_supply: String(supplied) });
    }
  });
});

describe("a reserve of protocol 01", () => {
  it("has no values if its asset has no plausible decimals", async () => {
    const [{ aToken, coin, pool }] = market.reserves as [LendingMarket["reserves"][0]];
    const [from] = market.people as [Address];
    await insertTokens(testDatabase.database, [{ address: coin.address, name: "Odd", decimals: null }]);
    await chain.send({ from, ...encodeCall(contracts("LendingPool"), pool, "supply", [coin.address, 1_000n, from, 0]) });
    const height = await mineAndSync();
    expect(await marketOf(aToken, height)).toMatchObject({ total_supply: "1000", asset_decimals: null, total_supply_quote: null });
    expect(await itemsOf("balances", { wallet: from, height })).toMatchObject([{ balance: "1000", contract_decimals: null, quote: null }]);
  });

  it("has no borrow rate while nothing can be borrowed", async () => {
    for (const { configurator, address } of market.pools) {
      const { aToken, coin } = market.reserves.find(({ pool }) => pool === address) as LendingMarket["reserves"][0];
      const before = await chain.head();
      await chain.send(encodeCall(contracts("LendingConfigurator"), configurator, "setBorrowable", [coin.address, false]));
      const height = await mineAndSync();
      expect(await marketOf(aToken, before)).toMatchObject({ total_borrow: "0", borrow_rate: expect.any(Number), utilization_rate: 0 });
      expect(await marketOf(aToken, height)).toMatchObject({ total_borrow: null, borrow_rate: null, utilization_rate: null });
    }
  });

  it("is not listed after it was dropped", async () => {
    const [, { aToken, coin, pool }] = market.reserves as [LendingMarket["reserves"][0], LendingMarket["reserves"][0]];
    const configurator = market.pools.find(({ address }) => address === pool)?.configurator as Address;
    const before = await chain.head();
    await chain.send(encodeCall(contracts("LendingConfigurator"), configurator, "dropReserve", [coin.address]));
    const height = await mineAndSync();
    expect(await marketOf(aToken, before)).toBeDefined();
    expect(await marketOf(aToken, height)).toBeUndefined();
  });
});
