import type { Address, Hash, Hex } from "../lib/hex.ts";
import { createBloom } from "./bloom.ts";
import type { Capabilities } from "./capabilities.ts";
import { type DecodedReply, decodeBlock } from "./decode-block.ts";
import { BadReplyError, RpcError } from "./errors.ts";
import { asObject, bigQuantity, data, hash, quantity, toQuantity } from "./quantities.ts";
import type { Rpc, RpcCall, RpcResult } from "./rpc.ts";
import { mayMoveValueInside, readCallTracer, readFlatTraces, type TransactionTraces } from "./traces.ts";
import type { ChainBlock } from "./types.ts";
import { type Checks, verifyBlock, verifyChain } from "./verify.ts";

/** The head of a chain as a node sees it. */
export interface Head {
  readonly number: number;
  readonly hash: Hash;
  readonly timestamp: number;
}

/** What a read-only contract call gave. `reverted` tells the contract's own refusal from a node that cannot answer. */
export type CallOutcome = { readonly ok: true; readonly data: Hex } | { readonly ok: false; readonly reverted: boolean };

/** One node, as the indexer sees it. */
export interface Source {
  readonly capabilities: Capabilities;
  readonly tracing: boolean;
  chainId(): Promise<number>;
  genesisHash(): Promise<Hash>;
  head(): Promise<Head>;
  /** Null where the node does not say. */
  finalized(): Promise<number | null>;
  /** Null where the node has no such block. */
  hashesOf(heights: readonly number[]): Promise<(Hash | null)[]>;
  /** Blocks from..to inclusive, checked. @throws {BadReplyError} when the node keeps telling what does not fit. */
  fetch(from: number, to: number): Promise<ChainBlock[]>;
  /** Native balances after a block; null where the node lacks that state. */
  balances(addresses: readonly Address[], height: number): Promise<(bigint | null)[]>;
  calls(calls: readonly { readonly to: Address; readonly data: Hex }[], height: number): Promise<CallOutcome[]>;
}

export interface SourceOptions {
  /** Whether value moved by inner calls is wanted, where the node can tell it. */
  readonly tracing: boolean;
  readonly checks?: Partial<Checks>;
  /** Further tries when a reply does not fit together, as happens while a node takes in a block. */
  readonly tries?: number;
  readonly waitMilliseconds?: number;
  readonly onBadReply?: (reason: string) => void;
}

/** A source of checked blocks. */
export const createSource = (rpc: Rpc, capabilities: Capabilities, options: SourceOptions): Source => {
  const tracing = options.tracing && capabilities.traces !== null;
  const checks: Checks = { bloom: true, gasUsed: true, ...options.checks };
  const bloom = createBloom();

  const fetchOnce = async (from: number, to: number): Promise<ChainBlock[]> => {
    const heights = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
    const replies = await fetchReplies(rpc, heights, capabilities.blockReceipts);
    for (const [position, reply] of replies.entries()) verifyBlock(reply, from + position, bloom, checks);
    const blocks = replies.map(({ block }) => block);
    verifyChain(blocks);
    return tracing ? withTraces(rpc, replies, capabilities.traces) : blocks;
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
    hashesOf: async (heights) => {
      const blocks = await rpc.batch(heights.map((height) => ({ method: "eth_getBlockByNumber", params: [toQuantity(height), false] })));
      return blocks.map((block) => (block === null ? null : hash(asObject(block, "block"), "hash")));
    },
    fetch: (from, to) => untilGood(() => fetchOnce(from, to), options),
    balances: async (addresses, height) => {
      const calls = addresses.map((address) => ({ method: "eth_getBalance", params: [address, toQuantity(height)] }));
      return (await rpc.settle(calls)).map((result) => (result.ok ? bigQuantity({ balance: result.value }, "balance") : null));
    },
    calls: async (calls, height) => {
      const requests = calls.map((call) => ({ method: "eth_call", params: [{ to: call.to, data: call.data }, toQuantity(height)] }));
      return (await rpc.settle(requests)).map(outcomeOf);
    },
  };
};

const nullIfRefused = (error: unknown): null => {
  if (error instanceof RpcError) return null;
  throw error;
};

/** Code 3 is an execution that reverted (EIP-1474's list as nodes extend it); older nodes say so in words alone. */
const outcomeOf = (result: RpcResult): CallOutcome => {
  if (result.ok) return { ok: true, data: data({ result: result.value }, "result") };
  return { ok: false, reverted: result.error.code === 3 || failedExecution.test(result.error.message) };
};

