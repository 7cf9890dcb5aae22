import { decodeAbiParameters, encodeFunctionData, parseAbi } from "viem";
import { createNodeClient, type NodeClient } from "../../demo/node/client.ts";
import type { Address, Hex } from "../../runtime/lib/hex.ts";
import { type ChainContents, scanChain } from "./scan-chain.ts";

const abi = parseAbi(["function balanceOf(address owner) view returns (uint256)", "function ownerOf(uint256 id) view returns (address)"]);
const editionsAbi = parseAbi(["function balanceOf(address owner, uint256 id) view returns (uint256)"]);
const zeroAddress = `0x${"0".repeat(40)}`;
const callsPerBatch = 200;

interface ServedItem {
  readonly contract_address: Address;
  readonly native_token: boolean;
  readonly supports_erc: readonly string[] | null;
  readonly balance: string | null;
  readonly balance_source: "events" | "node" | null;
  readonly nft_data: readonly { readonly token_id: string; readonly token_balance: string }[] | null;
}

/** The number of compared balances by kind, and the differences. */
export interface BalanceComparison {
  readonly native: number;
  readonly erc20: number;
  readonly erc721: number;
  readonly erc1155: number;
  /** The number of balances that the index read from contracts, which would hide errors in event sums. */
  readonly read: number;
  readonly differences: readonly string[];
}

/**
 * The story's tokens with balances that do not follow from Transfer events: the first owners of the punks are known only from a CryptoPunks event,
 * the balances of lending tokens grow with time, and cTokens are minted with a Transfer event from their own contract, which has no balance.
 */
export const unaccountedTokens = (values: Readonly<Record<string, string | undefined>>): readonly (string | undefined)[] =>
  Object.entries(values).flatMap(([name, value]) => (/^punks$|^(lending|cToken|vToken)(Dollar|Gold|Collateral)/.test(name) ? [value] : []));

/**
 * Compares served balances with the node's at its head: native balances (`eth_getBalance`), ERC-20 balances (`balanceOf`), ERC-721 owners (`ownerOf`) and
 * ERC-1155 balances (`balanceOf` by id). The accounts and tokens come from the node's receipts and traces. Tokens whose balances do not follow from events are
 * `excluded`, because they become correct only some time after the index reaches the head.
 */
export async function compareBalances(
  service: { readonly url: string; readonly key: string },
  rpcUrl: string,
  excluded: readonly (string | undefined)[] = [],
): Promise<BalanceComparison> {
  const contents = await scanChain(rpcUrl);
  const coins = new Map([...contents.erc20].filter(([token]) => !excluded.includes(token)));
  const served = await readServed(service, [...contents.addresses]);
  const client = createNodeClient(rpcUrl);
  try {
    const differences: string[] = [];
    const compare = (subject: string, node: bigint | string | null, index: string | undefined): void => {
      if (String(node) !== (index ?? "0")) differences.push(`${subject}: the node returns ${node}, the API returns ${index ?? "nothing"}`);
    };
    const native = [...contents.addresses];
    const balances = await inBatches(
      client,
      native.map((address) => ({ method: "eth_getBalance", parameters: [address, "latest"] })),
    );
    native.forEach((address, index) => {
      compare(
        `native ${address}`,
        BigInt(balances[index] ?? "0x0"),
        served.get(address)?.find((item) => item.native_token)?.balance ?? undefined,
      );
    });
    const erc20 = await compareFungible(client, coins, served, compare);
    const erc721 = await compareOwners(client, contents, served, compare);
    const erc1155 = await compareEditions(client, contents, served, compare);
    const fromNode = [...served.values()].flat().filter(({ balance_source }) => balance_source === "node");
    const read = fromNode.filter(({ contract_address: token }) => !excluded.includes(token)).length;
    return { native: native.length, erc20, erc721, erc1155, read, differences };
  } finally {
    await client.close();
  }
}

type Served = ReadonlyMap<Address, readonly ServedItem[]>;
type Compare = (subject: string, node: bigint | string | null, index: string | undefined) => void;

