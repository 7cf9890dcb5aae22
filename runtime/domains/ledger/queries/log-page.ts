import { bytes } from "../../../database/codecs.ts";
import { jsonArrayOf } from "../../../database/columns.ts";
import { type Composition, compose } from "../../../database/compose.ts";
import type { Queryable } from "../../../database/database.ts";
import { createPageReader, type LocatedKeys, type PageStart } from "../../../database/page-reader.ts";
import { sql } from "../../../database/sql.ts";
import type { Hash } from "../../../lib/hex.ts";
import { bindFilter, type FilterValues, type LogFilter, selectMatching } from "./log-filter.ts";
import { type LogRow, logColumns } from "./log-row.ts";

/** Identifies a log on its chain. */
interface LogKey {
  readonly block: number;
  readonly index: number;
}

/** The key from which logs are read, newest first, if there is one: `last` is then its block, and `lastOfList` the list's last block. */
interface KeyValues extends FilterValues {
  readonly lastOfList?: number | undefined;
  readonly fromIndex?: number | undefined;
}

/** The parameters of a page; the first page has no offset. If the page starts at a key, the list's last block must have the hash `branch`. */
interface PageValues extends KeyValues {
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly branch?: Buffer | undefined;
}

/** The parameters that select the keys of every `spacing`-th log among `limit` logs. */
interface LocatedValues extends KeyValues {
  readonly limit: number;
  readonly spacing: number;
}

/** The last block of the list. */
const lastBlock = <Values extends KeyValues>({ from, value }: Composition<Values>) =>
  from("blocks").where("chain_id", value("chainId")).where("number", value("lastOfList"));

/** The matching logs, newest first, starting at the key if there is one. The block range ends with the key's block, where the scan starts. */
const selectFromKey = <Values extends KeyValues & { readonly limit: number }>(composition: Composition<Values>) => {
  const { value, has } = composition;
  const logs = selectMatching(composition).orderBy("block_number", "desc").orderBy("log_index", "desc").limit(value("limit"));
  return has("fromIndex") ? logs.whereRaw("(block_number, log_index) <= (?, ?)", [value("last"), value("fromIndex")]) : logs;
};

const selectPage = compose<LogRow, PageValues>((composition) => {
  const { from, raw, value, has } = composition;
  const pageOfLogs = selectFromKey(composition);
  if (has("branch"))
    pageOfLogs.whereExists(
      lastBlock(composition)
        .whereRaw("hash = ?", [value("branch")])
        .select(raw(sql`1`)),
    );
  const page = has("offset")
    ? from(pageOfLogs.select("chain_id", "block_number", "log_index").offset(value("offset")).as("page")).joinRaw(
        "JOIN logs l USING (chain_id, block_number, log_index)",
      )
    : from(pageOfLogs.select("*").as("l"));
  return page
    .joinRaw("JOIN blocks b ON b.chain_id = l.chain_id AND b.number = l.block_number")
    .select(raw(logColumns))
    .orderBy("l.block_number", "desc")
    .orderBy("l.log_index", "desc");
});

const selectLocated = compose<{ branch: Hash | null; blocks: number[]; indexes: number[] }, LocatedValues>((composition) => {
  const { from, raw, value } = composition;
  const logs = selectFromKey(composition).select("block_number", "log_index").as("logs");
  const numbered = from(logs).select("*", raw(sql`row_number() OVER (ORDER BY block_number DESC, log_index DESC) - 1 AS number`));
  return from(numbered.as("numbered"))
    .whereRaw("number % ? = 0", [value("spacing")])
    .select(
      lastBlock(composition).select("hash").as("branch"),
      raw(sql`${jsonArrayOf("block_number")} AS blocks, ${jsonArrayOf("log_index")} AS indexes`),
    );
});

/** Creates the query for pages of logs. */
export function createLogPages({ run }: Pick<Queryable, "run">) {
  const pageAt = createPageReader<LogKey>();

  const readPage = (chainId: number, filter: LogFilter, limit: number, start: PageStart<LogKey> | null, offset: number) =>
    run(
      selectPage({
        ...bindFilter(chainId, start === null ? filter : { ...filter, last: start.key.block }),
        lastOfList: start === null ? undefined : filter.last,
        fromIndex: start?.key.index,
        branch: start === null ? undefined : bytes(start.branch),
        limit,
        offset: offset === 0 ? undefined : offset,
      }),
    );

  const locate = async (
    chainId: number,
    filter: LogFilter,
    from: LogKey | null,
    spacing: number,
    count: number,
  ): Promise<LocatedKeys<LogKey>> => {
    const values = bindFilter(chainId, from === null ? filter : { ...filter, last: from.block });
    const limit = (count - 1) * spacing + 1;
    const [row] = await run(selectLocated({ ...values, lastOfList: filter.last, fromIndex: from?.index, spacing, limit }));
    return {
      branch: row?.branch ?? null,
      keys: (row?.blocks ?? []).map((block, position) => ({ block, index: row?.indexes[position] ?? 0 })),
    };
  };

  /**
   * Matching logs, newest first. Served by logs_address, logs_topic0 or the primary key, depending on the filter, or by logs_topics if one of the
   * later topics is rare. The page is limited before it is joined. Rows before a page are skipped by their keys, which the first three indexes
   * contain, without reading the table; all but the last thousand are skipped once for all pages (`createPageReader`). The scan of logs_topics
   * cannot start at a key.
   */
  return (chainId: number, filter: LogFilter, limit: number, offset: number): Promise<readonly LogRow[]> => {
    if (filter.otherTopics?.length) return readPage(chainId, filter, limit, null, offset);
    const list = {
      id: JSON.stringify([chainId, filter]),
      locate: (from: LogKey | null, spacing: number, count: number) => locate(chainId, filter, from, spacing, count),
      read: (start: PageStart<LogKey> | null, rest: number) => readPage(chainId, filter, limit, start, rest),
    };
    return pageAt(list, offset);
  };
}
