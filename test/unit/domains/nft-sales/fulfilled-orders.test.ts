import { describe, expect, it } from "vitest";
import { nativeTokenAddress, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { scaleTimeLimit } from "../../../support/scale-time-limit.ts";
import {
  anna,
  ben,
  blockOf,
  cleo,
  type EmittedEvent,
  editions,
  foldSales,
  fulfilledOrder,
  inOneBlock,
  ordersMatched,
  paintings,
  payment,
  router,
  token,
  tokenTransfer,
  unitTransfer,
  weth,
} from "./folding.ts";

describe("a fulfilled order", () => {
  it("sells only tokens that moved from its seller to its buyer in the same transaction", () => {
    const listing = fulfilledOrder(anna, ben, [token(paintings, 1n)], [payment(100n)]);
    expect(inOneBlock(listing)).toEqual([]);
    expect(inOneBlock(listing, tokenTransfer(ben, anna, 1n))).toEqual([]);
    expect(inOneBlock(listing, tokenTransfer(anna, cleo, 1n))).toEqual([]);
    expect(inOneBlock(listing, tokenTransfer(cleo, ben, 1n))).toEqual([]);
    expect(inOneBlock(listing, tokenTransfer(anna, ben, 2n))).toEqual([]);
    expect(inOneBlock(listing, { ...tokenTransfer(anna, ben, 1n), transactionIndex: 1 })).toEqual([]);
    expect(
      inOneBlock(fulfilledOrder(zeroAddress, ben, [token(paintings, 1n)], [payment(100n)]), tokenTransfer(zeroAddress, ben, 1n)),
    ).toEqual([]);
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

  it("is not a sale without a payment, with tokens on both sides, or with a payment on the tokens' side", () => {
    const transfer = tokenTransfer(anna, ben, 1n);
    expect(inOneBlock(transfer, fulfilledOrder(anna, ben, [token(paintings, 1n)], []))).toEqual([]);
    expect(inOneBlock(transfer, fulfilledOrder(anna, ben, [token(paintings, 1n)], [payment(0n)]))).toEqual([]);
    expect(
      inOneBlock(
        transfer,
        tokenTransfer(ben, anna, 2n),
        fulfilledOrder(anna, ben, [token(paintings, 1n)], [token(paintings, 2n), payment(5n)]),
      ),
    ).toEqual([]);
    expect(inOneBlock(transfer, fulfilledOrder(anna, ben, [token(paintings, 1n), payment(3n)], [payment(5n)]))).toEqual([]);
    expect(inOneBlock(transfer, fulfilledOrder(anna, ben, [token(paintings, 1n, 0n)], [payment(5n)]))).toEqual([]);
    expect(inOneBlock(fulfilledOrder(anna, ben, [payment(5n)], [payment(5n, weth)]))).toEqual([]);
  });

  it("is a sale to the buyer that it names", () => {
    const privateListing = (recipient: typeof ben, ...requested: readonly [typeof recipient, bigint][]): EmittedEvent => {
      const listing = fulfilledOrder(anna, recipient, [token(paintings, 1n)], [payment(100n)], { orderHash: "0x0a" });
      const items = requested.map(([buyer, tokenId]) => ({ ...token(paintings, tokenId), recipient: buyer }));
      return { ...listing, consideration: [{ ...payment(100n), recipient: anna }, ...items] } as EmittedEvent;
    };
    const payingOrder = fulfilledOrder(ben, cleo, [payment(100n)], [], { orderHash: "0x0b" });
    const transfer = tokenTransfer(anna, ben, 1n);
    // Marketplaces match a private listing with an order that pays and has no consideration.
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
        blockOf(1, 1, [tokenTransfer(anna, ben, 1n), fulfilledOrder(anna, ben, [token(paintings, 1n)], payments)]),
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
    const bought = fulfilledOrder(ben, router, [token(paintings, 1n)], [payment(100n)]);
    expect(inOneBlock(tokenTransfer(ben, router, 1n), bought, tokenTransfer(router, cleo, 1n))).toEqual(["ben cleo 1 1 100"]);
    const bid = fulfilledOrder(cleo, router, [payment(120n, weth)], [token(paintings, 1n)]);
    expect(inOneBlock(tokenTransfer(ben, router, 1n), tokenTransfer(router, cleo, 1n), bid)).toEqual(["ben cleo 1 1 120"]);
    // An earlier event from another contract does not shorten the path.
    const duplicate = fulfilledOrder(ben, router, [token(paintings, 1n)], [payment(1n)], { address: weth });
    expect(inOneBlock(tokenTransfer(ben, router, 1n), duplicate, bought, tokenTransfer(router, cleo, 1n))).toEqual([
      "ben cleo 1 1 1",
      "ben cleo 1 1 100",
    ]);
    // A token that is bought and sold again in one transaction has two sales.
    expect(inOneBlock(tokenTransfer(ben, router, 1n), bought, tokenTransfer(router, cleo, 1n), bid)).toEqual([
      "ben router 1 1 100",
      "router cleo 1 1 120",
    ]);
    // The transaction's sender transfers its own token away.
    expect(
      inOneBlock(
        tokenTransfer(ben, anna, 1n),
        fulfilledOrder(ben, anna, [token(paintings, 1n)], [payment(9n)]),
        tokenTransfer(anna, cleo, 1n),
      ),
    ).toEqual(["ben anna 1 1 9"]);
  });
});

describe("long event lists from a hostile contract", () => {
  it("are processed in linear time: items on both sides, one token many times, a long transfer path", () => {
    const account = (number: number) => `0x${number.toString(16).padStart(40, "0")}` as const;
    const many = Array.from({ length: 20_000 }, (_, id) => token(paintings, BigInt(id)));
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
    expect(performance.now() - start).toBeLessThan(scaleTimeLimit(3_000));
  });
});
