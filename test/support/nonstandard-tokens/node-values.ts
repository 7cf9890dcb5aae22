import { type Address, encodeFunctionData, type Hex, parseAbi, toHex, zeroAddress } from "viem";
import type { TokenChain } from "./deployment.ts";
import type { TestToken } from "./token-kind.ts";

const abi = parseAbi([
  "function balanceOf(address owner) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function ownerOf(uint256 id) view returns (address)",
]);

/** keccak256("Transfer(address,address,uint256)") and keccak256("Approval(address,address,uint256)"), EIP-20. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const approvalTopic = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
/** EIP-20 transferFrom(address,address,uint256). */
const transferFromSelector = "0x23b872dd";
const callsPerBatch = 500;
const wordLength = 64;
/** The recipient of `FeeOnTop`'s fees. */
const feeSink: Address = "0x0000000000000000000000000000000000000fee";

/** The contracts' values after a block; null if a call reverts or returns less than a word. */
export interface NodeState {
  readonly height: number;
  /** The accounts that may hold a token. */
  ownersOf(token: TestToken): readonly Address[];
  balance(token: TestToken, owner: Address): bigint | null;
  supply(token: TestToken): bigint | null;
  /** An owner's token ids. */
  idsOf(token: TestToken, owner: Address): readonly bigint[];
  /** Whether a Transfer of the token up to this block names the owner, in a topic or in its data. An index cannot detect other owners. */
  isNamed(token: TestToken, owner: Address): boolean;
  /** The last value before the contract was destroyed; null if it still exists. */
  lastBalance(token: TestToken, owner: Address): bigint | null;
  lastSupply(token: TestToken): bigint | null;
  /** The sum of the token's Transfers. */
  sumOfEvents(token: TestToken, owner: Address): bigint;
}

/** An allowance as its contract returns it. */
export interface NodeAllowance {
  readonly token: TestToken;
  readonly owner: Address;
  readonly spender: Address;
  readonly amount: bigint | null;
  /** The last value before the contract was destroyed; null if it still exists. */
  readonly lastAmount: bigint | null;
  /** Whether an index can detect it: an Approval names both accounts, or the spender has used it. */
  readonly isObservable: boolean;
}

interface Log {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly transactionHash: Hex;
}

/** Runs contract calls and returns the first word of each result; null if a call fails or returns less than a word. */
const callAll = async (
  url: string,
  calls: readonly { readonly to: Address; readonly data: Hex }[],
  height: number,
): Promise<(bigint | null)[]> => {
  const words: (bigint | null)[] = [];
  for (let first = 0; first < calls.length; first += callsPerBatch) {
    const batch = calls.slice(first, first + callsPerBatch);
    const body = JSON.stringify(batch.map((params, id) => ({ jsonrpc: "2.0", id, method: "eth_call", params: [params, toHex(height)] })));
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const responses = (await response.json()) as { readonly id: number; readonly result?: Hex }[];
    const byId = new Map(responses.map(({ id, result }) => [id, result]));
    words.push(
      ...batch.map((_, id) => {
        const result = byId.get(id);
        return result === undefined || result.length < 2 + wordLength ? null : BigInt(result.slice(0, 2 + wordLength));
      }),
    );
  }
  return words;
};

/** Returns the arguments of an event, indexed or not. */
const argumentsOf = ({ topics, data }: Log): Hex[] => [
  ...topics.slice(1),
  ...(data.slice(2).match(/.{64}/g) ?? []).map((word): Hex => `0x${word}`),
];
const addressIn = (word: Hex | undefined): Address => `0x${(word ?? "").slice(-40)}`;
const keyOf = (...parts: readonly string[]): string => parts.join(" ");

