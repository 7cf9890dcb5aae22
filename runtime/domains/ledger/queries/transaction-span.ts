import { type Sql, sql } from "../../../database/sql.ts";
import { joinTransactionAtPosition, transactionColumns } from "./transaction.ts";

/** An address's transactions in a time span. */
export interface TransactionSpan {
  /** The span's number, counted from 1970. */
  readonly number: number;
  /** The number of its transactions. */
  readonly count: number;
  /** The times of the last transaction before the span and of the first one after it; null if there is none. */
  readonly previousTime: number | null;
  readonly nextTime: number | null;
}

/** The number of transactions of an address ($2) up to the last block before a time, but not above a block ($5); null if there are none. */
const countBefore = (time: Sql): Sql =>
  sql`(SELECT o.ordinal + 1 FROM (
      SELECT number FROM blocks WHERE chain_id = $1 AND timestamp < ${time} ORDER BY timestamp DESC, number DESC LIMIT 1) bound
    CROSS JOIN LATERAL (
      SELECT ordinal FROM address_transactions WHERE chain_id = $1 AND address = $2 AND block_number <= least(bound.number, $5::int8)
      ORDER BY block_number DESC, ordinal DESC LIMIT 1) o)`;
const timeOfOrdinal = (ordinal: Sql): Sql =>
  sql`(SELECT b.timestamp FROM address_transactions a JOIN blocks b ON b.chain_id = $1 AND b.number = a.block_number
    WHERE a.chain_id = $1 AND a.address = $2 AND a.ordinal = ${ordinal})`;

/**
 * The span of $6 seconds with number $3 (by default the span of the first transaction, or number $4 if there is none) up to a block ($5), and its transactions
 * if there are at most $7, oldest first. Ordinals have no gaps, which the planner does not know: without the limit it reads all blocks for a range that it
 * estimates to be long.
 */
export const addressSpanSql = {
  tables: sql`span AS MATERIALIZED (SELECT coalesce($3::int8, ${timeOfOrdinal(sql`0`)} / $6::int8, $4::int8) AS number),
    bounds AS MATERIALIZED (SELECT span.number, coalesce(${countBefore(sql`span.number * $6::int8`)}, 0) AS first,
      coalesce(${countBefore(sql`(span.number + 1) * $6::int8`)}, 0) AS "end", coalesce((SELECT ordinal + 1 FROM address_transactions
        WHERE chain_id = $1 AND address = $2 AND block_number <= $5 ORDER BY block_number DESC, ordinal DESC LIMIT 1), 0) AS total FROM span),`,
  total: sql`NULL`,
  page: sql`SELECT p.ordinal AS position, ${transactionColumns} FROM (
      SELECT * FROM address_transactions WHERE chain_id = $1 AND address = $2 AND ordinal >= (SELECT first FROM bounds)
        AND ordinal < (SELECT CASE WHEN "end" - first <= $7::int8 THEN "end" ELSE first END FROM bounds) ORDER BY ordinal LIMIT $7::int8
    ) p ${joinTransactionAtPosition}`,
  span: sql`(SELECT ARRAY[number, "end" - first, ${timeOfOrdinal(sql`first - 1`)},
    CASE WHEN "end" < total THEN ${timeOfOrdinal(sql`"end"`)} END] FROM bounds)`,
};

/** The value of `span` in a row. */
export type SpanColumn = readonly [number: number, count: number, previousTime: number | null, nextTime: number | null];

export const parseSpan = ([number, count, previousTime, nextTime]: SpanColumn): TransactionSpan => ({
  number,
  count,
  previousTime,
  nextTime,
});
