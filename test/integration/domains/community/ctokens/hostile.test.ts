import { toEventSelector } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProtocolStatusQueries } from "../../../../../runtime/domains/community/queries/status.ts";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf, type ItemsOf, insertTokens } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { type CTokenMarkets, readAt, startCTokenMarkets, variants } from "./market.ts";

const id = "protocol_04";
const largest = 2n ** 256n - 1n;

let chain: TestChain;
let market: CTokenMarkets;
let hostile: Address;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let itemsOf: ItemsOf;
let height: number;

const word = (value: bigint | Address): Hex => `0x${BigInt(value).toString(16).padStart(64, "0")}`;
const words = (...values: readonly (bigint | Address)[]): Hex => `0x${values.map((value) => word(value).slice(2)).join("")}`;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startCTokenMarkets(chain, [variants.cash, variants.cash]);
  const { contracts, registry } = market;
  const other = await chain.deploy(contracts.registry);
  hostile = await chain.deploy(contracts.hostile);
  testDatabase = await createTestDatabase();
  index = await startCommunityIndex(chain, testDatabase.database, {
    protocols: [builtInProtocol(id)],
    community: { [id]: { comptroller: [registry, other] } },
  });
  const [wallet] = market.people as [Address];
  const emit = (event: string, data: Hex, ...indexed: readonly Hex[]) =>
    encodeCall(contracts.hostile, hostile, "emitLog", [[toEventSelector(event), ...indexed], data]);
  const [gold, dollar] = market.tokens;
  await chain.send(encodeCall(contracts.registry, other, "list", [hostile, 1n]));
  await chain.mine();
  await chain.send(
    emit("AccrueInterest(uint256,uint256,uint256,uint256)", words(0n, 0n, 0n, largest)),
    emit("Borrow(address,uint256,uint256,uint256)", words(wallet, largest, largest, largest)),
    emit("AccrueInterest(uint256,uint256,uint256,uint256)", words(largest, largest, largest, largest)),
    emit("Mint(address,uint256,uint256)", words(wallet, largest, largest)),
    emit("Transfer(address,address,uint256)", word(largest), word(hostile), word(wallet)),
    emit("LiquidateBorrow(address,address,uint256,address,uint256)", words(wallet, registry, largest, hostile, largest)),
    // Invalid encodings of the events.
    emit("AccrueInterest(uint256,uint256,uint256,uint256)", words(1n)),
    emit("Borrow(address,uint256,uint256,uint256)", words(largest, 1n, 1n, 1n)),
    emit("Mint(address,uint256,uint256)", "0x"),
  );
  // The other markets are regular: one is in use, the other has no supply.
  await chain.send(market.callFrom(wallet, gold, "mint", [10n ** 20n]));
  await chain.mine();
  await chain.send(
    market.callFrom(wallet, gold, "redeem", [
      await readAt(chain, contracts.token, gold.address, "balanceOf", [wallet], await chain.head()),
    ]),
  );
  await chain.send(market.callFrom(wallet, dollar, "mint", [10n ** 9n]));
  await chain.mine();
  await index.sync();
  height = await chain.head();
  await insertTokens(testDatabase.database, [
    { address: hostile, name: "Hostile", decimals: 255 },
    { address: dollar.asset as Address, name: "Dollar", decimals: 255, price: 1 },
  ]);
  itemsOf = createItemsOf(testDatabase.database, builtInProtocol(id));
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

describe("a market that emits arbitrary events and has no functions", () => {
  it("has no amounts except those of its events, and does not affect other markets", async () => {
    const items = await itemsOf("market_data", { height });
    expect(items.find(({ pool_address }) => pool_address === hostile)).toMatchObject({
      ...{
        name: "Hostile",
        total_supply: null,
        total_borrow: String(largest),
        lp_token_total_supply: null,
        supply_rate: null,
        borrow_rate: null,
      },
    });
    for (const { address } of market.tokens) {
      const read = (name: string) => readAt(chain, market.contracts.token, address, name, [], height);
      expect(items.find(({ pool_address }) => pool_address === address)).toMatchObject({
        total_supply: String(((await read("totalSupply")) * (await read("exchangeRateStored"))) / 10n ** 18n),
        available_liquidity: String(await read("getCash")),
      });
    }
  });

  it("has positions with unknown amounts", async () => {
    const [wallet] = market.people as [Address];
    const items = await itemsOf("balances", { wallet, height });
    const hostileItems = items.filter(({ pool_address }) => pool_address === hostile);
    // The borrow index was 0 when the debt began.
    expect(hostileItems.map(({ position, balance }) => [position, balance])).toEqual([
      ["borrowed", null],
      ["supplied", null],
    ]);
    expect(items.length).toBe(3);
  });

  it("has actions with arbitrarily large amounts", async () => {
    const [wallet] = market.people as [Address];
    const hostileItems = (await itemsOf("transactions", { wallet, height })).filter(({ pool_address }) => pool_address === hostile);
    expect(hostileItems.map(({ action }) => action)).toEqual(["liquidate", "mint", "borrow"]);
    expect(hostileItems[2]).toMatchObject({ amounts: [{ direction: "IN", amount: String(largest), quote: null }], total_quote: null });
  });

  it("fills the table of skipped logs without stopping the index", async () => {
    const [status] = await createProtocolStatusQueries(testDatabase.database).statuses();
    expect(status).toMatchObject({ checkpoint: height, skipped: 3, queued_reads: 0 });
  });
});

describe("a market without supply", () => {
  it("has a total of 0", async () => {
    const [gold] = market.tokens;
    expect(await itemsOf("market_data", { height, pool: gold.address })).toMatchObject([
      { total_supply: "0", total_borrow: "0", lp_token_total_supply: "0", utilization_rate: 0 },
    ]);
  });
});

describe("an asset with 255 decimals", () => {
  it("has a value close to 0", async () => {
    const [, dollar] = market.tokens;
    const [item] = await itemsOf("market_data", { height, pool: dollar.address });
    expect(item).toMatchObject({ asset_decimals: 255, total_supply: String(10n ** 9n) });
    expect(item?.total_supply_quote).toBeCloseTo(0, 100);
  });
});
