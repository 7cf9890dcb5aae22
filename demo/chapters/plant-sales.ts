import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Random } from "../story/random.ts";
import { encodeFulfillAvailableOrders, encodeMatchOrders, erc721Item, type SeaportOrder } from "../story/seaport-orders.ts";
import type { Call, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { type BuyerFunds, finney } from "./buyer-funds.ts";
import type { Garden } from "./garden-types.ts";
import type { Currency, Marketplace, OrderBuilder } from "./marketplace-orders.ts";

/** The context of the marketplace chapters. */
export interface MarketplaceContext {
  readonly story: StoryContext;
  readonly accounts: Accounts;
  readonly garden: Garden;
  readonly marketplace: Marketplace;
  readonly orders: OrderBuilder;
  readonly funds: BuyerFunds;
  readonly prices: PriceWalk;
  readonly random: Random;
}

interface Listing {
  readonly order: SeaportOrder;
  readonly id: bigint;
  readonly price: bigint;
  /** The native value that a buyer sends. */
  readonly value: bigint;
  /** The transactions that list the plant. */
  readonly calls: readonly Call[];
}

/** The first base price and its bounds, in thousandths of an ether. */
const firstBase = 180;
const [minBase, maxBase] = [90, 500];

/** Creates a base price that changes from day to day, and asking prices around it. */
export const createPriceWalk = (random: Random) => {
  let base = firstBase;
  return {
    nextDay: (): void => {
      base = Math.min(maxBase, Math.max(minBase, Math.round((base * random.between(94, 107)) / 100)));
    },
    /** A plant's asking price today. */
    askingPrice: (): bigint => BigInt(Math.round((base * random.between(85, 240)) / 100)) * finney,
  };
};

export type PriceWalk = ReturnType<typeof createPriceWalk>;

const listPlant = ({ garden, orders, prices }: MarketplaceContext, id: bigint, currency: Currency): Listing => {
  const price = prices.askingPrice();
  const seller = garden.registry.ownerOf(id);
  const order = orders.list(seller, [erc721Item(garden.address, id)], currency, price);
  const calls = [...orders.approveTokens(seller, garden.address), orders.validate(order)];
  return { order, id, price, value: currency === "native" ? price : 0n, calls };
};

/** Records that a plant was sold: the payment and the new owner. */
const recordSale = ({ garden, funds }: MarketplaceContext, id: bigint, buyer: Address, currency: Currency, price: bigint): void => {
  funds.recordSale(buyer, garden.registry.ownerOf(id), currency, price);
  garden.registry.move(id, buyer);
};

/** Fills a listing. Returns no transactions if no account can pay. */
const buyListing = (context: MarketplaceContext, day: number, listing: Listing, currency: Currency): readonly Call[] => {
  const { accounts, funds, orders } = context;
  const { order, id, price, value } = listing;
  const buyer = funds.findBuyer(accounts.activeUsers(day), order.offerer, currency, price);
  if (buyer === undefined) return [];
  recordSale(context, id, buyer, currency, price);
  return [...(currency === "weth" ? orders.approveWeth(buyer) : []), orders.fill(buyer, order, value)];
};

const listAndSell = (context: MarketplaceContext, day: number, currency: Currency): readonly Call[] => {
  const listing = listPlant(context, context.garden.registry.pick(context.random), currency);
  return [...listing.calls, ...buyListing(context, day, listing, currency)];
};

/** Creates a bid that the owner of the plant accepts. */
const bidAndAccept = (context: MarketplaceContext, day: number): readonly Call[] => {
  const { accounts, garden, orders, funds, prices, random } = context;
  const id = garden.registry.pick(random);
  const seller = garden.registry.ownerOf(id);
  const price = prices.askingPrice();
  const bidder = funds.findBuyer(accounts.activeUsers(day), seller, "weth", price);
  if (bidder === undefined) return [];
  const order = orders.bid(bidder, [erc721Item(garden.address, id)], price);
  recordSale(context, id, bidder, "weth", price);
  return [
    ...orders.approveWeth(bidder),
    orders.validate(order),
    ...orders.approveTokens(seller, garden.address),
    // The seller pays the fees right after receiving the price.
    ...orders.approveWeth(seller),
    orders.fill(seller, order),
  ];
};

/** Listings that stay open for some days. */
const createOpenListings = (context: MarketplaceContext) => {
  const { garden, marketplace, orders, random } = context;
  let open: (Listing & { readonly until: number })[] = [];
  const cancel = ({ order }: Listing): Call => ({
    from: order.offerer,
    to: marketplace.seaport,
    data: encode(context.story.artifacts.seaport.abi, "cancel", [[order]]),
    gas: 150_000,
  });
  return {
    add: (day: number): readonly Call[] => {
      const listing = listPlant(context, garden.registry.pick(random), "native");
      garden.registry.reserve(listing.id);
      open.push({ ...listing, until: day + random.between(1, 6) });
      return listing.calls;
    },
    /** Fills or cancels the listings that end today; a seller that cancels its last listing may revoke the marketplace's approval. */
    closeDue: (day: number): readonly Call[] => {
      const due = open.filter(({ until }) => until <= day);
      open = open.filter(({ until }) => until > day);
      return due.flatMap((listing) => {
        garden.registry.release(listing.id);
        const kind = random.below(4);
        if (kind > 1) return buyListing(context, day, listing, "native");
        const { offerer } = listing.order;
        const revokes = kind === 1 && open.every(({ order }) => order.offerer !== offerer);
        return [cancel(listing), ...(revokes ? orders.revokeTokens(offerer, garden.address) : [])];
      });
    },
  };
};

/** Creates listings of two sellers that one account buys in one transaction. */
const sweepListings = (context: MarketplaceContext, day: number): readonly Call[] => {
  const { accounts, garden, marketplace, funds, random } = context;
  const { registry } = garden;
  const first = registry.pick(random);
  registry.reserve(first);
  const second = registry.pick(random);
  registry.release(first);
  const listings = [listPlant(context, first, "native"), listPlant(context, second, "native")];
  const total = listings.reduce((sum, { price }) => sum + price, 0n);
  const buyer = funds.findBuyer(accounts.activeUsers(day), registry.ownerOf(first), "native", total);
  if (buyer === undefined || buyer === registry.ownerOf(second)) return listings.flatMap(({ calls }) => calls);
  for (const { id, price } of listings) recordSale(context, id, buyer, "native", price);
  const data = encodeFulfillAvailableOrders(listings.map(({ order }) => ({ order })));
  return [...listings.flatMap(({ calls }) => calls), { from: buyer, to: marketplace.seaport, value: total, data, gas: 900_000 }];
};

/** Creates a listing and a bid that a third account matches. */
const matchListingAndBid = (context: MarketplaceContext, day: number): readonly Call[] => {
  const { accounts, garden, marketplace, orders, funds, random } = context;
  const listing = listPlant(context, garden.registry.pick(random), "weth");
  const { order, id, price, calls } = listing;
  const bidder = funds.findBuyer(accounts.activeUsers(day), order.offerer, "weth", price);
  if (bidder === undefined) return calls;
  const bid = orders.bidWithoutFees(bidder, erc721Item(garden.address, id), price);
  recordSale(context, id, bidder, "weth", price);
  const plantToBidder = [
    [0, 0],
    [1, 0],
  ] as const;
  const bidToRecipients = order.consideration.map(
    (_, position) =>
      [
        [1, 0],
        [0, position],
      ] as const,
  );
  const data = encodeMatchOrders([{ order }, { order: bid }], [plantToBidder, ...bidToRecipients]);
  return [
    ...calls,
    ...orders.approveWeth(bidder),
    orders.validate(bid),
    { from: accounts.trader, to: marketplace.seaport, data, gas: 900_000 },
  ];
};

/** Sales of single plants. */
export const createPlantSales = (context: MarketplaceContext) => {
  const openListings = createOpenListings(context);
  return {
    closeDue: openListings.closeDue,
    /** Creates a listing that is bought for ether or wrapped ether, a bid that is accepted, or a listing that stays open. */
    sellOne: (day: number): readonly Call[] => {
      const kind = context.random.below(10);
      if (kind < 6) return listAndSell(context, day, "native");
      if (kind < 8) return listAndSell(context, day, "weth");
      return kind === 8 ? bidAndAccept(context, day) : openListings.add(day);
    },
    sweep: (day: number): readonly Call[] => sweepListings(context, day),
    match: (day: number): readonly Call[] => matchListingAndBid(context, day),
  };
};
