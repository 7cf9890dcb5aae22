import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import type { LogRow } from "./log-row.ts";
import { joinTransactionAtPosition, type TransactionPosition, type TransactionRow, transactionColumns } from "./transaction.ts";
import { addressSpanSql, parseSpan, type SpanColumn, type TransactionSpan } from "./transaction-span.ts";

/** A transaction with its logs, by index. */
export interface TransactionWithLogs {
  readonly transaction: TransactionRow;
  readonly logs: readonly LogRow[];
}

/** A page of a transaction list, and the list's length; null if there is no such list. */
export interface TransactionPage {
  readonly total: number | null;
  readonly items: readonly TransactionWithLogs[];
}

/** A row of the statements below: a log if it has a log index, otherwise a transaction if it has a hash, otherwise the number of transactions. */
interface UnionRow {
  /** The position of a transaction in the list, or the number of transactions. */
  readonly position: number | null;
  readonly hash: Hash | null;
  readonly log_index: number | null;
  /** Set in the row that describes the list, if the list is a span. */
  readonly span?: SpanColumn | null;
}

const noLog = sql`NULL::int4 AS log_index, NULL::bytea AS address, NULL::bytea AS topic0, NULL::bytea AS topic1, NULL::bytea AS topic2,
  NULL::bytea AS topic3, NULL::bytea AS data`;
const noTransaction = sql`NULL::int8 AS block_number, NULL::bytea AS block_hash, NULL::int8 AS timestamp, NULL::bytea AS miner,
  NULL::int4 AS transaction_index, NULL::bytea AS hash, NULL::bytea AS from_address, NULL::bytea AS to_address, NULL::numeric AS value,
  NULL::int8 AS gas_limit, NULL::int8 AS gas_used, NULL::numeric AS gas_price, NULL::boolean AS successful, NULL::numeric AS l1_fee,
  NULL::numeric AS blob_fee`;

/**
 * The logs of the page's transactions. The first condition restricts the scan of the primary key to their blocks, each of which is read once. `IS TRUE` makes
 * the second one a look-up in a hash table: as a join, it may compare all logs of a block with all transactions in it.
 */
const logsOfPage = (spanColumn: Sql): Sql =>
  sql`SELECT NULL, l.block_number, NULL, NULL, NULL, l.transaction_index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    l.log_index, l.address, l.topic0, l.topic1, l.topic2, l.topic3, l.data ${spanColumn}
  FROM logs l WHERE l.chain_id = $1 AND l.block_number = ANY (ARRAY(SELECT DISTINCT block_number FROM page))
    AND ((l.block_number, l.transaction_index) IN (SELECT block_number, transaction_index FROM page)) IS TRUE`;

/** The SQL of a list page: CTEs, the list's transaction count, a SELECT of positions and `transactionColumns`, and the list's span if it is one. */
interface PageSql {
  readonly tables: Sql;
  readonly total: Sql;
  readonly page: Sql;
  readonly span?: Sql;
}

/** A page's statements, with and without logs: transaction rows and log rows are different parts of one result. */
const statementsOf = ({ tables, total, page, span }: PageSql): { readonly withLogs: Sql; readonly withoutLogs: Sql } => {
  const [listSpan, itemSpan] = span === undefined ? [sql``, sql``] : [sql`, ${span}::int8[] AS span`, sql`, NULL`];
  const transactions = sql`WITH ${tables} page AS MATERIALIZED (${page})
    SELECT ${total}::int8 AS position, ${noTransaction}, ${noLog} ${listSpan} UNION ALL SELECT page.*, ${noLog} ${itemSpan} FROM page`;
  return { withLogs: plannedOnce(sql`${transactions} UNION ALL ${logsOfPage(itemSpan)}`), withoutLogs: plannedOnce(transactions) };
};

const selectByHash = statementsOf({
  tables: sql``,
  total: sql`NULL`,
  page: sql`SELECT 0::int8 AS position, ${transactionColumns} FROM transactions t JOIN blocks b ON b.chain_id = $1 AND b.number = t.block_number
    WHERE t.chain_id = $1 AND t.hash = $2`,
});

const selectOfBlock = statementsOf({
  tables: sql``,
  total: sql`(SELECT transaction_count FROM blocks WHERE chain_id = $1 AND number = $2)`,
  page: sql`SELECT t.transaction_index::int8 AS position, ${transactionColumns}
    FROM transactions t JOIN blocks b ON b.chain_id = $1 AND b.number = t.block_number
    WHERE t.chain_id = $1 AND t.block_number = $2 AND t.transaction_index BETWEEN $3::int8 AND $4::int8`,
});

// Ordinals have no gaps, which the planner does not know: without the limit it reads all blocks for a range that it estimates to be long.
const selectPageOfAddress = statementsOf({
  tables: sql`list AS MATERIALIZED (SELECT coalesce((SELECT ordinal + 1 FROM address_transactions
      WHERE chain_id = $1 AND address = $2 AND block_number <= $3 ORDER BY block_number DESC, ordinal DESC LIMIT 1), 0) AS total),
    bounds AS MATERIALIZED (SELECT total, coalesce($4::int8, greatest(0, (total + $5::int8 - 1) / $5::int8 - 1)) * $5::int8 AS first FROM list),`,
  total: sql`(SELECT total FROM list)`,
  page: sql`SELECT p.ordinal AS position, ${transactionColumns} FROM (
      SELECT * FROM address_transactions WHERE chain_id = $1 AND address = $2
        AND ordinal BETWEEN (SELECT first FROM bounds) AND (SELECT least(first + $5::int8, total) - 1 FROM bounds) ORDER BY ordinal LIMIT $5::int8
    ) p ${joinTransactionAtPosition}`,
});