const failedExecution =
  /revert|out ?of ?gas|gas required exceeds|invalid ?\w* ?opcode|invalid jump|stack ?(under|over)flow|evm error|vm execution error/i;

const untilGood = async <T>(work: () => Promise<T>, options: SourceOptions): Promise<T> => {
  const { tries = 4, waitMilliseconds = 250 } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const passing = error instanceof BadReplyError || error instanceof RpcError;
      if (!passing || attempt >= tries) throw error;
      options.onBadReply?.(error.message);
      await new Promise((resolve) => setTimeout(resolve, waitMilliseconds * 2 ** (attempt - 1)));
    }
  }
};

const fetchReplies = async (rpc: Rpc, heights: readonly number[], blockReceipts: boolean): Promise<DecodedReply[]> => {
  const blockCalls = heights.map((height) => ({ method: "eth_getBlockByNumber", params: [toQuantity(height), true] }));
  if (!blockReceipts) {
    const blocks = (await rpc.batch(blockCalls)).map((block, position) => present(block, heights[position]));
    return pairWithSingleReceipts(rpc, blocks);
  }
  const receiptCalls = heights.map((height) => ({ method: "eth_getBlockReceipts", params: [toQuantity(height)] }));
  // A block and its receipts stand side by side, so that both are in one request.
  const values = await rpc.batch(blockCalls.flatMap((call, position) => [call, receiptCalls[position] ?? call]));
  return heights.map((height, position) => decodeBlock(present(values[2 * position], height), values[2 * position + 1]));
};

const present = (block: unknown, height: number | undefined): Record<string, unknown> => {
  if (block === null || block === undefined) throw new BadReplyError(`The node does not have block ${height} (yet).`);
  return asObject(block, "block");
};

const pairWithSingleReceipts = async (rpc: Rpc, blocks: readonly Record<string, unknown>[]): Promise<DecodedReply[]> => {
  const hashes = blocks.map((block) => transactionHashes(block));
  const calls: RpcCall[] = hashes.flat().map((transactionHash) => ({ method: "eth_getTransactionReceipt", params: [transactionHash] }));
  const receipts = await rpc.batch(calls);
  let taken = 0;
  return blocks.map((block, position) => {
    const count = hashes[position]?.length ?? 0;
    taken += count;
    return decodeBlock(block, receipts.slice(taken - count, taken));
  });
};

const transactionHashes = (block: Record<string, unknown>): Hash[] => {
  const transactions = Array.isArray(block.transactions) ? block.transactions : [];
  return transactions.map((transaction) => hash(asObject(transaction, "transaction"), "hash"));
};

/** Asks for the frames of those blocks alone in which inner calls may have moved value. */
const withTraces = async (rpc: Rpc, replies: readonly DecodedReply[], kind: Capabilities["traces"]): Promise<ChainBlock[]> => {
  const traced = replies.filter(({ block }) =>
    block.transactions.some((transaction) => mayMoveValueInside(transaction, block.baseFeePerGas)),
  );
  const calls = traced.map(({ block }) =>
    kind === "debug"
      ? { method: "debug_traceBlockByNumber", params: [toQuantity(block.number), { tracer: "callTracer" }] }
      : { method: "trace_block", params: [toQuantity(block.number)] },
  );
  const told = await rpc.batch(calls);
  const read = kind === "debug" ? readCallTracer : readFlatTraces;
  const byNumber = new Map(
    traced.map(({ block, evidence }, position) => [block.number, read(told[position], block.transactions, evidence.eip6780)]),
  );
  return replies.map(({ block }) => applyTraces(block, byNumber.get(block.number)));
};

const applyTraces = (block: ChainBlock, traces: readonly TransactionTraces[] | undefined): ChainBlock => ({
  ...block,
  transactions: block.transactions.map((transaction, position) => {
    const own = traces?.[position];
    // Before EIP-658 a receipt does not say whether the transaction failed; its outermost frame does.
    const successful = transaction.successful ?? (own === undefined ? null : !own.failed);
    return {
      ...transaction,
      successful,
      createdContract: successful === false ? null : transaction.createdContract,
      traces: successful === false ? [] : (own?.traces ?? []),
    };
  }),
});
