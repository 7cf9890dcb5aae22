import { createBloom } from "./bloom.ts";
import type { BlockWithEvidence } from "./decode-block.ts";
import { InvalidResponseError, RpcError } from "./errors.ts";
import { fetchBlocksWithReceipts } from "./fetch-blocks-with-receipts.ts";
import { readTraces, tracesCall } from "./fetch-traces.ts";
import { asObject, readBigQuantity, readHash, readQuantity, toQuantity } from "./quantities.ts";
import type { Rpc } from "./rpc.ts";
import { probeSubscription } from "./subscription.ts";
import type { TraceKind } from "./traces.ts";
import { verifyBlock } from "./verify.ts";

/** A node's optional capabilities. They are probed once; a malformed response counts as a missing capability. */
export interface Capabilities {
  readonly hasBlockReceipts: boolean;
  readonly traceKind: TraceKind | null;
  /** Whether the node has traces back to the first block to index. */
  readonly hasOldTraces: boolean;
  readonly hasFinalizedTag: boolean;
  /** State of past blocks; without it, balances before the first indexed block stay unknown. */
  readonly hasArchiveState: boolean;
  /** State can be read by block hash (EIP-1898), so that a response cannot belong to another branch. */
  readonly hasStateByHash: boolean;
  /** Null if it was not probed. */
  readonly hasWebSocket: boolean | null;
  /** Calls that the node accepts in one request, up to the configured maximum. */
  readonly batchSize: number;
}

export interface ProbeOptions {
  readonly webSocketUrl?: URL;
}

/** Probes a node's capabilities. @throws {TransportError} if it cannot be reached. */
export const probeCapabilities = async (rpc: Rpc, from = 0, { webSocketUrl }: ProbeOptions = {}): Promise<Capabilities> => {
  const latest = asObject(await rpc.request("eth_getBlockByNumber", ["latest", false]), "latest block");
  const head = readQuantity(latest, "number");
  const [early, late] = await findSamples(rpc, Math.min(from, head), head);
  const [hasBlockReceipts, hasFinalizedTag, hasArchiveState, hasStateByHash, hasWebSocket, batchSize] = await Promise.all([
    offersBlockReceipts(rpc, early, late),
    offers(async () =>
      readQuantity(asObject(await rpc.request("eth_getBlockByNumber", ["finalized", false]), "finalized block"), "number"),
    ),
    offers(async () =>
      readBigQuantity({ balance: await rpc.request("eth_getBalance", [anyAccount, toQuantity(Math.max(from - 1, 0))]) }, "balance"),
    ),
    offers(async () =>
      readBigQuantity({ balance: await rpc.request("eth_getBalance", [anyAccount, { blockHash: readHash(latest, "hash") }]) }, "balance"),
    ),
    webSocketUrl === undefined ? null : probeSubscription(webSocketUrl),
    probeBatchSize(rpc),
  ]);
  return {
    hasBlockReceipts,
    ...(await probeTraces(rpc, early, late, hasBlockReceipts)),
    hasFinalizedTag,
    hasArchiveState,
    hasStateByHash,
    hasWebSocket,
    batchSize,
  };
};

const anyAccount = "0x0000000000000000000000000000000000000001";
/** Max blocks between the ends of the range and the sampled blocks. */
const maxDistance = 2 ** 14;

/** Whether a probe succeeds; false if the node returns an error or a malformed response. */
const offers = async (probe: () => Promise<unknown>): Promise<boolean> => {
  try {
    await probe();
    return true;
  } catch (error) {
    if (error instanceof RpcError || error instanceof InvalidResponseError) return false;
    throw error;
  }
};

/**
 * Finds a block near the start and one near the head, with transactions if possible: an empty block does not show whether the node returns receipts and
 * traces.
 */
const findSamples = async (rpc: Rpc, from: number, head: number): Promise<[number, number]> => {
  const distances = [0, 1];
  for (let distance = 2; distance <= Math.min(maxDistance, head - from); distance *= 2) distances.push(distance);
  const earlyHeights = distances.map((distance) => Math.min(from + distance, head));
  const lateHeights = distances.map((distance) => Math.max(head - distance, from));
  const counts = await rpc.settle(
    [...earlyHeights, ...lateHeights].map((height) => ({ method: "eth_getBlockTransactionCountByNumber", params: [toQuantity(height)] })),
  );
  const hasTransactions = counts.map((count) => count.ok && typeof count.value === "string" && Number(count.value) > 0);
  const early = earlyHeights.findIndex((_, position) => hasTransactions[position]);
  const late = lateHeights.findIndex((_, position) => hasTransactions[earlyHeights.length + position]);
  return [earlyHeights[early] ?? from, lateHeights[late] ?? head];
};

const offersBlockReceipts = (rpc: Rpc, early: number, late: number): Promise<boolean> =>
  offers(async () => {
    // These checks fail by design on some chains; here the receipts only need to belong to the block's transactions.
    const checks = { bloom: false, gasUsed: false };
    const blocks = await fetchBlocksWithReceipts(rpc, [early, late], true);
    verifyBlock(first(blocks), early, createBloom(), checks);
    verifyBlock(first(blocks.slice(1)), late, createBloom(), checks);
  });

const first = (blocks: readonly BlockWithEvidence[]): BlockWithEvidence => {
  const block = blocks[0];
  if (block === undefined) throw new InvalidResponseError("The node returned no block.");
  return block;
};

/** Flat traces are read from the node's storage; the debug methods execute the block again, which requires the state before it. */
const probeTraces = async (
  rpc: Rpc,
  early: number,
  late: number,
  hasBlockReceipts: boolean,
): Promise<Pick<Capabilities, "traceKind" | "hasOldTraces">> => {
  const offersTraces = (kind: TraceKind, height: number): Promise<boolean> =>
    offers(async () => {
      const { block, evidence } = first(await fetchBlocksWithReceipts(rpc, [height], hasBlockReceipts));
      readTraces(kind, await rpc.request(tracesCall(height, kind).method, tracesCall(height, kind).params), block, evidence.eip6780);
    });
  const recent: TraceKind[] = [];
  for (const kind of ["trace", "debug"] as const) {
    if (!(await offersTraces(kind, late))) continue;
    if (await offersTraces(kind, early)) return { traceKind: kind, hasOldTraces: true };
    recent.push(kind);
  }
  return { traceKind: recent[0] ?? null, hasOldTraces: false };
};

/** The batch size that the node accepts. Sends a batch of the maximum size: the client lowers its limit if the node rejects the batch. */
const probeBatchSize = async (rpc: Rpc): Promise<number> => {
  await rpc.settle(Array.from({ length: rpc.limits().batchSize }, () => ({ method: "eth_chainId", params: [] })));
  return rpc.limits().batchSize;
};
