import type { Address } from "viem";
import type { ServedChain } from "../oddities/compare-heights.ts";
import type { TrueAllowance, Truth } from "./node-values.ts";
import { type ServedHolders, type ServedItem, servedAllowances, servedHolders, servedItems } from "./served.ts";
import type { OddToken } from "./token-kind.ts";

/** Something that is served and not what the contract says. */
export interface Difference {
  readonly kind: string;
  readonly what: "balance" | "holder" | "number of holders" | "order of holders" | "supply" | "allowance" | "ids";
  readonly of: string;
  readonly height: number;
  readonly served: string;
  readonly expected: string;
}

/** What was compared at a height. */
export interface Verdict {
  readonly compared: number;
  readonly differences: readonly Difference[];
}

/** 2^255 or more, and the largest amounts of 96, 128 and 160 bits, are served as UNLIMITED. */
const isUnlimited = (amount: bigint): boolean => amount >= 2n ** 255n || [96n, 128n, 160n].some((bits) => amount === 2n ** bits - 1n);

const text = (value: bigint | number | string | null | undefined): string =>
  value === undefined ? "absent" : value === null ? "null" : String(value);

/** Collects what differs, and counts what was compared. */
const createSheet = (height: number) => {
  const differences: Difference[] = [];
  let compared = 0;
  return {
    /** Compares with what may be served; the first of these is what is expected. */
    expect: (token: OddToken, what: Difference["what"], of: string, served: string, ...accepted: readonly string[]): void => {
      compared += 1;
      if (accepted.includes(served)) return;
      differences.push({ kind: token.kind.name, what, of, height, served, expected: accepted[0] ?? "" });
    },
    verdict: (): Verdict => ({ compared, differences }),
  };
};
type Sheet = ReturnType<typeof createSheet>;

/**
 * What may be served of a balance. One that the contract does not tell is null or absent; or what its Transfers add up to where balanceOf reverts, and what it said
 * last where it is gone. One whose owner no Transfer has named is absent, unless it is known all the same.
 */
const acceptedBalance = (truth: Truth, token: OddToken, owner: Address): string[] => {
  const balance = truth.balance(token, owner);
  if (balance === null) return ["null", "absent", "0", text(truth.lastBalance(token, owner) ?? truth.sumOfEvents(token, owner))];
  const exact = balance === 0n ? ["0", "absent"] : [text(balance)];
  return truth.isNamed(token, owner) && token.kind.isUnseen !== true ? exact : [...exact, "absent"];
};

const judgeItems = (sheet: Sheet, truth: Truth, tokens: readonly OddToken[], items: ReadonlyMap<Address, readonly ServedItem[]>): void => {
  for (const token of tokens) {
    for (const owner of truth.ownersOf(token)) {
      const own = items.get(owner)?.filter(({ contract_address: address }) => address === token.address) ?? [];
      const coin = own.find(({ nft_data: nfts }) => nfts === null);
      const collection = own.find(({ nft_data: nfts }) => nfts !== null);
      if (collection !== undefined) judgeIds(sheet, truth, token, owner, collection);
      // Coins that have an event of their own need not be known of a contract that is listed as a collection.
      const needsCoin = token.kind.isCollectionToo !== true || token.kind.isSilent !== true;
      if (needsCoin || coin !== undefined)
        sheet.expect(token, "balance", owner, text(coin === undefined ? undefined : coin.balance), ...acceptedBalance(truth, token, owner));
    }
  }
};

const judgeIds = (sheet: Sheet, truth: Truth, token: OddToken, owner: Address, { nft_data: nfts }: ServedItem): void => {
  if (token.kind.isCollectionToo !== true) {
    sheet.expect(token, "ids", owner, "a collection", "no collection");
    return;
  }
  const inOrder = (ids: readonly string[]): string => [...ids].sort().join(" ");
  const listed = (nfts ?? []).map(({ token_id: id }) => id);
  sheet.expect(token, "ids", owner, inOrder(listed), inOrder(truth.idsOf(token, owner).map(String)));
};

