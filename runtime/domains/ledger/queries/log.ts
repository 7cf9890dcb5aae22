import { compose } from "../../../database/compose.ts";
import type { Queryable } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import { bindFilter, type FilterValues, type LogFilter, selectMatching } from "./log-filter.ts";
import { createLogPages } from "./log-page.ts";
import { type LogRow, logColumns } from "./log-row.ts";
import { isAtPositions, positionParameters, type TransactionPosition } from "./transaction.ts";

const maxCounted = 10_000;

const countMatching = compose<{ count: number }, FilterValues>((composition) => {
  const { from, raw } = composition;
  const counted = selectMatching(composition)
    .select(raw(sql`1`))
    .limit(maxCounted + 1);
  return from(counted.as("l")).count("* as count");
});

/** The numbers that determine the size of logs in a response. */
export interface LogSizes {
  readonly count: number;
  readonly dataBytes: number;
  readonly topics: number;
}

const measureMatching = compose<LogSizes, FilterValues & { readonly limit: number }>((composition) => {
  const { from, raw, value } = composition;
  const measured = selectMatching(composition)
    .select(raw(sql`octet_length(data) AS bytes, num_nonnulls(topic0, topic1, topic2, topic3) AS topics`))
    .limit(value("limit"));
  return from(measured.as("l")).select(
    raw(sql`count(*)::int8 AS count, coalesce(sum(bytes), 0)::int8 AS "dataBytes", coalesce(sum(topics), 0)::int8 AS topics`),
  );
});

const selectOfTransactions = sql`SELECT ${logColumns} FROM logs l JOIN blocks b ON b.chain_id = l.chain_id AND b.number = l.block_number
  WHERE l.chain_id = $1 AND ${isAtPositions("l", sql`$2`, sql`$3`)} ORDER BY l.block_number, l.log_index`;

/** Log queries. */
export function createLogQueries({ query, run }: Queryable) {
  /** The number of matching logs, or null above 10,000. Served by the indexes of `logs`. */
  const logCount = async (chainId: number, filter: LogFilter): Promise<number | null> => {
    const rows = await run(countMatching(bindFilter(chainId, filter)));
    const count = rows[0]?.count ?? 0;
    return count > maxCounted ? null : count;
  };

  /** The sizes of at most `limit` matching logs, computed in the database. Served by the indexes of `logs`. */
  const logSizes = async (chainId: number, filter: LogFilter, limit: number): Promise<LogSizes> => {
    const [sizes] = await run(measureMatching({ ...bindFilter(chainId, filter), limit }));
    return sizes ?? { count: 0, dataBytes: 0, topics: 0 };
  };

  /** The logs of transactions, by block and index. Served by the primary key: each block is read once, however many of its transactions are requested. */
  const logsOfTransactions = (chainId: number, positions: readonly TransactionPosition[]) =>
    query<LogRow>(selectOfTransactions, [chainId, ...positionParameters(positions)]);

  return { logs: createLogPages({ run }), logCount, logSizes, logsOfTransactions };
}
