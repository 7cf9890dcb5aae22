import { describe, expect, it } from "vitest";
import { zeroAddress } from "../../../../runtime/lib/hex.ts";
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
  market,
  ordersMatched,
  paintings,
  payment,
  router,
  token,
  tokenTransfer,
  unitTransfer,
  weth,
} from "./folding.ts";

describe("matched orders", () => {
  const sellOrder = (address = market) =>
    fulfilledOrder(anna, zeroAddress, [token(paintings, 1n)], [payment(90n, weth)], { orderHash: "0x0a", address });
  const buyOrder = (address = market) =>
    fulfilledOrder(ben, zeroAddress, [payment(100n, weth)], [token(paintings, 1n), payment(10n, weth)], { orderHash: "0x0b", address });
  const transfer = tokenTransfer(anna, ben, 1n);

  it("count a token once, at its buyer's payment, whatever the event order", () => {
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

  it("sell each token at its seller's price if they are bought together", () => {
    const listing = (seller: typeof anna, orderHash: `0x${string}`, tokenId: bigint, price: bigint) =>
      fulfilledOrder(seller, ben, [token(paintings, tokenId)], [payment(price)], { orderHash });
    const events = (...fee: ReturnType<typeof payment>[]) => [
      listing(anna, "0x0a", 1n, 10n),
      listing(cleo, "0x0b", 2n, 90n),
      fulfilledOrder(ben, ben, [payment(100n)], [token(paintings, 1n), token(paintings, 2n), ...fee], { orderHash: "0x0c" }),
      ordersMatched("0x0a", "0x0b", "0x0c"),
      tokenTransfer(anna, ben, 1n),
      tokenTransfer(cleo, ben, 2n),
    ];
    expect(inOneBlock(...events())).toEqual(["anna ben 1 1 10", "cleo ben 2 1 90"]);
    // If a bid pays fees itself, its payment is divided among its tokens: 100 / 2.
    expect(inOneBlock(...events(payment(1n)))).toEqual(["anna ben 1 1 50", "cleo ben 2 1 50"]);
  });

  it("may include one order several times, filled in parts", () => {
    const partialSellOrder = (amount: bigint) =>
      fulfilledOrder(anna, cleo, [token(editions, 1n, amount)], [payment(amount, weth)], { orderHash: "0x0a" });
    const bid = fulfilledOrder(ben, cleo, [payment(10n, weth)], [token(editions, 1n, 5n)], { orderHash: "0x0b" });
    // Both parts go to ben although the recipient is the caller; two of the seven units are sold outside the bid for five.
    const events = [partialSellOrder(3n), partialSellOrder(4n), bid, ordersMatched("0x0a", "0x0a", "0x0b")];
    expect(inOneBlock(...events, unitTransfer(anna, ben, 1n, 3n), unitTransfer(anna, ben, 1n, 4n))).toEqual([
      "anna ben 1 2 2",
      "anna ben 1 3 6",
      "anna ben 1 2 4",
    ]);
  });

  it("sell a token to its recipient for the seller's proceeds if there is no buy order", () => {
    const payingOrder = fulfilledOrder(cleo, zeroAddress, [payment(90n, weth)], [], { orderHash: "0x0c" });
    const requestOrder = fulfilledOrder(ben, zeroAddress, [], [token(paintings, 1n)], { orderHash: "0x0b" });
    expect(inOneBlock(sellOrder(), requestOrder, payingOrder, ordersMatched("0x0a", "0x0b", "0x0c"), transfer)).toEqual([
      "anna ben 1 1 90",
    ]);
    expect(inOneBlock(sellOrder(), requestOrder, payingOrder, transfer)).toEqual(["anna ben 1 1 90"]);
  });

  it("are separate per contract: another contract's events do not affect them", () => {
    const events = [sellOrder(), buyOrder(), ordersMatched("0x0a", "0x0b"), sellOrder(router), buyOrder(router), transfer];
    const rows = foldSales([blockOf(1, 1, events)]).nft_sales;
    expect(rows.map(({ marketplace, price }) => [marketplace, price])).toEqual([
      [market, 100n],
      [router, 100n],
    ]);
  });
});
