import { type Address, encodeFunctionData, type Hex, parseAbi, toHex } from "viem";
import { nativeTokenAddress, zeroAddress } from "../../../runtime/lib/hex.ts";
import type { TestChain } from "../chain.ts";
import type { Participants } from "./participants.ts";
import type { StoryToken } from "./story-coins.ts";

const abi = parseAbi(["function balanceOf(address owner) view returns (uint256)", "function ownerOf(uint256 id) view returns (address)"]);
const editionsAbi = parseAbi(["function balanceOf(address owner, uint256 id) view returns (uint256)"]);

interface ServedItem {
  readonly contract_address: Address;
  readonly native_token: boolean;
  readonly balance: string | null;
  readonly balance_source: string | null;
  readonly nft_data: readonly { readonly token_id: string; readonly token_balance: string | null }[] | null;
}

/** A service and the queried chain's name. */
export interface ServedChain {
  readonly url: string;
  readonly key: string;
  readonly name: string;
}

/** A balance from the node and from the API. */
export interface Comparison {
  readonly token: string;
  readonly owner: Address;
  readonly id: bigint | null;
  readonly height: number;
  /** Null if the node cannot return it because there is no code. */
  readonly node: bigint | null;
  /** Null if it is served as unknown; a balance that is not listed is 0. */
  readonly served: bigint | null;
  readonly source: string | null;
  /** How many of the collection's tokens are served. */
  readonly collectionBalance: bigint | null;
}

