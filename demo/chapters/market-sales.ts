import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Random } from "../story/random.ts";
import { encodeFulfillAvailableOrders, encodeMatchOrders, type SeaportOrder, unique } from "../story/seaport-orders.ts";
import type { Call, ChapterContext } from "../story/types.ts";
import type { Garden } from "./garden-types.ts";
import { type Purse, thousandth } from "./market-funds.ts";
import type { Currency, Market, MarketDesk } from "./market-types.ts";
import type { People } from "./people.ts";

/** The context of the marketplace chapters. */
export interface Bazaar {
  readonly stage: ChapterContext;
  readonly people: People;
  readonly garden: Garden;
  readonly market: Market;
  readonly desk: MarketDesk;
  readonly purse: Purse;
  readonly random: Random;
}

interface Listing {
  readonly order: SeaportOrder;
  readonly id: bigint;
  readonly price: bigint;
  readonly value: bigint;
  readonly calls: readonly Call[];
}

const firstBase = 180;
const [minBase, maxBase] = [90, 500];

/** A price around which sales go up and down from day to day. */
export const createPriceWalk = (random: Random) => {
  let base = firstBase;
  return {
    wander: (): void => {
      base = Math.min(maxBase, Math.max(minBase, Math.round((base * random.between(94, 107)) / 100)));
    },
    /** Today's asking price of a plant. */
    ask: (): bigint => BigInt(Math.round((base * random.between(85, 240)) / 100)) * thousandth,
  };
};

export type PriceWalk = ReturnType<typeof createPriceWalk>;

/** Sales of single plants: listed and bought, for coins or for wrapped coins, bid for and accepted, swept, matched by a third, left open, cancelled. */
export const createSales = ({ stage, people, garden, market, desk, purse, random }: Bazaar, prices: PriceWalk) => {
  const { book, address } = garden;
  let open: (Listing & { readonly until: number })[] = [];

  const list = (id: bigint, currency: Currency): Listing => {
    const price = prices.ask();
    const seller = book.ownerOf(id);
    const order = desk.list(seller, [unique(address, id)], currency, price);
    const calls = [...desk.approveTokens(seller, address), desk.validate(order)];
    return { order, id, price, value: currency === "native" ? price : 0n, calls };
  };
  const sold = (id: bigint, buyer: Address, currency: Currency, price: bigint): void => {
    purse.settle(buyer, book.ownerOf(id), currency, price);
    book.move(id, buyer);
  };
  const buy = (day: number, listing: Listing, currency: Currency): readonly Call[] => {
    const { order, id, price, value } = listing;
    const buyer = purse.findBuyer(people.active(day), order.offerer, currency, price);
    if (buyer === undefined) return [];
    sold(id, buyer, currency, price);
    return [...(currency === "weth" ? desk.approveWeth(buyer) : []), desk.fill(buyer, order, value)];
  };
  const listAndSell = (day: number, currency: Currency): readonly Call[] => {
    const listing = list(book.pick(random), currency);
    return [...listing.calls, ...buy(day, listing, currency)];
  };
  const bid = (day: number): readonly Call[] => {
    const id = book.pick(random);
    const seller = book.ownerOf(id);
    const price = prices.ask();
    const bidder = purse.findBuyer(people.active(day), seller, "weth", price);
    if (bidder === undefined) return [];
    const order = desk.bid(bidder, [unique(address, id)], price);
    sold(id, bidder, "weth", price);
    return [
      ...desk.approveWeth(bidder),
      desk.validate(order),
      ...desk.approveTokens(seller, address),
      // The seller pays the fees right after receiving the price.
      ...desk.approveWeth(seller),
      desk.fill(seller, order),
    ];
  };
  const leaveOpen = (day: number): readonly Call[] => {
    const listing = list(book.pick(random), "native");
    book.reserve(listing.id);
    open.push({ ...listing, until: day + random.between(1, 6) });
    return listing.calls;
  };
  const cancel = ({ order }: Listing): Call => ({
    from: order.offerer,
    to: market.seaport,
    data: encode(stage.artifacts.seaport.abi, "cancel", [[order]]),
    gas: 150_000,
  });
  /** Open orders are filled or cancelled after some days; once, the seller revokes the marketplace's approval. */
  const close = (day: number): readonly Call[] => {
    const due = open.filter(({ until }) => until <= day);
    open = open.filter(({ until }) => until > day);
    return due.flatMap((listing) => {
      book.release(listing.id);
      const kind = random.below(4);
      if (kind > 1) return buy(day, listing, "native");
      const { offerer } = listing.order;
      const leaves = kind === 1 && open.every(({ order }) => order.offerer !== offerer);
      return [cancel(listing), ...(leaves ? desk.revokeTokens(offerer, address) : [])];
    });
  };

  return {
    close,
    sellOne: (day: number): readonly Call[] => {
      const kind = random.below(10);
      if (kind < 6) return listAndSell(day, "native");
      if (kind < 8) return listAndSell(day, "weth");
      return kind === 8 ? bid(day) : leaveOpen(day);
    },
    /** Two listings of two sellers, bought by one in one transaction. */
    sweep: (day: number): readonly Call[] => {
      const first = book.pick(random);
      book.reserve(first);
      const second = book.pick(random);
      book.release(first);
      const listings = [list(first, "native"), list(second, "native")];
      const total = listings.reduce((sum, { price }) => sum + price, 0n);
      const buyer = purse.findBuyer(people.active(day), book.ownerOf(first), "native", total);
      if (buyer === undefined || buyer === book.ownerOf(second)) return listings.flatMap(({ calls }) => calls);
      for (const { id, price } of listings) sold(id, buyer, "native", price);
      const data = encodeFulfillAvailableOrders(listings.map(({ order }) => ({ order })));
      return [...listings.flatMap(({ calls }) => calls), { from: buyer, to: market.seaport, value: total, data, gas: 900_000 }];
    },
    /** A listing and a bid that a third account matches. */
    match: (day: number): readonly Call[] => {
      const listing = list(book.pick(random), "weth");
      const { order, id, price, calls } = listing;
      const bidder = purse.findBuyer(people.active(day), order.offerer, "weth", price);
      if (bidder === undefined) return calls;
      const answer = desk.plainBid(bidder, unique(address, id), price);
      sold(id, bidder, "weth", price);
      const matches = [
        [
          [0, 0],
          [1, 0],
        ],
        ...order.consideration.map(
          (_, position) =>
            [
              [1, 0],
              [0, position],
            ] as const,
        ),
      ] as const;
      const data = encodeMatchOrders([{ order }, { order: answer }], matches);
      return [
        ...calls,
        ...desk.approveWeth(bidder),
        desk.validate(answer),
        { from: people.trader, to: market.seaport, data, gas: 900_000 },
      ];
    },
  };
};