/** Creates functions that read the contracts' values from the node. */
export const createNodeReader = ({ chain, tokens, accounts, reentrantReceiver }: TokenChain) => {
  const ids = Array.from({ length: 10 }, (_, position) => BigInt(position + 1));
  // A vault holds the asset token.
  const vaults = tokens.filter(({ kind }) => kind.name === "Vault").map(({ address }) => address);
  const ownersOf = ({ address }: TestToken): Address[] => [
    ...new Set([...accounts, zeroAddress, address, reentrantReceiver, feeSink, ...vaults]),
  ];
  const pairs = tokens.flatMap((token) => ownersOf(token).map((owner) => ({ token, owner })));
  const collections = tokens.filter(({ kind }) => kind.isAlsoCollection === true);
  const logsUpTo = (height: number, topic: Hex): Promise<readonly Log[]> =>
    chain.rpc("eth_getLogs", [
      { address: tokens.map(({ address }) => address), fromBlock: "0x0", toBlock: toHex(height), topics: [topic] },
    ]);
  const callAt = async (height: number, calls: readonly { readonly to: Address; readonly data: Hex }[]) =>
    callAll(chain.url, calls, height);

  /** Returns the last height at which each destroyed contract responded. */
  const lastHeights = async (height: number): Promise<ReadonlyMap<TestToken, number>> => {
    const found = new Map<TestToken, number>();
    const data = encodeFunctionData({ abi, functionName: "totalSupply" });
    for (const token of tokens.filter(({ kind }) => kind.mayBeDestroyed === true)) {
      const results: (bigint | null)[] = [];
      for (let at = 0; at <= height; at += 1) results.push((await callAt(at, [{ to: token.address, data }]))[0] ?? null);
      const last = results.findLastIndex((result) => result !== null);
      if (last < height) found.set(token, last);
    }
    return found;
  };

  const readAt = async (height: number): Promise<NodeState> => {
    const words = await callAt(
      height,
      pairs.map(({ token, owner }) => ({ to: token.address, data: encodeFunctionData({ abi, functionName: "balanceOf", args: [owner] }) })),
    );
    const balances = new Map(pairs.map(({ token, owner }, position) => [keyOf(token.address, owner), words[position] ?? null]));
    const destroyed = await lastHeights(height);
    const lastBalances = new Map<string, bigint | null>();
    const lastSupplies = new Map<TestToken, bigint | null>();
    for (const [token, at] of destroyed) {
      const owners = ownersOf(token);
      const results = await callAt(at, [
        ...owners.map((owner) => ({ to: token.address, data: encodeFunctionData({ abi, functionName: "balanceOf", args: [owner] }) })),
        { to: token.address, data: encodeFunctionData({ abi, functionName: "totalSupply" }) },
      ]);
      owners.forEach((owner, position) => void lastBalances.set(keyOf(token.address, owner), results[position] ?? null));
      lastSupplies.set(token, results.at(-1) ?? null);
    }
    const supplies = await callAt(
      height,
      tokens.map(({ address }) => ({ to: address, data: encodeFunctionData({ abi, functionName: "totalSupply" }) })),
    );
    const supplyOf = new Map(tokens.map(({ address }, position) => [address, supplies[position] ?? null]));
    const owned = new Map<string, bigint[]>();
    for (const { address } of collections) {
      const owners = await callAt(
        height,
        ids.map((id) => ({ to: address, data: encodeFunctionData({ abi, functionName: "ownerOf", args: [id] }) })),
      );
      owners.forEach((owner, position) => {
        const key = keyOf(address, toHex(owner ?? 0n, { size: 20 }));
        owned.set(key, [...(owned.get(key) ?? []), ids[position] as bigint]);
      });
    }
    const named = new Set<string>();
    const sums = new Map<string, bigint>();
    const add = (key: string, change: bigint) => sums.set(key, (sums.get(key) ?? 0n) + change);
    for (const log of await logsUpTo(height, transferTopic)) {
      const [from, to, value] = argumentsOf(log);
      for (const owner of [addressIn(from), addressIn(to)]) named.add(keyOf(log.address, owner));
      if (addressIn(from) !== zeroAddress) add(keyOf(log.address, addressIn(from)), -BigInt(value ?? 0));
      add(keyOf(log.address, addressIn(to)), BigInt(value ?? 0));
    }
    return {
      height,
      ownersOf,
      balance: (token, owner) => balances.get(keyOf(token.address, owner)) ?? null,
      supply: (token) => supplyOf.get(token.address) ?? null,
      idsOf: (token, owner) => owned.get(keyOf(token.address, owner)) ?? [],
      isNamed: (token, owner) => named.has(keyOf(token.address, owner)),
      lastBalance: (token, owner) => lastBalances.get(keyOf(token.address, owner)) ?? null,
      lastSupply: (token) => lastSupplies.get(token) ?? null,
      sumOfEvents: (token, owner) => sums.get(keyOf(token.address, owner)) ?? 0n,
    };
  };

  /** Reads the allowances between all accounts, for all tokens with an allowance function. */
  const allowancesAt = async (height: number): Promise<NodeAllowance[]> => {
    const observable = new Set<string>();
    for (const log of await logsUpTo(height, approvalTopic)) {
      const [owner, spender] = argumentsOf(log);
      observable.add(keyOf(log.address, addressIn(owner), addressIn(spender)));
    }
    const transfers = await logsUpTo(height, transferTopic);
    const hashes = [...new Set(transfers.map(({ transactionHash }) => transactionHash))];
    const used = await chain.batch<{ readonly from: Address; readonly to: Address | null; readonly input: Hex }>(
      hashes.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] })),
    );
    for (const { from, to, input } of used) {
      if (to === null || !input.startsWith(transferFromSelector)) continue;
      const [owner, , amount] = [input.slice(10, 74), null, input.slice(138, 202)];
      if (BigInt(`0x${amount}`) > 0n) observable.add(keyOf(to, addressIn(`0x${owner}`), from));
    }
    const triples = tokens
      .filter(({ artifact }) => artifact.abi.some((entry) => entry.type === "function" && entry.name === "allowance"))
      .flatMap((token) => accounts.flatMap((owner) => accounts.map((spender) => ({ token, owner, spender }))));
    const allowanceCalls = (batch: typeof triples) =>
      batch.map(({ token, owner, spender }) => ({
        to: token.address,
        data: encodeFunctionData({ abi, functionName: "allowance", args: [owner, spender] }),
      }));
    const words = await callAt(height, allowanceCalls(triples));
    const last = new Map<(typeof triples)[number], bigint | null>();
    for (const [destroyed, at] of await lastHeights(height)) {
      const tokenTriples = triples.filter(({ token }) => token === destroyed);
      const results = await callAt(at, allowanceCalls(tokenTriples));
      tokenTriples.forEach((triple, position) => void last.set(triple, results[position] ?? null));
    }
    return triples.map((triple, position) => ({
      ...triple,
      amount: words[position] ?? null,
      lastAmount: last.get(triple) ?? null,
      isObservable: observable.has(keyOf(triple.token.address, triple.owner, triple.spender)),
    }));
  };

  return { readAt, allowancesAt };
};
