import { RpcError } from "./errors.ts";
import { toQuantity } from "./quantities.ts";
import type { Rpc, RpcCall } from "./rpc.ts";

/** What a node offers beyond the plain calls; asked once. */
export interface Capabilities {
  readonly blockReceipts: boolean;
  readonly traces: "debug" | "trace" | null;
  readonly finalizedTag: boolean;
  /** State of long ago; without it, balances before the first indexed block stay unknown. */
  readonly archiveState: boolean;
}

/** Asks a node what it can do. A node that cannot be reached is an error, not an answer. @throws {TransportError} */
export const probeCapabilities = async (rpc: Rpc, from = 0): Promise<Capabilities> => {
  const height = toQuantity(from);
  const before = toQuantity(Math.max(from - 1, 0));
  const [blockReceipts, debug, trace, finalizedTag, archiveState] = await Promise.all([
    works(rpc, { method: "eth_getBlockReceipts", params: [height] }),
    works(rpc, { method: "debug_traceBlockByNumber", params: [toQuantity(Math.max(from, 1)), { tracer: "callTracer" }] }),
    works(rpc, { method: "trace_block", params: [height] }),
    works(rpc, { method: "eth_getBlockByNumber", params: ["finalized", false] }),
    works(rpc, { method: "eth_getBalance", params: ["0x0000000000000000000000000000000000000001", before] }),
  ]);
  const debugTraces = debug || (await works(rpc, { method: "debug_traceBlockByNumber", params: ["latest", { tracer: "callTracer" }] }));
  // Nodes that keep flat traces answer them from what they stored; the debug ones run the block again, which needs the state before it.
  return { blockReceipts, traces: trace ? "trace" : debugTraces ? "debug" : null, finalizedTag, archiveState };
};

const works = async (rpc: Rpc, call: RpcCall): Promise<boolean> => {
  try {
    const value = await rpc.request(call.method, call.params);
    return value !== null && value !== undefined;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
};
