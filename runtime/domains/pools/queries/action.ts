import { bytes } from "../../../database/codecs.ts";
import { jsonArrayOf } from "../../../database/columns.ts";
import type { Queryable } from "../../../database/database.ts";
import { createPageReader, type PageStart } from "../../../database/page-reader.ts";
import { nothing, type Sql, sql } from "../../../database/sql.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import { branchAt, isOnBranch } from "../../ledger/queries/branch.ts";
import { actionCodes } from "../projection/tables.ts";
import {
  type ActionPage,
  type ActionRow,
  actionColumns,
  createActionPages,
  exchangeActionSource,
  parametersOf,
  poolActionSource,
  tokenActionSource,
} from "./action-source.ts";
import { boundedCount, type ExchangeKey, maxCount } from "./exchange.ts";

/** The key of an action in its chain. */
type ActionKey = Pick<ActionRow, "block_number" | "log_index">;

/** The positions of an account's latest actions on the exchanges of $3, from log $5 of block $4 on, up to a limit. */
const positionsOfAccount = (limit: Sql): Sql => sql`unnest($3::bytea[]) AS e(exchange) CROSS JOIN LATERAL (
  SELECT block_number, log_index FROM pool_action_accounts
  WHERE chain_id = $1 AND account = $2 AND exchange = e.exchange AND block_number <= $4 AND (block_number < $4 OR log_index <= $5)
  ORDER BY block_number DESC, log_index DESC LIMIT ${limit}) latest`;
const newestFirst = sql`ORDER BY block_number DESC, log_index DESC`;
const selectPage = (condition: Sql): Sql => sql`SELECT ${actionColumns} FROM (
    SELECT block_number, log_index FROM ${positionsOfAccount(sql`$6::int8 + $7::int8`)} ${condition} ${newestFirst} LIMIT $6 OFFSET $7) page
  JOIN pool_actions a ON a.chain_id = $1 AND a.block_number = page.block_number AND a.log_index = page.log_index
  ORDER BY a.block_number DESC, a.log_index DESC`;
const pageOfAccount = selectPage(nothing);
/** The same page; empty unless the list's last block ($8) has the hash $9. */
const pageOfAccountOnBranch = selectPage(sql`WHERE ${isOnBranch(sql`$8`, sql`$9`)}`);
const countOfAccount = sql`SELECT count(*) AS count FROM ${positionsOfAccount(sql`$6`)}`;
/** Every $7-th of the first $6 positions, and the hash of the list's last block ($8). */
const spacedKeysOfAccount = sql`SELECT ${branchAt(sql`$8`)} AS branch, ${jsonArrayOf("block_number")} AS blocks, ${jsonArrayOf("log_index")} AS indexes FROM (
    SELECT *, row_number() OVER (${newestFirst}) - 1 AS number FROM (
      SELECT block_number, log_index FROM ${positionsOfAccount(sql`$6`)} ${newestFirst} LIMIT $6) positions) numbered
  WHERE number % $7::int8 = 0`;
/** An upper bound for log indexes. */
const maxLogIndex = 2 ** 31 - 1;

