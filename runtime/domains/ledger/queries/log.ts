import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address, Hash, Hex } from "../../../lib/hex.ts";
import { atPlaces, type TransactionPlace } from "./transaction.ts";

/** A log with what its block and transaction add. */
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

/** Which logs: those of a range of blocks (both ends included) that match everything given. */
export interface LogFilter {
  readonly first: number;
  readonly last: number;
  readonly address?: Address | null;
  /** By position; null matches any. */
  readonly topics?: readonly (Hash | null)[];
  /** Each must be among the second to fourth topics. */
  readonly otherTopics?: readonly Hash[];
}

/** The transaction's hash is a probe of its primary key a row: as a join, the planner may read all transactions of the block for each log. */
const columns = `l.block_number, b.hash AS block_hash, b.timestamp, l.log_index, l.transaction_index,
  (SELECT t.hash FROM transactions t
   WHERE t.chain_id = l.chain_id AND t.block_number = l.block_number AND t.transaction_index = l.transaction_index) AS transaction_hash,
  l.address, l.topic0, l.topic1, l.topic2, l.topic3, l.data`;
const fromBlocks = "JOIN blocks b ON b.chain_id = l.chain_id AND b.number = l.block_number";
const newestFirst = "block_number DESC, log_index DESC";
const countedAtMost = 10_000;

/** The condition of a filter and its parameters. */
function condition(chainId: number, filter: LogFilter): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [chainId, filter.first, filter.last];
  const clauses = ["chain_id = $1", "block_number BETWEEN $2 AND $3"];
  const bind = (value: Hex): string => `$${parameters.push(bytes(value))}`;
  if (filter.address) clauses.push(`address = ${bind(filter.address)}`);
  for (const [position, topic] of (filter.topics ?? []).entries()) if (topic !== null) clauses.push(`topic${position} = ${bind(topic)}`);
  const others = filter.otherTopics ?? [];
  if (others.length > 0)
    clauses.push(`ARRAY[topic1, topic2, topic3] @> ARRAY[${others.map((topic) => `${bind(topic)}::bytea`).join(", ")}]`);
  return { where: clauses.join(" AND "), parameters };
}

/** Questions about logs. */
export function createLogQueries({ query }: Pick<Database, "query">) {
  /**
   * Matching logs, newest first. Served by logs_address, logs_topic0 or the primary key, whichever the filter allows, or by logs_topics where one of the
   * later topics is rare; the page is cut before it is joined, and what lies before a later page is passed over by keys, which these indexes hold, without a look at the table.
   */
  const logs = (chainId: number, filter: LogFilter, limit: number, offset: number) => {
    const { where, parameters } = condition(chainId, filter);
    const cut = (what: string): string =>
      `SELECT ${what} FROM logs WHERE ${where} ORDER BY ${newestFirst} LIMIT $${parameters.length + 1} OFFSET $${parameters.length + 2}`;
    const page =
      offset === 0
        ? `(${cut("*")}) l`
        : `(${cut("chain_id, block_number, log_index")}) page JOIN logs l USING (chain_id, block_number, log_index)`;
    return query<LogRow>(`SELECT ${columns} FROM ${page} ${fromBlocks} ORDER BY l.block_number DESC, l.log_index DESC`, [
      ...parameters,
      limit,
      offset,
    ]);
  };

  /** How many logs match, or null where there are more than 10,000. */
  const logCount = async (chainId: number, filter: LogFilter): Promise<number | null> => {
    const { where, parameters } = condition(chainId, filter);
    const rows = await query<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT FROM logs WHERE ${where} LIMIT ${countedAtMost + 1}) l`,
      parameters,
    );
    const count = rows[0]?.count ?? 0;
    return count > countedAtMost ? null : count;
  };

  /** The logs of given transactions, by block and index. Served by the primary key: each block is read once, however many of its transactions are given. */
  const logsOfTransactions = (chainId: number, places: readonly TransactionPlace[]) => {
    const { where, parameters } = atPlaces("l", 2, places);
    return query<LogRow>(
      `SELECT ${columns} FROM logs l ${fromBlocks} WHERE l.chain_id = $1 AND ${where} ORDER BY l.block_number, l.log_index`,
      [chainId, ...parameters],
    );
  };

  return { logs, logCount, logsOfTransactions };
}