const selectSpanOfAddress = statementsOf(addressSpanSql);

/** The columns of a log without the fields of its block and transaction. */
type LogColumns = Pick<
  LogRow,
  "block_number" | "transaction_index" | "log_index" | "address" | "topic0" | "topic1" | "topic2" | "topic3" | "data"
>;

const isLog = (row: UnionRow): row is UnionRow & LogColumns => row.log_index !== null;
const isTransaction = (row: UnionRow): row is UnionRow & TransactionRow & { readonly position: number } =>
  row.log_index === null && row.hash !== null;

/** Assembles a page from result rows: transactions ordered by position, logs by index. */
function pageIn(rows: readonly UnionRow[]): TransactionPage {
  let total: number | null = null;
  const found: { readonly position: number; readonly transaction: TransactionRow; readonly logs: LogRow[] }[] = [];
  const byKey = new Map<string, (typeof found)[number]>();
  for (const row of rows) {
    if (isTransaction(row)) {
      const item = { position: row.position, transaction: row, logs: [] };
      found.push(item);
      byKey.set(keyOf(row), item);
    } else if (!isLog(row)) total = row.position;
  }
  for (const row of rows) {
    const item = isLog(row) ? byKey.get(keyOf(row)) : undefined;
    if (isLog(row) && item !== undefined) item.logs.push(logOf(row, item.transaction));
  }
  for (const { logs } of found) logs.sort((left, right) => left.log_index - right.log_index);
  return { total, items: found.sort((left, right) => left.position - right.position) };
}

const keyOf = ({ block_number, transaction_index }: TransactionPosition): string => `${block_number}:${transaction_index}`;

const logOf = (row: LogColumns, { block_hash, timestamp, hash }: TransactionRow): LogRow => ({
  block_number: row.block_number,
  block_hash,
  timestamp,
  log_index: row.log_index,
  transaction_index: row.transaction_index,
  transaction_hash: hash,
  address: row.address,
  topic0: row.topic0,
  topic1: row.topic1,
  topic2: row.topic2,
  topic3: row.topic3,
  data: row.data,
});

/** Queries for transactions with their logs, each of which runs one statement. Served by the primary keys; each block's logs are read once. */
export const createTransactionWithLogsQueries = ({ query }: Pick<Database, "query">) => {
  const pageOf = async (
    { withLogs, withoutLogs }: ReturnType<typeof statementsOf>,
    noLogs: boolean,
    parameters: readonly unknown[],
  ): Promise<TransactionPage> => pageIn(await query<UnionRow>(noLogs ? withoutLogs : withLogs, parameters));
  return {
    /** The transaction with the given hash, or null. Also served by transactions_hash. */
    transactionWithLogsByHash: async (chainId: number, hash: Hash, noLogs: boolean): Promise<TransactionWithLogs | null> =>
      (await pageOf(selectByHash, noLogs, [chainId, bytes(hash)])).items[0] ?? null,

    /** A block's transactions by index, both ends included; the total is null if the block is not indexed. */
    transactionsWithLogsOfBlock: (chainId: number, block: number, first: number, last: number, noLogs: boolean): Promise<TransactionPage> =>
      pageOf(selectOfBlock, noLogs, [chainId, block, first, last]),

    /** A page of an address's transactions up to a block, oldest first; the last page if `page` is null. Also served by address_transactions_block. */
    transactionsWithLogsOfAddress: (
      chainId: number,
      address: Address,
      block: number,
      page: { readonly number: number | null; readonly size: number },
      noLogs: boolean,
    ): Promise<TransactionPage> => pageOf(selectPageOfAddress, noLogs, [chainId, bytes(address), block, page.number, page.size]),

    /**
     * An address's transactions in a span of `seconds` up to a block, oldest first; no items if there are more than `maxItems`. If `number` is null, the span
     * is the one with the first transaction, or `fallback` if there is none. Also served by blocks_timestamp and address_transactions_block.
     */
    transactionsWithLogsOfSpan: async (
      chainId: number,
      address: Address,
      { number, fallback, seconds }: { readonly number: number | null; readonly fallback: number; readonly seconds: number },
      block: number,
      { maxItems, noLogs }: { readonly maxItems: number; readonly noLogs: boolean },
    ): Promise<{ readonly span: TransactionSpan; readonly items: readonly TransactionWithLogs[] }> => {
      const { withLogs, withoutLogs } = selectSpanOfAddress;
      const parameters = [chainId, bytes(address), number, fallback, block, seconds, maxItems];
      const rows = await query<UnionRow>(noLogs ? withoutLogs : withLogs, parameters);
      const column = rows.find(({ span }) => span !== undefined && span !== null)?.span;
      if (column === undefined || column === null) throw new Error("The statement returned no row with the span.");
      return { span: parseSpan(column), items: pageIn(rows).items };
    },
  };
};
