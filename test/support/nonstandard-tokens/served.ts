import type { Address } from "viem";
import type { ServedChain } from "../edge-cases/compare-heights.ts";
import type { TestToken } from "./token-kind.ts";

export interface ServedItem {
  readonly contract_address: Address;
  readonly balance: string | null;
  readonly nft_data: readonly { readonly token_id: string }[] | null;
}

/** The holders of a token. */
export interface ServedHolders {
  readonly items: readonly { readonly address: Address; readonly balance: string | null; readonly total_supply: string | null }[];
  readonly total: number | null;
}

interface Page extends Pick<ServedHolders, "items"> {
  readonly pagination: { readonly total_count: number | null };
}

const concurrentRequests = 6;

/** Requests a path and returns the response's data; null for status 404. @throws {Error} if the response is another error. */
const fetchData = async <T>({ url, key, name }: ServedChain, path: string): Promise<T | null> => {
  const response = await fetch(`${url}/v1/${name}/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { readonly data: T | null; readonly error_message: string | null };
  if (body.data === null && response.status !== 404) throw new Error(`${path}: ${response.status} ${body.error_message}`);
  return body.data;
};

const mapInBatches = async <K, T>(keys: readonly K[], request: (key: K) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let first = 0; first < keys.length; first += concurrentRequests) {
    results.push(...(await Promise.all(keys.slice(first, first + concurrentRequests).map(request))));
  }
  return results;
};

/** Returns the served balances of wallets at a height or at the head. */
export const servedItems = async (
  service: ServedChain,
  owners: readonly Address[],
  height: number | "head",
): Promise<ReadonlyMap<Address, readonly ServedItem[]>> => {
  const path = height === "head" ? "balances_v2/?nft=true" : `historical_balances/?nft=true&block-height=${height}`;
  const results = await mapInBatches(owners, (owner) =>
    fetchData<{ readonly items: readonly ServedItem[] }>(service, `address/${owner}/${path}`),
  );
  return new Map(owners.map((owner, position) => [owner, results[position]?.items ?? []]));
};

/** Returns the served holders of tokens at a height or at the head, without unknown tokens. One page is enough for the test tokens. */
export const servedHolders = async (
  service: ServedChain,
  tokens: readonly TestToken[],
  height: number | "head",
): Promise<ReadonlyMap<Address, ServedHolders>> => {
  const query = `page-size=1000${height === "head" ? "" : `&block-height=${height}`}`;
  const results = await mapInBatches(tokens, ({ address }) => fetchData<Page>(service, `tokens/${address}/token_holders_v2/?${query}`));
  return new Map(
    tokens.flatMap(({ address }, position) => {
      const page = results[position];
      return page === null || page === undefined ? [] : [[address, { items: page.items, total: page.pagination.total_count }] as const];
    }),
  );
};

interface Approvals {
  readonly items: readonly {
    readonly token_address: Address;
    readonly spenders: readonly { readonly spender_address: Address; readonly allowance: string | null }[];
  }[];
}

/** Returns the served allowances of owners by "token owner spender". */
export const servedAllowances = async (service: ServedChain, owners: readonly Address[]): Promise<ReadonlyMap<string, string | null>> => {
  const results = await mapInBatches(owners, (owner) => fetchData<Approvals>(service, `approvals/${owner}/`));
  return new Map(
    owners.flatMap((owner, position) =>
      (results[position]?.items ?? []).flatMap(({ token_address: token, spenders }) =>
        spenders.map(({ spender_address: spender, allowance }) => [`${token} ${owner} ${spender}`, allowance] as const),
      ),
    ),
  );
};
