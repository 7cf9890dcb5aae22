import type { Knex } from "knex";
import { every, poll, type RetryOptions, retry } from "../lib/async.ts";
import type { Database, Queryable } from "./database.ts";

/** An index that is built with CREATE INDEX CONCURRENTLY, while its table accepts writes. */
export interface ConcurrentIndex {
  readonly name: string;
  /** What follows the name in CREATE INDEX: `ON table (columns)`. */
  readonly definition: string;
  readonly isUnique?: boolean;
}

/** The advisory lock held by a process that builds such indexes: "index" in ASCII. */
const lock = 0x696e646578;
const lockPollMilliseconds = 500;

/**
 * A build waits for other transactions and may deadlock (SQLSTATE 40P01) with one that changes the same table. Each attempt first drops the
 * previous one's incomplete index.
 */
const buildRetry: RetryOptions<Error> = {
  attempts: 5,
  base: 1_000,
  max: 10_000,
  isRetryable: (error): error is Error => error instanceof Error && "code" in error && error.code === "40P01",
};

/**
 * Builds the indexes that are not complete, one after the other, unless `isNeeded` returns false; concurrent processes take turns. A failed or killed
 * build leaves an invalid index, which is dropped and built again.
 */
export async function createIndexesConcurrently(
  database: Database,
  indexes: readonly ConcurrentIndex[],
  isNeeded: (database: Queryable) => Promise<boolean>,
): Promise<void> {
  // A build waits for the end of every transaction that holds a snapshot when it checks. Therefore, a process that waits for the lock begins a new
  // transaction for each attempt: a single transaction would wait for the build, and the build for the transaction.
  const attempt = (): Promise<true | null> =>
    database.transaction(async (holder) => {
      const [row] = await holder.query<{ locked: boolean }>(`SELECT pg_try_advisory_xact_lock(${lock}) AS locked`);
      if (row?.locked !== true) return null;
      // Rolling back to the savepoint releases the table locks of the check, for which other migrating processes would wait.
      await holder.query("SAVEPOINT checked");
      const isBuildNeeded = await isNeeded(holder);
      await holder.query("ROLLBACK TO SAVEPOINT checked");
      if (!isBuildNeeded) return true;
      // From now on this transaction only holds the lock; the builds run on Knex's connection. It holds no snapshot: the snapshot of a
      // statement with parameters ends with the next statement.
      await holder.query("SET LOCAL idle_in_transaction_session_timeout = 0");
      for (const index of indexes) await retry(() => buildUnlessComplete(database.knex, index), buildRetry);
      return true;
    });
  await poll(attempt, every(lockPollMilliseconds));
}

async function buildUnlessComplete(knex: Knex, { name, definition, isUnique = false }: ConcurrentIndex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { complete: boolean }[] }>(
    "SELECT indisvalid AND indisready AS complete FROM pg_index WHERE indexrelid = to_regclass(quote_ident(?))",
    [name],
  );
  const [found] = rows;
  if (found?.complete === true) return;
  if (found !== undefined) await knex.raw("DROP INDEX CONCURRENTLY IF EXISTS ??", [name]);
  await knex.raw(`CREATE ${isUnique ? "UNIQUE " : ""}INDEX CONCURRENTLY ?? ${definition}`, [name]);
}
