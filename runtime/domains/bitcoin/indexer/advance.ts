import type { BitcoinBlock } from "../../../chain/bitcoin/types.ts";
import { BrokenChainError, InvalidResponseError } from "../../../chain/errors.ts";
import { prefetchBlocks } from "../../../chain/prefetch-blocks.ts";
import { advanceCheckpoints } from "../../../indexer/storage/checkpoints.ts";
import { createRowBuffers, writeBuffers } from "../../../indexer/storage/row-buffers.ts";
import { nullOnAbort } from "../../../lib/async.ts";
import { bitcoinProjection, foldBlocks } from "../projection.ts";
import { completeInputs } from "./complete-inputs.ts";
import type { BitcoinSession } from "./types.ts";

/**
 * Indexes blocks up to `to`. The blocks of each request are folded and written in one transaction while the next ones are fetched.
 * @throws {BrokenChainError} if the node has left the stored branch.
 */
export async function advance(session: BitcoinSession, to: number, phase: "backfill" | "follow", signal: AbortSignal): Promise<void> {
  const { source, tuning, onProgress, from } = session;
  const event = { phase, projection: null, from, target: to } as const;
  if (phase === "backfill") onProgress?.({ ...event, block: session.position.block, blockCount: 0, transactionCount: 0, rowCount: 0 });
  const batches = prefetchBlocks((first, last) => source.fetchBlocks(first, last), {
    from: session.position.block + 1,
    to,
    maxInFlight: tuning.requestsInFlight,
    maxBlocks: tuning.requestBlocks,
    targetTransactions: tuning.requestTransactions,
    signal,
  });
  for (;;) {
    const next = await nullOnAbort(batches.next(), signal);
    if (next === null || next.done === true || signal.aborted) return;
    const blocks = next.value;
    await confirm(session, blocks);
    const rowCount = await write(session, blocks, phase === "follow");
    session.heartbeat?.beat();
    const transactionCount = blocks.reduce((sum, block) => sum + block.transactions.length, 0);
    onProgress?.({ ...event, block: session.position.block, blockCount: blocks.length, transactionCount, rowCount });
  }
}

/** Checks that blocks continue from the position. If no parent is stored, checks that the node returns the same hash for the first block again. */
async function confirm({ chain, source, position }: BitcoinSession, [first]: readonly BitcoinBlock[]): Promise<void> {
  if (first === undefined) return;
  if (position.hash === null) {
    const [hash] = await source.hashesOf([first.number]);
    if (hash !== first.hash)
      throw new InvalidResponseError(`The node of ${chain.name} returned two different hashes for block ${first.number}.`);
  } else if (first.parentHash !== position.hash) {
    throw new BrokenChainError(`The node returned block ${first.number}, whose parent is not the indexed block ${position.block}.`);
  }
}

async function write(session: BitcoinSession, blocks: readonly BitcoinBlock[], isDurable: boolean): Promise<number> {
  const { chain, source, capabilities, database, queries, guard } = session;
  const completed = await completeInputs(blocks, {
    fromIndex: (references) => queries.outputs(chain.id, references),
    fromNode: capabilities.hasTxIndex ? source.outputsOf : null,
  });
  const buffers = createRowBuffers(chain.id, [bitcoinProjection]);
  buffers.add(0, foldBlocks(completed));
  const { block: before } = session.position;
  const last = completed.at(-1);
  if (last === undefined) return 0;
  const rows = await database.transaction(async (client) => {
    if (!isDurable) await client.query("SET LOCAL synchronous_commit = off");
    await advanceCheckpoints(client, chain.id, [bitcoinProjection], before, last.number);
    await guard(client);
    return writeBuffers(client, chain.id, buffers.take());
  });
  session.position = { block: last.number, hash: last.hash };
  return rows;
}
