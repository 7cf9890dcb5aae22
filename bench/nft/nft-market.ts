import type { Address } from "../../runtime/lib/hex.ts";
import { hexOf } from "../support/random.ts";

/** The parameters that determine a generated NFT market. */
export interface NftMarketSize {
  readonly seed: number;
  /** Tokens of the large collection. */
  readonly tokens: number;
  /** Sales of all collections together, spread over a year. */
  readonly sales: number;
  /** The time of the newest block (Unix seconds). */
  readonly until: number;
}

/** The contracts and accounts of a generated market. The counts below are for 10,000 tokens and scale with the number of tokens. */
export interface NftMarket {
  /** The collection with the most trades; its ids start at 0. */
  readonly largeCollection: Address;
  /** 200 collections of 50 tokens each. */
  readonly smallCollections: readonly Address[];
  readonly tokensPerSmallCollection: number;
  /** An ERC-1155 collection of 50 ids, sold by the publisher. */
  readonly editions: Address;
  readonly editionIdCount: number;
  readonly publisher: Address;
  /** 250 ERC-20 tokens held by the approver. */
  readonly coins: readonly Address[];
  readonly wrapped: Address;
  readonly market: Address;
  readonly feed: Address;
  readonly creator: Address;
  readonly traders: readonly Address[];
  /** Holds 1,000 ids of the large collection. */
  readonly whale: Address;
  /** Holds three ids of each small collection. */
  readonly curator: Address;
  /** Holds 300 ids of the large collection, each approved to a spender; has 200 operators and 500 allowances. */
  readonly approver: Address;
  readonly spenders: readonly Address[];
  readonly operators: readonly Address[];
  /** Two accounts that repeatedly sell each other the same five ids. */
  readonly washTraders: readonly [Address, Address];
  /** The lowest id of the large collection that each of these accounts holds at first; ids below all of them are traded. */
  readonly first: { readonly washTraders: number; readonly approver: number; readonly whale: number };
  readonly blockCount: number;
}

/** The days that the market covers. */
export const marketDays = 365;
/** How many ids of each small collection, from 0, the curator holds. */
export const curatedIdCount = 3;

const kinds = { collection: 51, coin: 52, trader: 53, account: 54, spender: 55, operator: 56 } as const;
const accounts = ["publisher", "creator", "whale", "curator", "approver", "left", "right", "wrapped", "market", "feed"] as const;
const account = (name: (typeof accounts)[number]): Address => hexOf(kinds.account, accounts.indexOf(name), 5);
const addresses = (count: number, kind: number, first = 0): Address[] =>
  Array.from({ length: count }, (_, index) => hexOf(kind, first + index, 5));

/** Generates a market of the given size. */
export const nftMarketOf = ({ tokens, sales }: NftMarketSize): NftMarket => {
  const scaled = (count: number, min: number): number => Math.max(min, Math.round((count * tokens) / 10_000));
  const smallCollections = addresses(scaled(200, 4), kinds.collection, 2);
  const whaleTokens = scaled(1_000, 10);
  const approverTokens = scaled(300, 5);
  return {
    largeCollection: hexOf(kinds.collection, 0, 5),
    editions: hexOf(kinds.collection, 1, 5),
    smallCollections,
    tokensPerSmallCollection: 50,
    editionIdCount: 50,
    publisher: account("publisher"),
    coins: addresses(scaled(250, 4), kinds.coin),
    wrapped: account("wrapped"),
    market: account("market"),
    feed: account("feed"),
    creator: account("creator"),
    traders: addresses(scaled(3_000, 30), kinds.trader),
    whale: account("whale"),
    curator: account("curator"),
    approver: account("approver"),
    spenders: addresses(20, kinds.spender),
    operators: addresses(smallCollections.length, kinds.operator),
    washTraders: [account("left"), account("right")],
    first: {
      washTraders: tokens - whaleTokens - approverTokens - 5,
      approver: tokens - whaleTokens - approverTokens,
      whale: tokens - whaleTokens,
    },
    blockCount: Math.ceil(sales / 2),
  };
};

const secondsPerDay = 86_400;

/** The time of a block (Unix seconds). */
export const timeOfBlock = ({ blockCount }: Pick<NftMarket, "blockCount">, until: number, number: number): number =>
  until - Math.floor(((blockCount - 1 - number) * marketDays * secondsPerDay) / blockCount);
