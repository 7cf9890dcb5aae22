import { type Address, type Hash, type Hex, pad, toHex, zeroAddress } from "viem";
import type { TestChain } from "../chain.ts";
import type { StoryToken } from "./story-coins.ts";

interface Log {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
}
interface Receipt {
  readonly from: Address;
  readonly to: Address | null;
  readonly contractAddress: Address | null;
  readonly logs: readonly Log[];
}
interface Trace {
  readonly action: Readonly<Record<string, unknown>>;
  readonly result?: { readonly address?: Address } | null;
}

/** The accounts in the blocks and traces of a chain, and for each token the owners in its logs. */
export interface Participants {
  /** The accounts of transactions, calls and block rewards: their native balances may have changed. */
  readonly accounts: readonly Address[];
  readonly ownersOf: ReadonlyMap<Address, readonly Address[]>;
}

/** A value above all amounts in the story except 2^256 - 1, and below all owners' addresses. */
const minAddress = 2n ** 120n;

/** Returns the words in topics and data that may be addresses. */
const addressesIn = ({ topics, data }: Log): Address[] => {
  const words = [...topics, ...(data.slice(2).match(/.{64}/g) ?? []).map((word) => `0x${word}`)];
  return words.flatMap((word) =>
    /^0x0{24}[0-9a-f]{40}$/.test(word) && BigInt(word) >= minAddress ? [`0x${word.slice(26)}` as Address] : [],
  );
};

/** Returns the participants of a chain, from all its receipts and traces, including those of failed calls. */
export async function findParticipants(chain: TestChain): Promise<Participants> {
  const heights = Array.from({ length: (await chain.head()) + 1 }, (_, height) => toHex(height));
  const query = <T>(method: string, ...rest: unknown[]): Promise<T[]> =>
    chain.batch<T>(heights.map((height) => ({ method, params: [height, ...rest] })));
  const blocks = await query<{ readonly miner: Address }>("eth_getBlockByNumber", false);
  const traces = (await query<Trace[]>("trace_block")).flat();
  const receipts = (await query<Receipt[]>("eth_getBlockReceipts")).flat();
  const accounts = [
    ...blocks.map(({ miner }) => miner),
    ...traces.flatMap(({ action, result }) => [action.from, action.to, action.address, action.refundAddress, result?.address]),
    ...receipts.flatMap(({ from, to, contractAddress }) => [from, to, contractAddress]),
  ].filter((value): value is Address => typeof value === "string");
  return { accounts: [...new Set(accounts)], ownersOf: ownersIn(receipts.flatMap(({ logs }) => logs)) };
}

const ownersIn = (logs: readonly Log[]): Map<Address, Address[]> => {
  const owners = new Map<Address, Set<Address>>();
  for (const log of logs) {
    const tokenOwners = owners.get(log.address) ?? new Set<Address>();
    owners.set(log.address, tokenOwners);
    for (const address of addressesIn(log)) if (address !== zeroAddress) tokenOwners.add(address);
  }
  return new Map([...owners].map(([token, tokenOwners]) => [token, [...tokenOwners]]));
};

/** keccak256("Transfer(address,address,uint256)"), EIP-20. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

interface Transfer {
  readonly token: string;
  readonly height: number;
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
}

/** Reads coins' Transfer logs in order. */
async function transfersOf(chain: TestChain, tokens: readonly StoryToken[]): Promise<Transfer[]> {
  const names = new Map(tokens.map(({ address, name }) => [address, name]));
  const filter = { address: [...names.keys()], fromBlock: "0x0", toBlock: "latest", topics: [transferTopic] };
  const logs = await chain.rpc<readonly (Log & { readonly blockNumber: Hex })[]>("eth_getLogs", [filter]);
  const addressOf = (topic: Hash | undefined): Address => `0x${(topic ?? "").slice(26)}`;
  return logs.map(({ address, topics, data, blockNumber }) => ({
    token: names.get(address) ?? "",
    height: Number(blockNumber),
    from: addressOf(topics[1]),
    to: addressOf(topics[2]),
    value: BigInt(data),
  }));
}

/** Sums coins' Transfer logs by the key "token owner". */
export async function sumOfEvents(chain: TestChain, tokens: readonly StoryToken[]): Promise<ReadonlyMap<string, bigint>> {
  const sums = new Map<string, bigint>();
  const add = (key: string, value: bigint) => sums.set(key, (sums.get(key) ?? 0n) + value);
  for (const { token, from, to, value } of await transfersOf(chain, tokens)) {
    add(`${token} ${from}`, -value);
    add(`${token} ${to}`, value);
  }
  return sums;
}

/** Returns a function that finds the last block up to a height with a Transfer from or to an owner; null if there is none. */
export async function lastTouches(
  chain: TestChain,
  tokens: readonly StoryToken[],
): Promise<(token: string, owner: Address, height: number) => number | null> {
  const transfers = await transfersOf(chain, tokens);
  return (token, owner, height) =>
    transfers.findLast((transfer) => transfer.token === token && transfer.height <= height && [transfer.from, transfer.to].includes(owner))
      ?.height ?? null;
}

/** Reads the values of a coin's Transfers from or to an owner since a block. */
export async function transferValues(
  chain: TestChain,
  token: Address,
  fromBlock: number,
  { from, to }: { readonly from?: Address; readonly to?: Address },
): Promise<bigint[]> {
  const topics = [transferTopic, ...[from, to].map((owner) => (owner === undefined ? null : pad(owner)))];
  const filter = { address: token, fromBlock: toHex(fromBlock), toBlock: "latest", topics };
  return (await chain.rpc<readonly Log[]>("eth_getLogs", [filter])).map(({ data }) => BigInt(data));
}
