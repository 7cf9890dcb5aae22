import { InvalidResponseError } from "../../../chain/errors.ts";
import type { Head } from "../../../chain/source.ts";
import { finalizedBlockReplacedError } from "../../../indexer/errors.ts";
import { confirmAncestor } from "../../../indexer/reorg/confirm.ts";
import { findAncestor } from "../../../indexer/reorg/find-ancestor.ts";
import { rollBack } from "../../../indexer/reorg/roll-back.ts";
import { readChain } from "../../../indexer/storage/chain-record.ts";
import { CheckpointMovedError, lockCheckpoints } from "../../../indexer/storage/checkpoints.ts";
import { bitcoinProjection } from "../projection.ts";
import type { BitcoinSession } from "./types.ts";

/** Rolls the index back to the common ancestor if the node has left the stored branch. @throws {IndexMismatchError} if that would replace a finalized block. */
export async function handleReorg(session: BitcoinSession, head: Head): Promise<void> {
  const { chain, source, queries, position, from, logger, onProgress } = session;
  const top = Math.min(position.block, head.number);
  if (position.hash === null || top < from) return;
  const hashes = (first: number, last: number) => queries.hashes(chain.id, first, last);
  const [stored, [reported]] = await Promise.all([hashes(top, top), source.hashesOf([top])]);
  if (stored.get(top) === reported) return;
  const find = () => findAncestor(source, { hashes }, top, from);
  const ancestor = await find();
  if (ancestor === top) return;
  await confirmReorg(session, ancestor, top, find);
  logger.warn(`Reorganisation on ${chain.name}: rolling back blocks ${ancestor + 1} to ${position.block}.`);
  await rewind(session, ancestor);
  const event = { phase: "reorganisation", projection: null, from, block: ancestor, target: head.number } as const;
  onProgress?.({ ...event, blockCount: position.block - ancestor, transactionCount: 0, rowCount: 0 });
}

async function confirmReorg(
  { chain, source, database, timing }: BitcoinSession,
  ancestor: number,
  top: number,
  find: () => Promise<number>,
) {
  const record = await readChain(database, chain.id);
  // A gateway may have routed the requests to a node of a different chain.
  const genesisHash = await source.genesisHash();
  if (record?.genesisHash !== genesisHash)
    throw new InvalidResponseError(
      `The node of ${chain.name} now serves a different chain: it has genesis block ${genesisHash}, expected ${record?.genesisHash ?? "none"}.`,
    );
  const { finalizedBlock } = record;
  if (finalizedBlock === null || ancestor >= Math.min(finalizedBlock, top)) return;
  await confirmAncestor(find, ancestor, timing.confirmationWaitMilliseconds);
  throw finalizedBlockReplacedError(chain.name, ancestor + 1, finalizedBlock);
}

async function rewind(session: BitcoinSession, ancestor: number): Promise<void> {
  const { chain, database, queries, guard, from, blockBoundTables } = session;
  await database.transaction(async (client) => {
    const checkpoint = (await lockCheckpoints(client, chain.id)).get(bitcoinProjection.id);
    if (checkpoint?.block !== session.position.block) throw new CheckpointMovedError(bitcoinProjection.id);
    await guard(client);
    await rollBack(client, chain.id, ancestor, from - 1, [bitcoinProjection], blockBoundTables);
  });
  session.position = { block: ancestor, hash: (await queries.hashes(chain.id, ancestor, ancestor)).get(ancestor) ?? null };
}