/** Queries for actions on pools, up to a block. */
export function createActionQueries({ query }: Pick<Queryable, "query">) {
  const pageOf = createActionPages({ query });
  const pageAt = createPageReader<ActionKey>();
  return {
    /** The actions in all of an exchange's pools. */
    actionsOfExchange: (chainId: number, exchange: ExchangeKey, block: number, limit: number, offset: number) =>
      pageOf(chainId, exchangeActionSource(exchange), block, limit, offset),

    /** The actions in an exchange's pools with a token; `exchange.sharedPools` are its shared pools with that token. */
    actionsOfToken: (chainId: number, exchange: ExchangeKey, token: Address, block: number, limit: number, offset: number) =>
      pageOf(chainId, tokenActionSource(exchange, token), block, limit, offset),

    /** The actions in a pool. */
    actionsOfPool: (chainId: number, pool: Address, block: number, limit: number, offset: number) =>
      pageOf(chainId, poolActionSource(pool), block, limit, offset),

    /**
     * The number of transactions after block `since` and up to `block` that swapped a token only in an exchange's shared pools; null if the shared pools
     * have more than 10,000 states in these blocks. Transactions that also swapped the token in another pool of the exchange are included in the
     * exchange's sums. Served by the primary keys: a range of each pool's states, and of the actions of each of their blocks.
     */
    sharedSwapTransactions: async (
      chainId: number,
      exchange: ExchangeKey,
      token: Address,
      since: number | null,
      block: number,
    ): Promise<number | null> => {
      const source = tokenActionSource(exchange, token);
      const rows = await query<{ blocks: number; transactions: number }>(
        sql`WITH touched AS MATERIALIZED (
              SELECT s.block_number FROM unnest($5::bytea[]) AS o(pool) CROSS JOIN LATERAL (
                SELECT block_number FROM pool_states WHERE chain_id = $1 AND pool = o.pool AND block_number > $6 AND block_number <= $2) s
              LIMIT ${maxCount + 1}),
            alone AS (
              SELECT FROM (SELECT DISTINCT block_number FROM touched) t CROSS JOIN LATERAL (
                SELECT * FROM pool_actions b WHERE b.chain_id = $1 AND b.block_number = t.block_number AND b.act = ${actionCodes.swap}) a
              WHERE (${source.filter}) OR a.pool = ANY ($5)
              GROUP BY a.block_number, a.transaction_index HAVING bool_and(a.pool = ANY ($5)))
            SELECT (SELECT count(*) FROM touched) AS blocks, (SELECT count(*) FROM alone) AS transactions`,
        [...parametersOf(chainId, block, source), since ?? -1],
      );
      const { blocks, transactions } = rows[0] ?? { blocks: 0, transactions: 0 };
      return blocks > maxCount ? null : transactions;
    },

    /**
     * An account's actions on an exchange: as the transaction's sender, the pool's caller or the recipient. Served by the primary keys: the
     * account's positions on the exchange, newest first, then each action by its position. `createPageReader`
     * remembers the keys of every thousandth position, so that repeated reads of deep pages skip at most a thousand positions.
     */
    actionsOfAccount: async (
      chainId: number,
      { factory, sharedPools }: ExchangeKey,
      account: Address,
      block: number,
      limit: number,
      offset: number,
    ): Promise<ActionPage> => {
      const exchanges = [factory, ...sharedPools];
      const parametersFrom = (key: ActionKey | null) => [
        chainId,
        bytes(account),
        exchanges.map(bytes),
        key?.block_number ?? block,
        key?.log_index ?? maxLogIndex,
      ];
      const list = {
        id: JSON.stringify([chainId, exchanges, account, block]),
        locate: async (from: ActionKey | null, spacing: number, count: number) => {
          const [row] = await query<{ branch: Hash | null; blocks: number[]; indexes: number[] }>(spacedKeysOfAccount, [
            ...parametersFrom(from),
            (count - 1) * spacing + 1,
            spacing,
            block,
          ]);
          const keys = (row?.blocks ?? []).map((block_number, position) => ({ block_number, log_index: row?.indexes[position] ?? 0 }));
          return { branch: row?.branch ?? null, keys };
        },
        read: (start: PageStart<ActionKey> | null, rest: number) =>
          start === null
            ? query<ActionRow>(pageOfAccount, [...parametersFrom(null), limit, rest])
            : query<ActionRow>(pageOfAccountOnBranch, [...parametersFrom(start.key), limit, rest, block, bytes(start.branch)]),
      };
      const [rows, counted] = await Promise.all([
        pageAt(list, offset),
        query<{ count: number }>(countOfAccount, [...parametersFrom(null), maxCount + 1]),
      ]);
      return { rows, total: boundedCount(counted) };
    },
  };
}
