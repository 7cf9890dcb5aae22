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
  filled,
  foldSales,
  market,
  moved,
  movedUnits,
  paid,
  router,
  salesOf,
  token,
  views,
  weth,
} from "./folding.ts";

const inOneBlock = (...returned: EmittedEvent[]) => salesOf([blockOf(1, 1, returned)]);
const matched = (...orderHashes: readonly `0x${string}`[]): EmittedEvent => ({ kind: "ordersMatched", address: market, orderHashes });

describe("a fulfilled order", () => {
  it("sells only tokens that moved from its seller to its buyer in the same transaction", () => {
    const listing = filled(anna, ben, [token(views, 1n)], [paid(100n)]);
    expect(inOneBlock(listing)).toEqual([]);
    expect(inOneBlock(listing, moved(ben, anna, 1n))).toEqual([]);
    expect(inOneBlock(listing, moved(anna, cleo, 1n))).toEqual([]);
    expect(inOneBlock(listing, moved(cleo, ben, 1n))).toEqual([]);
    expect(inOneBlock(listing, moved(anna, ben, 2n))).toEqual([]);
    expect(inOneBlock(listing, { ...moved(anna, ben, 1n), transactionIndex: 1 })).toEqual([]);
    expect(inOneBlock(filled(zeroAddress, ben, [token(views, 1n)], [paid(100n)]), moved(zeroAddress, ben, 1n))).toEqual([]);
    expect(inOneBlock(listing, moved(anna, ben, 1n))).toEqual(["anna ben 1 1 100"]);
    // A token in two events is sold once.
    expect(inOneBlock(listing, listing, moved(anna, ben, 1n))).toEqual(["anna ben 1 1 100"]);
  });

  it("sells the units that moved, each at its share of the price", () => {
    const listing = filled(anna, ben, [token(editions, 5n, 10n)], [paid(105n)]);
    // 105 for ten units: the first five cost 11 each, the others 10.
    expect(inOneBlock(listing, movedUnits(anna, ben, 5n, 10n))).toEqual(["anna ben 5 10 105"]);
    expect(inOneBlock(listing, movedUnits(anna, ben, 5n, 3n))).toEqual(["anna ben 5 3 33"]);
    expect(inOneBlock(listing, movedUnits(anna, ben, 5n, 40n))).toEqual(["anna ben 5 10 105"]);
    expect(inOneBlock(listing, movedUnits(anna, ben, 5n, 7n), movedUnits(anna, ben, 5n, 3n))).toEqual([
      "anna ben 5 7 75",
      "anna ben 5 3 30",
    ]);
  });

  it("is not a sale without a payment, with tokens on both sides, or with a payment beside the tokens", () => {
    const gone = moved(anna, ben, 1n);
    expect(inOneBlock(gone, filled(anna, ben, [token(views, 1n)], []))).toEqual([]);
    expect(inOneBlock(gone, filled(anna, ben, [token(views, 1n)], [paid(0n)]))).toEqual([]);
    expect(inOneBlock(gone, moved(ben, anna, 2n), filled(anna, ben, [token(views, 1n)], [token(views, 2n), paid(5n)]))).toEqual([]);
    expect(inOneBlock(gone, filled(anna, ben, [token(views, 1n), paid(3n)], [paid(5n)]))).toEqual([]);
    expect(inOneBlock(gone, filled(anna, ben, [token(views, 1n, 0n)], [paid(5n)]))).toEqual([]);
    expect(inOneBlock(filled(anna, ben, [paid(5n)], [paid(5n, weth)]))).toEqual([]);
  });

  it("that restricts the buyer is a sale to that buyer", () => {
    const named = (recipient: typeof ben, ...given: readonly [typeof recipient, bigint][]): EmittedEvent => {
      const listing = filled(anna, recipient, [token(views, 1n)], [paid(100n)], { orderHash: "0x0a" });
      const asked = given.map(([buyer, tokenId]) => ({ ...token(views, tokenId), recipient: buyer }));
      return { ...listing, consideration: [{ ...paid(100n), recipient: anna }, ...asked] } as EmittedEvent;
    };
    const payer = filled(ben, cleo, [paid(100n)], [], { orderHash: "0x0b" });
    const goes = moved(anna, ben, 1n);
    // As marketplaces implement it: matched with an order that pays and has no consideration.
    expect(inOneBlock(goes, named(cleo, [ben, 1n]), payer, matched("0x0a", "0x0b"))).toEqual(["anna ben 1 1 100"]);
    expect(inOneBlock(goes, named(zeroAddress, [ben, 1n]), { ...payer, recipient: zeroAddress } as EmittedEvent)).toEqual([
      "anna ben 1 1 100",
    ]);
    // Another token in the consideration, more units than offered, or a recipient who is the seller make it a swap.
    for (const asked of [[ben, 2n] as const, [anna, 1n] as const])
      expect(inOneBlock(goes, named(cleo, [...asked]), payer, matched("0x0a", "0x0b"))).toEqual([]);
    expect(inOneBlock(goes, named(cleo, [ben, 1n], [ben, 1n]), payer, matched("0x0a", "0x0b"))).toEqual([]);
  });

  it("has no price in several tokens, except for native and wrapped ones", () => {
    const coin = zeroAddress.replace(/.$/, "9") as `0x${string}`;
    const sold = (...asked: ReturnType<typeof paid>[]) => {
      const [row] = foldSales([blockOf(1, 1, [moved(anna, ben, 1n), filled(anna, ben, [token(views, 1n)], asked)])]).nft_sales;
      return [row?.payment_token, row?.price];
    };
    expect(sold(paid(5n), paid(7n))).toEqual([nativeTokenAddress, 12n]);
    expect(sold(paid(5n), paid(7n, weth))).toEqual([nativeTokenAddress, 12n]);
    expect(sold(paid(5n, weth), paid(7n, weth))).toEqual([weth, 12n]);
    expect(sold(paid(5n, coin), paid(7n, coin))).toEqual([coin, 12n]);
    expect(sold(paid(5n), paid(7n, coin))).toEqual([null, null]);
    expect(sold(paid(5n), paid(0n, coin))).toEqual([nativeTokenAddress, 5n]);
  });

  it("that passes through a contract is a sale between the owners before and after", () => {
    const bought = filled(ben, router, [token(views, 1n)], [paid(100n)]);
    expect(inOneBlock(moved(ben, router, 1n), bought, moved(router, cleo, 1n))).toEqual(["ben cleo 1 1 100"]);
    const bid = filled(cleo, router, [paid(120n, weth)], [token(views, 1n)]);
    expect(inOneBlock(moved(ben, router, 1n), moved(router, cleo, 1n), bid)).toEqual(["ben cleo 1 1 120"]);
    // An earlier event of another contract does not shorten the path.
    const duplicate = filled(ben, router, [token(views, 1n)], [paid(1n)], { address: weth });
    expect(inOneBlock(moved(ben, router, 1n), duplicate, bought, moved(router, cleo, 1n))).toEqual(["ben cleo 1 1 1", "ben cleo 1 1 100"]);
    // Bought and sold again in one transaction: two sales.
    expect(inOneBlock(moved(ben, router, 1n), bought, moved(router, cleo, 1n), bid)).toEqual(["ben router 1 1 100", "router cleo 1 1 120"]);
    // The sender of the transaction gives away its own token.
    expect(inOneBlock(moved(ben, anna, 1n), filled(ben, anna, [token(views, 1n)], [paid(9n)]), moved(anna, cleo, 1n))).toEqual([
      "ben anna 1 1 9",
    ]);
  });
});

