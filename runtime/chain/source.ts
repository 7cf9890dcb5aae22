import type { Address, Hash, Hex } from "../lib/hex.ts";
import type { BalanceReader, StateAt } from "./account-balances.ts";
import { type CallOutcome, isTransientFailure, laggingPattern, outcomeOf } from "./call-outcome.ts";
import type { Capabilities } from "./capabilities.ts";
import { InvalidResponseError, RpcError } from "./errors.ts";
import { type BlockDetail, type BlockFetchOptions, createFetchBlocks } from "./fetch-blocks.ts";
import { asObject, type RawObject, readBigQuantity, readHash, readQuantity, toQuantity, toWord } from "./quantities.ts";
import { settleWithRetries } from "./retry-responses.ts";
import type { Rpc, RpcResult } from "./rpc.ts";
import type { ChainBlock, Head } from "./types.ts";

export { type CallOutcome, outcomeOf } from "./call-outcome.ts";
export type { BlockDetail } from "./fetch-blocks.ts";
export type { Head } from "./types.ts";

export interface ReadOnlyCall {
  readonly to: Address;
  readonly data: Hex;
  readonly gas?: number;
}

/** The block that a node reports as finalized. */
export interface FinalizedBlock {
  readonly number: number;
  readonly hash: Hash;
}

/** A node, as the indexer reads it. */
export interface Source {
  readonly capabilities: Capabilities;
  readonly readsTraces: boolean;
  chainId(): Promise<number>;
  genesisHash(): Promise<Hash>;
  head(): Promise<Head>;
  /** Null if the node does not report it. */
  finalizedBlock(): Promise<FinalizedBlock | null>;
  /** Block hashes; null if the node has no such block. */
  hashesOf(heights: readonly number[]): Promise<(Hash | null)[]>;
  /**
   * Checked blocks from..to inclusive, with the traces or balances that `detail.accounting` requires; without `detail`, with traces if the source reads them.
   * @throws {InvalidResponseError} if the node keeps returning inconsistent blocks.
   */
  fetchBlocks(from: number, to: number, detail?: BlockDetail): Promise<ChainBlock[]>;
  /**
   * Reads native balances after a block; null if the node lacks that state, or responds to other calls but not to this one. Reads by block hash if it
   * is passed and the node supports it.
   */
  balances(addresses: readonly Address[], height: number, hash?: Hash): Promise<(bigint | null)[]>;
  /** Reads native balances after a block, as words: unlike null, each outcome shows whether the same read may succeed later. */
  balanceOutcomes(addresses: readonly Address[], height: number): Promise<CallOutcome[]>;
  /** Read-only calls after a block; without `gas` the node's limit applies. */
  runCalls(calls: readonly ReadOnlyCall[], height: number): Promise<CallOutcome[]>;
}

/** How a source reads its node. */
export type SourceOptions = BlockFetchOptions;

/** Creates a source of checked blocks. */
export const createSource = (rpc: Rpc, capabilities: Capabilities, options: SourceOptions): Source => {
  const balancesIn = <T>(
    reads: readonly { readonly address: Address; readonly at: StateAt }[],
    byHash: boolean,
    isIsolated: boolean,
    read: (result: RpcResult) => T,
  ) => {
    const calls = reads.map(({ address, at }) => ({
      method: "eth_getBalance",
      params: [address, byHash ? { blockHash: at.hash } : toQuantity(at.height)],
      isIsolated,
    }));
    // A block that was just returned exists, even if another node behind the gateway does not have it yet.
    return settleWithRetries(
      rpc,
      calls,
      options,
      read,
      (error) => isTransientFailure(error) || (byHash && laggingPattern.test(error.message)),
    );
  };
  const hashesOf = async (heights: readonly number[]): Promise<(Hash | null)[]> => {
    const blocks = await rpc.batch(heights.map((height) => ({ method: "eth_getBlockByNumber", params: [toQuantity(height), false] })));
    return blocks.map((block, position) => (block === null ? null : hashAt(asObject(block, "block"), heights[position])));
  };
  const reader: BalanceReader = {
    balances: (reads: readonly { readonly address: Address; readonly at: StateAt }[]) =>
      balancesIn(reads, capabilities.hasStateByHash, false, balanceOf),
    hashesOf,
    readsByHash: capabilities.hasStateByHash,
    hasArchiveState: capabilities.hasArchiveState,
  };

  return {
    capabilities,
    readsTraces: options.readsTraces && capabilities.traceKind !== null,
    chainId: async () => readQuantity({ chainId: await rpc.request("eth_chainId", []) }, "chainId"),
    genesisHash: async () => readHash(asObject(await rpc.request("eth_getBlockByNumber", ["0x0", false]), "block 0"), "hash"),
    head: async () => {
      const raw = asObject(await rpc.request("eth_getBlockByNumber", ["latest", false]), "latest block");
      return { number: readQuantity(raw, "number"), hash: readHash(raw, "hash"), timestamp: readQuantity(raw, "timestamp") };
    },
    finalizedBlock: async () => {
      if (!capabilities.hasFinalizedTag) return null;
      const block = await rpc.request("eth_getBlockByNumber", ["finalized", false]).catch(nullIfRpcError);
      if (block === null) return null;
      const raw = asObject(block, "finalized block");
      return { number: readQuantity(raw, "number"), hash: readHash(raw, "hash") };
    },
    hashesOf,
    fetchBlocks: createFetchBlocks(rpc, capabilities, reader, options),
    balances: (addresses, height, hash) => {
      const byHash = hash !== undefined && capabilities.hasStateByHash;
      const at = { height, hash: hash ?? "0x" };
      return balancesIn(
        addresses.map((address) => ({ address, at })),
        byHash,
        true,
        balanceOf,
      );
    },
    balanceOutcomes: (addresses, height) =>
      balancesIn(
        addresses.map((address) => ({ address, at: { height, hash: "0x" } })),
        false,
        true,
        balanceOutcomeOf,
      ),
    runCalls: (calls, height) => {
      const requests = calls.map(({ to, data, gas }) => ({
        method: "eth_call",
        params: [{ to, data, ...(gas === undefined ? {} : { gas: toQuantity(gas) }) }, toQuantity(height)],
        isIsolated: true,
      }));
      return settleWithRetries(rpc, requests, options, outcomeOf);
    },
  };
};

const balanceOf = (result: RpcResult): bigint | null => (result.ok ? readBigQuantity({ balance: result.value }, "balance") : null);

const balanceOutcomeOf = (result: RpcResult): CallOutcome =>
  result.ok ? { ok: true, data: toWord(readBigQuantity({ balance: result.value }, "balance")) } : outcomeOf(result);

const hashAt = (block: RawObject, height: number | undefined): Hash => {
  const number = readQuantity(block, "number");
  if (number !== height) throw new InvalidResponseError(`The node returned block ${number} for block ${height}.`);
  return readHash(block, "hash");
};

const nullIfRpcError = (error: unknown): null => {
  if (error instanceof RpcError) return null;
  throw error;
};
