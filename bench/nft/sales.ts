import { type Address, zeroAddress } from "../../runtime/lib/hex.ts";
import type { BlockWriter, ConsiderationItem, OfferItem } from "./block-writer.ts";
import { curatedIdCount, type NftMarket } from "./nft-market.ts";

/** The current owner of each id. */
export interface Holdings {
  readonly large: Address[];
  readonly small: readonly Address[][];
}

const types = { native: 0, coins: 1, unique: 2, units: 3 } as const;
const finney = 10n ** 15n;
/** Percentages of sales from small collections, from editions, and between the wash traders; the others are from the large collection. */
const shares = { small: 10, editions: 5, washTrades: 2 } as const;
/** The number of accepted bids in the wrapped native token per ten sales. */
const bidsPerTenSales = 2;

interface Deal {
  readonly seller: Address;
  readonly buyer: Address;
  readonly items: readonly OfferItem[];
  readonly price: bigint;
}

/** Generates sales and transfers. Low ids are sold more often than high ones, and some traders trade more than others. */
export const createSales = (nftMarket: NftMarket, { large, small }: Holdings, random: () => number) => {
  const skewed = (count: number): number => Math.floor(random() ** 2 * count);
  const uniform = (count: number): number => Math.floor(random() * count);
  const traderExcept = (owner: Address | undefined): Address => {
    const position = skewed(nftMarket.traders.length);
    const trader = nftMarket.traders[position] as Address;
    return trader === owner ? (nftMarket.traders[(position + 1) % nftMarket.traders.length] as Address) : trader;
  };
  /** A price in smallest units that changes over the year; `base` is in thousandths of a whole token. */
  const priceOf = (base: number, number: number): bigint =>
    BigInt(Math.round(base * (2 + Math.sin(number / 4_000)) * (1 + random() ** 4 * 9))) * finney;

  const uniqueDeal = (token: Address, owners: Address[], id: number, price: bigint, buyer = traderExcept(owners[id])): Deal => {
    const seller = owners[id] as Address;
    owners[id] = buyer;
    return { seller, buyer, items: [{ type: types.unique, token, id, amount: 1n }], price };
  };
  const dealOf = (number: number): Deal => {
    const chance = uniform(100);
    if (chance < shares.small) {
      const collection = skewed(small.length);
      const owners = small[collection] as Address[];
      return uniqueDeal(
        nftMarket.smallCollections[collection] as Address,
        owners,
        curatedIdCount + uniform(owners.length - curatedIdCount),
        priceOf(20, number),
      );
    }
    if (chance < shares.small + shares.editions) {
      const items = Array.from({ length: 1 + uniform(2) }, (_, index) => ({
        type: types.units,
        token: nftMarket.editions,
        id: (uniform(nftMarket.editionIdCount / 2) + index * (nftMarket.editionIdCount / 2)) % nftMarket.editionIdCount,
        amount: BigInt(1 + uniform(3)),
      }));
      return { seller: nftMarket.publisher, buyer: traderExcept(undefined), items, price: priceOf(10, number) };
    }
    if (chance < shares.small + shares.editions + shares.washTrades) {
      const id = nftMarket.first.washTraders + uniform(5);
      const [left, right] = nftMarket.washTraders;
      return uniqueDeal(nftMarket.largeCollection, large, id, priceOf(900, number), large[id] === left ? right : left);
    }
    return uniqueDeal(nftMarket.largeCollection, large, skewed(nftMarket.first.washTraders), priceOf(100, number));
  };

  return {
    /** Writes a fulfilled order in a separate transaction. */
    sell: (writer: BlockWriter, number: number): void => {
      const deal = dealOf(number);
      if (uniform(10) < bidsPerTenSales) acceptBid(writer, nftMarket, number, deal);
      else buy(writer, nftMarket, number, deal);
    },
    /** Writes a transfer of a large-collection token without a payment. */
    transfer: (writer: BlockWriter): void => {
      const id = skewed(nftMarket.first.washTraders);
      const from = large[id] as Address;
      const to = traderExcept(from);
      large[id] = to;
      writer.transfer(nftMarket.largeCollection, from, to, id);
      writer.endTransaction(from, nftMarket.largeCollection);
    },
  };
};

/** The marketplace's fee of 2.5 percent and the creator's royalty of 5 percent. */
const feesOf = (
  { market, creator }: NftMarket,
  type: 0 | 1,
  token: Address,
  price: bigint,
): readonly [ConsiderationItem, ConsiderationItem] => [
  { type, token, id: 0, amount: (price * 25n) / 1_000n, recipient: market },
  { type, token, id: 0, amount: (price * 50n) / 1_000n, recipient: creator },
];

const move = (writer: BlockWriter, { market }: NftMarket, { seller, buyer, items }: Deal): void => {
  for (const { type, token, id, amount } of items) {
    if (type === types.units) writer.transferUnits(token, market, seller, buyer, id, Number(amount));
    else writer.transfer(token, seller, buyer, id);
  }
};

/** Writes a filled listing: the buyer pays in the native token; fee and royalty are deducted from the price. */
const buy = (writer: BlockWriter, nftMarket: NftMarket, number: number, deal: Deal): void => {
  const { seller, buyer, items, price } = deal;
  const fees = feesOf(nftMarket, types.native, zeroAddress, price);
  const proceeds = price - fees[0].amount - fees[1].amount;
  move(writer, nftMarket, deal);
  const consideration: readonly ConsiderationItem[] = [
    { type: types.native, token: zeroAddress, id: 0, amount: proceeds, recipient: seller },
    ...fees,
  ];
  writer.fulfil(nftMarket.market, number, seller, buyer, items, consideration);
  writer.endTransaction(buyer, nftMarket.market, price);
};

/** Writes an accepted bid: the buyer pays in the wrapped native token; the seller pays fee and royalty out of the proceeds. */
const acceptBid = (writer: BlockWriter, nftMarket: NftMarket, number: number, deal: Deal): void => {
  const { seller, buyer, items, price } = deal;
  const fees = feesOf(nftMarket, types.coins, nftMarket.wrapped, price);
  writer.transferCoins(nftMarket.wrapped, buyer, seller, price);
  move(writer, nftMarket, deal);
  for (const { recipient, amount } of fees) writer.transferCoins(nftMarket.wrapped, seller, recipient, amount);
  const offer: readonly OfferItem[] = [{ type: types.coins, token: nftMarket.wrapped, id: 0, amount: price }];
  writer.fulfil(nftMarket.market, number, buyer, seller, offer, [...items.map((item) => ({ ...item, recipient: buyer })), ...fees]);
  writer.endTransaction(seller, nftMarket.market);
};
