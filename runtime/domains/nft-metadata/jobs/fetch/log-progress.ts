import type { Queryable } from "../../../../database/database.ts";
import { sleep } from "../../../../lib/async.ts";

/** What is said of a queue, and to whom. */
export interface NotesDeps {
  readonly chainId: number;
  readonly chainName: string;
  readonly database: Queryable;
  readonly logger: { info(message: string): void };
}

const everyMilliseconds = 30_000;
/** A shorter queue is nothing to speak of. */
const manyTokens = 1_000;

/** Says now and then how many tokens wait, while they are many. */
export const createProgressNotes = ({ chainId, chainName, database, logger }: NotesDeps) => ({
  run: async (signal: AbortSignal): Promise<void> => {
    for (;;) {
      await sleep(everyMilliseconds, signal);
      if (signal.aborted) return;
      // Reads the queue's part of the primary key: tens of milliseconds for a million tokens.
      const rows = await database.query<{ count: number }>("SELECT count(*) FROM nft_reads WHERE chain_id = $1", [chainId]).catch(() => []);
      const count = rows[0]?.count ?? 0;
      if (count >= manyTokens) logger.info(`The metadata of ${count} tokens of ${chainName} waits to be read.`);
    }
  },
});
