export interface PrefetchOptions {
  readonly from: number;
  readonly to: number;
  /** Max concurrent requests for blocks, which bounds the memory. */
  readonly inFlight: number;
  /** Max blocks per request. */
  readonly blocks: number;
  /** Transactions that a request should return: the fuller the blocks, the fewer are requested. */
  readonly transactions: number;
  readonly signal?: AbortSignal;
}

/** A block of any kind of chain. */
interface FullBlock {
  readonly transactions: readonly unknown[];
}

/** Fetches blocks ahead of the reader, and yields them in order, request by request. */
export async function* prefetch<Block extends FullBlock>(
  fetch: (from: number, to: number) => Promise<Block[]>,
  options: PrefetchOptions,
): AsyncGenerator<Block[]> {
  const running: Promise<Block[]>[] = [];
  let next = options.from;
  // An initial guess for full blocks; each response corrects it.
  let size = Math.min(options.blocks, 16);
  const fill = () => {
    while (running.length < options.inFlight && next <= options.to && options.signal?.aborted !== true) {
      const to = Math.min(options.to, next + size - 1);
      const portion = fetch(next, to);
      // An error is thrown when the portion is read.
      portion.catch(() => undefined);
      running.push(portion);
      next = to + 1;
    }
  };
  fill();
  while (running.length > 0) {
    const portion = await running.shift();
    if (portion === undefined) return;
    size = nextSize(portion, options);
    fill();
    if (portion.length > 0) yield portion;
    if (options.signal?.aborted === true) return;
  }
}

/** The number of blocks that would contain the target number of transactions if they were as full as the last ones. */
const nextSize = (portion: readonly FullBlock[], options: PrefetchOptions): number => {
  const transactions = portion.reduce((sum, block) => sum + block.transactions.length, 0);
  const perBlock = transactions / Math.max(portion.length, 1);
  return Math.max(1, Math.min(options.blocks, Math.floor(options.transactions / Math.max(perBlock, 0.1))));
};
