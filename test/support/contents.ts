import type { Queryable } from "../../runtime/database/database.ts";

/**
 * Tables that do not follow from the blocks alone: API keys, their usage and leases, page anchors, heartbeats, content versions, migrations, actions and
 * sessions of operators, results of reconciliation, allowance reads, the reader role with its random password, the schedule of other reads, metadata and its
 * reads, and rolled-up hours.
 */
const notFromBlocks =
  /^(ashlar_migrations|api_keys$|credit_usage$|page_anchors$|credit_leases$|indexer_heartbeats$|operator_actions$|console_\w+$|key_requests$|content_versions$|token_checks$|token_requests$|node_sourced_tokens$|allowance_reads$|community_reader$|community_read_schedule$|exchange_hour|nft_(?:reads|read_progress|refreshes|metadata|documents|attributes|traits|trait_values)$)/;

/** Columns with values that are read from the node or written at times independent of the blocks. */
const timeDependentColumns: Readonly<Record<string, readonly string[]>> = {
  chains: [
    "backfilled_at",
    "latest_block",
    "latest_timestamp",
    "finalized_block",
    "seen_at",
    "missing",
    "offers",
    "batch_size",
    "traces_by",
    "paused_at",
    "removal_started_at",
  ],
  token_metadata: ["read_at_block"],
  node_reads: ["attempts", "run_after"],
};

interface TableColumns {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Tables and columns whose contents follow from the blocks alone. Querying the information schema would take longer than reading most tables. */
const tablesFromBlocks = async (database: Queryable): Promise<TableColumns[]> => {
  const tables = await database.query<{ name: string; columns: string[] }>(
    `SELECT c.relname::text AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') GROUP BY c.relname ORDER BY c.relname`,
  );
  return tables
    .filter(({ name }) => !notFromBlocks.test(name))
    .map(({ name, columns }) => ({ name, columns: columns.filter((column) => timeDependentColumns[name]?.includes(column) !== true) }));
};

/** All rows that follow from the blocks alone, as text in a fixed order, by table. */
export const dump = async (database: Queryable): Promise<Record<string, string[]>> => {
  const tables: Record<string, string[]> = {};
  for (const { name, columns } of await tablesFromBlocks(database)) {
    const rows = await database.query<{ line: string }>(
      `SELECT ROW(${columns.join(", ")})::text COLLATE "C" AS line FROM ${name} ORDER BY 1`,
    );
    tables[name] = rows.map(({ line }) => line);
  }
  return tables;
};

/** The number of rows that follow from the blocks alone and a hash of their contents, by table. */
export const hashContents = async (database: Queryable): Promise<Record<string, string>> => {
  const hashes = (await tablesFromBlocks(database)).map(
    ({ name, columns }) =>
      `SELECT '${name}' AS name, count(*) AS rows, md5(string_agg(line, E'\\n' ORDER BY line)) AS hash
       FROM (SELECT ROW(${columns.join(", ")})::text COLLATE "C" AS line FROM ${name}) t`,
  );
  const rows = await database.query<{ name: string; rows: number; hash: string | null }>(hashes.join(" UNION ALL "));
  return Object.fromEntries(rows.map(({ name, rows: count, hash }) => [name, `${count} rows, ${hash ?? "none"}`]));
};
