import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import type { TransactionPosition } from "../../ledger/queries/transaction.ts";
import { type ActionRow, actionColumns } from "./action-source.ts";

/** An action, with its pool as announced by one factory. */
export interface PoolActionRow extends ActionRow {
  readonly factory: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly family: number;
  /** The pool's own fee in millionths; null if the exchange's fee applies. */
  readonly fee_ppm: number | null;
}

/** Queries for the actions of single transactions. */
export const createTransactionActionQueries = ({ query }: Pick<Queryable, "query">) => ({
  /**
   * A transaction's actions on the factories' pools, in order. Served by the primary key of pool_actions, the range of the block, and by
   * pools_factory: one probe per action and factory.
   */
  actionsOfTransaction: (chainId: number, { block_number, transaction_index }: TransactionPosition, factories: readonly Address[]) =>
    query<PoolActionRow>(
      sql`SELECT ${actionColumns}, p.factory, p.token0, p.token1, p.family, p.fee_ppm
          FROM pool_actions a CROSS JOIN LATERAL (
            SELECT * FROM pools p WHERE p.chain_id = $1 AND p.factory = ANY ($4::bytea[]) AND p.pool = a.pool ORDER BY p.factory LIMIT 1) p
          WHERE a.chain_id = $1 AND a.block_number = $2 AND a.transaction_index = $3 ORDER BY a.log_index`,
      [chainId, block_number, transaction_index, factories.map(bytes)],
    ),
});
