import { backoff, sleep } from "../../lib/async.ts";

/** After this many attempts, a read that the node fails to perform has no result, provided that the node runs other calls. */
const maxAttempts = 3;
const wait = { base: 100, max: 1_000 };

/**
 * Repeats reads that fail temporarily. A node outage must not determine a stored value, and an error in a single contract or account must not stop
 * the index. Before each additional attempt, a control read distinguishes the two: if it fails too, nothing is stored and the indexer retries the
 * batch, which does not count as an attempt.
 * @param verifyNodeReads performs the control read, and throws if the node currently cannot perform it.
 * @param readOnce performs reads and returns those that failed.
 * @throws {Error} if the control read fails.
 */
export const readWithControl = async <Node, Read>(
  source: Node,
  verifyNodeReads: (source: Node) => Promise<void>,
  reads: readonly Read[],
  readOnce: (reads: readonly Read[]) => Promise<readonly Read[]>,
): Promise<void> => {
  let failed = reads.length === 0 ? reads : await readOnce(reads);
  for (let attempt = 1; failed.length > 0; attempt += 1) {
    await verifyNodeReads(source);
    if (attempt === maxAttempts) return;
    await sleep(backoff(attempt, wait));
    failed = await readOnce(failed);
  }
};
