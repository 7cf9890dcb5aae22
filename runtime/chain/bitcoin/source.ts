import type { Hash } from "../../lib/hex.ts";
import { InvalidResponseError, RpcError } from "../errors.ts";
import { retryUntilConsistent } from "../retry-responses.ts";
import { createRpc, type Rpc, type RpcOptions, type RpcResult } from "../rpc.ts";
import type { Head } from "../types.ts";
import { decodeBlock, decodeOutputs, hashOf, integerOf, objectOf, textOf } from "./decode-block.ts";
import { parseExactJson } from "./quote-decimals.ts";
import type { BitcoinBlock, BitcoinOutput } from "./types.ts";

/** A Bitcoin node, as the indexer reads it. */
export interface BitcoinSource {
  /** The network that the node reports: main, testnet4, signet or regtest. */
  network(): Promise<string>;
  genesisHash(): Promise<Hash>;
  head(): Promise<Head>;
  /** Block hashes; null if the node has no such block. */
  hashesOf(heights: readonly number[]): Promise<(Hash | null)[]>;
  /** Checked blocks from..to inclusive, each the parent of the next. @throws {InvalidResponseError} if the node keeps returning invalid blocks. */
  fetchBlocks(from: number, to: number): Promise<BitcoinBlock[]>;
  /** Transaction outputs, from the node's transaction index; null if it does not return the transaction. */
  outputsOf(txids: readonly Hash[]): Promise<(readonly BitcoinOutput[] | null)[]>;
}

/** Returns transactions with the outputs that they spend; nodes before version 23 respond as for verbosity 2, without these outputs. */
const verbosity = 3;
/** RPC_INVALID_PARAMETER and RPC_INVALID_ADDRESS_OR_KEY of Bitcoin Core (src/rpc/protocol.h). */
const invalidParameter = -8;
const notFound = -5;
/** A full block with verbosity 3 is larger than 10 MB. */
const blockTimeoutMilliseconds = 120_000;

/** Creates a JSON-RPC client for a Bitcoin node. Numbers with a fraction or an exponent are returned as strings. */
export const createBitcoinRpc = (options: RpcOptions): Rpc =>
  createRpc({ timeoutMilliseconds: blockTimeoutMilliseconds, ...options, parseJson: parseExactJson });

export interface BitcoinSourceOptions {
  readonly onInvalidResponse?: (reason: string) => void;
  readonly attempts?: number;
}

/** Creates a source of checked blocks. */
export const createBitcoinSource = (rpc: Rpc, options: BitcoinSourceOptions = {}): BitcoinSource => {
  const bare = (hash: Hash): string => hash.slice(2);
  const hashAt = async (height: number): Promise<Hash> => hashOf(await rpc.request("getblockhash", [height]), `hash of block ${height}`);

  const fetchOnce = async (from: number, to: number): Promise<BitcoinBlock[]> => {
    const heights = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
    const hashes = (await rpc.batch(heights.map((height) => ({ method: "getblockhash", params: [height] })))).map((hash, position) =>
      hashOf(hash, `hash of block ${from + position}`),
    );
    const responses = await rpc.batch(hashes.map((hash) => ({ method: "getblock", params: [bare(hash), verbosity] })));
    const blocks = hashes.map((hash, position) => decodeBlock(responses[position], { number: from + position, hash }));
    requireLinked(blocks);
    return blocks;
  };

  return {
    network: async () => textOf(objectOf(await rpc.request("getblockchaininfo", []), "getblockchaininfo").chain, "network of the node"),
    genesisHash: () => hashAt(0),
    head: async () => {
      const hash = hashOf(await rpc.request("getbestblockhash", []), "getbestblockhash");
      const header = objectOf(await rpc.request("getblockheader", [bare(hash)]), "header of the head");
      return { number: integerOf(header.height, "height of the head"), hash, timestamp: integerOf(header.time, "time of the head") };
    },
    hashesOf: async (heights) => {
      const results = await rpc.settle(heights.map((height) => ({ method: "getblockhash", params: [height] })));
      return results.map((result, position) =>
        orNull(result, invalidParameter, (value) => hashOf(value, `hash of block ${heights[position]}`)),
      );
    },
    fetchBlocks: (from, to) => retryUntilConsistent(() => fetchOnce(from, to), options),
    outputsOf: async (txids) => {
      const results = await rpc.settle(txids.map((txid) => ({ method: "getrawtransaction", params: [bare(txid), true] })));
      return results.map((result, position) =>
        orNull(result, notFound, (value) => {
          const name = `transaction ${txids[position]}`;
          const raw = objectOf(value, name);
          if (hashOf(raw.txid, `txid of ${name}`) !== txids[position])
            throw new InvalidResponseError(`The node returned a different transaction, expected ${name}.`);
          return decodeOutputs(raw, name);
        }),
      );
    },
  };
};

/** The value in a result; null if its error code means that the node does not have it. @throws {RpcError} for other errors. */
const orNull = <T>(result: RpcResult, code: number, read: (value: unknown) => T): T | null => {
  if (result.ok) return read(result.value);
  if (result.error instanceof RpcError && result.error.code === code) return null;
  throw result.error;
};

/** Checks that each block is the parent of the next. @throws {InvalidResponseError} */
const requireLinked = (blocks: readonly BitcoinBlock[]): void => {
  for (const [position, block] of blocks.entries()) {
    const parent = blocks[position - 1];
    if (parent !== undefined && block.parentHash !== parent.hash)
      throw new InvalidResponseError(
        `The node returned block ${block.number}, whose parent is not the block ${parent.number} that it returned.`,
      );
  }
};
