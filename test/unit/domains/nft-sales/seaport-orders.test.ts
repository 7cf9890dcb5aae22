import { describe, expect, it } from "vitest";
import { nativeTokenAddress, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { deadline } from "../../../support/deadline.ts";
import {
  anna,
  ben,
  blockOf,
  cleo,
  type EmittedEvent,
  editions,
  foldSales,
  fulfilledOrder,
  market,
  payment,
  router,
  salesOf,
  token,
  tokenTransfer,
  unitTransfer,
  views,
  weth,
} from "./folding.ts";

const inOneBlock = (...events: EmittedEvent[]) => salesOf([blockOf(1, 1, events)]);
const ordersMatched = (...orderHashes: readonly `0x${string}`[]): EmittedEvent => ({ kind: "ordersMatched", address: market, orderHashes });

describe("a fulfilled order", () => {
  it("sells only tokens that moved from its seller to its buyer in the same transaction", () => {
    const listing = fulfilledOrder(anna, ben, [token(views, 1n)], [payment(100n)]);
    expect(inOneBlock(listing)).toEqual([]);
    expect(inOneBlock(listing, tokenTransfer(ben, anna, 1n))).toEqual([]);
    expect(inOneBlock(listing, tokenTransfer(anna, cleo, 1n))).toEqual([]);
    expect(inOneBlock(listing, tokenTransfer(cleo, ben, 1n))).toEqual([]);
    expect(inOneBlock(listing, tokenTransfer(anna, ben, 2n))).toEqual([]);
    expect(inOneBlock(listing, { ...tokenTransfer(anna, ben, 1n), transactionIndex: 1 })).toEqual([]);
    expect(inOneBlock(fulfilledOrder(zeroAddress, ben, [token(views, 1n)], [payment(100n)]), tokenTransfer(zeroAddress, ben, 1n))).toEqual(
      [],
    );
    expect(inOneBlock(listing, tokenTransfer(anna, ben, 1n))).toEqual(["anna ben 1 1 100"]);
    // A token in two events is sold once.
    expect(inOneBlock(listing, listing, tokenTransfer(anna, ben, 1n))).toEqual(["anna ben 1 1 100"]);
  });

  it("sells the units that moved, each at its share of the price", () => {
    const listing = fulfilledOrder(anna, ben, [token(editions, 5n, 10n)], [payment(105n)]);
    // 105 for ten units: the first five cost 11 each, the others 10.
    expect(inOneBlock(listing, unitTransfer(anna, ben, 5n, 10n))).toEqual(["anna ben 5 10 105"]);
    expect(inOneBlock(listing, unitTransfer(anna, ben, 5n, 3n))).toEqual(["anna ben 5 3 33"]);
    expect(inOneBlock(listing, unitTransfer(anna, ben, 5n, 40n))).toEqual(["anna ben 5 10 105"]);
    expect(inOneBlock(listing, unitTransfer(anna, ben, 5n, 7n), unitTransfer(anna, ben, 5n, 3n))).toEqual([
      "anna ben 5 7 75",
      "anna ben 5 3 30",
    ]);
  });

  it("is not a sale without a payment, with tokens on both sides, or with a payment on the side of the tokens", () => {
    const transfer = tokenTransfer(anna, ben, 1n);
    expect(inOneBlock(transfer, fulfilledOrder(anna, ben, [token(views, 1n)], []))).toEqual([]);
    expect(inOneBlock(transfer, fulfilledOrder(anna, ben, [token(views, 1n)], [payment(0n)]))).toEqual([]);
    expect(
      inOneBlock(transfer, tokenTransfer(ben, anna, 2n), fulfilledOrder(anna, ben, [token(views, 1n)], [token(views, 2n), payment(5n)])),
    ).toEqual([]);
    expect(inOneBlock(transfer, fulfilledOrder(anna, ben, [token(views, 1n), payment(3n)], [payment(5n)]))).toEqual([]);
    expect(inOneBlock(transfer, fulfilledOrder(anna, ben, [token(views, 1n, 0n)], [payment(5n)]))).toEqual([]);
    expect(inOneBlock(fulfilledOrder(anna, ben, [payment(5n)], [payment(5n, weth)]))).toEqual([]);
  });

  it("is a sale to the buyer whom it names", () => {
    const privateListing = (recipient: typeof ben, ...requested: readonly [typeof recipient, bigint][]): EmittedEvent => {
      const listing = fulfilledOrder(anna, recipient, [token(views, 1n)], [payment(100n)], { orderHash: "0x0a" });
      const items = requested.map(([buyer, tokenId]) => ({ ...token(views, tokenId), recipient: buyer }));
      return { ...listing, consideration: [{ ...payment(100n), recipient: anna }, ...items] } as EmittedEvent;
    };
    const payingOrder = fulfilledOrder(ben, cleo, [payment(100n)], [], { orderHash: "0x0b" });
    const transfer = tokenTransfer(anna, ben, 1n);
    // Marketplaces match it with an order that pays and has no consideration.
    expect(inOneBlock(transfer, privateListing(cleo, [ben, 1n]), payingOrder, ordersMatched("0x0a", "0x0b"))).toEqual(["anna ben 1 1 100"]);
    expect(
      inOneBlock(transfer, privateListing(zeroAddress, [ben, 1n]), { ...payingOrder, recipient: zeroAddress } as EmittedEvent),
    ).toEqual(["anna ben 1 1 100"]);
    // A different token in the consideration, more units than offered, or the seller as the recipient make it a swap.
    for (const requested of [[ben, 2n] as const, [anna, 1n] as const])
      expect(inOneBlock(transfer, privateListing(cleo, [...requested]), payingOrder, ordersMatched("0x0a", "0x0b"))).toEqual([]);
    expect(inOneBlock(transfer, privateListing(cleo, [ben, 1n], [ben, 1n]), payingOrder, ordersMatched("0x0a", "0x0b"))).toEqual([]);
  });

  it("has no price if it is paid in several tokens, except for native and wrapped native tokens", () => {
    const coin = zeroAddress.replace(/.$/, "9") as `0x${string}`;
    const priceWith = (...payments: ReturnType<typeof payment>[]) => {
      const [row] = foldSales([
        blockOf(1, 1, [tokenTransfer(anna, ben, 1n), fulfilledOrder(anna, ben, [token(views, 1n)], payments)]),
      ]).nft_sales;
      return [row?.payment_token, row?.price];
    };
    expect(priceWith(payment(5n), payment(7n))).toEqual([nativeTokenAddress, 12n]);
    expect(priceWith(payment(5n), payment(7n, weth))).toEqual([nativeTokenAddress, 12n]);
    expect(priceWith(payment(5n, weth), payment(7n, weth))).toEqual([weth, 12n]);
    expect(priceWith(payment(5n, coin), payment(7n, coin))).toEqual([coin, 12n]);
    expect(priceWith(payment(5n), payment(7n, coin))).toEqual([null, null]);
    expect(priceWith(payment(5n), payment(0n, coin))).toEqual([nativeTokenAddress, 5n]);
  });

  it("is a sale between the owners before and after if it passes through a contract", () => {
    const bought = fulfilledOrder(ben, router, [token(views, 1n)], [payment(100n)]);
    expect(inOneBlock(tokenTransfer(ben, router, 1n), bought, tokenTransfer(router, cleo, 1n))).toEqual(["ben cleo 1 1 100"]);
    const bid = fulfilledOrder(cleo, router, [payment(120n, weth)], [token(views, 1n)]);
    expect(inOneBlock(tokenTransfer(ben, router, 1n), tokenTransfer(router, cleo, 1n), bid)).toEqual(["ben cleo 1 1 120"]);
    // An earlier event of another contract does not shorten the path.
    const duplicate = fulfilledOrder(ben, router, [token(views, 1n)], [payment(1n)], { address: weth });
    expect(inOneBlock(tokenTransfer(ben, router, 1n), duplicate, bought, tokenTransfer(router, cleo, 1n))).toEqual([
      "ben cleo 1 1 1",
      "ben cleo 1 1 100",
    ]);
    // A token that is bought and sold again in one transaction has two sales.
    expect(inOneBlock(tokenTransfer(ben, router, 1n), bought, tokenTransfer(router, cleo, 1n), bid)).toEqual([
      "ben router 1 1 100",
      "router cleo 1 1 120",
    ]);
    // The sender of the transaction transfers its own token away.
    expect(
      inOneBlock(tokenTransfer(ben, anna, 1n), fulfilledOrder(ben, anna, [token(views, 1n)], [payment(9n)]), tokenTransfer(anna, cleo, 1n)),
    ).toEqual(["ben anna 1 1 9"]);
  });
});

describe("long event lists of a hostile contract", () => {
  it("are processed in linear time: items on both sides, one token many times, a long path of transfers", () => {
    const account = (number: number) => `0x${number.toString(16).padStart(40, "0")}` as const;
    const many = Array.from({ length: 20_000 }, (_, id) => token(views, BigInt(id)));
    const listing = {
      ...fulfilledOrder(anna, cleo, many, [payment(1n)]),
      consideration: many.map((item) => ({ ...item, recipient: ben })),
    } as EmittedEvent;
    const repeated = fulfilledOrder(
      anna,
      ben,
      many.map(() => token(editions, 5n)),
      [payment(20_000n)],
    );
    const units = Array.from({ length: 1_000 }, () => unitTransfer(anna, ben, 5n, 1n));
    const transfersOnPath = Array.from({ length: 1_000 }, (_, step) => unitTransfer(account(step + 1), account(step + 2), 6n, 1n));
    const emitters = Array.from({ length: 500 }, (_, emitter) =>
      fulfilledOrder(account(1), account(2), [token(editions, 6n)], [payment(1n)], { address: account(10_000 + emitter) }),
    );
    const start = performance.now();
    expect(inOneBlock(listing, repeated, ...units)).toHaveLength(1_000);
    expect(inOneBlock(...transfersOnPath, ...emitters)).toHaveLength(500);
    // This takes a fraction of a second; a quadratic implementation took several seconds.
    expect(performance.now() - start).toBeLessThan(deadline(3_000));
  });
});

describe("matched orders", () => {
  const sellOrder = (address = market) =>
    fulfilledOrder(anna, zeroAddress, [token(views, 1n)], [payment(90n, weth)], { orderHash: "0x0a", address });
  const buyOrder = (address = market) =>
    fulfilledOrder(ben, zeroAddress, [payment(100n, weth)], [token(views, 1n), payment(10n, weth)], { orderHash: "0x0b", address });
  const transfer = tokenTransfer(anna, ben, 1n);

  it("count a token once, at its buyer's payment, in any order of the events", () => {
    expect(inOneBlock(sellOrder(), buyOrder(), ordersMatched("0x0a", "0x0b"), transfer)).toEqual(["anna ben 1 1 100"]);
    expect(inOneBlock(buyOrder(), sellOrder(), ordersMatched("0x0a", "0x0b"), transfer)).toEqual(["anna ben 1 1 100"]);
    // Before OrdersMatched existed, such orders had no recipient.
    expect(inOneBlock(sellOrder(), buyOrder(), transfer)).toEqual(["anna ben 1 1 100"]);
    // Since then, their recipient is the caller.
    const ordersToCaller = [sellOrder(), buyOrder()].map((event) => ({ ...event, recipient: cleo }) as EmittedEvent);
    expect(inOneBlock(...ordersToCaller, ordersMatched("0x0a", "0x0b"), transfer)).toEqual(["anna ben 1 1 100"]);
    expect(inOneBlock(...ordersToCaller, ordersMatched("0x0c"), transfer)).toEqual(["anna ben 1 1 100"]);
  });

  it("have one sale per seller", () => {
    const listing = (seller: typeof anna, orderHash: `0x${string}`, amount: bigint) =>
      fulfilledOrder(seller, cleo, [token(editions, 1n, amount)], [payment(1n)], { orderHash });
    const purchase = fulfilledOrder(ben, cleo, [payment(50n)], [token(editions, 1n, 5n)], { orderHash: "0x0c" });
    const events = [listing(anna, "0x0a", 3n), listing(cleo, "0x0b", 2n), purchase, ordersMatched("0x0a", "0x0b", "0x0c")];
    expect(inOneBlock(...events, unitTransfer(anna, ben, 1n, 3n), unitTransfer(cleo, ben, 1n, 2n))).toEqual([
      "anna ben 1 3 30",
      "cleo ben 1 2 20",
    ]);
  });

  it("have the price of each seller's order if they are bought together", () => {
    const listing = (seller: typeof anna, orderHash: `0x${string}`, tokenId: bigint, price: bigint) =>
      fulfilledOrder(seller, ben, [token(views, tokenId)], [payment(price)], { orderHash });
    const events = (...fee: ReturnType<typeof payment>[]) => [
      listing(anna, "0x0a", 1n, 10n),
      listing(cleo, "0x0b", 2n, 90n),
      fulfilledOrder(ben, ben, [payment(100n)], [token(views, 1n), token(views, 2n), ...fee], { orderHash: "0x0c" }),
      ordersMatched("0x0a", "0x0b", "0x0c"),
      tokenTransfer(anna, ben, 1n),
      tokenTransfer(cleo, ben, 2n),
    ];
    expect(inOneBlock(...events())).toEqual(["anna ben 1 1 10", "cleo ben 2 1 90"]);
    // The payment of a bid that pays fees itself is divided among its tokens: 100 / 2.
    expect(inOneBlock(...events(payment(1n)))).toEqual(["anna ben 1 1 50", "cleo ben 2 1 50"]);
  });

  it("may include one order several times, filled in parts", () => {
    const sellOrder = (amount: bigint) =>
      fulfilledOrder(anna, cleo, [token(editions, 1n, amount)], [payment(amount, weth)], { orderHash: "0x0a" });
    const buyOrder = fulfilledOrder(ben, cleo, [payment(10n, weth)], [token(editions, 1n, 5n)], { orderHash: "0x0b" });
    // Both parts go to ben although the recipient is the caller; two of the seven units are sold outside the bid for five.
    const events = [sellOrder(3n), sellOrder(4n), buyOrder, ordersMatched("0x0a", "0x0a", "0x0b")];
    expect(inOneBlock(...events, unitTransfer(anna, ben, 1n, 3n), unitTransfer(anna, ben, 1n, 4n))).toEqual([
      "anna ben 1 2 2",
      "anna ben 1 3 6",
      "anna ben 1 2 4",
    ]);
  });

  it("have a sale at the seller's proceeds, to the recipient of the token, if there is no buy order", () => {
    const payingOrder = fulfilledOrder(cleo, zeroAddress, [payment(90n, weth)], [], { orderHash: "0x0c" });
    const requestOrder = fulfilledOrder(ben, zeroAddress, [], [token(views, 1n)], { orderHash: "0x0b" });
    expect(inOneBlock(sellOrder(), requestOrder, payingOrder, ordersMatched("0x0a", "0x0b", "0x0c"), transfer)).toEqual([
      "anna ben 1 1 90",
    ]);
    expect(inOneBlock(sellOrder(), requestOrder, payingOrder, transfer)).toEqual(["anna ben 1 1 90"]);
  });

  it("are separate per contract: events of another contract do not affect them", () => {
    const events = [sellOrder(), buyOrder(), ordersMatched("0x0a", "0x0b"), sellOrder(router), buyOrder(router), transfer];
    const rows = foldSales([blockOf(1, 1, events)]).nft_sales;
    expect(rows.map(({ marketplace, price }) => [marketplace, price])).toEqual([
      [market, 100n],
      [router, 100n],
    ]);
  });
});

describe("daily sums", () => {
  it("have a current row and a row per ended period, so that a block can be rolled back", () => {
    const sale = (tokenId: bigint, price: bigint) => [
      tokenTransfer(anna, ben, tokenId),
      fulfilledOrder(anna, ben, [token(views, tokenId)], [payment(price)]),
    ];
    const blocks = [
      blockOf(5, 1, [...sale(1n, 10n), ...sale(2n, 8n)]),
      blockOf(7, 1, sale(3n, 20n)),
      blockOf(9, 1, sale(4n, 4n)),
      blockOf(11, 2, sale(5n, 1n)),
    ];
    for (const size of [4, 1, 2]) {
      const { nft_market_days, nft_market_day_periods } = foldSales(blocks, size);
      const last = new Map(nft_market_days.map((row) => [row.day, row]));
      expect([...last.values()].map(({ day, since_block, sales, amount, lowest }) => [day, since_block, sales, amount, lowest])).toEqual([
        [1, 9, 4, 42n, "4"],
        [2, 11, 1, 1n, "1"],
      ]);
      expect(
        nft_market_day_periods.map(({ from_block, to_block, sales, amount, lowest }) => [from_block, to_block, sales, amount, lowest]),
      ).toEqual([
        [5, 6, 2, 18n, "8"],
        [7, 8, 3, 38n, "8"],
      ]);
    }
  });
});
