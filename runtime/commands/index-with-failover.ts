import { createNodeMonitor } from "../chain/nodes/node-monitor.ts";
import { nodeUrlsOf } from "../config/fields.ts";
import { createStoredLedger } from "../domains/ledger/stored-blocks.ts";
import { IndexMismatchError } from "../indexer/errors.ts";
import { type IndexingOptions, indexChain } from "./indexing.ts";

/**
 * Creates a function that indexes a chain until the signal aborts, and continues with the best other node when its node fails, falls behind, is
 * quarantined or is refused. The nodes' state is kept between runs. A chain's only node is not polled.
 */
export function createFailover(options: IndexingOptions): (signal: AbortSignal) => Promise<void> {
  const { chain, database, logger, onRequest } = options;
  const urls = nodeUrlsOf(chain);
  if (urls.length < 2) return (signal) => indexChain(options, signal);
  const ledger = createStoredLedger(database, chain.id);
  const monitor = createNodeMonitor({
    chain,
    urls,
    indexedHash: async (height) => (await ledger.hashes(height, height)).get(height) ?? null,
    logger,
  });

  /** Indexes from the current node until it is replaced or the signal aborts. */
  const indexFromCurrent = async (signal: AbortSignal): Promise<void> => {
    const { currentPosition, replacedSignal } = monitor;
    const [url, webSocket] = [urls[currentPosition] as string, currentPosition === 0 ? chain.ws : undefined];
    try {
      await indexChain(
        {
          ...options,
          chain: { ...chain, rpc: url, ws: webSocket },
          onRequest: (calls, failure) => {
            onRequest?.(calls, failure);
            monitor.recordRequest(currentPosition, failure);
          },
        },
        AbortSignal.any([signal, replacedSignal]),
      );
    } catch (error) {
      // Indexing was interrupted because the node was replaced.
      if (replacedSignal.aborted) return;
      if (!(error instanceof IndexMismatchError) || !(await monitor.refuse(currentPosition, error.message))) throw error;
    }
  };

  return async (signal) => {
    const ended = new AbortController();
    const watching = monitor.run(AbortSignal.any([signal, ended.signal]));
    try {
      while (!signal.aborted) await indexFromCurrent(signal);
    } finally {
      ended.abort();
      await watching;
    }
  };
}
