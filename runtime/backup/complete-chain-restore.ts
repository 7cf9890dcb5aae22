import { openSession, type Session, type SessionOptions } from "../database/session.ts";
import { identifier, sql } from "../database/sql.ts";
import { BackupError } from "./backup-error.ts";
import { copyFromStatement } from "./copy-statements.ts";
import { fillTable } from "./fill-table.ts";
import type { BackedUpTable, SnapshotManifest } from "./manifest.ts";
import { type ChainTableOptions, configureTransaction, replaceChainRows } from "./restore-chain-table.ts";

/** The tables filled by the last transaction: servers find a chain's state by its last block, and indexers by its row in `chains`. */
export const lastTables: readonly string[] = ["chains", "blocks", "bitcoin_blocks"];

export interface CompleteOptions extends Pick<ChainTableOptions, "folder" | "guard"> {
  readonly connection: SessionOptions;
  /** The configured name. */
  readonly chain: { readonly name: string };
  /** Makes additional changes in the last transaction. */
  finish(session: Pick<Session, "query">): Promise<void>;
}

const temporary = identifier("pg_temp.restored_chain");

/** Adds the chain's blocks and its row in `chains`, not paused and with its configured name, and ends the restore, in one transaction. */
export async function completeChainRestore(
  { connection, folder, chain: { name }, guard, finish }: CompleteOptions,
  { chain, tables, compression }: SnapshotManifest,
): Promise<void> {
  const options: ChainTableOptions = { folder, compression, onBytes: () => undefined, chainId: chain.id, guard };
  const session = await openSession(connection);
  try {
    await session.query("BEGIN");
    await configureTransaction(session);
    for (const table of tables) {
      if (table.name === "chains") await replaceChain(session, table, name, chain.genesisHash, options);
      else if (lastTables.includes(table.name)) await replaceChainRows(session, table, options);
    }
    await finish(session);
    await session.query("SELECT content_changed($1)", [chain.id]);
    await session.query("DELETE FROM chain_restores WHERE chain_id = $1", [chain.id]);
    await guard(session);
    await session.query("COMMIT");
  } finally {
    await session.close();
  }
}

/** Replaces the chain's row with the one in the file, by way of a temporary table, because another chain may have the name that the file contains. */
async function replaceChain(
  session: Session,
  table: BackedUpTable,
  name: string,
  genesisHash: string,
  options: ChainTableOptions,
): Promise<void> {
  await session.query(sql`CREATE TEMPORARY TABLE restored_chain (LIKE public.chains) ON COMMIT DROP`);
  await fillTable(session, table, copyFromStatement(table, temporary), options);
  const rows = await session.query<{ genesis_hash: string }>(
    sql`UPDATE ${temporary} SET name = $1, paused_at = NULL, removal_started_at = NULL RETURNING genesis_hash`,
    [name],
  );
  if (rows.length !== 1 || rows[0]?.genesis_hash !== genesisHash)
    throw new BackupError("The snapshot is invalid: its row in table chains differs from its manifest.");
  await session.query("DELETE FROM chains WHERE chain_id = $1", [options.chainId]);
  await session.query(sql`INSERT INTO chains SELECT * FROM ${temporary}`);
}