async function readServed({ url, key }: { readonly url: string; readonly key: string }, addresses: readonly Address[]): Promise<Served> {
  const served = new Map<Address, readonly ServedItem[]>();
  for (const address of addresses) {
    const response = await fetch(`${url}/v1/demo/address/${address}/balances_v2/?nft=true`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const body = (await response.json()) as { data: { items: ServedItem[] } | null; error_message: string | null };
    if (body.data === null) throw new Error(`Balances of ${address}: ${body.error_message}`);
    served.set(address, body.data.items);
  }
  return served;
}

async function inBatches(
  client: NodeClient,
  calls: readonly { method: string; parameters: readonly unknown[] }[],
): Promise<(Hex | undefined)[]> {
  const results: (Hex | undefined)[] = [];
  for (let first = 0; first < calls.length; first += callsPerBatch)
    results.push(...(await client.batch<Hex>(calls.slice(first, first + callsPerBatch))));
  return results;
}

const callOf = (to: Address, data: Hex) => ({ method: "eth_call", parameters: [{ to, data }, "latest"] });

async function compareFungible(client: NodeClient, erc20: ChainContents["erc20"], served: Served, compare: Compare): Promise<number> {
  const pairs = [...erc20].flatMap(([token, owners]) => [...owners].map((owner) => ({ token, owner })));
  const results = await inBatches(
    client,
    pairs.map(({ token, owner }) => callOf(token, encodeFunctionData({ abi, functionName: "balanceOf", args: [owner] }))),
  );
  pairs.forEach(({ token, owner }, index) => {
    if (owner === zeroAddress) return;
    const item = served.get(owner)?.find((candidate) => candidate.contract_address === token && candidate.supports_erc?.includes("erc20"));
    compare(`${token} of ${owner}`, BigInt(results[index] ?? "0x0"), item?.balance ?? undefined);
  });
  return pairs.length;
}

async function compareOwners(client: NodeClient, contents: ChainContents, served: Served, compare: Compare): Promise<number> {
  const tokens = [...contents.erc721].flatMap(([collection, ids]) => [...ids].map((id) => ({ collection, id })));
  const holdersOf = new Map<string, Address[]>();
  for (const [holder, items] of served) {
    for (const item of items) {
      for (const nft of item.nft_data ?? []) {
        const key = `${item.contract_address} ${BigInt(nft.token_id)}`;
        holdersOf.set(key, [...(holdersOf.get(key) ?? []), holder]);
      }
    }
  }
  for (const { collection, id } of tokens) {
    const data = encodeFunctionData({ abi, functionName: "ownerOf", args: [id] });
    const owner = await client
      .request<Hex>("eth_call", [{ to: collection, data }, "latest"])
      .then((result) => decodeAbiParameters([{ type: "address" }], result)[0].toLowerCase())
      // ownerOf reverts for burnt tokens.
      .catch(() => null);
    compare(`owner of ${collection} ${id}`, owner, holdersOf.get(`${collection} ${id}`)?.join(" and ") ?? "null");
  }
  return tokens.length;
}

async function compareEditions(client: NodeClient, contents: ChainContents, served: Served, compare: Compare): Promise<number> {
  const entries = [...contents.erc1155].flatMap(([collection, byId]) =>
    [...byId].flatMap(([id, owners]) => [...owners].map((owner) => ({ collection, id, owner }))),
  );
  const held = entries.filter(({ owner }) => owner !== zeroAddress);
  const results = await inBatches(
    client,
    held.map(({ collection, id, owner }) =>
      callOf(collection, encodeFunctionData({ abi: editionsAbi, functionName: "balanceOf", args: [owner, id] })),
    ),
  );
  held.forEach(({ collection, id, owner }, index) => {
    const item = served.get(owner)?.find((candidate) => candidate.contract_address === collection);
    const nft = item?.nft_data?.find((candidate) => BigInt(candidate.token_id) === id);
    compare(`${collection} ${id} of ${owner}`, BigInt(results[index] ?? "0x0"), nft?.token_balance);
  });
  return held.length;
}
