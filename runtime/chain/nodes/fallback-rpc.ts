import { createRpc, type Rpc, type RpcOptions } from "../rpc.ts";

/** A client for several nodes on one chain, for reads that any of them can serve. */
export type FallbackRpc = Pick<Rpc, "settle" | "close">;

/** Creates a client that uses the node that responded last, initially the first one; after a failure, it tries each other node once. */
export const createFallbackRpc = (urls: readonly string[], options: Omit<RpcOptions, "url">): FallbackRpc => {
  const nodes = urls.map((url) => createRpc({ ...options, url }));
  let preferred = 0;
  return {
    settle: async (calls) => {
      const first = preferred;
      let failure: unknown;
      for (let offset = 0; offset < nodes.length; offset += 1) {
        const position = (first + offset) % nodes.length;
        try {
          const results = await (nodes[position] as Rpc).settle(calls);
          preferred = position;
          return results;
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    },
    close: async () => {
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
};
