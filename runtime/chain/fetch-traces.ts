import type { BlockWithEvidence } from "./decode-block.ts";
import { LimitError } from "./errors.ts";
import { asList, toQuantity } from "./quantities.ts";
import type { Rpc, RpcCall } from "./rpc.ts";
import { mayHaveInternalTransfers, readCallTracer, readFlatTraces, type TraceKind, type TransactionTraces } from "./traces.ts";
import type { ChainBlock } from "./types.ts";

/** Adds traces to blocks; they are requested only for blocks in which internal calls may have transferred value. @throws {InvalidResponseError} */
export const withTraces = async (rpc: Rpc, blocks: readonly BlockWithEvidence[], kind: TraceKind | null): Promise<ChainBlock[]> => {
  const traced = blocks.filter(({ block }) =>
    block.transactions.some((transaction) => mayHaveInternalTransfers(transaction, block.baseFeePerGas)),
  );
  const results = await rpc.settle(traced.map(({ block }) => tracesCall(block.number, kind)));
  const byNumber = new Map<number, readonly TransactionTraces[]>();
  for (const [position, { block, evidence }] of traced.entries()) {
    const result = results[position];
    const response = result?.ok === true ? result.value : await fetchTracesInParts(rpc, block, kind, result?.error);
    byNumber.set(block.number, readTraces(kind, response, block, evidence.eip6780));
  }
  return blocks.map(({ block }) => applyTraces(block, byNumber.get(block.number)));
};

/** The value transfers in a node's traces for a block. @throws {InvalidResponseError} */
export const readTraces = (kind: TraceKind | null, response: unknown, block: ChainBlock, eip6780: boolean): TransactionTraces[] =>
  (kind === "debug" ? readCallTracer : readFlatTraces)(response, block.transactions, eip6780);

const tracer = { tracer: "callTracer" };

/** The call for an entire block's traces. */
export const tracesCall = (height: number, kind: TraceKind | null): RpcCall => ({
  ...(kind === "debug"
    ? { method: "debug_traceBlockByNumber", params: [toQuantity(height), tracer] }
    : { method: "trace_block", params: [toQuantity(height)] }),
  isDivisible: true,
});

/** Requests traces that are too large for one response transaction by transaction, and joins them in the format of block traces. */
const fetchTracesInParts = async (rpc: Rpc, block: ChainBlock, kind: TraceKind | null, error: Error | undefined): Promise<unknown> => {
  if (!(error instanceof LimitError)) throw error ?? new TypeError(`No result for the traces of block ${block.number}.`);
  const parts = await rpc.batch(
    block.transactions.map(({ hash }) =>
      kind === "debug" ? { method: "debug_traceTransaction", params: [hash, tracer] } : { method: "trace_transaction", params: [hash] },
    ),
  );
  return kind === "debug" ? parts.map((result) => ({ result })) : parts.flatMap((part) => asList(part, "traces"));
};

const applyTraces = (block: ChainBlock, traces: readonly TransactionTraces[] | undefined): ChainBlock => ({
  ...block,
  transactions: block.transactions.map((transaction, position) => {
    const trace = traces?.[position];
    // A receipt before EIP-658 has no status; the root frame shows whether the transaction failed.
    const successful = transaction.successful ?? (trace === undefined ? null : !trace.failed);
    return {
      ...transaction,
      successful,
      createdContract: successful === false ? null : transaction.createdContract,
      traces: successful === false ? [] : (trace?.traces ?? []),
    };
  }),
});
