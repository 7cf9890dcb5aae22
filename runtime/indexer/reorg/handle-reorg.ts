import type { Head } from "../../chain/source.ts";
import { finalizedBlockReplacedError } from "../errors.ts";
import type { IndexSession } from "../session/index-session.ts";
import { readChain } from "../storage/chain-record.ts";
import type { IndexerDeps } from "../types.ts";
import { confirmAncestor, confirmChain } from "./confirm.ts";
import { findAncestor } from "./find-ancestor.ts";

export interface ReorgDeps extends Pick<IndexerDeps, "chain" | "source" | "database" | "ledger" | "logger" | "onProgress"> {
  readonly session: IndexSession;
  /** Milliseconds before each check that confirms that a finalized block was replaced. */
  readonly confirmationWaitMilliseconds: number;
}

/** Rolls the index back to the common ancestor if the node has left the stored branch. @throws {IndexMismatchError} if that would replace a finalized block. */
export const handleReorg = async (deps: ReorgDeps, head: Head): Promise<void> => {
  const { session } = deps;
  const indexed = session.position.block;
  const ancestor = await session.exclusively(async () => {
    const found = await detectReorg(deps, head);
    if (found === null) return null;
    deps.logger.warn(`Reorganisation on ${deps.chain.name}: rolling back blocks ${found + 1} to ${indexed}.`);
    await session.rewind(found);
    return found;
  });
  if (ancestor === null) return;
  const event = { phase: "reorganisation", projection: null, from: session.facts.from, block: ancestor, target: head.number } as const;
  deps.onProgress?.({ ...event, blockCount: indexed - ancestor, transactionCount: 0, rowCount: 0 });
};

/** The common ancestor of the index and the node; null if no indexed block was replaced. @throws {IndexMismatchError} if a finalized block was replaced. */
const detectReorg = async (
  { chain, source, database, ledger, session, confirmationWaitMilliseconds }: ReorgDeps,
  head: Head,
): Promise<number | null> => {
  const record = await readChain(database, chain.id);
  const top = Math.min(session.position.block, head.number);
  const find = () => findAncestor(source, ledger, top, session.facts.from);
  const ancestor = await find();
  if (ancestor === top) return null;
  await confirmChain(source, chain, record);
  const finalized = record?.finalizedBlock ?? null;
  if (finalized !== null && ancestor < Math.min(finalized, top)) {
    await confirmAncestor(find, ancestor, confirmationWaitMilliseconds);
    const remedy = `; if the node is, run ashlar chains repair ${chain.name} --to ${ancestor}`;
    throw finalizedBlockReplacedError(chain.name, ancestor + 1, finalized, remedy);
  }
  return ancestor;
};
