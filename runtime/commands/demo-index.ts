import type { Database } from "../database/database.ts";
import { identifier, sql } from "../database/sql.ts";
import { createBitcoinQueries } from "../domains/bitcoin/queries.ts";
import { createLedgerQueries } from "../domains/ledger/queries/index.ts";
import type { Hash } from "../lib/hex.ts";
import type { BitcoinDemo, DemoIdentity } from "./demo.ts";

/**
 * Whether the index and the demo chain have the same genesis block and the same block at the lower of their heads. An empty index matches every
 * chain.
 */
export async function matchesDemo(database: Database, chainId: number, identity: DemoIdentity): Promise<boolean> {
  const genesisHash = await indexedGenesis(database, chainId);
  if (genesisHash === null) return true;
  if (genesisHash !== identity.genesisHash) return false;
  const ledger = createLedgerQueries(database);
  const head = await ledger.head(chainId);
  if (head === null || head.number < identity.lastBlock) return true;
  return (await ledger.blockByNumber(chainId, identity.lastBlock))?.hash === identity.lastBlockHash;
}

/** Whether the index and the demo's Bitcoin chain have the same genesis block and the same block at the indexed head. */
export async function matchesBitcoinDemo(database: Database, { chain, hashAt }: BitcoinDemo): Promise<boolean> {
  const genesisHash = await indexedGenesis(database, chain.id);
  if (genesisHash === null) return true;
  if (genesisHash !== hashAt(0)) return false;
  const bitcoin = createBitcoinQueries(database);
  const head = await bitcoin.head(chain.id);
  return head === null || (await bitcoin.hashes(chain.id, head.number, head.number)).get(head.number) === hashAt(head.number);
}

/** The genesis hash of an indexed chain; null if it is not indexed. */
const indexedGenesis = async (database: Database, chainId: number): Promise<Hash | null> =>
  (await database.query<{ genesis_hash: Hash }>("SELECT genesis_hash FROM chains WHERE chain_id = $1", [chainId]))[0]?.genesis_hash ?? null;

/** Deletes all of a chain's rows from the index. */
export async function deleteChain(database: Database, chainId: number): Promise<void> {
  await database.transaction(async (client) => {
    const tables = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE column_name = 'chain_id' AND table_schema = current_schema() AND table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables) await client.query(sql`DELETE FROM ${identifier(name)} WHERE chain_id = $1`, [chainId]);
  });
}
