import { backoff, retry, sleep } from "../lib/async.ts";
import type { Address, Hash, Hex } from "../lib/hex.ts";
import { type StateAt, withBalances } from "./account-balances.ts";
import { createBloom } from "./bloom.ts";
import type { Capabilities } from "./capabilities.ts";
import type { DecodedReply } from "./decode-block.ts";
import { BadReplyError, LimitError, RpcError, UnansweredError } from "./errors.ts";
import { fetchReplies } from "./fetch-replies.ts";
import { withTraces } from "./fetch-traces.ts";
import { asObject, bigQuantity, data, hash, quantity, type Raw, toQuantity } from "./quantities.ts";
import { createRememberedFields } from "./remembered.ts";
import type { Rpc, RpcCall, RpcResult } from "./rpc.ts";
import type { ChainBlock, Head, NativeAccounting } from "./types.ts";
import { type Checks, verifyBlock, verifyChain } from "./verify.ts";

export type { Head } from "./types.ts";

/**
 * The outcome of a read-only contract call. `reverted` distinguishes a revert from a node that cannot run the call; `passing` is the node's error where the same
 * call may succeed later.
 */
export type CallOutcome =
  | { readonly ok: true; readonly data: Hex }
  | { readonly ok: false; readonly reverted: boolean; readonly passing?: RpcError };

export interface ReadOnlyCall {
  readonly to: Address;
  readonly data: Hex;
  readonly gas?: number;
}

/** What to fetch of blocks beside transactions, receipts and logs. */
export interface BlockDetail {
  readonly accounting: NativeAccounting;
  /** Accounts whose balances are fetched with every block, whether it touched them or not. */
  readonly also?: readonly Address[];
}

/** A node as the indexer reads it. */
export interface Source {
  readonly capabilities: Capabilities;
  readonly tracing: boolean;
  chainId(): Promise<number>;
  genesisHash(): Promise<Hash>;
  head(): Promise<Head>;
  /** Null where the node does not report it. */
  finalized(): Promise<number | null>;
  /** Null where the node has no such block. */
  hashesOf(heights: readonly number[]): Promise<(Hash | null)[]>;
  /**
   * Checked blocks from..to inclusive, with the traces or balances that the accounting requires, or without one with the source's traces.
   * @throws {BadReplyError} where the node keeps returning inconsistent blocks.
   */
  fetch(from: number, to: number, detail?: BlockDetail): Promise<ChainBlock[]>;
  /** Native balances after a block; null where the node lacks that state or does not respond to this call alone. Read by the block's hash where it is given and the node supports it. */
  balances(addresses: readonly Address[], height: number, hash?: Hash): Promise<(bigint | null)[]>;
  /** Read-only calls after a block; without `gas` the node's limit applies. */
  calls(calls: readonly ReadOnlyCall[], height: number): Promise<CallOutcome[]>;
}

export interface SourceOptions {
  /** Whether to trace value moved by inner calls, where the node can. */
  readonly tracing: boolean;
  /** Accounts that the network credits or debits without naming them in the block. */
  readonly systemAccounts?: readonly Address[];
  /** Transactions with another chain id (EIP-155) are refused. */
  readonly chainId?: number;
  readonly checks?: Partial<Checks>;
  /** Attempts for a reply that is inconsistent, as happens while a node imports a block. */
  readonly tries?: number;
  readonly waitMilliseconds?: number;
  readonly onBadReply?: (reason: string) => void;
}

/** At the head a node may need some milliseconds until all parts of a block are available; the waits add up to 1.2 seconds. */
const defaultTries = 6;
const defaultWait = 40;
const maxWaitMilliseconds = 10_000;

