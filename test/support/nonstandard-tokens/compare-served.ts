import type { Address } from "viem";
import type { ServedChain } from "../edge-cases/compare-heights.ts";
import type { NodeAllowance, NodeState } from "./node-values.ts";
import { type ServedHolders, type ServedItem, servedAllowances, servedHolders, servedItems } from "./served.ts";
import type { TestToken } from "./token-kind.ts";

/** A served value that differs from the contract's. */
export interface Difference {
  readonly kind: string;
  readonly aspect: "balance" | "holder" | "number of holders" | "order of holders" | "supply" | "allowance" | "ids";
  readonly subject: string;
  readonly height: number;
  readonly served: string;
  readonly expected: string;
}

/** The result of a comparison at a height. */
export interface ComparisonResult {
  readonly compared: number;
  readonly differences: readonly Difference[];
}

/** 2^255 or more, and the largest amounts with 96, 128 and 160 bits, are served as UNLIMITED. */
const isUnlimited = (amount: bigint): boolean => amount >= 2n ** 255n || [96n, 128n, 160n].some((bits) => amount === 2n ** bits - 1n);

const text = (value: bigint | number | string | null | undefined): string =>
  value === undefined ? "absent" : value === null ? "null" : String(value);

/** Collects differences and counts comparisons. */
const createCollector = (height: number) => {
  const differences: Difference[] = [];
  let compared = 0;
  return {
    /** Compares a served value with the accepted ones. A difference reports the first accepted one as expected. */
    compare: (token: TestToken, aspect: Difference["aspect"], subject: string, served: string, ...accepted: readonly string[]): void => {
      compared += 1;
      if (accepted.includes(served)) return;
      differences.push({ kind: token.kind.name, aspect, subject, height, served, expected: accepted[0] ?? "" });
    },
    result: (): ComparisonResult => ({ compared, differences }),
  };
};
type Collector = ReturnType<typeof createCollector>;

/**
 * Returns a balance's accepted values. If the contract does not return it: null, absent, a destroyed contract's last value, or the sum of the
 * Transfers if balanceOf reverts. The balance of an owner that is in no Transfer may also be absent.
 */
const acceptedBalance = (state: NodeState, token: TestToken, owner: Address): string[] => {
  const balance = state.balance(token, owner);
  if (balance === null) return ["null", "absent", "0", text(state.lastBalance(token, owner) ?? state.sumOfEvents(token, owner))];
  const exact = balance === 0n ? ["0", "absent"] : [text(balance)];
  return state.isNamed(token, owner) && token.kind.isUndetectable !== true ? exact : [...exact, "absent"];
};

const compareItems = (
  collector: Collector,
  state: NodeState,
  tokens: readonly TestToken[],
  items: ReadonlyMap<Address, readonly ServedItem[]>,
): void => {
  for (const token of tokens) {
    for (const owner of state.ownersOf(token)) {
      const ownItems = items.get(owner)?.filter(({ contract_address: address }) => address === token.address) ?? [];
      const coin = ownItems.find(({ nft_data: nfts }) => nfts === null);
      const collection = ownItems.find(({ nft_data: nfts }) => nfts !== null);
      if (collection !== undefined) compareIds(collector, state, token, owner, collection);
      // A contract's coins may be missing if it is listed as a collection and their event is not a Transfer.
      const needsCoin = token.kind.isAlsoCollection !== true || token.kind.isSilent !== true;
      if (needsCoin || coin !== undefined)
        collector.compare(
          token,
          "balance",
          owner,
          text(coin === undefined ? undefined : coin.balance),
          ...acceptedBalance(state, token, owner),
        );
    }
  }
};

const compareIds = (collector: Collector, state: NodeState, token: TestToken, owner: Address, { nft_data: nfts }: ServedItem): void => {
  if (token.kind.isAlsoCollection !== true) {
    collector.compare(token, "ids", owner, "a collection", "no collection");
    return;
  }
  const inOrder = (ids: readonly string[]): string => [...ids].sort().join(" ");
  const listed = (nfts ?? []).map(({ token_id: id }) => id);
  collector.compare(token, "ids", owner, inOrder(listed), inOrder(state.idsOf(token, owner).map(String)));
};

