import type { Hash } from "../../lib/hex.ts";
import { createEndpoint } from "../endpoint.ts";
import { toQuantity } from "../quantities.ts";

/** Reads the values that are compared between nodes. Requests are not retried: the next round repeats them. */
export interface NodeReader {
  /** The chain id and the head; null if the node does not return them. */
  status(): Promise<{ readonly chainId: number; readonly head: number } | null>;
  /** Block hashes; null for each block that the node does not return. */
  hashes(heights: readonly number[]): Promise<(Hash | null)[]>;
  close(): Promise<void>;
}

const timeoutMilliseconds = 3_000;
const maxConcurrent = 4;
/** Enough for a block with its transaction hashes. */
const maxResponseBytes = 16 * 1024 * 1024;

/** Creates a reader that sends each call in a separate request, because some nodes reject batches. */
export const createNodeReader = (url: string): NodeReader => {
  const endpoint = createEndpoint(url, maxConcurrent, timeoutMilliseconds, undefined, maxResponseBytes);
  const read = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    try {
      const { results } = await endpoint.send([{ method, params }]);
      const result = results[0];
      return result !== undefined && "ok" in result && result.ok ? result.value : null;
    } catch {
      return null;
    }
  };
  return {
    status: async () => {
      const [chainId, head] = (await Promise.all([read("eth_chainId", []), read("eth_blockNumber", [])])).map(integerOf);
      return typeof chainId === "number" && typeof head === "number" ? { chainId, head } : null;
    },
    hashes: async (heights) =>
      (await Promise.all(heights.map((height) => read("eth_getBlockByNumber", [toQuantity(height), false])))).map(hashOf),
    close: endpoint.close,
  };
};

const integerOf = (value: unknown): number | null => {
  const number = typeof value === "string" && value.startsWith("0x") ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : null;
};

const hashOf = (block: unknown): Hash | null => {
  const hash = typeof block === "object" && block !== null && "hash" in block ? block.hash : null;
  return typeof hash === "string" && /^0x[0-9a-f]{64}$/i.test(hash) ? (hash.toLowerCase() as Hash) : null;
};
