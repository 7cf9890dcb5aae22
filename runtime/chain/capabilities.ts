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

/** What a node offers beyond the plain calls; asked once, and believed only where the answers have the right shape. */
export interface Capabilities {
  readonly blockReceipts: boolean;
  readonly traces: TraceKind | null;
  /** Traces reach back to the first block to index. */
  readonly oldTraces: boolean;
  readonly finalizedTag: boolean;
  /** State of long ago; without it, balances before the first indexed block stay unknown. */
  readonly archiveState: boolean;
  /** State can be asked for by the hash of its block (EIP-1898): then an answer cannot be of another branch. */
  readonly stateByHash: boolean;
  /** Null where it was not asked for. */
  readonly webSocket: boolean | null;
  /** Calls that it takes in one request, of those that would be sent at most. */
  readonly batchSize: number;
}

export interface ProbeOptions {
  readonly webSocketUrl?: URL;
}

/** Asks a node what it can do. A node that cannot be reached is an error, not an answer. @throws {TransportError} */
export const probeCapabilities = async (rpc: Rpc, from = 0, { webSocketUrl }: ProbeOptions = {}): Promise<Capabilities> => {
  const latest = asObject(await rpc.request("eth_getBlockByNumber", ["latest", false]), "latest block");
  const head = quantity(latest, "number");
  const [early, late] = await findSamples(rpc, Math.min(from, head), head);
  const [blockReceipts, finalizedTag, archiveState, stateByHash, webSocket, batchSize] = await Promise.all([
    offersBlockReceipts(rpc, early, late),
    offers(async () => quantity(asObject(await rpc.request("eth_getBlockByNumber", ["finalized", false]), "finalized block"), "number")),
    offers(async () =>
      bigQuantity({ balance: await rpc.request("eth_getBalance", [someAccount, toQuantity(Math.max(from - 1, 0))]) }, "balance"),
    ),
    offers(async () =>
      bigQuantity({ balance: await rpc.request("eth_getBalance", [someAccount, { blockHash: hash(latest, "hash") }]) }, "balance"),
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

const someAccount = "0x0000000000000000000000000000000000000001";
const largestDistance = 2 ** 14;

/** What a node refuses, and what it answers in another shape, is not offered. */
const offers = async (work: () => Promise<unknown>): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof RpcError || error instanceof BadReplyError) return false;
    throw error;
  }
};

/** A block near the beginning and one near the head, each with transactions where there is one at hand: an empty block's receipts and traces prove nothing. */
const findSamples = async (rpc: Rpc, from: number, head: number): Promise<[number, number]> => {
  const distances = [0, 1];
  for (let distance = 2; distance <= Math.min(largestDistance, head - from); distance *= 2) distances.push(distance);
  const earlies = distances.map((distance) => Math.min(from + distance, head));
  const lates = distances.map((distance) => Math.max(head - distance, from));
  const counts = await rpc.settle(
    [...earlies, ...lates].map((height) => ({ method: "eth_getBlockTransactionCountByNumber", params: [toQuantity(height)] })),
  );
  const hasSome = counts.map((count) => count.ok && typeof count.value === "string" && Number(count.value) > 0);
  const early = earlies.findIndex((_, position) => hasSome[position]);
  const late = lates.findIndex((_, position) => hasSome[earlies.length + position]);
  return [earlies[early] ?? from, lates[late] ?? head];
};

const offersBlockReceipts = (rpc: Rpc, early: number, late: number): Promise<boolean> =>
  offers(async () => {
    // A chain may break these checks by design; what matters here is that the receipts are those of the block's transactions.
    const checks = { bloom: false, gasUsed: false };
    const replies = await fetchReplies(rpc, [early, late], true);
    verifyBlock(first(replies), early, createBloom(), checks);
    verifyBlock(first(replies.slice(1)), late, createBloom(), checks);
  });

const first = (replies: readonly DecodedReply[]): DecodedReply => {
  const reply = replies[0];
  if (reply === undefined) throw new BadReplyError("The node told no block.");
  return reply;
};

/** Nodes that keep flat traces answer them from what they stored; the debug ones run the block again, which needs the state before it. */
const probeTraces = async (
  rpc: Rpc,
  early: number,
  late: number,
  blockReceipts: boolean,
): Promise<Pick<Capabilities, "traces" | "oldTraces">> => {
  const tells = (kind: TraceKind, height: number): Promise<boolean> =>
    offers(async () => {
      const { block, evidence } = first(await fetchReplies(rpc, [height], blockReceipts));
      readTraces(kind, await rpc.request(tracesCall(height, kind).method, tracesCall(height, kind).params), block, evidence.eip6780);
    });
  const recent: TraceKind[] = [];
  for (const kind of ["trace", "debug"] as const) {
    if (!(await tells(kind, late))) continue;
    if (await tells(kind, early)) return { traces: kind, oldTraces: true };
    recent.push(kind);
  }
  return { traces: recent[0] ?? null, oldTraces: false };
};

/** Found out by sending as many calls as would ever be sent at once. */
const probeBatchSize = async (rpc: Rpc): Promise<number> => {
  await rpc.settle(Array.from({ length: rpc.limits().batchSize }, () => ({ method: "eth_chainId", params: [] })));
  return rpc.limits().batchSize;
};
