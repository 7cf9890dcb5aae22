import type { Database } from "../database/database.ts";
import { identifier, sql } from "../database/sql.ts";
import { createLedgerQueries } from "../domains/ledger/queries/index.ts";
import type { DemoIdentity } from "./demo.ts";

/** Whether index and demo chain have the same history: the same genesis block, and the same block at the lower head. An empty index matches every chain. */
export async function matchesDemo(database: Database, chainId: number, identity: DemoIdentity): Promise<boolean> {
  const [chain] = await database.query<{ genesis_hash: string }>("SELECT genesis_hash FROM chains WHERE chain_id = $1", [chainId]);
  if (chain === undefined) return true;
  if (chain.genesis_hash !== identity.genesisHash) return false;
  const ledger = createLedgerQueries(database);
  const head = await ledger.head(chainId);
  if (head === null || head.number < identity.lastBlock) return true;
  return (await ledger.blockByNumber(chainId, identity.lastBlock))?.hash === identity.lastBlockHash;
}

/** Deletes all rows of a chain from the index. */
export async function deleteChain(database: Database, chainId: number): Promise<void> {
  await database.transaction(async (client) => {
    const tables = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE column_name = 'chain_id' AND table_schema = current_schema() AND table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables) await client.query(sql`DELETE FROM ${identifier(name)} WHERE chain_id = $1`, [chainId]);
  });
}
