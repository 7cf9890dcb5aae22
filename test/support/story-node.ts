import { useApp } from "./app.ts";

export interface NodeLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly logIndex: string;
  readonly transactionHash: string;
}

/** A filter of `eth_getLogs`; by default it covers all blocks. */
interface LogFilter {
  readonly address?: string;
  readonly topics?: readonly (string | null)[];
  readonly fromBlock?: string;
  readonly toBlock?: string;
}

/** keccak256("Transfer(address,address,uint256)"), EIP-20 and EIP-721. */
export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** An address padded to a 32-byte word. */
const wordOf = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`;

/** The address in a 32-byte word. */
export const addressOf = (word: string | undefined): string => `0x${(word ?? "").slice(26)}`;

/** The sum of balance changes. */
export const sumOf = (changes: readonly { readonly delta: bigint }[]): bigint => changes.reduce((sum, { delta }) => sum + delta, 0n);

const app = await useApp();
const { fetch: realFetch } = globalThis;

/** Returns a story value by its name. @throws {Error} if there is none. */
export function storyValue(name: string): string {
  const value = app.storyValues[name];
  if (value === undefined) throw new Error(`No ${name} in the story values`);
  return value;
}

interface RpcResponse<T> {
  readonly id: number;
  readonly result?: T;
  readonly error?: { readonly message: string };
}

/** Calls a method of the story's node, even while a test replaces the global `fetch`. */
export async function callNode<T>(method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await realFetch(app.rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
  const rpcResponse = (await response.json()) as RpcResponse<T>;
  if (rpcResponse.result === undefined) throw new Error(`${method} failed: ${JSON.stringify(rpcResponse)}`);
  return rpcResponse.result;
}

/** Calls a method of the story's node once for each set of parameters, in one batch. */
export async function nodeBatch<T>(method: string, paramsList: readonly (readonly unknown[])[]): Promise<T[]> {
  const body = JSON.stringify(paramsList.map((params, id) => ({ jsonrpc: "2.0", id, method, params })));
  const response = await realFetch(app.rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
  const rpcResponses = (await response.json()) as RpcResponse<T>[];
  return rpcResponses
    .sort((a, b) => a.id - b.id)
    .map((rpcResponse) => {
      if (rpcResponse.result === undefined || rpcResponse.result === null)
        throw new Error(`${method} failed: ${JSON.stringify(rpcResponse)}`);
      return rpcResponse.result;
    });
}

const callsPerBatch = 200;

/** Runs contract calls at the head; the result is null if a call reverts. */
export async function callResults(calls: readonly { readonly to: string; readonly data: string }[]): Promise<(string | null)[]> {
  const results: (string | null)[] = [];
  for (let first = 0; first < calls.length; first += callsPerBatch) {
    const batch = calls.slice(first, first + callsPerBatch);
    const body = JSON.stringify(batch.map((call, id) => ({ jsonrpc: "2.0", id, method: "eth_call", params: [call, "latest"] })));
    const response = await realFetch(app.rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
    const rpcResponses = (await response.json()) as RpcResponse<string>[];
    results.push(...rpcResponses.sort((a, b) => a.id - b.id).map(resultOfCall));
  }
  return results;
}

/** Returns a call's result; null if the call reverts. @throws {Error} if the node reports any other error. */
const resultOfCall = ({ result, error }: RpcResponse<string>): string | null => {
  if (error !== undefined && !/revert/i.test(error.message)) throw new Error(`eth_call failed: ${error.message}`);
  return result ?? null;
};

/** Calls a contract at the head and returns the result as words. */
export const readWords = async (to: string, data: string): Promise<readonly bigint[]> => {
  const result = await callNode<string>("eth_call", { to, data }, "latest");
  return (result.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
};

/** Logs of all blocks or of a block range, in chain order. */
export const logsOf = (filter: LogFilter): Promise<readonly NodeLog[]> =>
  callNode("eth_getLogs", { fromBlock: "0x0", toBlock: "latest", ...filter });

/** A block's timestamp in seconds. */
export const timeOf = async (block: number): Promise<number> =>
  Number((await callNode<{ readonly timestamp: string }>("eth_getBlockByNumber", `0x${block.toString(16)}`, false)).timestamp);

/** balanceOf(address), EIP-20. */
export const balanceOf = async (token: string, owner: string): Promise<bigint> =>
  BigInt(await callNode<string>("eth_call", { to: token, data: `0x70a08231${wordOf(owner).slice(2)}` }, "latest"));

/** A token's Transfer logs from the node, oldest first. */
export async function transfersOf(token: string, lastBlock = "latest") {
  const logs = await logsOf({ address: token, topics: [transferTopic], toBlock: lastBlock });
  return logs.map(({ blockNumber, topics, data }) => {
    return { block: Number(blockNumber), from: addressOf(topics[1]), to: addressOf(topics[2]), value: BigInt(data) };
  });
}

/**
 * Returns the changes of an owner's token balance by block. Tests compute past balances from them, because the story's node keeps the state of few
 * blocks other than its head.
 */
export async function changesOf(token: string, owner: string): Promise<{ readonly block: number; readonly delta: bigint }[]> {
  return (await transfersOf(token)).map(({ block, from, to, value }) => ({
    block,
    delta: (to === owner ? value : 0n) - (from === owner ? value : 0n),
  }));
}
