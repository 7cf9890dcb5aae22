import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { actCodes } from "../projection/tables.ts";
import {
  type ActionPage,
  type ActionRow,
  actionColumns,
  actionsOfExchangeSource,
  actionsOfPoolSource,
  actionsOfTokenSource,
  createActionPages,
  parametersOf,
} from "./action-source.ts";
import { boundedCount, type ExchangeKey, maxCount } from "./exchange.ts";

/** The positions of an account's latest actions on the exchanges of $3, up to block $4. */
const positionsOfAccount = sql`unnest($3::bytea[]) AS e(exchange) CROSS JOIN LATERAL (
  SELECT block_number, log_index FROM pool_action_accounts
  WHERE chain_id = $1 AND account = $2 AND exchange = e.exchange AND block_number <= $4
  ORDER BY block_number DESC, log_index DESC LIMIT $5) latest`;

/** Queries of the actions on pools, up to a block. */
export function createActionQueries({ query }: Pick<Queryable, "query">) {
  const pageOf = createActionPages({ query });
  return {
    /** The actions in all pools of an exchange. */
    actionsOfExchange: (chainId: number, exchange: ExchangeKey, block: number, limit: number, offset: number) =>
      pageOf(chainId, actionsOfExchangeSource(exchange), block, limit, offset),

    /** The actions in an exchange's pools with a token; `exchange.shared` are its shared pools with that token. */
    actionsOfToken: (chainId: number, exchange: ExchangeKey, token: Address, block: number, limit: number, offset: number) =>
      pageOf(chainId, actionsOfTokenSource(exchange, token), block, limit, offset),

    /** The actions in a pool. */
    actionsOfPool: (chainId: number, pool: Address, block: number, limit: number, offset: number) =>
      pageOf(chainId, actionsOfPoolSource(pool), block, limit, offset),

    /**
     * The number of transactions after block `since` and up to `block` that swapped a token only in an exchange's shared pools. Transactions that also swapped
     * it in one of its own pools are included in the sums of the exchange. Null if the shared pools changed in more than 10,000 blocks. Served by the primary
     * keys: a range of each pool's states, and of the actions of each of their blocks.
     */
    sharedSwapTransactions: async (
      chainId: number,
      exchange: ExchangeKey,
      token: Address,
      since: number | null,
      block: number,
    ): Promise<number | null> => {
      const source = actionsOfTokenSource(exchange, token);
      const rows = await query<{ blocks: number; transactions: number }>(
        sql`WITH touched AS MATERIALIZED (
              SELECT s.block_number FROM unnest($5::bytea[]) AS o(pool) CROSS JOIN LATERAL (
                SELECT block_number FROM pool_states WHERE chain_id = $1 AND pool = o.pool AND block_number > $6 AND block_number <= $2) s
              LIMIT ${maxCount + 1}),
            alone AS (
              SELECT FROM (SELECT DISTINCT block_number FROM touched) t CROSS JOIN LATERAL (
                SELECT * FROM pool_actions b WHERE b.chain_id = $1 AND b.block_number = t.block_number AND b.act = ${actCodes.swap}) a
              WHERE (${source.filter}) OR a.pool = ANY ($5)
              GROUP BY a.block_number, a.transaction_index HAVING bool_and(a.pool = ANY ($5)))
            SELECT (SELECT count(*) FROM touched) AS blocks, (SELECT count(*) FROM alone) AS transactions`,
        [...parametersOf(chainId, block, source), since ?? -1],
      );
      const { blocks, transactions } = rows[0] ?? { blocks: 0, transactions: 0 };
      return blocks > maxCount ? null : transactions;
    },

    /**
     * The actions of an account on an exchange: as the sender of the transaction, the caller of the pool or the recipient. Served by the primary keys: the
     * account's positions on the exchange, newest first, then each action by its position.
     */
    actionsOfAccount: async (
      chainId: number,
      { factory, shared }: ExchangeKey,
      account: Address,
      block: number,
      limit: number,
      offset: number,
    ): Promise<ActionPage> => {
      const parameters = [chainId, bytes(account), [factory, ...shared].map(bytes), block];
      const [rows, counted] = await Promise.all([
        query<ActionRow>(
          sql`SELECT ${actionColumns} FROM (
                SELECT block_number, log_index FROM ${positionsOfAccount} ORDER BY block_number DESC, log_index DESC LIMIT $6 OFFSET $7) page
              JOIN pool_actions a ON a.chain_id = $1 AND a.block_number = page.block_number AND a.log_index = page.log_index
              ORDER BY a.block_number DESC, a.log_index DESC`,
          [...parameters, offset + limit, limit, offset],
        ),
        query<{ count: number }>(sql`SELECT count(*) AS count FROM ${positionsOfAccount}`, [...parameters, maxCount + 1]),
      ]);
      return { rows, total: boundedCount(counted) };
    },
  };
}
