import type { Address } from "../../runtime/lib/hex.ts";
import { encodeApprovalForAll, encodeApprove } from "../story/encode.ts";
import {
  type ConsiderationItem,
  createOrder,
  encodeFulfillAdvancedOrder,
  encodeFulfillOrder,
  encodeValidate,
  erc20Item,
  nativeItem,
  type OrderItem,
  type SeaportOrder,
  withRecipient,
} from "../story/seaport-orders.ts";
import type { Call } from "../story/types.ts";
import { unlimited } from "./exchange-types.ts";

/** The story's marketplace and the recipients of its fees. */
export interface Marketplace {
  readonly seaport: Address;
  /** Receives a fortieth of each sale. */
  readonly feeCollector: Address;
  /** Receives a twentieth of each sale of a plant. */
  readonly artist: Address;
  readonly weth: Address;
}

/** The currency of an order. */
export type Currency = "native" | "weth";

/** Splits a price between seller, marketplace and artist, without a remainder because prices are multiples of 0.001 ether. */
export const splitPrice = (price: bigint): { readonly seller: bigint; readonly fee: bigint; readonly royalty: bigint } => {
  const [fee, royalty] = [price / 40n, price / 20n];
  return { seller: price - fee - royalty, fee, royalty };
};

/** Builds orders for a marketplace and the transactions that approve, validate and fill them. Each order has a unique salt. */
export const createOrderBuilder = ({ seaport, feeCollector, artist, weth }: Marketplace, firstSalt = 0n) => {
  let salt = firstSalt;
  const approved = new Set<string>();
  const once = (key: string, call: Call): readonly Call[] => {
    if (approved.has(key)) return [];
    approved.add(key);
    return [call];
  };
  const nextSalt = (): bigint => {
    salt += 1n;
    return salt;
  };
  const pay = (currency: Currency, amount: bigint): OrderItem => (currency === "native" ? nativeItem(amount) : erc20Item(weth, amount));
  const considerations = (seller: Address, currency: Currency, price: bigint): readonly ConsiderationItem[] => {
    const { seller: proceeds, fee, royalty } = splitPrice(price);
    return [
      withRecipient(seller, pay(currency, proceeds)),
      withRecipient(feeCollector, pay(currency, fee)),
      withRecipient(artist, pay(currency, royalty)),
    ];
  };
  return {
    /** Approves the marketplace for a seller's tokens of a collection, unless it is already approved. */
    approveTokens: (owner: Address, collection: Address): readonly Call[] =>
      once(owner + collection, { from: owner, to: collection, data: encodeApprovalForAll(seaport, true), gas: 90_000 }),
    /** Revokes the approval; the owner must have no open orders. */
    revokeTokens: (owner: Address, collection: Address): readonly Call[] =>
      approved.delete(owner + collection) ? [{ from: owner, to: collection, data: encodeApprovalForAll(seaport, false), gas: 90_000 }] : [],
    approveWeth: (owner: Address): readonly Call[] =>
      once(owner + weth, { from: owner, to: weth, data: encodeApprove(seaport, unlimited), gas: 80_000 }),
    /** Creates an offer of tokens for a price, with a marketplace fee and a royalty. */
    list: (seller: Address, offer: readonly OrderItem[], currency: Currency, price: bigint, partial = false): SeaportOrder =>
      createOrder({ offerer: seller, offer, consideration: considerations(seller, currency, price), salt: nextSalt(), partial }),
    /** Creates an offer of tokens for a price without fees. */
    listWithoutFees: (seller: Address, offer: readonly OrderItem[], price: bigint): SeaportOrder =>
      createOrder({ offerer: seller, offer, consideration: [withRecipient(seller, nativeItem(price))], salt: nextSalt() }),
    /** Creates an offer of wrapped ether for tokens; the seller pays the fees. */
    bid: (bidder: Address, requested: readonly OrderItem[], price: bigint): SeaportOrder => {
      const { fee, royalty } = splitPrice(price);
      const parts = [withRecipient(feeCollector, erc20Item(weth, fee)), withRecipient(artist, erc20Item(weth, royalty))];
      const consideration = [...requested.map((wanted) => withRecipient(bidder, wanted)), ...parts];
      return createOrder({ offerer: bidder, offer: [erc20Item(weth, price)], consideration, salt: nextSalt() });
    },
    /** Creates an offer of wrapped ether for a token, without fees. */
    bidWithoutFees: (bidder: Address, requested: OrderItem, price: bigint): SeaportOrder =>
      createOrder({
        offerer: bidder,
        offer: [erc20Item(weth, price)],
        consideration: [withRecipient(bidder, requested)],
        salt: nextSalt(),
      }),
    /** Validates orders of one offerer on the chain, so that they need no signature. */
    validate: (...orders: readonly [SeaportOrder, ...SeaportOrder[]]): Call => ({
      from: orders[0].offerer,
      to: seaport,
      data: encodeValidate(orders),
      gas: 300_000,
    }),
    fill: (from: Address, order: SeaportOrder, value = 0n): Call => ({
      from,
      to: seaport,
      value,
      data: encodeFulfillOrder({ order }),
      gas: 800_000,
    }),
    /** Fills a fraction of an order. */
    fillPart: (from: Address, order: SeaportOrder, [numerator, denominator]: readonly [bigint, bigint], value: bigint): Call => ({
      from,
      to: seaport,
      value,
      data: encodeFulfillAdvancedOrder({ order }, { numerator, denominator }),
      gas: 400_000,
    }),
  };
};

export type OrderBuilder = ReturnType<typeof createOrderBuilder>;
