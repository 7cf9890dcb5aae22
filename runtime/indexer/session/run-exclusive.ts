import { LeadershipLostError } from "../leader/leader.ts";
import { recordContentChange } from "../storage/content-version.ts";
import type { Indexer, IndexerDeps } from "../types.ts";
import type { IndexSession } from "./index-session.ts";

/**
 * Runs a job's work between two batches, and calls `onEnd` afterwards, even on failure. @throws {CheckpointMovedError} if the index is not at the
 * session's position.
 */
export const createRunExclusive =
  (
    session: IndexSession,
    { chain, database }: Pick<IndexerDeps, "chain" | "database">,
    onEnd: () => void = () => undefined,
  ): Indexer["runExclusive"] =>
  (work) =>
    session.exclusively(async () => {
      const { block, hash } = session.position;
      if (session.leadership === null || hash === null || session.joined.length < session.projections.length) return null;
      try {
        return await database.transaction(async (client) => {
          await session.lockPosition(client);
          await recordContentChange(client, chain.id);
          return work(client, { number: block, hash });
        });
      } catch (error) {
        if (error instanceof LeadershipLostError) return null;
        throw error;
      } finally {
        onEnd();
      }
    });
