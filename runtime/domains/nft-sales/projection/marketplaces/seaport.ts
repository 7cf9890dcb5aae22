import type { DecodedEvent, OrderFulfilled, OrderItem, OrdersMatched } from "../../../../events/decoded-block.ts";
import { orderFulfilled, ordersMatched } from "../../../../events/seaport.ts";
import { erc1155TransferBatch, erc1155TransferSingle, transfersByStandard } from "../../../../events/transfers.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { type Address, type Hash, nativeTokenAddress, zeroAddress } from "../../../../lib/hex.ts";
import type { Marketplace, Payment, Sold } from "./marketplace.ts";
import { createMovedTokens, type Move, type MovesBook, type Taken } from "./moved-tokens.ts";
import { shareOf } from "./share.ts";

/**
 * Seaport, all of whose versions tell of an order that was filled in the same words.
 * A listing gives tokens for payments: its price is the sum of these, with fees, royalties and tips, which the event does not tell apart. A bid gives payments for
 * tokens: its price is what the bidder gave. Orders with tokens on both sides are swaps, and such without payment gifts: no sales. A listing for one buyer alone asks
 * that this buyer gets what it gives: that is no other side.
 * A price stands for all units of its order: each costs the same.
 * Anybody may emit such an event, so a sale counts as far as its units really moved in the same transaction by the collection's own events: for a listing from its
 * offerer to its recipient, for a bid to whom it names.
 * Orders that are matched with each other tell of the same token twice, from both sides: what a buying order names is sold by it, at what the buyer gave, and its mirror
 * finds nothing left to account for. But where one order buys what several sell, each at a price of its own, these say what each token cost.
 */
export const seaport: Marketplace = {
  protocol: "seaport",
  code: 1,
  topic0: orderFulfilled.topic0,
  events: [orderFulfilled, ordersMatched, ...transfersByStandard, erc1155TransferSingle, erc1155TransferBatch],
  tells: ({ kind }) => kind === "orderFulfilled",
  salesOf: ({ events, sender }, wrappedNative) => {
    const moved = createMovedTokens(events);
    const found: { readonly offer: Offer; readonly part: Part; readonly follow: MovesBook["follow"] }[] = [];
    for (const own of groupBy(events.filter(isOrderEvent), ({ address }) => address).values()) {
      const book = moved.openBook();
      const offers = offersOf(own);
      const sweeps = sweepsAmong(offers);
      const isFirst = (offer: Offer): boolean => offer.isMatched && offer.isBid && !sweeps.has(offer);
      // Who buys comes first: what is left of a match is for the orders that sell.
      for (const offer of [...offers.filter(isFirst), ...offers.filter((offer) => !isFirst(offer) && !sweeps.has(offer)), ...sweeps]) {
        let first = 0n;
        for (const item of offer.tokens) {
          let at = first;
          for (const taken of book.take(item.token, item.tokenId, item.amount, item.fits)) {
            found.push({ offer, part: { taken, first: at }, follow: book.follow });
            at += taken.units;
          }
          first += item.amount;
        }
      }
    }
    return found
      .map(({ offer, part: { taken, first }, follow }): Sold => {
        const { event, isBid, units } = offer;
        const payment = paymentOf(offer.payments, wrappedNative);
        return {
          transactionIndex: event.transactionIndex,
          logIndex: event.logIndex,
          movedAt: taken.move.logIndex,
          marketplace: event.address,
          collection: taken.move.collection,
          tokenId: taken.move.tokenId,
          standard: taken.move.standard,
          units: taken.units,
          seller: isBid ? follow(taken, "from", sender) : taken.move.from,
          buyer: isBid ? taken.move.to : follow(taken, "to", sender),
          maker: isBid ? "buyer" : "seller",
          payment: payment === null ? null : { token: payment.token, amount: shareOf(payment.amount, units, first, taken.units) },
        };
      })
      .sort((left, right) => left.logIndex - right.logIndex);
  },
};

interface Part {
  readonly taken: Taken;
  /** The number of its first unit among those of its order. */
  readonly first: bigint;
}

/** An order that gives tokens for payments, or payments for tokens. */
interface Offer {
  readonly event: OrderFulfilled;
  readonly isBid: boolean;
  readonly isMatched: boolean;
  readonly payments: readonly OrderItem[];
  readonly tokens: readonly (OrderItem & { readonly fits: (move: Move) => boolean })[];
  /** Of all tokens. */
  readonly units: bigint;
}

const isOrderEvent = (event: DecodedEvent): event is OrderFulfilled | OrdersMatched =>
  event.kind === "orderFulfilled" || event.kind === "ordersMatched";

