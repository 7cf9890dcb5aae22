import { createBloom } from "./bloom.ts";
import type { DecodedReply } from "./decode-block.ts";
import { BadReplyError, RpcError } from "./errors.ts";
import { fetchReplies } from "./fetch-replies.ts";
import { readTraces, tracesCall } from "./fetch-traces.ts";
import { asObject, bigQuantity, hash, quantity, toQuantity } from "./quantities.ts";
import type { Rpc } from "./rpc.ts";
import { probeSubscription } from "./subscription.ts";
import type { TraceKind } from "./traces.ts";
import { verifyBlock } from "./verify.ts";

/** A node's optional capabilities. They are probed once; a malformed response counts as a missing capability. */
export interface Capabilities {
  readonly blockReceipts: boolean;
  readonly traces: TraceKind | null;
  /** Whether the node has traces back to the first block to index. */
  readonly oldTraces: boolean;
  readonly finalizedTag: boolean;
  /** State of past blocks; without it, balances before the first indexed block stay unknown. */
  readonly archiveState: boolean;
  /** State can be read by block hash (EIP-1898), so that a response cannot belong to another branch. */
  readonly stateByHash: boolean;
  /** Null if it was not probed. */
  readonly webSocket: boolean | null;
  /** Calls that the node accepts in one request, up to the configured maximum. */
  readonly batchSize: number;
}

export interface ProbeOptions {
  readonly webSocketUrl?: URL;
}

/** Probes a node's capabilities. @throws {TransportError} if it cannot be reached. */
export const probeCapabilities = async (rpc: Rpc, from = 0, { webSocketUrl }: ProbeOptions = {}): Promise<Capabilities> => {
  const latest = asObject(await rpc.request("eth_getBlockByNumber", ["latest", false]), "latest block");
  const head = quantity(latest, "number");
  const [early, late] = await findSamples(rpc, Math.min(from, head), head);
  const [blockReceipts, finalizedTag, archiveState, stateByHash, webSocket, batchSize] = await Promise.all([
    offersBlockReceipts(rpc, early, late),
    offers(async () => quantity(asObject(await rpc.request("eth_getBlockByNumber", ["finalized", false]), "finalized block"), "number")),
    offers(async () =>
      bigQuantity({ balance: await rpc.request("eth_getBalance", [anyAccount, toQuantity(Math.max(from - 1, 0))]) }, "balance"),
    ),
    offers(async () =>
      bigQuantity({ balance: await rpc.request("eth_getBalance", [anyAccount, { blockHash: hash(latest, "hash") }]) }, "balance"),
    ),
    webSocketUrl === undefined ? null : probeSubscription(webSocketUrl),
    probeBatchSize(rpc),
  ]);
  return {
    blockReceipts,
    ...(await probeTraces(rpc, early, late, blockReceipts)),
    finalizedTag,
    archiveState,
    stateByHash,
    webSocket,
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
    if (error instanceof RpcError || error instanceof BadReplyError) return false;
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
    const replies = await fetchReplies(rpc, [early, late], true);
    verifyBlock(first(replies), early, createBloom(), checks);
    verifyBlock(first(replies.slice(1)), late, createBloom(), checks);
  });

const first = (replies: readonly DecodedReply[]): DecodedReply => {
  const reply = replies[0];
  if (reply === undefined) throw new BadReplyError("The node returned no block.");
  return reply;
};

/** Flat traces are read from the node's storage; the debug methods execute the block again, which requires the state before it. */
const probeTraces = async (
  rpc: Rpc,
  early: number,
  late: number,
  blockReceipts: boolean,
): Promise<Pick<Capabilities, "traces" | "oldTraces">> => {
  const offersTraces = (kind: TraceKind, height: number): Promise<boolean> =>
    offers(async () => {
      const { block, evidence } = first(await fetchReplies(rpc, [height], blockReceipts));
      readTraces(kind, await rpc.request(tracesCall(height, kind).method, tracesCall(height, kind).params), block, evidence.eip6780);
    });
  const recent: TraceKind[] = [];
  for (const kind of ["trace", "debug"] as const) {
    if (!(await offersTraces(kind, late))) continue;
    if (await offersTraces(kind, early)) return { traces: kind, oldTraces: true };
    recent.push(kind);
  }
  return { traces: recent[0] ?? null, oldTraces: false };
};

/** The batch size that the node accepts. Sends a batch of the maximum size: the client lowers its limit if the node rejects the batch. */
const probeBatchSize = async (rpc: Rpc): Promise<number> => {
  await rpc.settle(Array.from({ length: rpc.limits().batchSize }, () => ({ method: "eth_chainId", params: [] })));
  return rpc.limits().batchSize;
};
