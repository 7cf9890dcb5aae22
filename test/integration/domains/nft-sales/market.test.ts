import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  encodeFulfillAdvancedOrder,
  encodeFulfillOrder,
  encodeMatchOrders,
  encodeValidate,
  erc20Item,
  erc721Item,
  erc1155Item,
  native,
  type OrderItem,
  signOrder,
  withRecipient,
} from "../../../../demo/story/seaport-orders.ts";
import type { Chain } from "../../../../generated/requests.gen.ts";
import type { ResolverContext } from "../../../../runtime/api/context.ts";
import { currentFloors } from "../../../../runtime/api/nft/floors.ts";
import { lastNativeSales } from "../../../../runtime/api/nft/view-last-sales.ts";
import { chainConfig } from "../../../../runtime/config/config.ts";
import { createLedgerQueries } from "../../../../runtime/domains/ledger/queries/index.ts";
import { createNftSaleQueries } from "../../../../runtime/domains/nft-sales/queries.ts";
import { createPriceQueries } from "../../../../runtime/domains/prices/queries/price.ts";
import { type Decimal, toNumber } from "../../../../runtime/lib/decimal.ts";
import { type Address, type Hash, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import type { TestDatabase } from "../../../support/database.ts";
import { writeMetadata, writePrices } from "../dex/support.ts";
import type { ResponseData, TestApi } from "../pools/serve-pools.ts";
import { ether, firstDay, indexNftMarket, type NftMarket, salesIn, secondsPerDay, serveNftMarket, startNftMarket } from "./nft-market.ts";

// Ether costs 2,000 dollars on day 0 and ten more each day; the coin costs one dollar; junk has no price.
let market: NftMarket;
let test: TestDatabase;
let api: TestApi;
let storedSales: string[];
const hashes: Record<string, Hash> = {};
const gas = 3_000_000n;
/** The key of anvil's second account. */
const keyOfFirst = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

beforeAll(async () => {
  market = await startNftMarket();
  const { seaport, art, editions, coin, junk, weth, accounts, order, fill, sell, mineOn } = market;
  const [anna, ben, cleo, fees, dora] = accounts;

  // Day 0: a listing signed by anna, with a fee and a royalty; then ben's bid in wrapped ether, for which anna pays the fee.
  const listing = order(
    anna,
    [erc721Item(art, 0n)],
    [
      withRecipient(anna, native((ether * 90n) / 100n)),
      withRecipient(fees, native((ether * 5n) / 100n)),
      withRecipient(dora, native((ether * 5n) / 100n)),
    ],
  );
  const signature = await signOrder(listing, { chainId: 31337, address: seaport }, keyOfFirst);
  const [signed] = await mineOn(0, 9, {
    from: ben,
    to: seaport,
    gas,
    value: ether,
    data: encodeFulfillOrder({ order: listing, signature }),
  });
  const bid = order(
    ben,
    [erc20Item(weth, 2n * ether)],
    [withRecipient(ben, erc721Item(art, 1n)), withRecipient(fees, erc20Item(weth, ether / 20n))],
  );
  const [, accepted] = await mineOn(0, 10, ...fill(bid, anna));

  // Day 1: orders matched by a third account: cleo pays 1,000 coins, of which anna gets 900. Then a bundle whose price leaves a remainder of 3 wei.
  const sellOrder = order(anna, [erc721Item(art, 2n)], [withRecipient(anna, erc20Item(coin, 900n * ether))]);
  const buyOrder = order(
    cleo,
    [erc20Item(coin, 1_000n * ether)],
    [withRecipient(cleo, erc721Item(art, 2n)), withRecipient(fees, erc20Item(coin, 100n * ether))],
  );
  const matches = [
    [
      [0, 0],
      [1, 0],
    ],
    [
      [1, 0],
      [0, 0],
    ],
    [
      [1, 0],
      [1, 1],
    ],
  ] as const;
  const [, , matched] = await mineOn(
    1,
    9,
    { from: anna, to: seaport, gas, data: encodeValidate([sellOrder]) },
    { from: cleo, to: seaport, gas, data: encodeValidate([buyOrder]) },
    { from: dora, to: seaport, gas, data: encodeMatchOrders([{ order: sellOrder }, { order: buyOrder }], matches) },
  );
  const [, bundle] = await mineOn(
    1,
    10,
    ...sell(anna, ben, [erc721Item(art, 3n), erc1155Item(editions, 7n, 5n), erc721Item(art, 4n)], native(7n * 10n ** 17n + 3n)),
  );

  // Day 2: a swap, a gift, and a sale paid in a token without a price.
  const swap = order(anna, [erc721Item(art, 5n)], [withRecipient(anna, erc721Item(art, 0n))]);
  const gift = order(anna, [erc721Item(art, 6n)], []);
  await mineOn(2, 9, ...fill(swap, ben), ...fill(gift, ben), ...sell(anna, cleo, erc721Item(art, 7n), erc20Item(junk, 5n * ether)));

  // Day 3: partial fills of an order of ten units for ten ether; orders with several payments.
  const parts = order(anna, [erc1155Item(editions, 8n, 10n)], [withRecipient(anna, native(10n * ether))], true);
  const fillPart = (buyer: Address, numerator: bigint, recipient?: Address) => ({
    from: buyer,
    to: seaport,
    gas,
    value: numerator * ether,
    data: encodeFulfillAdvancedOrder({ order: parts }, { numerator, denominator: 10n, ...(recipient && { recipient }) }),
  });
  await mineOn(3, 9, { from: anna, to: seaport, gas, data: encodeValidate([parts]) }, fillPart(ben, 3n), fillPart(cleo, 2n, dora));
  await mineOn(3, 10, ...sell(anna, cleo, erc721Item(art, 8n), native(ether / 10n), erc20Item(coin, 50n * ether)));
  await mineOn(3, 11, ...sell(anna, cleo, erc721Item(art, 9n), native(ether / 10n), erc20Item(weth, ether / 10n)));

  // Day 5: cleo sells back what she bought on day 1, and dora buys from herself.
  await mineOn(5, 9, ...sell(cleo, anna, erc721Item(art, 2n), native(3n * ether)));
  await mineOn(5, 10, ...sell(anna, dora, erc721Item(art, 10n), native(ether / 2n)));
  await mineOn(5, 11, ...sell(dora, dora, erc721Item(art, 10n), native(ether / 1_000n)));

  // Day 40: ben sells back what he bought on day 0, more than thirty days later.
  await mineOn(40, 9, ...sell(ben, anna, erc721Item(art, 1n), native(4n * ether)));
  await mineOn(41, 9, { to: anna });
  Object.assign(hashes, { signed, accepted, matched, bundle });

  test = await indexNftMarket(market);
  storedSales = await salesIn(test.database);
  const hour = firstDay * 24;
  const wholeDays = (at: number) => BigInt(Math.floor((at - hour) / 24));
  await writePrices(
    test.database,
    [
      { asset: nativeTokenAddress, decimals: 18, cents: (at) => 200_000n + 1_000n * wholeDays(at) },
      { asset: coin, decimals: 18, cents: () => 100n },
    ],
    hour,
    hour + 42 * 24,
    () => 1,
  );
  await writeMetadata(test.database, coin, "COIN", 18);
  await writeMetadata(test.database, art, "VIEW", 0);
  api = await serveNftMarket(test.database, market, [{ protocol: "seaport", address: seaport, logoUrl: "https://logos.example/sea.png" }]);
}, 120_000);
afterAll(async () => {
  await api?.end();
  await test?.drop();
  await market?.chain.stop();
});

const line = (
  day: number,
  [collection, id, count]: readonly [Address, bigint, bigint],
  seller: Address,
  buyer: Address,
  paid: OrderItem | null,
  wash = false,
) => {
  const token = paid === null ? null : paid.itemType === 0 ? nativeTokenAddress : paid.token;
  return [day, collection, id, count, seller, buyer, token, paid?.startAmount ?? null, wash].join(" ");
};

describe("sales on Seaport", () => {
  it("are recorded for each sold token at the whole price paid for it", () => {
    const { art, editions, coin, junk, weth, accounts } = market;
    const [anna, ben, cleo, , dora] = accounts;
    const view = (id: bigint) => [art, id, 1n] as const;
    // 0.7 ether and 3 wei for seven units: 10^17 wei each, and one more for the first three, which are a view and two of the five units.
    const tenth = 10n ** 17n;
    expect(storedSales).toEqual([
      line(0, view(0n), anna, ben, native(ether)),
      line(0, view(1n), anna, ben, erc20Item(weth, 2n * ether)),
      line(1, view(2n), anna, cleo, erc20Item(coin, 1_000n * ether), true),
      line(1, view(3n), anna, ben, native(tenth + 1n)),
      line(1, [editions, 7n, 5n], anna, ben, native(5n * tenth + 2n)),
      line(1, view(4n), anna, ben, native(tenth)),
      line(2, view(7n), anna, cleo, erc20Item(junk, 5n * ether)),
      line(3, [editions, 8n, 3n], anna, ben, native(3n * ether)),
      line(3, [editions, 8n, 2n], anna, dora, native(2n * ether)),
      line(3, view(8n), anna, cleo, null),
      line(3, view(9n), anna, cleo, native(ether / 5n)),
      line(5, view(2n), cleo, anna, native(3n * ether), true),
      line(5, view(10n), anna, dora, native(ether / 2n)),
      line(5, view(10n), dora, dora, native(ether / 1_000n), true),
      line(40, view(1n), ben, anna, native(4n * ether)),
    ]);
  });

  it("are the same when each block is a batch", async () => {
    const other = await indexNftMarket(market, { batchBlocks: 1, requestBlocks: 1 });
    try {
      expect(await salesIn(other.database)).toEqual(storedSales);
      const sums =
        "SELECT collection, day, marketplace, payment_token, sales, wash_sales, amount, wash_amount, lowest, since_block FROM nft_market_days ORDER BY 1, 2, 3, 4";
      expect(await other.database.query(sums)).toEqual(await test.database.query(sums));
    } finally {
      await other.drop();
    }
  });
});

const day = (number: number): string => `${new Date((firstDay + number) * secondsPerDay * 1_000).toISOString().slice(0, 19)}Z`;
const itemsOf = async (operation: string, query = "days=50", collection: Address = market.art): Promise<Map<string, ResponseData>> => {
  const { items } = await api.get(`nft_market/${collection}/${operation}/?${query}`);
  return new Map(items.map((item: ResponseData) => [item.date, item]));
};
/** Returns the dollar price of ether on a day. */
const rate = (number: number): number => 2_000 + 10 * number;

describe("the market of a collection", () => {
  it("has an item for each day up to the newest block, newest first", async () => {
    for (const operation of ["sale_count", "volume", "floor_price"]) {
      const { items, address, quote_currency } = await api.get(`nft_market/${market.art.toUpperCase().replace("X", "x")}/${operation}/`);
      expect([address, quote_currency]).toEqual([market.art, "USD"]);
      expect(items.map(({ date }: ResponseData) => date)).toEqual(Array.from({ length: 30 }, (_, back) => day(41 - back)));
    }
  });

  it("counts sales, including wash trades", async () => {
    const counts = await itemsOf("sale_count");
    const countsOn = (number: number) => [counts.get(day(number))?.sale_count, counts.get(day(number))?.wash_sale_count];
    expect([-1, 0, 1, 2, 3, 4, 5, 40, 41].map(countsOn)).toEqual([
      [0, 0],
      [2, 0],
      [3, 1],
      [1, 0],
      [2, 0],
      [0, 0],
      [3, 2],
      [1, 0],
      [0, 0],
    ]);
    const editions = await itemsOf("sale_count", "days=50", market.editions);
    expect([1, 3].map((number) => editions.get(day(number))?.sale_count)).toEqual([1, 2]);
  });

  it("sums the volume at the prices of the day", async () => {
    const volumes = await itemsOf("volume");
    const volumesOn = (number: number) => {
      const item = volumes.get(day(number));
      return [item?.volume_native_quote, item?.volume_quote, item?.wash_volume_native_quote, item?.wash_volume_quote];
    };
    expect(volumesOn(0)).toEqual([3, 3 * rate(0), 0, 0]);
    // The two views of the bundle cost 0.2 ether and 1 wei; 1,000 coins are a thousand dollars.
    expect(volumesOn(1)[1]).toBeCloseTo(1_000 + 0.2 * rate(1), 9);
    expect(volumesOn(1)[0]).toBeCloseTo(1_000 / rate(1) + 0.2, 12);
    expect(volumesOn(1)[3]).toBe(1_000);
    expect(volumesOn(1)[2]).toBeCloseTo(1_000 / rate(1), 12);
    expect(volumesOn(2)).toEqual([null, null, 0, 0]);
    // One sale is paid in two tokens and has no price.
    expect(volumesOn(3)).toEqual([0.2, 0.2 * rate(3), 0, 0]);
    expect(volumesOn(4)).toEqual([0, 0, 0, 0]);
    expect(volumesOn(5)).toEqual([3.501, 3.501 * rate(5), 3.001, 3.001 * rate(5)]);
    expect(volumes.get(day(0))).toMatchObject({ native_ticker_symbol: "ETH", native_name: "Ether", pretty_volume_quote: "$6,000.00" });
  });

  it("has the cheapest sale of thirty days as its floor price, excluding wash trades", async () => {
    const floors = await itemsOf("floor_price");
    const floorOn = (number: number) => floors.get(day(number))?.floor_price_native_quote;
    expect(floorOn(-1)).toBeNull();
    // 1 ether, until the bundle at 0.1 ether per view; the sale for 1,000 coins is a wash trade.
    expect([0, 1, 2, 3, 4, 5, 29, 30].map(floorOn)).toEqual([1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
    // The bundle of day 1 counts up to day 30, the sale for 0.2 ether of day 3 up to day 32, the one for half an ether of day 5 up to day 34.
    expect([31, 32, 33, 34, 35, 39, 40, 41].map(floorOn)).toEqual([0.2, 0.2, 0.5, 0.5, null, null, 4, 4]);
    expect(floors.get(day(31))).toMatchObject({ floor_price_quote: 0.2 * rate(31), pretty_floor_price_quote: "$462.00" });
    const editions = await itemsOf("floor_price", "days=50", market.editions);
    expect([1, 3, 31].map((number) => editions.get(day(number))?.floor_price_native_quote)).toEqual([0.1, 0.1, 1]);
  });

  it("is not found (404) for an address that is not a collection", async () => {
    for (const operation of ["sale_count", "volume", "floor_price"]) {
      for (const address of [market.coin, market.accounts[0]]) {
        const { status, message } = await api.request(`nft_market/${address}/${operation}/`);
        expect([status, message]).toEqual([404, `Collection ${address} not found in the index of market.`]);
      }
    }
  });

  it("is unknown if no marketplace is configured", async () => {
    const other = await serveNftMarket(test.database, market, []);
    const numbers: Readonly<Record<string, readonly string[]>> = {
      sale_count: ["sale_count", "wash_sale_count"],
      volume: ["volume_quote", "volume_native_quote", "pretty_volume_quote", "wash_volume_quote", "wash_volume_native_quote"],
      floor_price: ["floor_price_quote", "floor_price_native_quote", "pretty_floor_price_quote"],
    };
    for (const [operation, fields] of Object.entries(numbers)) {
      const { items } = await other.get(`nft_market/${market.art}/${operation}/?days=365`);
      expect(items).toHaveLength(365);
      expect(new Set(items.flatMap((item: ResponseData) => fields.map((field) => item[field]))), operation).toEqual(new Set([null]));
    }
    const { items } = await other.get(`address/${market.accounts[1]}/balances_nft/`);
    expect(items.length).toBeGreaterThan(0);
    expect(items.map((item: ResponseData) => [item.floor_price_quote, item.floor_price_native_quote])).toEqual(
      items.map(() => [null, null]),
    );
    await other.end();
  });
});

const detailsOf = async (hash: Hash | undefined): Promise<ResponseData> =>
  (await api.get(`transaction_v2/${hash}/?no-logs=true&with-nft-sales=true`)).items[0].nft_sale_details;

describe("sales of a transaction", () => {
  it("have the marketplace and price of a listing", async () => {
    const [anna, ben] = market.accounts;
    const [report, ...more] = await detailsOf(hashes.signed);
    expect(more).toEqual([]);
    expect(report).toMatchObject({
      topic0: "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31",
      protocol_contract_address: market.seaport,
      protocol_name: "Market 0",
      protocol_logo_url: "https://logos.example/sea.png",
      from: anna,
      to: ben,
      maker: anna,
      taker: ben,
      token_id: "0",
      collection_address: market.art,
      collection_name: "VIEW",
      token_address: nativeTokenAddress,
      ticker_symbol: "ETH",
      num_decimals: 18,
      contract_quote_rate: 2_000,
      nft_token_price: 1,
      nft_token_price_usd: 2_000,
      pretty_nft_token_price_usd: "$2,000.00",
      nft_token_price_native: 1,
      pretty_nft_token_price_native: "1 ETH",
      token_count: 1,
      num_token_ids_sold_per_sale: 1,
      num_token_ids_sold_per_tx: 1,
      num_collections_sold_per_sale: 1,
      num_collections_sold_per_tx: 1,
      trade_type: "single",
      trade_group_type: "single",
      is_wash_trade: false,
    });
  });

  it("have the buyer's price for bids and matches, and one entry per token of a bundle", async () => {
    const [anna, ben, cleo] = market.accounts;
    expect(await detailsOf(hashes.accepted)).toMatchObject([
      { from: anna, to: ben, maker: ben, taker: anna, token_address: market.weth, nft_token_price_native: 2, is_wash_trade: false },
    ]);
    expect(await detailsOf(hashes.matched)).toMatchObject([
      { from: anna, to: cleo, maker: cleo, nft_token_price: 1_000, nft_token_price_usd: 1_000, is_wash_trade: true },
    ]);
    const bundle = await detailsOf(hashes.bundle);
    expect(
      bundle.map((sale: ResponseData) => [
        sale.token_id,
        sale.token_count,
        sale.pretty_nft_token_price_native,
        sale.num_token_ids_sold_per_sale,
        sale.num_collections_sold_per_tx,
        sale.trade_type,
      ]),
    ).toEqual([
      ["3", 1, "0.100000000000000001 ETH", 3, 2, "bundle"],
      // Two of the five units cost 1 wei more, which the rounded price does not show.
      ["7", 5, "0.1 ETH", 3, 2, "bundle"],
      ["4", 1, "0.1 ETH", 3, 2, "bundle"],
    ]);
  });

  it("are returned only on request, and are empty if nothing was sold", async () => {
    const { items } = await api.get(`transaction_v2/${hashes.signed}/?no-logs=true`);
    expect(items[0].nft_sale_details).toBeNull();
    const { transactions } = (await market.chain.rpc("eth_getBlockByNumber", ["latest", false])) as { transactions: Hash[] };
    expect(await detailsOf(transactions[0])).toEqual([]);
  });
});

describe("sales in other responses", () => {
  it("determine the floor prices of the newest day, for any number of collections", async () => {
    const context = contextOf(await headOf());
    const floorPrices = await currentFloors(
      context,
      { id: 31337, name: "market" } as Chain,
      [market.art, market.editions, market.coin],
      "USD",
    );
    // 4 ether on day 41; the edition's last sale was more than thirty days ago, and a coin is not a collection.
    expect([...floorPrices.keys()]).toEqual([market.art]);
    const { native: inEther, quote } = floorPrices.get(market.art) ?? {};
    expect([toNumber(inEther as Decimal), toNumber(quote as Decimal)]).toEqual([4, 4 * rate(41)]);
    const [newest] = (await api.get(`nft_market/${market.art}/floor_price/`)).items;
    expect(newest).toMatchObject({ floor_price_native_quote: 4, floor_price_quote: 4 * rate(41) });
    expect(await currentFloors(contextOf(null), { id: 31337, name: "market" } as Chain, [market.art], "USD")).toEqual(new Map());
  });

  it("determine the last sales in native or wrapped native tokens", async () => {
    const { art, editions } = market;
    const tokenQuery = (collection: Address, id: number) => ({ collection, tokenId: String(id) });
    const queries = [
      tokenQuery(art, 1),
      tokenQuery(art, 2),
      tokenQuery(art, 4),
      tokenQuery(art, 7),
      tokenQuery(art, 30),
      tokenQuery(editions, 7),
      tokenQuery(editions, 8),
    ];
    const last = await lastNativeSales(contextOf(0), 31337, queries, await headOf());
    expect(queries.map((query) => last(query).token_quote_rate_eth)).toEqual(["4", "3", "0.1", null, null, "0.1", "1"]);
    // Two of the five units cost 1 wei more; the price of a unit is rounded down.
    expect(last(tokenQuery(editions, 7)).token_price_wei).toBe(String(10n ** 17n));
    expect(last(tokenQuery(art, 7)).token_price_wei).toBeNull();
  });
});

const headOf = async (): Promise<number> => market.chain.head();

/** The part of a resolver's context that these queries need. */
const contextOf = (anchor: number | null): ResolverContext => {
  const settings = {
    ...chainConfig.parse({
      name: "market",
      id: 31337,
      wrappedNative: [market.weth],
      rpc: "http://127.0.0.1:1",
      nfts: { marketplaces: [{ name: "Market", protocol: "seaport", address: market.seaport }] },
    }),
    id: 31337,
  };
  return {
    anchor,
    chains: { get: () => settings, list: () => [settings] },
    ledger: createLedgerQueries(test.database),
    nftSales: createNftSaleQueries(test.database),
    prices: createPriceQueries(test.database, (chainId) => chainId),
  } as unknown as ResolverContext;
};
