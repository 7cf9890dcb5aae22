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

/** Where a service is asked of which chain. */
export interface ServedChain {
  readonly url: string;
  readonly key: string;
  readonly name: string;
}

/** One thing that somebody may have: what the node says of it, and what was served. */
export interface Comparison {
  readonly token: string;
  readonly owner: Address;
  readonly id: bigint | null;
  readonly height: number;
  /** Null where the node cannot say: there is no code to ask. */
  readonly node: bigint | null;
  /** Null: served as not known. What is not listed is served as 0. */
  readonly served: bigint | null;
  readonly source: string | null;
  /** What is served of a collection as a whole. */
  readonly whole: bigint | null;
}

/** One answer of the service. @throws where it is an error */
export async function askService<T>({ url, key, name }: ServedChain, path: string): Promise<T> {
  const response = await fetch(`${url}/v1/${name}/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { data: T | null; error_message: string | null };
  if (body.data === null) throw new Error(`${path}: ${body.error_message}`);
  return body.data;
}

const nativeToken = { name: "native", address: nativeTokenAddress, kind: "native" } as const;
const isFungible = ({ kind }: { readonly kind: string }): boolean => kind === "erc20" || kind === "native";
const callsPerBatch = 500;

async function inBatches(chain: TestChain, calls: readonly { method: string; params: readonly unknown[] }[]): Promise<(bigint | null)[]> {
  const answers: (bigint | null)[] = [];
  for (let first = 0; first < calls.length; first += callsPerBatch) {
    const returned = await chain.batch<Hex>(calls.slice(first, first + callsPerBatch));
    answers.push(...returned.map((value) => (value === "0x" ? null : BigInt(value))));
  }
  return answers;
}

/** Runs so many at a time. */
async function mapInTurn<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const atOnce = 6;
  for (let first = 0; first < items.length; first += atOnce)
    results.push(...(await Promise.all(items.slice(first, first + atOnce).map(map))));
  return results;
}

const known = (value: string | null | undefined): bigint | null => (value === null ? null : BigInt(value ?? 0));

/** How many a collection's owner has of all ids that may be: their sum; and what is served of it. */
const counted = (comparisons: readonly Comparison[]): Comparison[] => {
  const groups = new Map<string, Comparison[]>();
  for (const comparison of comparisons) {
    if (comparison.id === null) continue;
    const key = `${comparison.token} ${comparison.owner}`;
    groups.set(key, [...(groups.get(key) ?? []), comparison]);
  }
  return [...groups.values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    const node = [first, ...rest].reduce((sum, comparison) => sum + (comparison.node ?? 0n), 0n);
    return [{ ...first, token: `number of ${first.token}`, id: null, node, served: first.whole }];
  });
};

/** Creates the comparison of what is served with what the node says, at heights. */
export function createJudge(
  chain: TestChain,
  served: ServedChain,
  tokens: readonly StoryToken[],
  ids: readonly bigint[],
  { accounts, ownersOf }: Participants,
) {
  const everybody = [...new Set([...accounts, ...tokens.flatMap(({ address }) => ownersOf.get(address) ?? [])])];

  const nodeCalls = (token: StoryToken, owner: Address, height: number) => {
    const to = token.address;
    const at = toHex(height);
    const one = (data: Hex) => ({ method: "eth_call", params: [{ to, data }, at] });
    if (token.kind === "erc20") return [{ id: null, ...one(encodeFunctionData({ abi, functionName: "balanceOf", args: [owner] })) }];
    return ids.map((id) => ({
      id,
      ...one(
        token.kind === "erc721"
          ? encodeFunctionData({ abi, functionName: "ownerOf", args: [id] })
          : encodeFunctionData({ abi: editionsAbi, functionName: "balanceOf", args: [owner, id] }),
      ),
    }));
  };

  /** What `historical_balances` of everybody says at a height; at the head, `balances_v2` is asked. */
  const itemsAt = async (height: number | "head"): Promise<Map<Address, readonly ServedItem[]>> => {
    const path = height === "head" ? "balances_v2/?nft=true" : `historical_balances/?nft=true&block-height=${height}`;
    const answers = await mapInTurn(everybody, async (owner) => {
      const { items } = await askService<{ items: readonly ServedItem[] }>(served, `address/${owner}/${path}`);
      return [owner, items] as const;
    });
    return new Map(answers);
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
      const answer = returned[position] ?? null;
      // A contract that is two things at once has two items: that of the collection lists ids.
      const item = items
        .get(owner)
        ?.find(({ contract_address: address, nft_data: nfts }) => address === token.address && (nfts === null) === isFungible(token));
      const owned = answer === null ? null : answer === BigInt(owner) ? 1n : 0n;
      const nft = item?.nft_data?.find(({ token_id: listed }) => BigInt(listed) === id);
      return {
        token: token.name,
        owner,
        id,
        height,
        node: token.kind === "erc721" ? owned : answer,
        served: id === null ? known(item?.balance) : known(nft?.token_balance),
        source: item?.balance_source ?? null,
        whole: known(item?.balance),
      };
    });
    return [...compared, ...counted(compared)];
  };

  return {
    /** All that somebody may have had at a height: native balances of all accounts, and what tokens' logs name. At the head, `balances_v2` may be asked. */
    at: async (height: number, asked: number | "head" = height): Promise<Comparison[]> => compareAt(height, await itemsAt(asked)),

    /** The node's word alone. */
    nodeAt: (height: number): Promise<Comparison[]> => compareAt(height, new Map()),

    /** The node's word on one coin's balance. */
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

    /** Native balances as `balances_native` serves them alone. */
    async nativeAlone(height: number): Promise<Comparison[]> {
      const returned = await inBatches(
        chain,
        accounts.map((owner) => ({ method: "eth_getBalance", params: [owner, toHex(height)] })),
      );
      const answers = await mapInTurn(accounts, (owner) =>
        askService<{ items: readonly ServedItem[] }>(served, `address/${owner}/balances_native/?block-height=${height}`),
      );
      return accounts.map((owner, position) => {
        const item = answers[position]?.items[0];
        const [node, source] = [returned[position] ?? null, item?.balance_source ?? null];
        return { token: nativeToken.name, owner, id: null, height, node, served: known(item?.balance), source, whole: null };
      });
    },

    /** The holders of a coin at a height: as served, and as `balanceOf` has them of everybody that its logs name and of the zero address, the largest first. */
    async holders(token: StoryToken, height: number): Promise<{ readonly served: string[]; readonly node: string[] }> {
      const { items } = await askService<{ items: readonly { address: Address; balance: string | null }[] }>(
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

/** Comparisons where served and node are not the same, as sentences. A contract that is not there yet has given nobody anything. */
export const differences = (comparisons: readonly Comparison[]): string[] =>
  comparisons.filter(({ node, served }) => (node ?? 0n) !== served).map(describe);

const describe = ({ token, owner, id, height, node, served }: Comparison): string =>
  `${token}${id === null ? "" : ` ${id}`} of ${owner} at ${height}: the node says ${node}, served is ${served ?? "not known"}`;
