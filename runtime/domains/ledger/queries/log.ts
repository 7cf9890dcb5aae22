import { bytes, bytesArray } from "../../../database/codecs.ts";
import { type Composition, compose } from "../../../database/compose.ts";
import type { Queryable } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Address, Hash, Hex } from "../../../lib/hex.ts";
import { isAtPositions, positionParameters, type TransactionPosition } from "./transaction.ts";

/** A log with fields of its block and transaction. */
export interface LogRow {
  readonly block_number: number;
  readonly block_hash: Hash;
  readonly timestamp: number;
  readonly log_index: number;
  readonly transaction_index: number;
  readonly transaction_hash: Hash;
  readonly address: Address;
  readonly topic0: Hash | null;
  readonly topic1: Hash | null;
  readonly topic2: Hash | null;
  readonly topic3: Hash | null;
  readonly data: Hex;
}

/** Selects the logs of a range of blocks (both ends included) that match all given conditions. */
export interface LogFilter {
  readonly first: number;
  readonly last: number;
  readonly address?: Address | null;
  /** By topic position; null matches any topic. */
  readonly topics?: readonly (Hash | null)[];
  /** Topics that a log must have as its second, third or fourth topic. */
  readonly otherTopics?: readonly Hash[];
}

/** The parameters of a filter, named after their columns. */
interface FilterValues {
  readonly chainId: number;
  readonly first: number;
  readonly last: number;
  readonly address?: Buffer | undefined;
  readonly topic0?: Buffer | undefined;
  readonly topic1?: Buffer | undefined;
  readonly topic2?: Buffer | undefined;
  readonly topic3?: Buffer | undefined;
  readonly otherTopics?: string | undefined;
}

/** The parameters of a page; the first page has no offset. */
interface PageValues extends FilterValues {
  readonly limit: number;
  readonly offset?: number | undefined;
}

const maxCounted = 10_000;

const bind = (chainId: number, { first, last, address, topics = [], otherTopics = [] }: LogFilter): FilterValues => {
  const [topic0, topic1, topic2, topic3] = topics.map((topic) => (topic === null ? undefined : bytes(topic)));
  return {
    chainId,
    first,
    last,
    address: address ? bytes(address) : undefined,
    topic0,
    topic1,
    topic2,
    topic3,
    otherTopics: otherTopics.length === 0 ? undefined : bytesArray(otherTopics),
  };
};

const selectMatching = <Values extends FilterValues>({ from, value, has }: Composition<Values>) => {
  const logs = from("logs")
    .where("chain_id", value("chainId"))
    .whereBetween("block_number", [value("first"), value("last")]);
  for (const column of ["address", "topic0", "topic1", "topic2", "topic3"] as const) if (has(column)) logs.where(column, value(column));
  if (has("otherTopics")) logs.whereRaw("ARRAY[topic1, topic2, topic3] @> ?::bytea[]", [value("otherTopics")]);
  return logs;
};

/** The transaction's hash is read by a probe of the primary key for each row: with a join, the planner may read all transactions of the block for each log. */
const columns = sql`l.block_number, b.hash AS block_hash, b.timestamp, l.log_index, l.transaction_index,
  (SELECT t.hash FROM transactions t
   WHERE t.chain_id = l.chain_id AND t.block_number = l.block_number AND t.transaction_index = l.transaction_index) AS transaction_hash,
  l.address, l.topic0, l.topic1, l.topic2, l.topic3, l.data`;

const selectPage = compose<LogRow, PageValues>((composition) => {
  const { from, raw, value, has } = composition;
  const pageOfLogs = selectMatching(composition).orderBy("block_number", "desc").orderBy("log_index", "desc").limit(value("limit"));
  const page = has("offset")
    ? from(pageOfLogs.select("chain_id", "block_number", "log_index").offset(value("offset")).as("page")).joinRaw(
        "JOIN logs l USING (chain_id, block_number, log_index)",
      )
    : from(pageOfLogs.select("*").as("l"));
  return page
    .joinRaw("JOIN blocks b ON b.chain_id = l.chain_id AND b.number = l.block_number")
    .select(raw(columns))
    .orderBy("l.block_number", "desc")
    .orderBy("l.log_index", "desc");
});

const countMatching = compose<{ count: number }, FilterValues>((composition) => {
  const { from, raw } = composition;
  const counted = selectMatching(composition)
    .select(raw(sql`1`))
    .limit(maxCounted + 1);
  return from(counted.as("l")).count("* as count");
});

/** What determines the size of logs in a response. */
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

const selectOfTransactions = sql`SELECT ${columns} FROM logs l JOIN blocks b ON b.chain_id = l.chain_id AND b.number = l.block_number
  WHERE l.chain_id = $1 AND ${isAtPositions("l", sql`$2`, sql`$3`)} ORDER BY l.block_number, l.log_index`;

/** Log queries. */
export function createLogQueries({ query, run }: Queryable) {
  /**
   * Matching logs, newest first. Served by logs_address, logs_topic0 or the primary key, depending on the filter, or by logs_topics if one of the later topics
   * is rare. The page is limited before it is joined. A later page skips rows by their keys, which these indexes contain, without reading the table.
   */
  const logs = (chainId: number, filter: LogFilter, limit: number, offset: number) =>
    run(selectPage({ ...bind(chainId, filter), limit, offset: offset === 0 ? undefined : offset }));

  /** The number of matching logs, or null above 10,000. Served by the same indexes. */
  const logCount = async (chainId: number, filter: LogFilter): Promise<number | null> => {
    const rows = await run(countMatching(bind(chainId, filter)));
    const count = rows[0]?.count ?? 0;
    return count > maxCounted ? null : count;
  };

  /** The sizes of matching logs, up to a number of them, without reading them. Served by the same indexes. */
  const logSizes = async (chainId: number, filter: LogFilter, limit: number): Promise<LogSizes> => {
    const [sizes] = await run(measureMatching({ ...bind(chainId, filter), limit }));
    return sizes ?? { count: 0, dataBytes: 0, topics: 0 };
  };

  /**
   * The logs of transactions, by block and index. Served by the primary key: each block is read once, regardless of the number of its transactions.
   */
  const logsOfTransactions = (chainId: number, positions: readonly TransactionPosition[]) =>
    query<LogRow>(selectOfTransactions, [chainId, ...positionParameters(positions)]);

  return { logs, logCount, logSizes, logsOfTransactions };
}
