import {
  encodeFulfillAdvancedOrder,
  encodeFulfillOrder,
  encodeMatchOrders,
  encodeValidate,
  erc20Item,
  erc721Item,
  erc1155Item,
  nativeItem,
  signOrder,
  withRecipient,
} from "../../../../../demo/story/seaport-orders.ts";
import { type Address, type Hash, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import type { TestDatabase } from "../../../../support/database.ts";
import { writeMetadata, writePrices } from "../../dex/support.ts";
import type { TestApi } from "../../pools/serve-pools.ts";
import { ether, firstDay, indexNftMarket, type NftMarket, salesIn, secondsPerDay, serveNftMarket, startNftMarket } from "../nft-market.ts";

// Ether costs 2,000 dollars on day 0 and ten more each day; the coin costs one dollar; junk has no price.
/** The market whose sales are tested. */
export let market: NftMarket;
/** The database of the index. */
export let testDatabase: TestDatabase;
/** The API that serves the index. */
export let api: TestApi;
/** The stored sales, as lines of text. */
export let storedSales: string[];
/** Transactions by sale name. */
export const hashes: Record<string, Hash> = {};
const gas = 3_000_000n;
/** The private key of anna, anvil's second account. */
const annaKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

/** The date of a market day. */
export const day = (number: number): string => `${new Date((firstDay + number) * secondsPerDay * 1_000).toISOString().slice(0, 19)}Z`;
/** The dollar price of ether on a market day. */
export const etherPrice = (number: number): number => 2_000 + 10 * number;

/** Builds 42 days of sales, indexes them, writes prices and serves the index. */
export const setUp = async () => {
  market = await startNftMarket();
  const { seaport, art, editions, coin, junk, weth, accounts, order, fill, sell, mineOn } = market;
  const [anna, ben, cleo, fees, dora] = accounts;

  // Day 0: a listing signed by anna, with a fee and a royalty; then ben's bid in wrapped ether, for which anna pays the fee.
  const listing = order(
    anna,
    [erc721Item(art, 0n)],
    [
      withRecipient(anna, nativeItem((ether * 90n) / 100n)),
      withRecipient(fees, nativeItem((ether * 5n) / 100n)),
      withRecipient(dora, nativeItem((ether * 5n) / 100n)),
    ],
  );
  const signature = await signOrder(listing, { chainId: 31337, address: seaport }, annaKey);
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

  // Day 1: orders matched by a third account: cleo pays 1,000 coins, of which anna receives 900. Then a bundle whose price leaves a remainder of 3 wei.
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
    ...sell(anna, ben, [erc721Item(art, 3n), erc1155Item(editions, 7n, 5n), erc721Item(art, 4n)], nativeItem(7n * 10n ** 17n + 3n)),
  );

  // Day 2: a swap, a gift, and a sale paid in a token without a price.
  const swap = order(anna, [erc721Item(art, 5n)], [withRecipient(anna, erc721Item(art, 0n))]);
  const gift = order(anna, [erc721Item(art, 6n)], []);
  await mineOn(2, 9, ...fill(swap, ben), ...fill(gift, ben), ...sell(anna, cleo, erc721Item(art, 7n), erc20Item(junk, 5n * ether)));

  // Day 3: partial fills of a ten-unit order for ten ether; orders with several payments.
  const parts = order(anna, [erc1155Item(editions, 8n, 10n)], [withRecipient(anna, nativeItem(10n * ether))], true);
  const fillPart = (buyer: Address, numerator: bigint, recipient?: Address) => ({
    from: buyer,
    to: seaport,
    gas,
    value: numerator * ether,
    data: encodeFulfillAdvancedOrder({ order: parts }, { numerator, denominator: 10n, ...(recipient && { recipient }) }),
  });
  await mineOn(3, 9, { from: anna, to: seaport, gas, data: encodeValidate([parts]) }, fillPart(ben, 3n), fillPart(cleo, 2n, dora));
  await mineOn(3, 10, ...sell(anna, cleo, erc721Item(art, 8n), nativeItem(ether / 10n), erc20Item(coin, 50n * ether)));
  await mineOn(3, 11, ...sell(anna, cleo, erc721Item(art, 9n), nativeItem(ether / 10n), erc20Item(weth, ether / 10n)));

  // Day 5: cleo sells back what she bought on day 1, and dora buys from herself.
  await mineOn(5, 9, ...sell(cleo, anna, erc721Item(art, 2n), nativeItem(3n * ether)));
  await mineOn(5, 10, ...sell(anna, dora, erc721Item(art, 10n), nativeItem(ether / 2n)));
  await mineOn(5, 11, ...sell(dora, dora, erc721Item(art, 10n), nativeItem(ether / 1_000n)));

  // Day 40: ben sells back what he bought on day 0, more than thirty days later.
  await mineOn(40, 9, ...sell(ben, anna, erc721Item(art, 1n), nativeItem(4n * ether)));
  await mineOn(41, 9, { to: anna });
  Object.assign(hashes, { signed, accepted, matched, bundle });

  testDatabase = await indexNftMarket(market);
  storedSales = await salesIn(testDatabase.database);
  const hour = firstDay * 24;
  const wholeDays = (at: number) => BigInt(Math.floor((at - hour) / 24));
  await writePrices(
    testDatabase.database,
    [
      { asset: nativeTokenAddress, decimals: 18, centsAt: (at) => 200_000n + 1_000n * wholeDays(at) },
      { asset: coin, decimals: 18, centsAt: () => 100n },
    ],
    hour,
    hour + 42 * 24,
    () => 1,
  );
  await writeMetadata(testDatabase.database, coin, "COIN", 18);
  await writeMetadata(testDatabase.database, art, "VIEW", 0);
  api = await serveNftMarket(testDatabase.database, market, [
    { protocol: "seaport", address: seaport, logoUrl: "https://logos.example/sea.png" },
  ]);
};

/** Stops what `setUp` started. */
export const tearDown = async () => {
  await api?.end();
  await testDatabase?.drop();
  await market?.chain.stop();
};