const compareHolders = (collector: Collector, state: NodeState, token: TestToken, served: ServedHolders | null): void => {
  const found = served === null ? "not found" : text(served.items.length);
  const named = state.ownersOf(token).filter((owner) => state.isNamed(token, owner));
  if (served === null && named.length > 0 && token.kind.isUndetectable !== true)
    collector.compare(token, "number of holders", "all", found, text(named.length));
  if (served === null || named.length === 0) return;
  const { items, total } = served;
  // A collection's holders are ranked by how many ids they hold.
  const isCollection =
    token.kind.isAlsoCollection === true && items.every(({ address, balance }) => balance === text(state.idsOf(token, address).length));
  if (!isCollection) compareCoinHolders(collector, state, token, items);
  collector.compare(token, "number of holders", "all", text(total), text(items.length));
  const addresses = (list: ServedHolders["items"]): string => list.map(({ address }) => address).join(" ");
  const ranked = [...items].sort((a, b) => descending(BigInt(a.balance ?? 0), BigInt(b.balance ?? 0)) || (a.address < b.address ? -1 : 1));
  collector.compare(token, "order of holders", "all", addresses(items), addresses(ranked));
};

const descending = (left: bigint, right: bigint): number => (left > right ? -1 : left < right ? 1 : 0);

const compareCoinHolders = (collector: Collector, state: NodeState, token: TestToken, items: ServedHolders["items"]): void => {
  const owners = state.ownersOf(token);
  const listed = new Map(items.map(({ address, balance }) => [address, balance]));
  for (const owner of owners) {
    // Accounts with a balance of 0 are not holders.
    const accepted = acceptedBalance(state, token, owner).map((value) => (value === "0" ? "absent" : value));
    collector.compare(token, "holder", owner, text(listed.get(owner)), ...accepted);
  }
  for (const { address, balance } of items) {
    if (!owners.includes(address)) collector.compare(token, "holder", address, text(balance), "absent");
  }
  const supply = text(state.supply(token));
  for (const { total_supply: returned } of items.slice(0, 1)) {
    // Null if totalSupply fails; a destroyed contract's supply may be the last one.
    collector.compare(token, "supply", "all", text(returned), supply, ...(supply === "null" ? [text(state.lastSupply(token))] : []));
  }
};

const compareAllowances = (
  collector: Collector,
  allowances: readonly NodeAllowance[],
  served: ReadonlyMap<string, string | null>,
): void => {
  const servedAs = (amount: bigint | null): string =>
    amount === null ? "null" : amount === 0n ? "absent" : isUnlimited(amount) ? "UNLIMITED" : text(amount);
  for (const { token, owner, spender, amount, lastAmount, isObservable } of allowances) {
    const accepted = [
      servedAs(amount),
      ...(amount === null ? [servedAs(lastAmount)] : []),
      ...(isObservable && amount !== null ? [] : ["absent"]),
    ];
    collector.compare(token, "allowance", `${owner} for ${spender}`, text(served.get(`${token.address} ${owner} ${spender}`)), ...accepted);
  }
};

/** Compares the served balances, holders, supplies and allowances at a height or at the head with the contracts' values. */
export const compareAt = async (
  service: ServedChain,
  state: NodeState,
  tokens: readonly TestToken[],
  at: number | "head",
  allowances: readonly NodeAllowance[] = [],
): Promise<ComparisonResult> => {
  const collector = createCollector(state.height);
  const owners = [...new Set(tokens.flatMap((token) => state.ownersOf(token)))];
  compareItems(collector, state, tokens, await servedItems(service, owners, at));
  const holders = await servedHolders(service, tokens, at);
  for (const token of tokens) compareHolders(collector, state, token, holders.get(token.address) ?? null);
  if (at === "head" && allowances.length > 0) {
    compareAllowances(collector, allowances, await servedAllowances(service, [...new Set(allowances.map(({ owner }) => owner))]));
  }
  return collector.result();
};

const shownPerGroup = 2;

const groupsOf = <T>(all: readonly T[], keyOf: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of all) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};

/** Renders differences as a table: for each token kind and aspect, the number of differences, their heights and the first few. */
export const renderDifferences = (differences: readonly Difference[]): string => {
  const line = (subject: string, height: string | number, served: string, expected: string): string =>
    `    ${subject.padEnd(44)} ${String(height).padStart(6)} ${served.padStart(28)} ${expected.padStart(28)}\n`;
  const blocks = [...groupsOf(differences, ({ kind }) => kind)].map(([kind, kindDifferences]) => {
    const sections = [...groupsOf(kindDifferences, ({ aspect }) => aspect)].map(([aspect, group]) => {
      const heights = [...new Set(group.map(({ height }) => height))].join(", ");
      const shown = group.slice(0, shownPerGroup).map(({ subject, height, served, expected }) => line(subject, height, served, expected));
      return `  ${aspect}: ${group.length} at ${heights}\n${shown.join("")}`;
    });
    return `${kind}\n${sections.join("")}`;
  });
  return `${line("subject", "height", "served", "expected")}${blocks.join("")}`;
};
