import { identifier, joinSql, type Sql, sql } from "../../../../../database/sql.ts";
import { standards } from "../../../projection/standards.ts";

/** A balance table, its period table, and their key columns. */
export interface BalanceTables {
  readonly current: "balances" | "nft_balances";
  readonly periods: "balance_periods" | "nft_balance_periods";
  readonly keyColumns: readonly string[];
}

/** The statements of one transaction that applies base balances, in order. They share the temporary tables `base_readings` and `base_moves`. */
export const baseStatements = ({ current, periods, keyColumns }: BalanceTables, isFungible: boolean) => {
  const [currentTable, periodsTable] = [identifier(current), identifier(periods)];
  const matchesKey = (alias: string, other: string): Sql =>
    joinSql(
      [
        sql`${identifier(alias)}.chain_id = $1`,
        ...keyColumns.map((column) => sql`${identifier(`${alias}.${column}`)} = ${identifier(`${other}.${column}`)}`),
      ],
      sql` AND `,
    );
  const moves = isFungible ? sql`base_moves` : sql`(SELECT NULL::bytea AS owner, NULL::bytea AS token, 0 AS net LIMIT 0)`;
  return {
    createReadings: sql`CREATE TEMP TABLE base_readings (position int4, owner bytea, token bytea, standard int2, token_id numeric, reading numeric, base numeric,
        fits boolean) ON COMMIT DROP`,
    insertReadings: sql`INSERT INTO base_readings SELECT position, owner, token, standard, token_id, reading FROM
       unnest($1::bytea[], $2::bytea[], $3::int2[], $4::numeric[], $5::numeric[]) WITH ORDINALITY k(owner, token, standard, token_id, reading, position)`,
    computeBases: sql`UPDATE base_readings k SET base = k.reading - CASE WHEN b.since_block <= $2 THEN b.net_change ELSE (
         SELECT net_change FROM ${periodsTable} p WHERE ${matchesKey("p", "k")} AND p.from_block <= $2 ORDER BY p.from_block DESC LIMIT 1) END
       FROM ${currentTable} b WHERE ${matchesKey("b", "k")} AND b.balance IS NULL AND b.net_change IS NOT NULL`,
    createMoves: sql`CREATE TEMP TABLE base_moves (owner bytea, token bytea, block_number int8, ordinal int4, received boolean, net numeric) ON COMMIT DROP`,
    insertMoves,
    checkBases: sql`UPDATE base_readings k SET fits = k.base + least(0, b.net_change, p.lowest, m.lowest) >= 0
         AND k.base + greatest(b.net_change, p.highest, m.highest) <= CASE WHEN k.standard = ${standards.erc721} AND k.token_id IS NOT NULL THEN 1 ELSE $2::numeric END
       FROM base_readings s JOIN ${currentTable} b ON ${matchesKey("b", "s")}
       CROSS JOIN LATERAL (SELECT min(net_change) AS lowest, max(net_change) AS highest FROM ${periodsTable} p WHERE ${matchesKey("p", "s")}) p
       LEFT JOIN (SELECT owner, token, min(net) AS lowest, max(net) AS highest FROM ${moves} m GROUP BY owner, token) m
         ON s.standard = ${standards.erc20} AND m.owner = s.owner AND m.token = s.token
       WHERE k.position = s.position AND s.base IS NOT NULL`,
    fillTransfers,
    fillBalances: [currentTable, periodsTable].map(
      (table) =>
        sql`UPDATE ${table} t SET balance = t.net_change + k.base, net_change = NULL FROM base_readings k WHERE ${matchesKey("t", "k")} AND t.net_change IS NOT NULL`,
    ),
    /** An initial balance of 0 has no period, as in the fold. */
    deleteEmptyPeriods: sql`DELETE FROM ${periodsTable} p USING base_readings k WHERE ${matchesKey("p", "k")} AND k.base = 0
       AND p.from_block <= (SELECT greatest(indexed_from - 1, 0) FROM chains WHERE chain_id = $1)`,
    dropTables: isFungible ? sql`DROP TABLE base_readings, base_moves` : sql`DROP TABLE base_readings`,
  };
};

/**
 * OFFSET 0 is an optimization fence: each key's transfers are read by one range scan of transfers_from and one of transfers_to, regardless of the planner's
 * estimate for an average address.
 */
const transfersOf = (side: string, received: Sql, amount: Sql): Sql =>
  sql`SELECT block_number, ordinal, ${received} AS received, ${amount} AS amount FROM transfers t
     WHERE t.chain_id = $1 AND ${identifier(`t.${side}`)} = k.owner AND t.token = k.token AND t.standard = ${standards.erc20} OFFSET 0`;

/** The net change of each ERC-20 balance right after each of its transfers, the sender's side first. */
const insertMoves = sql`INSERT INTO base_moves
   SELECT k.owner, k.token, m.block_number, m.ordinal, m.received,
     sum(m.amount) OVER (PARTITION BY k.owner, k.token ORDER BY m.block_number, m.ordinal, m.received)
   FROM base_readings k CROSS JOIN LATERAL (
     (${transfersOf("from_address", sql`false`, sql`-amount`)}) UNION ALL (${transfersOf("to_address", sql`true`, sql`amount`)})) m
   WHERE k.standard = ${standards.erc20} AND k.base IS NOT NULL`;

const joinMoves = sql`FROM base_moves m JOIN base_readings k ON k.owner = m.owner AND k.token = m.token AND k.standard = ${standards.erc20}
   WHERE t.chain_id = $1 AND t.block_number = m.block_number AND t.ordinal = m.ordinal`;

/** The balances right after each ERC-20 transfer; a self-transfer has the receiver's balance on both sides. */
const fillTransfers = [
  sql`UPDATE transfers t SET from_balance = k.base + m.net ${joinMoves} AND NOT m.received AND t.from_address <> t.to_address`,
  sql`UPDATE transfers t SET to_balance = k.base + m.net,
     from_balance = CASE WHEN t.from_address = t.to_address THEN k.base + m.net ELSE t.from_balance END ${joinMoves} AND m.received`,
];