describe("long event lists of a hostile contract", () => {
  it("are processed in linear time: items on both sides, one token many times, a long path of transfers", () => {
    const account = (number: number) => `0x${number.toString(16).padStart(40, "0")}` as const;
    const many = Array.from({ length: 20_000 }, (_, id) => token(views, BigInt(id)));
    const listing = {
      ...filled(anna, cleo, many, [paid(1n)]),
      consideration: many.map((item) => ({ ...item, recipient: ben })),
    } as EmittedEvent;
    const repeated = filled(
      anna,
      ben,
      many.map(() => token(editions, 5n)),
      [paid(20_000n)],
    );
    const units = Array.from({ length: 1_000 }, () => movedUnits(anna, ben, 5n, 1n));
    const transfersOnPath = Array.from({ length: 1_000 }, (_, hand) => movedUnits(account(hand + 1), account(hand + 2), 6n, 1n));
    const emitters = Array.from({ length: 500 }, (_, emitter) =>
      filled(account(1), account(2), [token(editions, 6n)], [paid(1n)], { address: account(10_000 + emitter) }),
    );
    const start = performance.now();
    expect(inOneBlock(listing, repeated, ...units)).toHaveLength(1_000);
    expect(inOneBlock(...transfersOnPath, ...emitters)).toHaveLength(500);
    // Takes a fraction of a second; a quadratic implementation took several.
    expect(performance.now() - start).toBeLessThan(deadline(3_000));
  });
});