/** A source of checked blocks. */
export const createSource = (rpc: Rpc, capabilities: Capabilities, options: SourceOptions): Source => {
  const tracing = options.tracing && capabilities.traces !== null;
  const checks: Checks = { bloom: true, gasUsed: true, ...options.checks };
  const bloom = createBloom();
  const fields = createRememberedFields();

  const balancesIn = (reads: readonly { readonly address: Address; readonly at: StateAt }[], byHash: boolean, isolated = false) => {
    const calls = reads.map(({ address, at }) => ({
      method: "eth_getBalance",
      params: [address, byHash ? { blockHash: at.hash } : toQuantity(at.height)],
      isolated,
    }));
    // A block that was just returned exists, even if another node behind the gateway does not know it yet.
    return settleAnswers(rpc, calls, options, balanceOf, (error) => mayPass(error) || (byHash && lagging.test(error.message)));
  };
  const hashesOf = async (heights: readonly number[]): Promise<(Hash | null)[]> => {
    const blocks = await rpc.batch(heights.map((height) => ({ method: "eth_getBlockByNumber", params: [toQuantity(height), false] })));
    return blocks.map((block, position) => (block === null ? null : hashAt(asObject(block, "block"), heights[position])));
  };
  const reader = {
    balances: (reads: readonly { readonly address: Address; readonly at: StateAt }[]) => balancesIn(reads, capabilities.stateByHash),
    hashesOf,
    byHash: capabilities.stateByHash,
    archiveState: capabilities.archiveState,
  };

  /** With balances from the state, traces only list transfers: where the node lacks old ones, an index without them is better than none. */
  const wantsTraces = (accounting: NativeAccounting | undefined): boolean =>
    tracing && (accounting === undefined || accounting === "traces" || (accounting === "state" && capabilities.oldTraces));

  /**
   * With balances from the state, traces are optional: those of some networks' system transactions are inconsistent. A block without valid traces is indexed without,
   * and what its inner calls change is found when the accounts are touched again.
   */
  const withTracesOrNone = (replies: readonly DecodedReply[]): Promise<ChainBlock[]> =>
    withTraces(rpc, replies, capabilities.traces).catch((error: unknown) => {
      if (!isPassing(error)) throw error;
      return Promise.all(
        replies.map((reply) =>
          untilGood(() => withTraces(rpc, [reply], capabilities.traces), options).catch((error: unknown) =>
            untracedUnless(error, reply.block),
          ),
        ),
      ).then((portions) => portions.flat());
    });

  const fetchOnce = async (from: number, to: number, detail: BlockDetail | undefined): Promise<ChainBlock[]> => {
    const heights = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
    const replies = await fetchReplies(rpc, heights, capabilities.blockReceipts, fields);
    for (const [position, reply] of replies.entries()) verifyBlock(reply, from + position, bloom, checks, options.chainId);
    const blocks = replies.map(({ block }) => block);
    verifyChain(blocks);
    if (detail?.accounting !== "state") return wantsTraces(detail?.accounting) ? withTraces(rpc, replies, capabilities.traces) : blocks;
    const traced = wantsTraces("state") ? await withTracesOrNone(replies) : blocks;
    return withBalances(reader, traced, [...(options.systemAccounts ?? []), ...(detail.also ?? [])]);
  };

  return {
    capabilities,
    tracing,
    chainId: async () => quantity({ chainId: await rpc.request("eth_chainId", []) }, "chainId"),
    genesisHash: async () => hash(asObject(await rpc.request("eth_getBlockByNumber", ["0x0", false]), "block 0"), "hash"),
    head: async () => {
      const raw = asObject(await rpc.request("eth_getBlockByNumber", ["latest", false]), "latest block");
      return { number: quantity(raw, "number"), hash: hash(raw, "hash"), timestamp: quantity(raw, "timestamp") };
    },
    finalized: async () => {
      if (!capabilities.finalizedTag) return null;
      const block = await rpc.request("eth_getBlockByNumber", ["finalized", false]).catch(nullIfRefused);
      return block === null ? null : quantity(asObject(block, "finalized block"), "number");
    },
    hashesOf,
    fetch: (from, to, detail) => untilGood(() => fetchOnce(from, to, detail), options),
    balances: (addresses, height, hash) => {
      const byHash = hash !== undefined && capabilities.stateByHash;
      const at = { height, hash: hash ?? "0x" };
      return balancesIn(
        addresses.map((address) => ({ address, at })),
        byHash,
        true,
      );
    },
    calls: (calls, height) => {
      const requests = calls.map(({ to, data, gas }) => ({
        method: "eth_call",
        params: [{ to, data, ...(gas === undefined ? {} : { gas: toQuantity(gas) }) }, toQuantity(height)],
        isolated: true,
      }));
      return settleAnswers(rpc, requests, options, outcomeOf);
    },
  };
};

