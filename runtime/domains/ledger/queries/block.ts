import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { features } from "../../../indexer/storage/chain-record.ts";
import type { Address, Hash, Hex } from "../../../lib/hex.ts";

/** A row of `blocks`; times are unix seconds. */
export interface BlockRow {
  readonly number: number;
  readonly hash: Hash;
  readonly parent_hash: Hash;
  readonly timestamp: number;
  readonly miner: Address;
  readonly extra_data: Hex;
  readonly gas_used: number;
  readonly gas_limit: string;
  readonly transaction_count: number;
}

/** What is known of an indexed chain, and of its node as last seen. */
export interface ChainRow {
  readonly chain_id: number;
  readonly name: string;
  readonly indexed_from: number;
  readonly backfilled_at: Date | null;
  readonly latest_block: number | null;
  readonly finalized_block: number | null;
  readonly missing: readonly string[];
  /** How the index keeps native balances; null before that was recorded. */
  readonly native_accounting: "traces" | "state" | "none" | null;
}

const columns = "number, hash, parent_hash, timestamp, miner, extra_data, gas_used, gas_limit, transaction_count";

const withoutNativeBalances: readonly string[] = [features.nativeBalances, features.nativeBalancesDiffer];

/** Questions about blocks and chains. */
export function createBlockQueries({ query }: Pick<Database, "query">) {
  const one = async (sql: string, parameters: readonly unknown[]): Promise<BlockRow | null> =>
    (await query<BlockRow>(sql, parameters))[0] ?? null;

  /** The highest indexed block. Served by the primary key. */
  const head = (chainId: number) => one(`SELECT ${columns} FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1`, [chainId]);

  /** The lowest indexed block. Served by the primary key. */
  const tail = (chainId: number) => one(`SELECT ${columns} FROM blocks WHERE chain_id = $1 ORDER BY number LIMIT 1`, [chainId]);

  /** Served by the primary key. */
  const blockByNumber = (chainId: number, number: number) =>
    one(`SELECT ${columns} FROM blocks WHERE chain_id = $1 AND number = $2`, [chainId, number]);

  /** Served by blocks_hash. */
  const blockByHash = (chainId: number, hash: Hash) =>
    one(`SELECT ${columns} FROM blocks WHERE chain_id = $1 AND hash = $2`, [chainId, bytes(hash)]);

  /** The first block at or after a time (unix seconds), or null. Served by blocks_timestamp. */
  const firstBlockFrom = (chainId: number, timestamp: number) =>
    one(`SELECT ${columns} FROM blocks WHERE chain_id = $1 AND timestamp >= $2 ORDER BY timestamp, number LIMIT 1`, [chainId, timestamp]);

  /** The last block before a time (unix seconds), or null. Served by blocks_timestamp. */
  const lastBlockBefore = (chainId: number, timestamp: number) =>
    one(`SELECT ${columns} FROM blocks WHERE chain_id = $1 AND timestamp < $2 ORDER BY timestamp DESC, number DESC LIMIT 1`, [
      chainId,
      timestamp,
    ]);

  /** Blocks by height, both ends included, ascending. Served by the primary key. */
  const blocks = (chainId: number, first: number, last: number) =>
    query<BlockRow>(`SELECT ${columns} FROM blocks WHERE chain_id = $1 AND number BETWEEN $2 AND $3 ORDER BY number`, [
      chainId,
      first,
      last,
    ]);

  /** Every chain that an indexer has begun. */
  const chains = () =>
    query<ChainRow>(
      "SELECT chain_id, name, indexed_from, backfilled_at, latest_block, finalized_block, missing, native_accounting FROM chains",
      [],
    );

  /** Whether a chain's index has native balances that can be served: false where it keeps none, or where they were found to differ from the node's. */
  const knowsNativeBalances = async (chainId: number): Promise<boolean> => {
    const row = (await chains()).find(({ chain_id }) => chain_id === chainId);
    return row === undefined || !row.missing.some((feature) => withoutNativeBalances.includes(feature));
  };

  /** The first indexed block where that is not the chain's first, else null. */
  const indexedFrom = async (chainId: number): Promise<number | null> => {
    const rows = await query<{ indexed_from: number }>("SELECT indexed_from FROM chains WHERE chain_id = $1", [chainId]);
    return rows[0]?.indexed_from || null;
  };

  return { head, tail, blockByNumber, blockByHash, firstBlockFrom, lastBlockBefore, blocks, chains, knowsNativeBalances, indexedFrom };
}
