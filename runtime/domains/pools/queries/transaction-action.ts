import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";
import type { TransactionPlace } from "../../ledger/queries/transaction.ts";
import { type ActionRow, actionColumns } from "./action.ts";

/** What was done with a pool, and the pool as one factory announced it. */
export interface PoolActionRow extends ActionRow {
  readonly factory: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly family: number;
  /** The pool's own fee in millionths; null where it is the exchange's. */
  readonly fee_ppm: number | null;
}

/** Questions about what single transactions did with pools. */
export function createTransactionActionQueries({ query }: Pick<Database, "query">) {
  /**
   * What a transaction did with the pools of some factories, in order. Served by the primary key of pool_actions, a range that is the block's, and by
   * pools_factory: a probe for each action and factory.
   */
  const actionsOfTransaction = (chainId: number, { block_number, transaction_index }: TransactionPlace, factories: readonly Address[]) =>
    query<PoolActionRow>(
      `SELECT ${actionColumns}, p.factory, p.token0, p.token1, p.family, p.fee_ppm
       FROM pool_actions a CROSS JOIN LATERAL (
         SELECT * FROM pools p WHERE p.chain_id = $1 AND p.factory = ANY ($4::bytea[]) AND p.pool = a.pool ORDER BY p.factory LIMIT 1) p
       WHERE a.chain_id = $1 AND a.block_number = $2 AND a.transaction_index = $3 ORDER BY a.log_index`,
      [chainId, block_number, transaction_index, factories.map(bytes)],
    );

  return { actionsOfTransaction };
}
