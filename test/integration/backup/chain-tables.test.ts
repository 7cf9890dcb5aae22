import { expect, onTestFinished, test } from "vitest";
import { tablesOfChains } from "../../../runtime/backup/chain-tables.ts";
import { readTables } from "../../../runtime/backup/table-schema.ts";
import { indexSavings } from "../commands/indexed-savings.ts";

test("every table with chain data can be in a snapshot: its keys do not collide with those of other chains or databases", async () => {
  // With the tables of a declared protocol.
  const index = await indexSavings();
  onTestFinished(index.end);
  const { database } = index.testDatabase;
  const tables = await readTables(database);
  const chainTables = tablesOfChains(tables).map(({ name }) => name);
  const keys = await database.query<{ name: string; key: string; first: string }>(
    `SELECT t.relname::text AS name, i.relname::text AS key, (SELECT attname::text FROM pg_attribute WHERE attrelid = t.oid AND attnum = x.indkey[0]) AS first
     FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indisunique AND t.relname = ANY ($1)`,
    [chainTables],
  );
  expect(keys.filter(({ first }) => first !== "chain_id").map(({ key }) => key)).toEqual(["chains_name_key"]);
  expect(keys.length).toBeGreaterThanOrEqual(chainTables.length);
  // Add only tables that have no chain data or that a snapshot must not contain.
  expect(tables.map(({ name }) => name).filter((name) => !chainTables.includes(name))).toEqual([
    "api_keys",
    "chain_restores",
    "community_protocols",
    "console_address",
    "console_sessions",
    "console_sign_ins",
    "content_versions",
    "credit_leases",
    "credit_usage",
    "indexer_heartbeats",
    "key_requests",
    "operator_actions",
    "page_anchors",
    "token_requests",
  ]);
});
