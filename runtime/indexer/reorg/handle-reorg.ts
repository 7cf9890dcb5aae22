import type { Head } from "../../chain/source.ts";
import { finalizedChanged } from "../errors.ts";
import type { Leadership } from "../leader/leader.ts";
import type { ChainFacts, Projection } from "../projection.ts";
import { readChain } from "../storage/chain-record.ts";
import { CheckpointMovedError, lockCheckpoints } from "../storage/checkpoints.ts";
import type { IndexerDeps } from "../types.ts";
import { confirmAncestor, confirmChain } from "./confirm.ts";
import { findAncestor } from "./find-ancestor.ts";
import { type FollowingTable, rollBack } from "./roll-back.ts";

export interface ReorgDeps extends Pick<IndexerDeps, "chain" | "source" | "database" | "ledger" | "logger"> {
  readonly guard: Leadership["guard"];
  readonly all: readonly Projection[];
  readonly following: readonly FollowingTable[];
}

/**
 * Compares the index with the node below its head, and takes back what the node has left. Gives the last block that both have; null where nothing
 * had to be taken back. @throws {IndexMismatchError} where a finalized block is another one: nothing is touched then.
 */
export const handleReorg = async (deps: ReorgDeps, facts: ChainFacts, indexed: number, head: Head): Promise<number | null> => {
  const { chain, source, database, ledger, logger } = deps;
  const record = await readChain(database, chain.id);
  const top = Math.min(indexed, head.number);
  const find = () => findAncestor(source, ledger, top, facts.from);
  const ancestor = await find();
  if (ancestor === top) return null;
  await confirmChain(source, chain, record);
  const finalized = record?.finalized ?? null;
  if (finalized !== null && ancestor < Math.min(finalized, top)) {
    await confirmAncestor(find, ancestor);
    throw finalizedChanged(chain.name, ancestor + 1, finalized);
  }
  logger.warn(`${chain.name} was reorganised: blocks ${ancestor + 1} to ${indexed} are taken back.`);
  await database.transaction(async (client) => {
    const { id } = ledger.projection;
    if ((await lockCheckpoints(client, chain.id)).get(id)?.block !== indexed) throw new CheckpointMovedError(id);
    await deps.guard(client);
    await rollBack(client, chain.id, ancestor, facts.baseBlock, deps.all, deps.following);
  });
  return ancestor;
};
