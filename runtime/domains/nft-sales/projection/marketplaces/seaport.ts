import type { DecodedEvent, OrderFulfilled, OrderItem, OrdersMatched } from "../../../../events/decoded-block.ts";
import { orderFulfilled, ordersMatched } from "../../../../events/seaport.ts";
import { erc1155TransferBatch, erc1155TransferSingle, tokenTransferEvents } from "../../../../events/transfers.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { type Address, type Hash, nativeTokenAddress, zeroAddress } from "../../../../lib/hex.ts";
import type { MarketplaceProtocol, Payment, Sale } from "./marketplace-protocol.ts";
import { type AllocatedUnits, createNftTransfers, type NftTransfer, type TransferAllocation } from "./nft-transfers.ts";

/**
 * Seaport. All its versions emit the same event for a filled order.
 * A listing offers tokens for payments: its price is their sum, with fees, royalties and tips, which the event does not distinguish. A bid offers payments
 * for tokens: its price is the bidder's payment. Orders with tokens on both sides are swaps, and orders without payment are gifts; neither is a sale. A
 * listing for a single buyer lists the offered tokens as consideration for that buyer too; this does not make it a swap.
 * The price applies to all units of an order equally.
 * Any contract can emit this event, so a sale is recorded only for units that the collection's own events moved in the same transaction: for a listing, from
 * its offerer to its recipient; for a bid, to the recipient that it names.
 * Orders matched with each other emit the same trade from both sides. The buying order is the sale, at the price that the buyer paid, and no units
 * remain for the selling order. But if one order buys tokens that several orders sell, each at its own price, the selling orders are the sales.
 */
export const seaport: MarketplaceProtocol = {
  name: "seaport",
  code: 1,
  topic0: orderFulfilled.topic0,
  events: [orderFulfilled, ordersMatched, ...tokenTransferEvents, erc1155TransferSingle, erc1155TransferBatch],
  isSale: ({ kind }) => kind === "orderFulfilled",
  salesOf: ({ events, sender }, wrappedNative) => {
    const transfers = createNftTransfers(events);
    const sales: { readonly offer: Offer; readonly part: Part; readonly follow: TransferAllocation["follow"] }[] = [];
    for (const marketplaceEvents of groupBy(events.filter(isOrderEvent), ({ address }) => address).values()) {
      const allocation = transfers.createAllocation();
      const offers = offersOf(marketplaceEvents);
      const sweeps = sweepsAmong(offers);
      const isMatchedBid = (offer: Offer): boolean => offer.isMatched && offer.isBid && !sweeps.has(offer);
      // Buying orders come first; the selling orders of a match get the units that remain.
      for (const offer of [
        ...offers.filter(isMatchedBid),
        ...offers.filter((offer) => !isMatchedBid(offer) && !sweeps.has(offer)),
        ...sweeps,
      ]) {
        let first = 0n;
        for (const item of offer.tokens) {
          let position = first;
          for (const allocated of allocation.allocate(item.token, item.tokenId, item.amount, item.matches)) {
            sales.push({ offer, part: { allocated, first: position }, follow: allocation.follow });
            position += allocated.units;
          }
          first += item.amount;
        }
      }
    }
    return sales
      .map(({ offer, part: { allocated, first }, follow }): Sale => {
        const { event, isBid, units } = offer;
        const payment = paymentOf(offer.payments, wrappedNative);
        return {
          transactionIndex: event.transactionIndex,
          logIndex: event.logIndex,
          transferLogIndex: allocated.transfer.logIndex,
          marketplace: event.address,
          collection: allocated.transfer.collection,
          tokenId: allocated.transfer.tokenId,
          standard: allocated.transfer.standard,
          units: allocated.units,
          seller: isBid ? follow(allocated, "from", sender) : allocated.transfer.from,
          buyer: isBid ? allocated.transfer.to : follow(allocated, "to", sender),
          maker: isBid ? "buyer" : "seller",
          payment: payment === null ? null : { token: payment.token, amount: shareOf(payment.amount, units, first, allocated.units) },
        };
      })
      .sort((left, right) => left.logIndex - right.logIndex);
  },
};

