import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import { erc721Item, erc1155Item, type SeaportOrder } from "../story/seaport-orders.ts";
import type { Call } from "../story/types.ts";
import { finney } from "./buyer-funds.ts";
import type { MarketplaceContext } from "./plant-sales.ts";

/** Edition ids that only the marketplace transfers; the collection's chapter uses other ids. */
export const soldEditionIds = [13n, 14n, 15n, 16n] as const;
const unitsPerEdition = 100n;
const unitsOffered = 10n;
const plantsInBundle = 3;
const minPlants = 8;

/** Sales of several tokens: bundles, bundles from two collections, and editions sold in parts. */
export const createSpecialSales = ({ story, accounts, garden, orders, funds, prices, random }: MarketplaceContext, editions: Address) => {
  const { gardener, deployer } = accounts;
  const { registry } = garden;
  const edition = (day: number): bigint => soldEditionIds[day % soldEditionIds.length] ?? soldEditionIds[0];
  let openEditionOrder: { readonly order: SeaportOrder; readonly price: bigint } | null = null;
  /** Returns no plants if too few would remain for sales after the story. */
  const pickGardenIds = (count: number): readonly bigint[] => {
    const ids = registry.transferableIdsOf(gardener);
    return ids.length < minPlants + count ? [] : ids.slice(0, count);
  };
  const buyBundle = (day: number, order: SeaportOrder, price: bigint, ids: readonly bigint[], label?: string): readonly Call[] => {
    const buyer = funds.findBuyer(accounts.activeUsers(day), gardener, "native", price);
    if (buyer === undefined) return [];
    funds.recordSale(buyer, gardener, "native", price);
    for (const id of ids) registry.move(id, buyer);
    return [{ ...orders.fill(buyer, order, price), ...(label === undefined ? {} : { label }) }];
  };
  const buyPart = (day: number, order: SeaportOrder, price: bigint, count: bigint): readonly Call[] => {
    const paid = (price * count) / unitsOffered;
    const buyer = funds.findBuyer(accounts.activeUsers(day), gardener, "native", paid);
    if (buyer === undefined) return [];
    funds.recordSale(buyer, gardener, "native", paid);
    return [orders.fillPart(buyer, order, [count, unitsOffered], paid)];
  };
  return {
    setup: [
      {
        from: deployer,
        to: editions,
        data: encode(story.artifacts.editions.abi, "mintBatch", [gardener, soldEditionIds, soldEditionIds.map(() => unitsPerEdition)]),
        gas: 400_000,
      },
      ...orders.approveTokens(gardener, editions),
      ...orders.approveTokens(gardener, garden.address),
    ] as readonly Call[],
    /** Sells three plants for one price; the last such sale is the story value `bundleTransaction`. */
    bundle: (day: number): readonly Call[] => {
      const ids = pickGardenIds(plantsInBundle);
      if (ids.length === 0) return [];
      const price = prices.askingPrice() * 2n;
      const order = orders.list(
        gardener,
        ids.map((id) => erc721Item(garden.address, id)),
        "native",
        price,
      );
      return [orders.validate(order), ...buyBundle(day, order, price, ids, "bundle")];
    },
    /** Sells a plant and two prints of it for one price. */
    mixedBundle: (day: number): readonly Call[] => {
      const ids = pickGardenIds(1);
      if (ids.length === 0) return [];
      const price = prices.askingPrice();
      const offer = [...ids.map((id) => erc721Item(garden.address, id)), erc1155Item(editions, edition(day), 2n)];
      const order = orders.list(gardener, offer, "native", price);
      return [orders.validate(order), ...buyBundle(day, order, price, ids)];
    },
    /** Lists ten prints, of which one buyer buys three and another buyer four. */
    offerEditions: (day: number): readonly Call[] => {
      const price = BigInt(random.between(8, 30)) * finney * unitsOffered;
      const order = orders.list(gardener, [erc1155Item(editions, edition(day), unitsOffered)], "native", price, true);
      openEditionOrder = { order, price };
      return [orders.validate(order), ...buyPart(day, order, price, 3n), ...buyPart(day, order, price, 4n)];
    },
    /** Buys two of the remaining three prints; the last one stays listed. */
    buyRest: (day: number): readonly Call[] => {
      if (openEditionOrder === null) return [];
      const { order, price } = openEditionOrder;
      openEditionOrder = null;
      return buyPart(day, order, price, 2n);
    },
  };
};

/** One plant that is resold at rising prices, and two wash traders that trade with each other and with themselves. */
export const createStagedSales = ({ accounts, garden, orders, funds }: MarketplaceContext) => {
  const { gardener, collector, trader, dealers, washTraders } = accounts;
  const { address, registry, tradedId } = garden;
  const { ownerOf } = registry;
  const [first, second] = washTraders;
  const plant = [erc721Item(address, tradedId)];
  const wash = (id: bigint, from: Address, to: Address, price: bigint): readonly Call[] => {
    const order = orders.listWithoutFees(from, [erc721Item(address, id)], price);
    registry.move(id, to);
    return [...orders.approveTokens(from, address), orders.validate(order), orders.fill(to, order, price)];
  };
  const sellTo = (buyer: Address, currency: "native" | "weth", price: bigint, label?: string): readonly Call[] => {
    const seller = ownerOf(tradedId);
    const order = orders.list(seller, plant, currency, price);
    funds.recordSale(buyer, seller, currency, price);
    registry.move(tradedId, buyer);
    const fill = orders.fill(buyer, order, currency === "native" ? price : 0n);
    return [
      ...orders.approveTokens(seller, address),
      orders.validate(order),
      ...(currency === "weth" ? orders.approveWeth(buyer) : []),
      { ...fill, ...(label === undefined ? {} : { label }) },
    ];
  };
  const acceptBid = (price: bigint): readonly Call[] => {
    const order = orders.bid(trader, plant, price);
    funds.recordSale(trader, collector, "weth", price);
    registry.move(tradedId, trader);
    return [
      ...orders.approveWeth(trader),
      orders.validate(order),
      ...orders.approveTokens(collector, address),
      ...orders.approveWeth(collector),
      orders.fill(collector, order),
    ];
  };
  return {
    /** The gardener sells the plant; later it is sold to a bidder, resold and bought back, each on a fixed day. */
    resell: (day: number): readonly Call[] => {
      if (ownerOf(tradedId) === gardener) return day === 8 ? sellTo(collector, "native", 300n * finney) : [];
      if (day === 24) return acceptBid(480n * finney);
      const [price, last] = [720n * finney, 1_120n * finney];
      const buyer = dealers.find((dealer) => funds.canPay(dealer, "weth", price));
      if (day === 40 && buyer !== undefined) return sellTo(buyer, "weth", price, "sale");
      return day === 56 ? sellTo(collector, "native", last) : [];
    },
    /** Trades a plant back and forth at a price far below or far above the market price. */
    washBackAndForth: (isExpensive: boolean): readonly Call[] => {
      const id = 1n;
      const price = isExpensive ? 3_000n * finney : 4n * finney;
      return [...wash(id, first, second, price), ...wash(id, second, first, price + finney)];
    },
    washWithSelf: (): readonly Call[] => wash(2n, first, first, 2n * finney),
  };
};
