import { verifyNodeRunsCalls } from "../../chain/control-call.ts";
import type { Source } from "../../chain/source.ts";
import { backoff, sleep } from "../../lib/async.ts";

/** Attempts after which a read has no result if the node fails to perform it but runs other calls. */
const maxAttempts = 3;
const wait = { base: 100, max: 1_000 };

/**
 * Repeats reads that fail temporarily. An outage of the node must not determine a value that is stored, and an error that a single contract causes must not
 * stop the index. Before each further attempt, a control call distinguishes them: if it fails too, nothing is stored and the indexer retries the batch, which
 * does not count as an attempt.
 * @param readOnce performs reads and returns those that failed.
 * @throws {RpcError} if the node cannot run calls at the moment.
 */
export const readWithControl = async <Read>(
  source: Pick<Source, "calls" | "head">,
  reads: readonly Read[],
  readOnce: (reads: readonly Read[]) => Promise<readonly Read[]>,
): Promise<void> => {
  let failed = reads.length === 0 ? reads : await readOnce(reads);
  for (let attempt = 1; failed.length > 0; attempt += 1) {
    await verifyNodeRunsCalls(source);
    if (attempt === maxAttempts) return;
    await sleep(backoff(attempt, wait));
    failed = await readOnce(failed);
  }
};
