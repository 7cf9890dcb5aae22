import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import { type SeaportOrder, unique, units } from "../story/seaport-orders.ts";
import type { Call } from "../story/types.ts";
import { thousandth } from "./market-funds.ts";
import type { Bazaar, PriceWalk } from "./market-sales.ts";

/** Ids that only the marketplace moves, separate from those of the collection's chapter. */
export const soldEditions = [13n, 14n, 15n, 16n] as const;
const unitsOfEach = 100n;
const unitsOffered = 10n;
const plantsInBundle = 3;
const minPlants = 8;

/** Sales that are more than one plant: bundles, bundles over two collections, and editions sold in parts. */
export const createSpecials = ({ stage, people, garden, desk, purse, random }: Bazaar, editions: Address, prices: PriceWalk) => {
  const { gardener, deployer } = people;
  const { book } = garden;
  const edition = (day: number): bigint => soldEditions[day % soldEditions.length] ?? soldEditions[0];
  let rest: { readonly order: SeaportOrder; readonly price: bigint } | null = null;
  /** The gardener keeps some plants for sales after the story. */
  const takeFromGarden = (count: number): readonly bigint[] => {
    const ids = book.of(gardener);
    return ids.length < minPlants + count ? [] : ids.slice(0, count);
  };
  const buyBundle = (day: number, order: SeaportOrder, price: bigint, ids: readonly bigint[], mark?: string): readonly Call[] => {
    const buyer = purse.findBuyer(people.active(day), gardener, "native", price);
    if (buyer === undefined) return [];
    purse.settle(buyer, gardener, "native", price);
    for (const id of ids) book.move(id, buyer);
    return [{ ...desk.fill(buyer, order, price), ...(mark === undefined ? {} : { mark }) }];
  };
  const buyPart = (day: number, order: SeaportOrder, price: bigint, count: bigint): readonly Call[] => {
    const paid = (price * count) / unitsOffered;
    const buyer = purse.findBuyer(people.active(day), gardener, "native", paid);
    if (buyer === undefined) return [];
    purse.settle(buyer, gardener, "native", paid);
    return [desk.fillPart(buyer, order, [count, unitsOffered], paid)];
  };
  return {
    opening: [
      {
        from: deployer,
        to: editions,
        data: encode(stage.artifacts.editions.abi, "mintBatch", [gardener, soldEditions, soldEditions.map(() => unitsOfEach)]),
        gas: 400_000,
      },
      ...desk.approveTokens(gardener, editions),
      ...desk.approveTokens(gardener, garden.address),
    ] as readonly Call[],
    /** Three plants for one price; the last such sale is in the story's cast. */
    bundle: (day: number): readonly Call[] => {
      const ids = takeFromGarden(plantsInBundle);
      if (ids.length === 0) return [];
      const price = prices.ask() * 2n;
      const order = desk.list(
        gardener,
        ids.map((id) => unique(garden.address, id)),
        "native",
        price,
      );
      return [desk.validate(order), ...buyBundle(day, order, price, ids, "bundle")];
    },
    /** A plant and two prints of it for one price. */
    mixedBundle: (day: number): readonly Call[] => {
      const ids = takeFromGarden(1);
      if (ids.length === 0) return [];
      const price = prices.ask();
      const offer = [...ids.map((id) => unique(garden.address, id)), units(editions, edition(day), 2n)];
      const order = desk.list(gardener, offer, "native", price);
      return [desk.validate(order), ...buyBundle(day, order, price, ids)];
    },
    /** Ten prints on offer: three are bought at once, four by another buyer. */
    offerEditions: (day: number): readonly Call[] => {
      const price = BigInt(random.between(8, 30)) * thousandth * unitsOffered;
      const order = desk.list(gardener, [units(editions, edition(day), unitsOffered)], "native", price, true);
      rest = { order, price };
      return [desk.validate(order), ...buyPart(day, order, price, 3n), ...buyPart(day, order, price, 4n)];
    },
    /** Two of the three that were left; the last one stays on offer. */
    buyRest: (day: number): readonly Call[] => {
      if (rest === null) return [];
      const { order, price } = rest;
      rest = null;
      return buyPart(day, order, price, 2n);
    },
  };
};

/** One plant that is resold at rising prices, and two wash traders who trade with each other and themselves. */
export const createStagedSales = ({ people, garden, desk, purse }: Bazaar) => {
  const { gardener, collector, trader, dealers, washTraders } = people;
  const { address, book, tradedId } = garden;
  const { ownerOf } = book;
  const [first, second] = washTraders;
  const plant = [unique(address, tradedId)];
  const wash = (id: bigint, from: Address, to: Address, price: bigint): readonly Call[] => {
    const order = desk.listPlainly(from, [unique(address, id)], price);
    book.move(id, to);
    return [...desk.approveTokens(from, address), desk.validate(order), desk.fill(to, order, price)];
  };
  const tradeTo = (buyer: Address, currency: "native" | "weth", price: bigint, mark?: string): readonly Call[] => {
    const seller = ownerOf(tradedId);
    const order = desk.list(seller, plant, currency, price);
    purse.settle(buyer, seller, currency, price);
    book.move(tradedId, buyer);
    const fill = desk.fill(buyer, order, currency === "native" ? price : 0n);
    return [
      ...desk.approveTokens(seller, address),
      desk.validate(order),
      ...(currency === "weth" ? desk.approveWeth(buyer) : []),
      { ...fill, ...(mark === undefined ? {} : { mark }) },
    ];
  };
  const acceptBid = (price: bigint): readonly Call[] => {
    const order = desk.bid(trader, plant, price);
    purse.settle(trader, collector, "weth", price);
    book.move(tradedId, trader);
    return [
      ...desk.approveWeth(trader),
      desk.validate(order),
      ...desk.approveTokens(collector, address),
      ...desk.approveWeth(collector),
      desk.fill(collector, order),
    ];
  };
  return {
    /** Sold by the gardener, bid for, resold and bought back, as the days of the story have it. */
    tradeOn: (day: number): readonly Call[] => {
      if (ownerOf(tradedId) === gardener) return day === 8 ? tradeTo(collector, "native", 300n * thousandth) : [];
      if (day === 24) return acceptBid(480n * thousandth);
      const [price, last] = [720n * thousandth, 1_120n * thousandth];
      const buyer = dealers.find((dealer) => purse.affords(dealer, "weth", price));
      if (day === 40 && buyer !== undefined) return tradeTo(buyer, "weth", price, "sale");
      return day === 56 ? tradeTo(collector, "native", last) : [];
    },
    /** Back and forth far below what others pay, now and then far above. */
    washBackAndForth: (high: boolean): readonly Call[] => {
      const id = 1n;
      const price = high ? 3_000n * thousandth : 4n * thousandth;
      return [...wash(id, first, second, price), ...wash(id, second, first, price + thousandth)];
    },
    washWithOneself: (): readonly Call[] => wash(2n, first, first, 2n * thousandth),
  };
};
