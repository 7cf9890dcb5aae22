import { bytes } from "../../database/codecs.ts";
import type { Database } from "../../database/database.ts";
import type { Address } from "../../lib/hex.ts";

/** A pool as one factory announced it. */
export interface PoolRow {
  readonly factory: Address;
  readonly pool: Address;
  readonly token0: Address;
  readonly token1: Address;
}

/** Which exchange a question is about: its factory, and those of its pools that other factories claim too. */
export interface ExchangeKey {
  readonly factory: Address;
  readonly shared: readonly Address[];
}

const columns = "p.factory, p.pool, p.token0, p.token1";

/** Questions about which pools there are. Each names the factories whose word counts. */
export function createPoolQueries({ query }: Pick<Database, "query">) {
  /** The given contracts that a factory announced by a block, by address. Served by pools_factory. */
  const poolsAt = (chainId: number, factories: readonly Address[], pools: readonly Address[], block: number) =>
    query<PoolRow>(
      `SELECT ${columns} FROM pools p WHERE p.chain_id = $1 AND p.factory = ANY ($2::bytea[]) AND p.pool = ANY ($3::bytea[]) AND p.block_number <= $4
       ORDER BY p.pool`,
      [chainId, factories.map(bytes), pools.map(bytes), block],
    );

  /** The pools of an exchange that other factories claim too. Served by the primary key of shared_pools. */
  const exchangeKey = async (chainId: number, factory: Address, block: number): Promise<ExchangeKey> => {
    const rows = await query<{ pool: Address }>(
      "SELECT pool FROM shared_pools WHERE chain_id = $1 AND factory = $2 AND block_number <= $3 ORDER BY pool",
      [chainId, bytes(factory), block],
    );
    return { factory, shared: rows.map(({ pool }) => pool) };
  };

  /** The last block whose pools are in the index, or null. Served by the primary key. */
  const syncedBlock = async (chainId: number): Promise<number | null> => {
    const rows = await query<{ block_number: number }>(
      "SELECT block_number FROM projection_checkpoints WHERE chain_id = $1 AND projection = 'pools'",
      [chainId],
    );
    return rows[0]?.block_number ?? null;
  };

  return { poolsAt, exchangeKey, syncedBlock };
}
