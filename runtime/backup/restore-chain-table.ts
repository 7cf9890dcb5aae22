import { disableTimeouts, type Session } from "../database/session.ts";
import { identifier, sql } from "../database/sql.ts";
import { copyFromStatement, setTextFormats } from "./copy-statements.ts";
import { type FillOptions, fillTable } from "./fill-table.ts";
import type { BackedUpTable } from "./manifest.ts";
import { restoreTable } from "./restore-table.ts";

export interface ChainTableOptions extends FillOptions {
  readonly chainId: number;
  /** Verifies that this process still has the chain's lock. */
  guard(session: Pick<Session, "query">): Promise<void>;
}

/**
 * Adds a chain's rows to a table in one transaction, which also records that they are complete. The table keeps its indexes, and nothing that
 * other chains need is locked. @throws {BackupError} if the rows differ from the manifest.
 */
export async function restoreChainTable(session: Session, table: BackedUpTable, options: ChainTableOptions): Promise<void> {
  await session.query("BEGIN");
  try {
    await configureTransaction(session);
    await replaceChainRows(session, table, options);
    await session.query(sql`ANALYZE ${identifier(`public.${table.name}`)}`);
    await complete(session, table, options);
    await session.query("COMMIT");
  } catch (error) {
    // Fails if the connection is lost.
    await session.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/**
 * Restores a table as a backup of the entire index is restored: locks it, and builds its indexes after its rows. Returns false if it has rows of
 * another chain, whose indexer has started in the meantime. @throws {BackupError} if the rows differ from the manifest.
 */
export const restoreOnlyChainTable = (session: Session, table: BackedUpTable, options: ChainTableOptions): Promise<boolean> =>
  restoreTable(session, table, {
    ...options,
    async mayReplace(client) {
      const others = await client.query(
        sql`SELECT 1 FROM ${identifier(`public.${table.name}`)} WHERE chain_id <> ${options.chainId} LIMIT 1`,
      );
      return others.length === 0;
    },
    complete: (client) => complete(client, table, options),
  });

async function complete(session: Pick<Session, "query">, { name }: BackedUpTable, { chainId, guard }: ChainTableOptions): Promise<void> {
  await session.query("UPDATE chain_restores SET restored = array_append(restored, $2) WHERE chain_id = $1", [chainId, name]);
  await guard(session);
}

/** Configures a transaction that adds a chain's rows without counting them, because their counts are restored as well (migration 0053). */
export async function configureTransaction(session: Session): Promise<void> {
  await disableTimeouts(session);
  await setTextFormats(session);
  await session.query("SET LOCAL ashlar.restores_counts = 'on'");
}

/** Copies a chain's rows into a table. Rows that an indexer wrote just after a restore was killed are replaced. */
export async function replaceChainRows(session: Session, table: BackedUpTable, options: ChainTableOptions): Promise<void> {
  await session.query(sql`DELETE FROM ${identifier(`public.${table.name}`)} WHERE chain_id = ${options.chainId}`);
  await fillTable(session, table, copyFromStatement(table), options);
}
