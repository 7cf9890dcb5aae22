import type { Address } from "../../runtime/lib/hex.ts";
import { hexOf } from "../support/random.ts";

/** What generated collections are made from: the same for the same size. */
export interface CastSize {
  readonly seed: number;
  /** Of the large collection. */
  readonly tokens: number;
  /** Of all collections together, spread over a year. */
  readonly sales: number;
  /** When the newest block is made (unix seconds). */
  readonly until: number;
}

/** Who and what there is: the numbers below are those of 10,000 tokens, and shrink with them. */
export interface Cast {
  /** Traded in most; ids from 0 on. */
  readonly large: Address;
  /** 200 collections of 50 tokens each. */
  readonly small: readonly Address[];
  readonly tokensOfSmall: number;
  /** An ERC-1155 collection of 50 ids, which the publisher sells. */
  readonly editions: Address;
  readonly editionIds: number;
  readonly publisher: Address;
  /** 250 ERC-20 tokens, which the approver has. */
  readonly coins: readonly Address[];
  readonly wrapped: Address;
  readonly market: Address;
  readonly feed: Address;
  readonly creator: Address;
  readonly traders: readonly Address[];
  /** Has 1,000 ids of the large collection. */
  readonly whale: Address;
  /** Has three ids of each small collection. */
  readonly curator: Address;
  /** Has 300 ids of the large collection, each approved to somebody; 200 operators; 500 allowances. */
  readonly approver: Address;
  readonly spenders: readonly Address[];
  readonly operators: readonly Address[];
  /** Two who sell each other the same five ids again and again. */
  readonly washers: readonly [Address, Address];
  /** First ids of the large collection that are whose; those before them are traded. */
  readonly first: { readonly washers: number; readonly approver: number; readonly whale: number };
  readonly blocks: number;
}

/** The days that sales are spread over. */
export const castDays = 365;
/** Ids of each small collection, from 0 on, that are the curator's. */
export const curated = 3;

const kinds = { collection: 51, coin: 52, trader: 53, person: 54, spender: 55, operator: 56 } as const;
const people = ["publisher", "creator", "whale", "curator", "approver", "left", "right", "wrapped", "market", "feed"] as const;
const person = (name: (typeof people)[number]): Address => hexOf(kinds.person, people.indexOf(name), 5);
const list = (count: number, kind: number, first = 0): Address[] =>
  Array.from({ length: count }, (_, index) => hexOf(kind, first + index, 5));

/** The generated collections and people of a size. */
export const castOf = ({ tokens, sales }: CastSize): Cast => {
  const share = (count: number, least: number): number => Math.max(least, Math.round((count * tokens) / 10_000));
  const small = list(share(200, 4), kinds.collection, 2);
  const ofWhale = share(1_000, 10);
  const ofApprover = share(300, 5);
  return {
    large: hexOf(kinds.collection, 0, 5),
    editions: hexOf(kinds.collection, 1, 5),
    small,
    tokensOfSmall: 50,
    editionIds: 50,
    publisher: person("publisher"),
    coins: list(share(250, 4), kinds.coin),
    wrapped: person("wrapped"),
    market: person("market"),
    feed: person("feed"),
    creator: person("creator"),
    traders: list(share(3_000, 30), kinds.trader),
    whale: person("whale"),
    curator: person("curator"),
    approver: person("approver"),
    spenders: list(20, kinds.spender),
    operators: list(small.length, kinds.operator),
    washers: [person("left"), person("right")],
    first: { washers: tokens - ofWhale - ofApprover - 5, approver: tokens - ofWhale - ofApprover, whale: tokens - ofWhale },
    blocks: Math.ceil(sales / 2),
  };
};

const secondsOfDay = 86_400;

/** When a block is made (unix seconds). */
export const timeOfBlock = ({ blocks }: Pick<Cast, "blocks">, until: number, number: number): number =>
  until - Math.floor(((blocks - 1 - number) * castDays * secondsOfDay) / blocks);
