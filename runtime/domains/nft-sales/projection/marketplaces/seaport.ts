import type { DecodedEvent, OrderFulfilled, OrderItem, OrdersMatched } from "../../../../events/decoded-block.ts";
import { orderFulfilled, ordersMatched } from "../../../../events/seaport.ts";
import { erc1155TransferBatch, erc1155TransferSingle, transfersByStandard } from "../../../../events/transfers.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { type Address, type Hash, nativeTokenAddress, zeroAddress } from "../../../../lib/hex.ts";
import type { Marketplace, Payment, Sold } from "./marketplace.ts";
import { createMovedTokens, type Move, type MovesBook, type Taken } from "./moved-tokens.ts";

/**
 * Seaport, all versions of which emit the same event for a filled order.
 * A listing offers tokens for payments: its price is their sum, with fees, royalties and tips, which the event does not distinguish. A bid offers payments
 * for tokens: its price is the bidder's payment. Orders with tokens on both sides are swaps, and those without payment gifts: neither is a sale. A listing
 * for a single buyer demands that this buyer receives the offered tokens: these are not a second side.
 * The price applies to all units of an order equally.
 * Anybody can emit such an event, so a sale counts only for units that moved in the same transaction by the collection's own events: for a listing from its
 * offerer to its recipient, for a bid to the recipient that it names.
 * Orders that are matched with each other emit the same trade from both sides: the buying order counts as the sale, at the price that the buyer paid, and
 * its mirror finds no units left. But if one order buys what several sell, each at its own price, the selling orders count.
 */
export const seaport: Marketplace = {
  protocol: "seaport",
  code: 1,
  topic0: orderFulfilled.topic0,
  events: [orderFulfilled, ordersMatched, ...transfersByStandard, erc1155TransferSingle, erc1155TransferBatch],
  isSale: ({ kind }) => kind === "orderFulfilled",
  salesOf: ({ events, sender }, wrappedNative) => {
    const moved = createMovedTokens(events);
    const found: { readonly offer: Offer; readonly part: Part; readonly follow: MovesBook["follow"] }[] = [];
    for (const own of groupBy(events.filter(isOrderEvent), ({ address }) => address).values()) {
      const book = moved.openBook();
      const offers = offersOf(own);
      const sweeps = sweepsAmong(offers);
      const isFirst = (offer: Offer): boolean => offer.isMatched && offer.isBid && !sweeps.has(offer);
      // Buying orders come first; the selling orders of a match account for the units that remain.
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
  /** The position of its first unit among those of the order. */
  readonly first: bigint;
}

/** An order that offers tokens for payments, or payments for tokens. */
interface Offer {
  readonly event: OrderFulfilled;
  readonly isBid: boolean;
  readonly isMatched: boolean;
  readonly payments: readonly OrderItem[];
  readonly tokens: readonly (OrderItem & { readonly fits: (move: Move) => boolean })[];
  /** The units of all tokens. */
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
  const demanded = demandedOf(event, given);
  const isBid = given.length === 0;
  // Not a sale: tokens on both sides or on neither, or a payment that is offered in addition to tokens.
  if (isBid === (demanded.length === 0) || (!isBid && offer.some(isPayment))) return [];
  const payments = (isBid ? offer : consideration).filter(isPayment);
  if (payments.length === 0) return [];
  const tokens = isBid
    ? demanded.map((item) => ({ ...item, fits: ({ to }: Move) => to === item.recipient }))
    : given.map((item) => ({ ...item, fits: ({ from, to }: Move) => from === offerer && (isMatched || to === recipient) }));
  return [{ event, isBid, isMatched, payments, tokens, units: tokens.reduce((sum, { amount }) => sum + amount, 0n) }];
};

const keyOf = ({ token, tokenId }: OrderItem): string => `${token}${tokenId}`;

/** The amount of each token among some items. */
const amountsOf = (items: readonly OrderItem[]): ReadonlyMap<string, bigint> => {
  const amounts = new Map<string, bigint>();
  for (const item of items) amounts.set(keyOf(item), (amounts.get(keyOf(item)) ?? 0n) + item.amount);
  return amounts;
};

/** The tokens that an order demands, without those that it offers itself: for these it only names the receiver. */
const demandedOf = ({ consideration, offerer }: OrderFulfilled, given: readonly OrderItem[]): OrderFulfilled["consideration"] => {
  const demanded = consideration.filter(isToken);
  if (given.length === 0) return demanded;
  const [givenAmounts, demandedAmounts] = [amountsOf(given), amountsOf(demanded)];
  const isGivenOn = (item: OrderItem): boolean => (demandedAmounts.get(keyOf(item)) ?? 0n) <= (givenAmounts.get(keyOf(item)) ?? 0n);
  return demanded.filter((item) => item.recipient === offerer || !isGivenOn(item));
};

/** Buying orders for several tokens whose payments all go to the sellers, matched with several listings that together sell all of these tokens. */
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

/** The orders that were filled against each other: those named by an OrdersMatched after them, or, in versions before that event, those without a recipient. */
const matchedOrders = (events: readonly (OrderFulfilled | OrdersMatched)[]): ReadonlySet<OrderFulfilled> => {
  const matched = new Set<OrderFulfilled>();
  // A partially fillable order can occur several times.
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

/** The sum of payments; null for several tokens. The native token and its wrapped form are equal in value and add up to native. */
const paymentOf = (payments: readonly OrderItem[], wrappedNative: ReadonlySet<Address>): Payment | null => {
  const tokens = new Set(payments.map(({ token }) => (token === zeroAddress ? nativeTokenAddress : token)));
  const [first] = tokens;
  const isNative = [...tokens].every((token) => token === nativeTokenAddress || wrappedNative.has(token));
  const token = tokens.size === 1 ? first : isNative ? nativeTokenAddress : undefined;
  return token === undefined ? null : { token, amount: payments.reduce((sum, { amount }) => sum + amount, 0n) };
};

/**
 * The part of a price for `units` units that falls to `count` of them from number `first` on. Each costs the same, and the remainder of the division goes to the first
 * ones, one smallest unit each, so that the parts of all units add up to the price.
 */
const shareOf = (price: bigint, units: bigint, first: bigint, count: bigint): bigint => {
  const [each, remainder] = [price / units, price % units];
  const dearer = remainder > first ? remainder - first : 0n;
  return each * count + (dearer < count ? dearer : count);
};