/** Results of state reads. Reads that failed for a temporary reason are repeated. */
const settleAnswers = async <T>(
  rpc: Rpc,
  calls: readonly RpcCall[],
  { tries = defaultTries, waitMilliseconds = defaultWait }: SourceOptions,
  read: (result: RpcResult) => T,
  passes: (error: RpcError) => boolean = mayPass,
): Promise<T[]> => {
  const results = await rpc.settle(calls);
  for (let attempt = 1; attempt < tries; attempt += 1) {
    const open = results.flatMap((result, position) => (!result.ok && passes(result.error) ? [position] : []));
    if (open.length === 0) break;
    await sleep(backoff(attempt, { base: waitMilliseconds, max: maxWaitMilliseconds }));
    const again = await rpc.settle(open.flatMap((position) => calls[position] ?? []));
    for (const [index, position] of open.entries()) results[position] = again[index] ?? (results[position] as RpcResult);
  }
  return results.map(read);
};

/** Whether an error is the node's, neither a revert nor missing state. */
const mayPass = (error: RpcError): boolean =>
  !(error instanceof UnansweredError) &&
  (error instanceof LimitError ||
    (!isReverted(error.code, error.message) &&
      (error.code === internalError || /internal|temporar|try again|overload|busy|upstream|connection/i.test(error.message))));

/** Messages of a node behind a gateway that does not know a block yet which another one returned. */
const lagging = /\b(?:header|block|resource) (?:is )?not (?:found|known)|unknown block/i;

/** JSON-RPC 2.0, section 5.1. */
const internalError = -32603;

const balanceOf = (result: RpcResult): bigint | null => (result.ok ? bigQuantity({ balance: result.value }, "balance") : null);

const hashAt = (block: Raw, height: number | undefined): Hash => {
  const number = quantity(block, "number");
  if (number !== height) throw new BadReplyError(`The node returned block ${number} for block ${height}.`);
  return hash(block, "hash");
};

const nullIfRefused = (error: unknown): null => {
  if (error instanceof RpcError) return null;
  throw error;
};

/** The outcome of a call. Code 3 is a revert (nodes extend EIP-1474's list by it); older nodes report it in the message only. */
export const outcomeOf = (result: RpcResult): CallOutcome => {
  if (result.ok) return { ok: true, data: data({ result: result.value }, "result") };
  const { error } = result;
  if (isReverted(error.code, error.message)) return { ok: false, reverted: true };
  const isPassing = error instanceof UnansweredError || (!isDefinite(error) && (mayPass(error) || lagging.test(error.message)));
  return { ok: false, reverted: false, ...(isPassing ? { passing: error } : {}) };
};

/** The node lacks the method or the state, whatever the code: the same call will not succeed later. */
const isDefinite = ({ code, message }: RpcError): boolean => undefinedMethods.has(code) || missing.test(message);

/** "Method not found" of JSON-RPC 2.0, section 5.1, and "method not supported" of EIP-1474. */
const undefinedMethods = new Set([-32601, -32004]);

const missing = /missing trie node|prun|archive|state\b.*\b(?:not |un)available|(?:not |un)supported|not implemented/i;

const isReverted = (code: number, message: string): boolean => code === 3 || failedExecution.test(message);

const failedExecution =
  /revert|out ?of ?gas|gas required exceeds|invalid ?\w* ?opcode|invalid jump|stack ?(under|over)flow|evm error|vm execution error/i;

const untracedUnless = (error: unknown, block: ChainBlock): ChainBlock[] => {
  if (!isPassing(error)) throw error;
  return [block];
};

const isPassing = (error: unknown): error is Error => error instanceof BadReplyError || error instanceof RpcError;

const untilGood = <T>(
  work: () => Promise<T>,
  { tries = defaultTries, waitMilliseconds = defaultWait, onBadReply }: SourceOptions,
): Promise<T> =>
  retry(work, {
    attempts: tries,
    base: waitMilliseconds,
    max: maxWaitMilliseconds,
    isRetryable: isPassing,
    onRetry: (error) => onBadReply?.(error.message),
  });
