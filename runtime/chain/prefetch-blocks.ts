export interface PrefetchOptions {
  readonly from: number;
  readonly to: number;
  /** Max concurrent requests for blocks, which bounds memory use. */
  readonly maxInFlight: number;
  /** Max blocks per request. */
  readonly maxBlocks: number;
  /** The target number of transactions per request: the fuller the blocks, the fewer are requested. */
  readonly targetTransactions: number;
  readonly signal?: AbortSignal;
}

/** A block from any kind of chain. */
interface FullBlock {
  readonly transactions: readonly unknown[];
}

/** Fetches blocks ahead of the reader, and yields them in order, request by request. */
export async function* prefetchBlocks<Block extends FullBlock>(
  fetch: (from: number, to: number) => Promise<Block[]>,
  options: PrefetchOptions,
): AsyncGenerator<Block[]> {
  const running: Promise<Block[]>[] = [];
  let next = options.from;
  // An initial guess for full blocks; each response corrects it.
  let size = Math.min(options.maxBlocks, 16);
  const fill = () => {
    while (running.length < options.maxInFlight && next <= options.to && options.signal?.aborted !== true) {
      const to = Math.min(options.to, next + size - 1);
      const batch = fetch(next, to);
      // An error is thrown when the batch is read.
      batch.catch(() => undefined);
      running.push(batch);
      next = to + 1;
    }
  };
  fill();
  while (running.length > 0) {
    const batch = await running.shift();
    if (batch === undefined) return;
    size = nextSize(batch, options);
    fill();
    if (batch.length > 0) yield batch;
    if (options.signal?.aborted === true) return;
  }
}

/** How many blocks would contain the target number of transactions if they were as full as the last ones. */
const nextSize = (batch: readonly FullBlock[], options: PrefetchOptions): number => {
  const transactions = batch.reduce((sum, block) => sum + block.transactions.length, 0);
  const perBlock = transactions / Math.max(batch.length, 1);
  return Math.max(1, Math.min(options.maxBlocks, Math.floor(options.targetTransactions / Math.max(perBlock, 0.1))));
};
