import { type Address, type Hash, type Hex, toHex, zeroAddress } from "viem";
import type { TestChain } from "../chain.ts";
import { sink } from "./tell-values.ts";

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

/** Everybody that a chain's node knows of, and by token everybody that its logs name. */
export interface Participants {
  /** Whoever was in a transaction, a call or a block's head: those whose native balance may have changed. */
  readonly accounts: readonly Address[];
  readonly ownersOf: ReadonlyMap<Address, readonly Address[]>;
}

/** The story's sinks are the smallest of its addresses, and above what ERC-1155 calls move in it. */
const smallest = BigInt(sink(0));

/** Words that may be addresses, in topics and in data; amounts and ids are shorter. */
const addressesIn = ({ topics, data }: Log): Address[] => {
  const words = [...topics, ...(data.slice(2).match(/.{64}/g) ?? []).map((word) => `0x${word}`)];
  return words.flatMap((word) => (/^0x0{24}[0-9a-f]{40}$/.test(word) && BigInt(word) >= smallest ? [`0x${word.slice(26)}` as Address] : []));
};

/** Asks a node for all receipts and traces of its chain, those of failed calls too. */
export async function findParticipants(chain: TestChain): Promise<Participants> {
  const accounts = new Set<Address>();
  const owners = new Map<Address, Set<Address>>();
  const heights = Array.from({ length: (await chain.head()) + 1 }, (_, height) => toHex(height));
  const ask = <T>(method: string, ...rest: unknown[]): Promise<T[]> => chain.batch<T>(heights.map((height) => ({ method, params: [height, ...rest] })));
  for (const { miner } of await ask<{ miner: Address }>("eth_getBlockByNumber", false)) accounts.add(miner);
  for (const { action, result } of (await ask<Trace[]>("trace_block")).flat()) {
    for (const value of [action.from, action.to, action.address, action.refundAddress, result?.address]) {
      if (typeof value === "string") accounts.add(value as Address);
    }
  }
  for (const { from, to, contractAddress, logs } of (await ask<Receipt[]>("eth_getBlockReceipts")).flat()) {
    for (const address of [from, to, contractAddress]) if (address !== null) accounts.add(address);
    for (const log of logs) {
      const known = owners.get(log.address) ?? new Set<Address>();
      owners.set(log.address, known);
      for (const address of addressesIn(log)) if (address !== zeroAddress) known.add(address);
    }
  }
  return { accounts: [...accounts], ownersOf: new Map([...owners].map(([token, known]) => [token, [...known]])) };
}
