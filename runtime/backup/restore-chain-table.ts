import { liftTimeouts, type Session } from "../database/session.ts";
import { identifier, sql } from "../database/sql.ts";
import { copyRowsIn, fixFormats } from "./copy-statements.ts";
import { type FillOptions, fillTable } from "./fill-table.ts";
import type { BackedUpTable } from "./manifest.ts";

export interface ChainTableOptions extends FillOptions {
  readonly chainId: number;
  /** Verifies that this process still has the lock of the chain. */
  guard(session: Pick<Session, "query">): Promise<void>;
}

/**
 * Adds the rows of a chain to a table that may have those of others, in one transaction, which also records that they are complete. Its indexes are maintained row by
 * row, and nothing is locked that other chains need. @throws {BackupError} if the rows differ from the manifest.
 */
export async function restoreChainTable(session: Session, table: BackedUpTable, options: ChainTableOptions): Promise<void> {
  await session.query("BEGIN");
  try {
    await prepareTransaction(session);
    await addRows(session, table, options);
    await session.query(sql`ANALYZE ${identifier(`public.${table.name}`)}`);
    await session.query("UPDATE chain_restores SET restored = array_append(restored, $2) WHERE chain_id = $1", [
      options.chainId,
      table.name,
    ]);
    await options.guard(session);
    await session.query("COMMIT");
  } catch (error) {
    // Fails if the connection is lost.
    await session.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Settings of a transaction that adds rows of a chain; its counts are restored with them (migration 0053). */
export async function prepareTransaction(session: Session): Promise<void> {
  await liftTimeouts(session);
  await fixFormats(session);
  await session.query("SET LOCAL ashlar.restores_counts = 'on'");
}

/** Copies the rows of a chain into a table. Rows that an indexer wrote in the moment after a restore was killed are replaced. */
export async function addRows(session: Session, table: BackedUpTable, options: ChainTableOptions): Promise<void> {
  await session.query(sql`DELETE FROM ${identifier(`public.${table.name}`)} WHERE chain_id = ${options.chainId}`);
  await fillTable(session, table, copyRowsIn(table), options);
}
