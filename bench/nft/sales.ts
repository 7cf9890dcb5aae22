import { type Address, zeroAddress } from "../../runtime/lib/hex.ts";
import { type Cast, curated } from "./cast.ts";
import type { AskedItem, BlockWriter, SoldItem } from "./logs.ts";

/** Who has each id now; sales and transfers change it. */
export interface Holdings {
  readonly large: Address[];
  readonly small: readonly Address[][];
}

const types = { native: 0, coins: 1, unique: 2, units: 3 } as const;
const thousandth = 10n ** 15n;
/** Of a hundred sales: of the small collections, of editions, and between the washers; the rest is of the large collection. */
const shares = { small: 10, editions: 5, washed: 2 } as const;
/** Of ten sales, how many are bids in the wrapped native token that were taken. */
const bids = 2;

interface Deal {
  readonly seller: Address;
  readonly buyer: Address;
  readonly goods: readonly SoldItem[];
  readonly price: bigint;
}

/** Sells and gives away what there is. Early ids are traded more often than late ones, and some traders trade more than others. */
export const createSales = (cast: Cast, { large, small }: Holdings, random: () => number) => {
  const skewed = (count: number): number => Math.floor(random() ** 2 * count);
  const even = (count: number): number => Math.floor(random() * count);
  const traderBut = (owner: Address | undefined): Address => {
    const position = skewed(cast.traders.length);
    const trader = cast.traders[position] as Address;
    return trader === owner ? (cast.traders[(position + 1) % cast.traders.length] as Address) : trader;
  };
  /** A price that moves over the year, in thousandths of a whole. */
  const priceOf = (base: number, number: number): bigint =>
    BigInt(Math.round(base * (2 + Math.sin(number / 4_000)) * (1 + random() ** 4 * 9))) * thousandth;

  const uniqueDeal = (token: Address, owners: Address[], id: number, price: bigint, buyer = traderBut(owners[id])): Deal => {
    const seller = owners[id] as Address;
    owners[id] = buyer;
    return { seller, buyer, goods: [{ type: types.unique, token, id, amount: 1n }], price };
  };
  const dealOf = (number: number): Deal => {
    const chance = even(100);
    if (chance < shares.small) {
      const collection = skewed(small.length);
      const owners = small[collection] as Address[];
      return uniqueDeal(cast.small[collection] as Address, owners, curated + even(owners.length - curated), priceOf(20, number));
    }
    if (chance < shares.small + shares.editions) {
      const goods = Array.from({ length: 1 + even(2) }, (_, index) => ({
        type: types.units,
        token: cast.editions,
        id: (even(cast.editionIds / 2) + index * (cast.editionIds / 2)) % cast.editionIds,
        amount: BigInt(1 + even(3)),
      }));
      return { seller: cast.publisher, buyer: traderBut(undefined), goods, price: priceOf(10, number) };
    }
    if (chance < shares.small + shares.editions + shares.washed) {
      const id = cast.first.washers + even(5);
      const [left, right] = cast.washers;
      return uniqueDeal(cast.large, large, id, priceOf(900, number), large[id] === left ? right : left);
    }
    return uniqueDeal(cast.large, large, skewed(cast.first.washers), priceOf(100, number));
  };

  return {
    /** One order that is fulfilled, in a transaction of its own. */
    sell: (writer: BlockWriter, number: number): void => {
      const deal = dealOf(number);
      if (even(10) < bids) takeBid(writer, cast, number, deal);
      else buy(writer, cast, number, deal);
    },
    /** A token of the large collection goes to somebody without a price. */
    give: (writer: BlockWriter): void => {
      const id = skewed(cast.first.washers);
      const from = large[id] as Address;
      const to = traderBut(from);
      large[id] = to;
      writer.transfer(cast.large, from, to, id);
      writer.end(from, cast.large);
    },
  };
};

/** The marketplace's fee and the creator's royalty: 2.5 and 5 hundredths. */
const cutsOf = ({ market, creator }: Cast, type: 0 | 1, token: Address, price: bigint): readonly [AskedItem, AskedItem] => [
  { type, token, id: 0, amount: (price * 25n) / 1_000n, recipient: market },
  { type, token, id: 0, amount: (price * 50n) / 1_000n, recipient: creator },
];

const move = (writer: BlockWriter, { market }: Cast, { seller, buyer, goods }: Deal): void => {
  for (const { type, token, id, amount } of goods) {
    if (type === types.units) writer.transferUnits(token, market, seller, buyer, id, Number(amount));
    else writer.transfer(token, seller, buyer, id);
  }
};

/** The seller's order: goods for the native token, less fee and royalty. */
const buy = (writer: BlockWriter, cast: Cast, number: number, deal: Deal): void => {
  const { seller, buyer, goods, price } = deal;
  const cuts = cutsOf(cast, types.native, zeroAddress, price);
  const rest = price - cuts[0].amount - cuts[1].amount;
  move(writer, cast, deal);
  const asked: readonly AskedItem[] = [{ type: types.native, token: zeroAddress, id: 0, amount: rest, recipient: seller }, ...cuts];
  writer.fulfil(cast.market, number, seller, buyer, goods, asked);
  writer.end(buyer, cast.market, price);
};

/** The buyer's order: the wrapped token for goods; whoever takes it pays fee and royalty out of what they get. */
const takeBid = (writer: BlockWriter, cast: Cast, number: number, deal: Deal): void => {
  const { seller, buyer, goods, price } = deal;
  const cuts = cutsOf(cast, types.coins, cast.wrapped, price);
  writer.transferCoins(cast.wrapped, buyer, seller, price);
  move(writer, cast, deal);
  for (const { recipient, amount } of cuts) writer.transferCoins(cast.wrapped, seller, recipient, amount);
  const offer: readonly SoldItem[] = [{ type: types.coins, token: cast.wrapped, id: 0, amount: price }];
  writer.fulfil(cast.market, number, buyer, seller, offer, [...goods.map((item) => ({ ...item, recipient: buyer })), ...cuts]);
  writer.end(seller, cast.market);
};
