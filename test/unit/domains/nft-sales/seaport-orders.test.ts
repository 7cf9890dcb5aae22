import { describe, expect, it } from "vitest";
import { nativeTokenAddress, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { deadline } from "../../../support/deadline.ts";
import {
  anna,
  ben,
  blockOf,
  cleo,
  editions,
  filled,
  foldSales,
  market,
  moved,
  movedUnits,
  paid,
  router,
  salesOf,
  type Told,
  token,
  views,
  weth,
} from "./folding.ts";

const inOneBlock = (...returned: Told[]) => salesOf([blockOf(1, 1, returned)]);
const matched = (...orderHashes: readonly `0x${string}`[]): Told => ({ kind: "ordersMatched", address: market, orderHashes });

describe("an order", () => {
  it("sells nothing that did not move from its seller to its buyer in the same transaction", () => {
    const listing = filled(anna, ben, [token(views, 1n)], [paid(100n)]);
    expect(inOneBlock(listing)).toEqual([]);
    expect(inOneBlock(listing, moved(ben, anna, 1n))).toEqual([]);
    expect(inOneBlock(listing, moved(anna, cleo, 1n))).toEqual([]);
    expect(inOneBlock(listing, moved(cleo, ben, 1n))).toEqual([]);
    expect(inOneBlock(listing, moved(anna, ben, 2n))).toEqual([]);
    expect(inOneBlock(listing, { ...moved(anna, ben, 1n), transactionIndex: 1 })).toEqual([]);
    expect(inOneBlock(filled(zeroAddress, ben, [token(views, 1n)], [paid(100n)]), moved(zeroAddress, ben, 1n))).toEqual([]);
    expect(inOneBlock(listing, moved(anna, ben, 1n))).toEqual(["anna ben 1 1 100"]);
    // A token that is told to be sold twice is sold once.
    expect(inOneBlock(listing, listing, moved(anna, ben, 1n))).toEqual(["anna ben 1 1 100"]);
  });

  it("sells as many units as moved, each at its share", () => {
    const listing = filled(anna, ben, [token(editions, 5n, 10n)], [paid(105n)]);
    // Ten each, and five units that cost one more.
    expect(inOneBlock(listing, movedUnits(anna, ben, 5n, 10n))).toEqual(["anna ben 5 10 105"]);
    expect(inOneBlock(listing, movedUnits(anna, ben, 5n, 3n))).toEqual(["anna ben 5 3 33"]);
    expect(inOneBlock(listing, movedUnits(anna, ben, 5n, 40n))).toEqual(["anna ben 5 10 105"]);
    expect(inOneBlock(listing, movedUnits(anna, ben, 5n, 7n), movedUnits(anna, ben, 5n, 3n))).toEqual([
      "anna ben 5 7 75",
      "anna ben 5 3 30",
    ]);
  });

  it("is no sale without a payment, with tokens on both sides, or with a payment beside its tokens", () => {
    const gone = moved(anna, ben, 1n);
    expect(inOneBlock(gone, filled(anna, ben, [token(views, 1n)], []))).toEqual([]);
    expect(inOneBlock(gone, filled(anna, ben, [token(views, 1n)], [paid(0n)]))).toEqual([]);
    expect(inOneBlock(gone, moved(ben, anna, 2n), filled(anna, ben, [token(views, 1n)], [token(views, 2n), paid(5n)]))).toEqual([]);
    expect(inOneBlock(gone, filled(anna, ben, [token(views, 1n), paid(3n)], [paid(5n)]))).toEqual([]);
    expect(inOneBlock(gone, filled(anna, ben, [token(views, 1n, 0n)], [paid(5n)]))).toEqual([]);
    expect(inOneBlock(filled(anna, ben, [paid(5n)], [paid(5n, weth)]))).toEqual([]);
  });

  it("that only names who may buy what it sells is a sale to that buyer", () => {
    const named = (recipient: typeof ben, ...given: readonly [typeof recipient, bigint][]): Told => {
      const listing = filled(anna, recipient, [token(views, 1n)], [paid(100n)], { orderHash: "0x0a" });
      const asked = given.map(([buyer, tokenId]) => ({ ...token(views, tokenId), recipient: buyer }));
      return { ...listing, consideration: [{ ...paid(100n), recipient: anna }, ...asked] } as Told;
    };
    const payer = filled(ben, cleo, [paid(100n)], [], { orderHash: "0x0b" });
    const goes = moved(anna, ben, 1n);
    // As marketplaces do it: matched with an order that pays and asks for nothing.
    expect(inOneBlock(goes, named(cleo, [ben, 1n]), payer, matched("0x0a", "0x0b"))).toEqual(["anna ben 1 1 100"]);
    expect(inOneBlock(goes, named(zeroAddress, [ben, 1n]), { ...payer, recipient: zeroAddress } as Told)).toEqual(["anna ben 1 1 100"]);
    // What is asked for beside it, more of it than is given, or back, makes it a swap.
    for (const asked of [[ben, 2n] as const, [anna, 1n] as const])
      expect(inOneBlock(goes, named(cleo, [...asked]), payer, matched("0x0a", "0x0b"))).toEqual([]);
    expect(inOneBlock(goes, named(cleo, [ben, 1n], [ben, 1n]), payer, matched("0x0a", "0x0b"))).toEqual([]);
  });

  it("has no price in several tokens at once, but for native and wrapped ones", () => {
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

  it("that goes through a contract is the sale between those who had the token before and after", () => {
    const bought = filled(ben, router, [token(views, 1n)], [paid(100n)]);
    expect(inOneBlock(moved(ben, router, 1n), bought, moved(router, cleo, 1n))).toEqual(["ben cleo 1 1 100"]);
    const bid = filled(cleo, router, [paid(120n, weth)], [token(views, 1n)]);
    expect(inOneBlock(moved(ben, router, 1n), moved(router, cleo, 1n), bid)).toEqual(["ben cleo 1 1 120"]);
    // What another contract tells of it first does not make the way a shorter one.
    const retold = filled(ben, router, [token(views, 1n)], [paid(1n)], { address: weth });
    expect(inOneBlock(moved(ben, router, 1n), retold, bought, moved(router, cleo, 1n))).toEqual(["ben cleo 1 1 1", "ben cleo 1 1 100"]);
    // Bought and sold on at once: two sales, of which none is passing on.
    expect(inOneBlock(moved(ben, router, 1n), bought, moved(router, cleo, 1n), bid)).toEqual(["ben router 1 1 100", "router cleo 1 1 120"]);
    // The sender of the transaction gives away what is theirs.
    expect(inOneBlock(moved(ben, anna, 1n), filled(ben, anna, [token(views, 1n)], [paid(9n)]), moved(anna, cleo, 1n))).toEqual([
      "ben anna 1 1 9",
    ]);
  });
});

describe("what a hostile contract tells at length", () => {
  it("is read in time that grows as it does: items on both sides, one token many times, a long way through many hands", () => {
    const account = (number: number) => `0x${number.toString(16).padStart(40, "0")}` as const;
    const many = Array.from({ length: 20_000 }, (_, id) => token(views, BigInt(id)));
    const listing = { ...filled(anna, cleo, many, [paid(1n)]), consideration: many.map((item) => ({ ...item, recipient: ben })) } as Told;
    const repeated = filled(
      anna,
      ben,
      many.map(() => token(editions, 5n)),
      [paid(20_000n)],
    );
    const units = Array.from({ length: 1_000 }, () => movedUnits(anna, ben, 5n, 1n));
    const hands = Array.from({ length: 1_000 }, (_, hand) => movedUnits(account(hand + 1), account(hand + 2), 6n, 1n));
    const tellers = Array.from({ length: 500 }, (_, teller) =>
      filled(account(1), account(2), [token(editions, 6n)], [paid(1n)], { address: account(10_000 + teller) }),
    );
    const begun = performance.now();
    expect(inOneBlock(listing, repeated, ...units)).toHaveLength(1_000);
    expect(inOneBlock(...hands, ...tellers)).toHaveLength(500);
    // A fraction of a second; each of them took several when it looked at everything for each.
    expect(performance.now() - begun).toBeLessThan(deadline(3_000));
  });
});

describe("matched orders", () => {
  const sells = (address = market) => filled(anna, zeroAddress, [token(views, 1n)], [paid(90n, weth)], { orderHash: "0x0a", address });
  const buys = (address = market) =>
    filled(ben, zeroAddress, [paid(100n, weth)], [token(views, 1n), paid(10n, weth)], { orderHash: "0x0b", address });
  const goes = moved(anna, ben, 1n);

  it("count a token once, at what its buyer gave, whichever is told first", () => {
    expect(inOneBlock(sells(), buys(), matched("0x0a", "0x0b"), goes)).toEqual(["anna ben 1 1 100"]);
    expect(inOneBlock(buys(), sells(), matched("0x0a", "0x0b"), goes)).toEqual(["anna ben 1 1 100"]);
    // Before there was OrdersMatched, such orders had no recipient.
    expect(inOneBlock(sells(), buys(), goes)).toEqual(["anna ben 1 1 100"]);
    // Since then their recipient is the caller.
    const called = [sells(), buys()].map((event) => ({ ...event, recipient: cleo }) as Told);
    expect(inOneBlock(...called, matched("0x0a", "0x0b"), goes)).toEqual(["anna ben 1 1 100"]);
    expect(inOneBlock(...called, matched("0x0c"), goes)).toEqual(["anna ben 1 1 100"]);
  });

  it("of several sellers are a sale of each", () => {
    const lists = (seller: typeof anna, orderHash: `0x${string}`, amount: bigint) =>
      filled(seller, cleo, [token(editions, 1n, amount)], [paid(1n)], { orderHash });
    const takes = filled(ben, cleo, [paid(50n)], [token(editions, 1n, 5n)], { orderHash: "0x0c" });
    const returned = [lists(anna, "0x0a", 3n), lists(cleo, "0x0b", 2n), takes, matched("0x0a", "0x0b", "0x0c")];
    expect(inOneBlock(...returned, movedUnits(anna, ben, 1n, 3n), movedUnits(cleo, ben, 1n, 2n))).toEqual([
      "anna ben 1 3 30",
      "cleo ben 1 2 20",
    ]);
  });

  it("that one buyer takes together cost what each seller asked", () => {
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
    // A bid that pays fees itself has its own price for each: (100 / 2).
    expect(inOneBlock(...returned(paid(1n)))).toEqual(["anna ben 1 1 50", "cleo ben 2 1 50"]);
  });

  it("may have one of them several times, filled part by part", () => {
    const sells = (amount: bigint) => filled(anna, cleo, [token(editions, 1n, amount)], [paid(amount, weth)], { orderHash: "0x0a" });
    const buys = filled(ben, cleo, [paid(10n, weth)], [token(editions, 1n, 5n)], { orderHash: "0x0b" });
    // Both parts go to ben, though the recipient is the caller; two units are sold beside what the bid asks for.
    const returned = [sells(3n), sells(4n), buys, matched("0x0a", "0x0a", "0x0b")];
    expect(inOneBlock(...returned, movedUnits(anna, ben, 1n, 3n), movedUnits(anna, ben, 1n, 4n))).toEqual([
      "anna ben 1 2 2",
      "anna ben 1 3 6",
      "anna ben 1 2 4",
    ]);
  });

  it("without a buying order sell at what the seller got, to whom the token went", () => {
    const payer = filled(cleo, zeroAddress, [paid(90n, weth)], [], { orderHash: "0x0c" });
    const asks = filled(ben, zeroAddress, [], [token(views, 1n)], { orderHash: "0x0b" });
    expect(inOneBlock(sells(), asks, payer, matched("0x0a", "0x0b", "0x0c"), goes)).toEqual(["anna ben 1 1 90"]);
    expect(inOneBlock(sells(), asks, payer, goes)).toEqual(["anna ben 1 1 90"]);
  });

  it("are each contract's own: who else tells of them takes nothing away", () => {
    const returned = [sells(), buys(), matched("0x0a", "0x0b"), sells(router), buys(router), goes];
    const rows = foldSales([blockOf(1, 1, returned)]).nft_sales;
    expect(rows.map(({ marketplace, price }) => [marketplace, price])).toEqual([
      [market, 100n],
      [router, 100n],
    ]);
  });
});

describe("sums of a day", () => {
  it("have a row for what holds and one for each that ended, so that a block can be taken back", () => {
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
