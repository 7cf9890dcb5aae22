import type { Database } from "../../database/database.ts";
import type { Protocol } from "../../declarations/protocol.ts";
import type { FixedContracts } from "../../domains/community/contracts-on-chain.ts";
import { createDeclaredFold } from "../../domains/community/projection/index.ts";
import { allRelations, projectionIdOf } from "../../domains/community/relations.ts";
import { foldStoredLogs } from "../../domains/community/stored-logs.ts";
import { readChain } from "../../indexer/storage/chain-record.ts";
import { resetCheckpoint } from "../../indexer/storage/checkpoints.ts";
import { writeRows } from "../../indexer/storage/write-rows.ts";

/** Max logs that a test reads, which takes a few seconds. */
const maxLogs = 20_000;

/**
 * Fills a protocol's tables from its contracts' stored logs on a chain, and sets its checkpoint to the indexed head. Read results are omitted.
 */
export const fillTables = async (
  database: Database,
  { id }: { readonly id: number },
  protocol: Protocol,
  contracts: FixedContracts,
): Promise<{ readonly logCount: number; readonly hasMore: boolean }> => {
  const fold = createDeclaredFold(protocol, contracts);
  const tables = allRelations({ ...fold.relations, reads: [] }).map(({ table }) => table);
  const from = (await readChain(database, id))?.indexedFrom ?? 0;
  const [{ head } = { head: null }] = await database.query<{ head: number | null }>(
    "SELECT max(number) AS head FROM blocks WHERE chain_id = $1",
    [id],
  );
  const { rows, logCount, hasMore } = await foldStoredLogs(database, fold, contracts, { chainId: id, from, head: head ?? -1, maxLogs });
  await database.transaction(async (client) => {
    await writeRows(client, id, tables, rows);
    await resetCheckpoint(client, id, projectionIdOf(protocol.id), 0, head ?? -1);
  });
  return { logCount, hasMore };
};