describe("matched orders", () => {
  const sells = (address = market) => filled(anna, zeroAddress, [token(views, 1n)], [paid(90n, weth)], { orderHash: "0x0a", address });
  const buys = (address = market) =>
    filled(ben, zeroAddress, [paid(100n, weth)], [token(views, 1n), paid(10n, weth)], { orderHash: "0x0b", address });
  const goes = moved(anna, ben, 1n);

  it("count a token once, at its buyer's payment, in any order of the events", () => {
    expect(inOneBlock(sells(), buys(), matched("0x0a", "0x0b"), goes)).toEqual(["anna ben 1 1 100"]);
    expect(inOneBlock(buys(), sells(), matched("0x0a", "0x0b"), goes)).toEqual(["anna ben 1 1 100"]);
    // Before OrdersMatched existed, such orders had no recipient.
    expect(inOneBlock(sells(), buys(), goes)).toEqual(["anna ben 1 1 100"]);
    // Since then, their recipient is the caller.
    const called = [sells(), buys()].map((event) => ({ ...event, recipient: cleo }) as EmittedEvent);
    expect(inOneBlock(...called, matched("0x0a", "0x0b"), goes)).toEqual(["anna ben 1 1 100"]);
    expect(inOneBlock(...called, matched("0x0c"), goes)).toEqual(["anna ben 1 1 100"]);
  });

  it("of several sellers are one sale per seller", () => {
    const lists = (seller: typeof anna, orderHash: `0x${string}`, amount: bigint) =>
      filled(seller, cleo, [token(editions, 1n, amount)], [paid(1n)], { orderHash });
    const takes = filled(ben, cleo, [paid(50n)], [token(editions, 1n, 5n)], { orderHash: "0x0c" });
    const returned = [lists(anna, "0x0a", 3n), lists(cleo, "0x0b", 2n), takes, matched("0x0a", "0x0b", "0x0c")];
    expect(inOneBlock(...returned, movedUnits(anna, ben, 1n, 3n), movedUnits(cleo, ben, 1n, 2n))).toEqual([
      "anna ben 1 3 30",
      "cleo ben 1 2 20",
    ]);
  });

  it("bought together have the price that each seller asked", () => {
    const lists = (seller: typeof anna, orderHash: `0x${string}`, tokenId: bigint, price: bigint) =>
      filled(seller, ben, [token(views, tokenId)], [paid(price)], { orderHash });
    const returned = (...fee: ReturnType<typeof paid>[]) => [
      lists(anna, "0x0a", 1n, 10n),
      lists(cleo, "0x0b", 2n, 90n),
      filled(ben, ben, [paid(100n)], [token(views, 1n), token(views, 2n), ...fee], { orderHash: "0x0c" }),
      matched("0x0a", "0x0b", "0x0c"),
      moved(anna, ben, 1n),
      moved(cleo, ben, 2n),
    ];
    expect(inOneBlock(...returned())).toEqual(["anna ben 1 1 10", "cleo ben 2 1 90"]);
    // The payment of a bid that pays fees itself is divided among its tokens: 100 / 2.
    expect(inOneBlock(...returned(paid(1n)))).toEqual(["anna ben 1 1 50", "cleo ben 2 1 50"]);
  });

  it("may include one order several times, filled in parts", () => {
    const sells = (amount: bigint) => filled(anna, cleo, [token(editions, 1n, amount)], [paid(amount, weth)], { orderHash: "0x0a" });
    const buys = filled(ben, cleo, [paid(10n, weth)], [token(editions, 1n, 5n)], { orderHash: "0x0b" });
    // Both parts go to ben although the recipient is the caller; two of the seven units are sold outside the bid for five.
    const returned = [sells(3n), sells(4n), buys, matched("0x0a", "0x0a", "0x0b")];
    expect(inOneBlock(...returned, movedUnits(anna, ben, 1n, 3n), movedUnits(anna, ben, 1n, 4n))).toEqual([
      "anna ben 1 2 2",
      "anna ben 1 3 6",
      "anna ben 1 2 4",
    ]);
  });

  it("without a buy order are sold at the seller's proceeds, to the recipient of the token", () => {
    const payer = filled(cleo, zeroAddress, [paid(90n, weth)], [], { orderHash: "0x0c" });
    const asks = filled(ben, zeroAddress, [], [token(views, 1n)], { orderHash: "0x0b" });
    expect(inOneBlock(sells(), asks, payer, matched("0x0a", "0x0b", "0x0c"), goes)).toEqual(["anna ben 1 1 90"]);
    expect(inOneBlock(sells(), asks, payer, goes)).toEqual(["anna ben 1 1 90"]);
  });

  it("count per contract: events of another contract do not affect them", () => {
    const returned = [sells(), buys(), matched("0x0a", "0x0b"), sells(router), buys(router), goes];
    const rows = foldSales([blockOf(1, 1, returned)]).nft_sales;
    expect(rows.map(({ marketplace, price }) => [marketplace, price])).toEqual([
      [market, 100n],
      [router, 100n],
    ]);
  });
});

describe("daily sums", () => {
  it("have a current row and one for each that ended, so that a block can be rolled back", () => {
    const sale = (tokenId: bigint, price: bigint) => [moved(anna, ben, tokenId), filled(anna, ben, [token(views, tokenId)], [paid(price)])];
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