interface Part {
  readonly allocated: AllocatedUnits;
  /** The index of its first unit among the order's units. */
  readonly first: bigint;
}

/** An order that offers tokens for payments, or payments for tokens. */
interface Offer {
  readonly event: OrderFulfilled;
  readonly isBid: boolean;
  readonly isMatched: boolean;
  readonly payments: readonly OrderItem[];
  readonly tokens: readonly (OrderItem & { readonly matches: (transfer: NftTransfer) => boolean })[];
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
  const offered = offer.filter(isToken);
  const demanded = demandedOf(event, offered);
  const isBid = offered.length === 0;
  // Not a sale: tokens on both sides or on neither, or a payment offered in addition to tokens.
  if (isBid === (demanded.length === 0) || (!isBid && offer.some(isPayment))) return [];
  const payments = (isBid ? offer : consideration).filter(isPayment);
  if (payments.length === 0) return [];
  const tokens = isBid
    ? demanded.map((item) => ({ ...item, matches: ({ to }: NftTransfer) => to === item.recipient }))
    : offered.map((item) => ({ ...item, matches: ({ from, to }: NftTransfer) => from === offerer && (isMatched || to === recipient) }));
  return [{ event, isBid, isMatched, payments, tokens, units: tokens.reduce((sum, { amount }) => sum + amount, 0n) }];
};

const keyOf = ({ token, tokenId }: OrderItem): string => `${token}${tokenId}`;

/** The amount of each token among items. */
const amountsOf = (items: readonly OrderItem[]): ReadonlyMap<string, bigint> => {
  const amounts = new Map<string, bigint>();
  for (const item of items) amounts.set(keyOf(item), (amounts.get(keyOf(item)) ?? 0n) + item.amount);
  return amounts;
};

/** The tokens that an order demands. Tokens that it offers itself are excluded: for these it only names the recipient. */
const demandedOf = ({ consideration, offerer }: OrderFulfilled, offered: readonly OrderItem[]): OrderFulfilled["consideration"] => {
  const demanded = consideration.filter(isToken);
  if (offered.length === 0) return demanded;
  const [offeredAmounts, demandedAmounts] = [amountsOf(offered), amountsOf(demanded)];
  const isPassedOn = (item: OrderItem): boolean => (demandedAmounts.get(keyOf(item)) ?? 0n) <= (offeredAmounts.get(keyOf(item)) ?? 0n);
  return demanded.filter((item) => item.recipient === offerer || !isPassedOn(item));
};

/** Buying orders for several tokens that pay only the sellers and are matched with several listings that together sell all these tokens. */
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

/** Orders filled against each other: named by a later OrdersMatched or, in versions without that event, without a recipient. */
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
      const sameHash = open.get(event.orderHash);
      if (sameHash === undefined) open.set(event.orderHash, [event]);
      else sameHash.push(event);
      if (event.recipient === zeroAddress) matched.add(event);
    }
  }
  return matched;
};

/** The sum of payments; null if they are in several tokens. The native token and its wrapped form have equal value; their sum is in the native token. */
const paymentOf = (payments: readonly OrderItem[], wrappedNative: ReadonlySet<Address>): Payment | null => {
  const tokens = new Set(payments.map(({ token }) => (token === zeroAddress ? nativeTokenAddress : token)));
  const [first] = tokens;
  const isNative = [...tokens].every((token) => token === nativeTokenAddress || wrappedNative.has(token));
  const token = tokens.size === 1 ? first : isNative ? nativeTokenAddress : undefined;
  return token === undefined ? null : { token, amount: payments.reduce((sum, { amount }) => sum + amount, 0n) };
};

/**
 * The share of `count` units, from unit `first` on, in the price of all `units`. Each unit costs the same. The remainder of the division is spread over the
 * first units, one smallest unit of the payment token each, so that the shares of all units add up to the price.
 */
const shareOf = (price: bigint, units: bigint, first: bigint, count: bigint): bigint => {
  const [pricePerUnit, remainder] = [price / units, price % units];
  const unitsWithRemainder = remainder > first ? remainder - first : 0n;
  return pricePerUnit * count + (unitsWithRemainder < count ? unitsWithRemainder : count);
};