/** Requests a path and returns the response's data. @throws {Error} if the response is an error. */
export async function fetchData<T>({ url, key, name }: ServedChain, path: string): Promise<T> {
  const response = await fetch(`${url}/v1/${name}/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { data: T | null; error_message: string | null };
  if (body.data === null) throw new Error(`${path}: ${body.error_message}`);
  return body.data;
}

/** Compares balances at each height, one height after another. */
export async function compareAtEach(
  heights: readonly number[],
  at: (height: number) => Promise<readonly Comparison[]>,
): Promise<Comparison[]> {
  const all: Comparison[] = [];
  for (const height of heights) all.push(...(await at(height)));
  return all;
}

const nativeToken = { name: "native", address: nativeTokenAddress, kind: "native" } as const;
const isFungible = ({ kind }: { readonly kind: string }): boolean => kind === "erc20" || kind === "native";
const callsPerBatch = 500;

async function inBatches(chain: TestChain, calls: readonly { method: string; params: readonly unknown[] }[]): Promise<(bigint | null)[]> {
  const results: (bigint | null)[] = [];
  for (let first = 0; first < calls.length; first += callsPerBatch) {
    const returned = await chain.batch<Hex>(calls.slice(first, first + callsPerBatch));
    results.push(...returned.map((value) => (value === "0x" ? null : BigInt(value))));
  }
  return results;
}

/** Maps items, with up to six concurrent calls. */
async function mapInBatches<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const concurrentCalls = 6;
  for (let first = 0; first < items.length; first += concurrentCalls)
    results.push(...(await Promise.all(items.slice(first, first + concurrentCalls).map(map))));
  return results;
}

const parseBalance = (value: string | null | undefined): bigint | null => (value === null ? null : BigInt(value ?? 0));

/** Returns for each of a collection's owners the sum of the node's values over all ids, with the served number of tokens. */
const countTokens = (comparisons: readonly Comparison[]): Comparison[] => {
  const groups = new Map<string, Comparison[]>();
  for (const comparison of comparisons) {
    if (comparison.id === null) continue;
    const key = `${comparison.token} ${comparison.owner}`;
    groups.set(key, [...(groups.get(key) ?? []), comparison]);
  }
  return [...groups.values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    const node = [first, ...rest].reduce((sum, comparison) => sum + (comparison.node ?? 0n), 0n);
    return [{ ...first, token: `number of ${first.token}`, id: null, node, served: first.collectionBalance }];
  });
};

/** Creates functions that compare served balances with the node at given heights. */
export function createBalanceChecker(
  chain: TestChain,
  served: ServedChain,
  tokens: readonly StoryToken[],
  ids: readonly bigint[],
  { accounts, ownersOf }: Participants,
) {
  const allOwners = [...new Set([...accounts, ...tokens.flatMap(({ address }) => ownersOf.get(address) ?? [])])];

  const nodeCalls = (token: StoryToken, owner: Address, height: number) => {
    const to = token.address;
    const at = toHex(height);
    const callOf = (data: Hex) => ({ method: "eth_call", params: [{ to, data }, at] });
    if (token.kind === "erc20") return [{ id: null, ...callOf(encodeFunctionData({ abi, functionName: "balanceOf", args: [owner] })) }];
    return ids.map((id) => ({
      id,
      ...callOf(
        token.kind === "erc721"
          ? encodeFunctionData({ abi, functionName: "ownerOf", args: [id] })
          : encodeFunctionData({ abi: editionsAbi, functionName: "balanceOf", args: [owner, id] }),
      ),
    }));
  };

  /** Reads `historical_balances` of all owners at a height, or `balances_v2` at the head. */
  const itemsAt = async (height: number | "head"): Promise<Map<Address, readonly ServedItem[]>> => {
    const path = height === "head" ? "balances_v2/?nft=true" : `historical_balances/?nft=true&block-height=${height}`;
    const results = await mapInBatches(allOwners, async (owner) => {
      const { items } = await fetchData<{ items: readonly ServedItem[] }>(served, `address/${owner}/${path}`);
      return [owner, items] as const;
    });
    return new Map(results);
  };

  const compareAt = async (height: number, items: ReadonlyMap<Address, readonly ServedItem[]>): Promise<Comparison[]> => {
    const native = accounts.map((owner) => ({
      token: nativeToken,
      owner,
      id: null,
      method: "eth_getBalance",
      params: [owner, toHex(height)],
    }));
    const keys = tokens.flatMap((token) =>
      (ownersOf.get(token.address) ?? []).flatMap((owner) => nodeCalls(token, owner, height).map((call) => ({ token, owner, ...call }))),
    );
    const all = [...native, ...keys];
    const returned = await inBatches(
      chain,
      all.map(({ method, params }) => ({ method, params })),
    );
    const compared = all.map(({ token, owner, id }, position): Comparison => {
      const result = returned[position] ?? null;
      // A contract that is both a coin and a collection has two items; the collection's lists ids.
      const item = items
        .get(owner)
        ?.find(({ contract_address: address, nft_data: nfts }) => address === token.address && (nfts === null) === isFungible(token));
      const owned = result === null ? null : result === BigInt(owner) ? 1n : 0n;
      const nft = item?.nft_data?.find(({ token_id: listed }) => BigInt(listed) === id);
      return {
        token: token.name,
        owner,
        id,
        height,
        node: token.kind === "erc721" ? owned : result,
        served: id === null ? parseBalance(item?.balance) : parseBalance(nft?.token_balance),
        source: item?.balance_source ?? null,
        collectionBalance: parseBalance(item?.balance),
      };
    });
    return [...compared, ...countTokens(compared)];
  };

  return {
    /** Compares all accounts' native balances, and the token balances of all owners in the logs: the node's at `height` and the API's at `servedAt`. */
    at: async (height: number, servedAt: number | "head" = height): Promise<Comparison[]> => compareAt(height, await itemsAt(servedAt)),

    /** Returns the node's values only. */
    nodeAt: (height: number): Promise<Comparison[]> => compareAt(height, new Map()),

    /** Returns a coin's balance from the node. */
    async balanceAt(name: string, owner: Address, height: number): Promise<bigint | null> {
      const token = tokens.find((candidate) => candidate.name === name);
      const calls = token === undefined ? [] : nodeCalls(token, owner, height);
      return (
        (
          await inBatches(
            chain,
            calls.map(({ method, params }) => ({ method, params })),
          )
        )[0] ?? null
      );
    },

    /** Compares the native balances that `balances_native` returns. */
    async nativeOnly(height: number): Promise<Comparison[]> {
      const returned = await inBatches(
        chain,
        accounts.map((owner) => ({ method: "eth_getBalance", params: [owner, toHex(height)] })),
      );
      const results = await mapInBatches(accounts, (owner) =>
        fetchData<{ items: readonly ServedItem[] }>(served, `address/${owner}/balances_native/?block-height=${height}`),
      );
      return accounts.map((owner, position) => {
        const item = results[position]?.items[0];
        const [node, source] = [returned[position] ?? null, item?.balance_source ?? null];
        return {
          token: nativeToken.name,
          owner,
          id: null,
          height,
          node,
          served: parseBalance(item?.balance),
          source,
          collectionBalance: null,
        };
      });
    },

    /** Returns a coin's holders at a height, largest first: as served, and from `balanceOf` for the zero address and the owners in its logs. */
    async holders(token: StoryToken, height: number): Promise<{ readonly served: string[]; readonly node: string[] }> {
      const { items } = await fetchData<{ items: readonly { address: Address; balance: string | null }[] }>(
        served,
        `tokens/${token.address}/token_holders_v2/?page-size=1000&block-height=${height}`,
      );
      const owners = [...new Set([...(ownersOf.get(token.address) ?? []), zeroAddress])];
      const returned = await inBatches(
        chain,
        owners.map((owner) => ({
          method: "eth_call",
          params: [{ to: token.address, data: encodeFunctionData({ abi, functionName: "balanceOf", args: [owner] }) }, toHex(height)],
        })),
      );
      const node = owners
        .map((address, position) => ({ address, balance: returned[position] ?? 0n }))
        .filter(({ balance }) => balance > 0n)
        .sort((a, b) => (a.balance === b.balance ? (a.address < b.address ? -1 : 1) : a.balance > b.balance ? -1 : 1));
      return {
        served: items.map(({ address, balance }) => `${address} ${balance}`),
        node: node.map(({ address, balance }) => `${address} ${balance}`),
      };
    },
  };
}

/** Describes the comparisons with a served value that differs from the node's. Balances in a contract that is not deployed yet are 0. */
export const differences = (comparisons: readonly Comparison[]): string[] =>
  comparisons.filter(({ node, served }) => (node ?? 0n) !== served).map(renderDifference);

const renderDifference = ({ token, owner, id, height, node, served }: Comparison): string =>
  `${token}${id === null ? "" : ` ${id}`} of ${owner} at ${height}: the node returns ${node}, the API returns ${served ?? "unknown"}`;