const judgeHolders = (sheet: Sheet, truth: Truth, token: OddToken, served: ServedHolders | null): void => {
  const found = served === null ? "not found" : text(served.items.length);
  const named = truth.ownersOf(token).filter((owner) => truth.isNamed(token, owner));
  if (served === null && named.length > 0 && token.kind.isUnseen !== true)
    sheet.expect(token, "number of holders", "all", found, text(named.length));
  if (served === null || named.length === 0) return;
  const { items, total } = served;
  // A collection's holders are ranked by how many ids they have.
  const isCollection =
    token.kind.isCollectionToo === true && items.every(({ address, balance }) => balance === text(truth.idsOf(token, address).length));
  if (!isCollection) judgeCoinHolders(sheet, truth, token, items);
  sheet.expect(token, "number of holders", "all", text(total), text(items.length));
  const addresses = (list: ServedHolders["items"]): string => list.map(({ address }) => address).join(" ");
  const ranked = [...items].sort((a, b) => descending(BigInt(a.balance ?? 0), BigInt(b.balance ?? 0)) || (a.address < b.address ? -1 : 1));
  sheet.expect(token, "order of holders", "all", addresses(items), addresses(ranked));
};

const descending = (left: bigint, right: bigint): number => (left > right ? -1 : left < right ? 1 : 0);

const judgeCoinHolders = (sheet: Sheet, truth: Truth, token: OddToken, items: ServedHolders["items"]): void => {
  const owners = truth.ownersOf(token);
  const listed = new Map(items.map(({ address, balance }) => [address, balance]));
  for (const owner of owners) {
    // A holder has more than nothing.
    const accepted = acceptedBalance(truth, token, owner).map((one) => (one === "0" ? "absent" : one));
    sheet.expect(token, "holder", owner, text(listed.get(owner)), ...accepted);
  }
  for (const { address, balance } of items) {
    if (!owners.includes(address)) sheet.expect(token, "holder", address, text(balance), "absent");
  }
  const supply = text(truth.supply(token));
  for (const { total_supply: returned } of items.slice(0, 1)) {
    // A supply that cannot be asked for is not known; of a contract that is gone, it may be what it said last.
    sheet.expect(token, "supply", "all", text(returned), supply, ...(supply === "null" ? [text(truth.lastSupply(token))] : []));
  }
};

const judgeAllowances = (sheet: Sheet, allowances: readonly TrueAllowance[], served: ReadonlyMap<string, string | null>): void => {
  const servedAs = (amount: bigint | null): string =>
    amount === null ? "null" : amount === 0n ? "absent" : isUnlimited(amount) ? "UNLIMITED" : text(amount);
  for (const { token, owner, spender, amount, lastAmount, isShown } of allowances) {
    const accepted = [
      servedAs(amount),
      ...(amount === null ? [servedAs(lastAmount)] : []),
      ...(isShown && amount !== null ? [] : ["absent"]),
    ];
    sheet.expect(token, "allowance", `${owner} for ${spender}`, text(served.get(`${token.address} ${owner} ${spender}`)), ...accepted);
  }
};

/** Compares what is served at a height, or at the head, with what contracts answer there. */
export const judgeAt = async (
  on: ServedChain,
  truth: Truth,
  tokens: readonly OddToken[],
  asked: number | "head",
  allowances: readonly TrueAllowance[] = [],
): Promise<Verdict> => {
  const sheet = createSheet(truth.height);
  const owners = [...new Set(tokens.flatMap((token) => truth.ownersOf(token)))];
  judgeItems(sheet, truth, tokens, await servedItems(on, owners, asked));
  const holders = await servedHolders(on, tokens, asked);
  for (const token of tokens) judgeHolders(sheet, truth, token, holders.get(token.address) ?? null);
  if (asked === "head" && allowances.length > 0) {
    judgeAllowances(sheet, allowances, await servedAllowances(on, [...new Set(allowances.map(({ owner }) => owner))]));
  }
  return sheet.verdict();
};

const shownOfEach = 2;

const groupsOf = <T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
};

/** Differences as a table: of each kind and sort how many and at which heights, and the first few of them. */
export const renderDifferences = (differences: readonly Difference[]): string => {
  const line = (of: string, height: string | number, served: string, expected: string): string =>
    `    ${of.padEnd(44)} ${String(height).padStart(6)} ${served.padStart(28)} ${expected.padStart(28)}\n`;
  const blocks = [...groupsOf(differences, ({ kind }) => kind)].map(([kind, ofKind]) => {
    const sorts = [...groupsOf(ofKind, ({ what }) => what)].map(([what, group]) => {
      const heights = [...new Set(group.map(({ height }) => height))].join(", ");
      const shown = group.slice(0, shownOfEach).map(({ of, height, served, expected }) => line(of, height, served, expected));
      return `  ${what}: ${group.length} at ${heights}\n${shown.join("")}`;
    });
    return `${kind}\n${sorts.join("")}`;
  });
  return `${line("of", "height", "served", "expected")}${blocks.join("")}`;
};