const isToken = ({ kind, amount }: OrderItem): boolean => kind === "token" && amount > 0n;
const isPayment = ({ kind, amount }: OrderItem): boolean => kind === "payment" && amount > 0n;

const offersOf = (events: readonly (OrderFulfilled | OrdersMatched)[]): Offer[] => {
  const matched = matchedOrders(events);
  return events.flatMap((event) => (event.kind === "orderFulfilled" ? offerOf(event, matched.has(event)) : []));
};

const offerOf = (event: OrderFulfilled, isMatched: boolean): Offer[] => {
  const { offer, consideration, offerer, recipient } = event;
  const given = offer.filter(isToken);
  const asked = askedOf(event, given);
  const isBid = given.length === 0;
  // Tokens on both sides, or none; and what is paid beside tokens that are sold has no price of its own.
  if (isBid === (asked.length === 0) || (!isBid && offer.some(isPayment))) return [];
  const payments = (isBid ? offer : consideration).filter(isPayment);
  if (payments.length === 0) return [];
  const tokens = isBid
    ? asked.map((item) => ({ ...item, fits: ({ to }: Move) => to === item.recipient }))
    : given.map((item) => ({ ...item, fits: ({ from, to }: Move) => from === offerer && (isMatched || to === recipient) }));
  return [{ event, isBid, isMatched, payments, tokens, units: tokens.reduce((sum, { amount }) => sum + amount, 0n) }];
};

const keyOf = ({ token, tokenId }: OrderItem): string => `${token}${tokenId}`;

/** How many of each token are among some items. */
const amountsOf = (items: readonly OrderItem[]): ReadonlyMap<string, bigint> => {
  const amounts = new Map<string, bigint>();
  for (const item of items) amounts.set(keyOf(item), (amounts.get(keyOf(item)) ?? 0n) + item.amount);
  return amounts;
};

/** The tokens that an order asks for, without those that it gives itself: of these it says who is to have them. */
const askedOf = ({ consideration, offerer }: OrderFulfilled, given: readonly OrderItem[]): OrderFulfilled["consideration"] => {
  const asked = consideration.filter(isToken);
  if (given.length === 0) return asked;
  const [givenAmounts, askedAmounts] = [amountsOf(given), amountsOf(asked)];
  const isGivenOn = (item: OrderItem): boolean => (askedAmounts.get(keyOf(item)) ?? 0n) <= (givenAmounts.get(keyOf(item)) ?? 0n);
  return asked.filter((item) => item.recipient === offerer || !isGivenOn(item));
};

/** Buying orders for several tokens, paying nobody but those who sell them: matched with several listings that between them sell all of these. */
const sweepsAmong = (offers: readonly Offer[]): ReadonlySet<Offer> => {
  const listings = new Map<string, Offer>();
  for (const offer of offers) if (offer.isMatched && !offer.isBid) for (const item of offer.tokens) listings.set(keyOf(item), offer);
  return new Set(
    offers.filter(({ event, isMatched, isBid, tokens }) => {
      if (!isMatched || !isBid || tokens.length < 2 || event.consideration.some(isPayment)) return false;
      const sellers = new Set(tokens.map((item) => listings.get(keyOf(item))));
      return sellers.size > 1 && !sellers.has(undefined);
    }),
  );
};

/** The orders that were filled with each other: those that an OrdersMatched after them names; before there was that event, those without a recipient. */
const matchedOrders = (events: readonly (OrderFulfilled | OrdersMatched)[]): ReadonlySet<OrderFulfilled> => {
  const matched = new Set<OrderFulfilled>();
  // An order that may be filled in parts can be there several times.
  const open = new Map<Hash, OrderFulfilled[]>();
  for (const event of events) {
    if (event.kind === "ordersMatched") {
      for (const hash of event.orderHashes) {
        const order = open.get(hash)?.pop();
        if (order !== undefined) matched.add(order);
      }
    } else {
      const own = open.get(event.orderHash);
      if (own === undefined) open.set(event.orderHash, [event]);
      else own.push(event);
      if (event.recipient === zeroAddress) matched.add(event);
    }
  }
  return matched;
};

/** The sum of payments; null in several tokens. The native token and a wrapped one are one to one, and together native. */
const paymentOf = (payments: readonly OrderItem[], wrappedNative: ReadonlySet<Address>): Payment | null => {
  const tokens = new Set(payments.map(({ token }) => (token === zeroAddress ? nativeTokenAddress : token)));
  const [first] = tokens;
  const isNative = [...tokens].every((token) => token === nativeTokenAddress || wrappedNative.has(token));
  const token = tokens.size === 1 ? first : isNative ? nativeTokenAddress : undefined;
  return token === undefined ? null : { token, amount: payments.reduce((sum, { amount }) => sum + amount, 0n) };
};
