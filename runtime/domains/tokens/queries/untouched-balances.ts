import { createFallbackRpc, type FallbackRpc } from "../../../chain/nodes/fallback-rpc.ts";
import type { RpcResult } from "../../../chain/rpc.ts";
import type { ChainConfig } from "../../../config/config.ts";
import { nodeUrlsOf } from "../../../config/fields.ts";
import type { Address, Hash } from "../../../lib/hex.ts";

/** Max requests that wait for one node; additional ones return no balance. */
const maxWaiting = 32;
const timeoutMilliseconds = 2_000;

/** An indexed block. */
export interface IndexedBlock {
  readonly number: number;
  readonly hash: Hash;
}

/** Native balances of addresses that no indexed block touched. */
export interface UntouchedBalances {
  /** The balance as of a block, in wei; null if the node does not respond or has a different block at that height. Never rejects. */
  readonly read: (chainId: number, address: Address, block: IndexedBlock) => Promise<string | null>;
}

interface Node {
  readonly rpc: FallbackRpc;
  /** The number of requests that wait for the node. */
  waiting: number;
}

/**
 * Reads native balances that the index lacks, of addresses that were funded by the genesis block or before the first indexed block and have not been touched
 * since. Sends one request to the chain's node while the client waits; time and number of requests are limited.
 */
export const createUntouchedBalances = (chains: readonly ChainConfig[]): UntouchedBalances & { close(): Promise<void> } => {
  const nodes = new Map(
    chains.flatMap((chain) => {
      const urls = nodeUrlsOf(chain);
      return urls.length === 0 ? [] : [[chain.id, { rpc: createNodeRpc(urls), waiting: 0 }] as [number, Node]];
    }),
  );
  return {
    read: async (chainId, address, block) => {
      const node = nodes.get(chainId);
      if (node === undefined || node.waiting >= maxWaiting) return null;
      node.waiting += 1;
      try {
        return await readBalance(node.rpc, address, block);
      } catch {
        return null;
      } finally {
        node.waiting -= 1;
      }
    },
    close: async () => {
      await Promise.all([...nodes.values()].map(({ rpc }) => rpc.close()));
    },
  };
};

const createNodeRpc = (urls: readonly string[]): FallbackRpc =>
  createFallbackRpc(urls, { batchSize: 2, concurrency: 8, retries: 0, timeoutMilliseconds });

/** Reads a balance in wei; null if the node returns none, or if it has a different block at that height, so that the balance may be of another branch. */
const readBalance = async (rpc: FallbackRpc, address: Address, { number, hash }: IndexedBlock): Promise<string | null> => {
  const height = `0x${number.toString(16)}`;
  const [balance, block] = await rpc.settle([
    { method: "eth_getBalance", params: [address, height] },
    { method: "eth_getBlockByNumber", params: [height, false] },
  ]);
  const nodeBlock = resultOf(block);
  if (typeof nodeBlock !== "object" || nodeBlock === null || !("hash" in nodeBlock) || nodeBlock.hash !== hash) return null;
  const amount = resultOf(balance);
  return typeof amount === "string" && /^0x[0-9a-f]{1,64}$/i.test(amount) ? BigInt(amount).toString() : null;
};

const resultOf = (result: RpcResult | undefined): unknown => (result?.ok === true ? result.value : undefined);
