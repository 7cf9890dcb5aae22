import { describe, expect, it } from "vitest";
import { checkQuery } from "../../../runtime/declarations/sql/check-query.ts";
import { extractMarks } from "./extract-marks.ts";
import { queryWith, scope } from "./query-cases.ts";

/** A hostile query: what it attempts, the codes of its diagnostics, and its text with a mark at each expected position. */
type Attack = readonly [attempt: string, codes: string, sql: string];

const attacks: readonly Attack[] = [
  // Statements
  ["inserting", "sql-statement", "§INSERT INTO deposits SELECT * FROM deposits"],
  ["updating", "sql-statement", "-- harmless\n§UPDATE deposits SET assets = 0"],
  ["deleting", "sql-statement", "§DELETE FROM deposits"],
  ["merging", "sql-statement", "§MERGE INTO deposits d USING deposits s ON true WHEN MATCHED THEN DELETE"],
  ["dropping a table", "sql-statement", "§DROP TABLE deposits"],
  ["copying to a program", "sql-statement", "§COPY deposits TO PROGRAM 'curl example.com'"],
  ["becoming another role", "sql-statement", "§SET ROLE postgres"],
  ["resetting the transaction", "sql-statement", "§ROLLBACK"],
  ["running a code block", "sql-statement", "§DO $$ BEGIN PERFORM pg_sleep(1); END $$"],
  ["explaining with execution", "sql-statement", "§EXPLAIN ANALYZE SELECT 1"],
  ["listening", "sql-statement", "§LISTEN channel"],
  ["locking a table", "sql-statement", "§LOCK TABLE deposits"],
  ["a second statement", "sql-statement", `${queryWith()};\n  §DELETE FROM deposits`],
  ["a second statement after a comment", "sql-statement", `${queryWith()}; /* ; */ §SELECT 1`],
  ["a statement that a comment hides", "sql-statement", "/* SELECT 1 */ §TRUNCATE deposits -- SELECT 1"],
  ["a prepared statement", "sql-statement", "§PREPARE p AS SELECT 1"],

  // Writing and locking in a SELECT
  ["a modifying common table expression", "refused-syntax", queryWith({ before: "WITH gone AS (DELETE FROM §deposits RETURNING *)\n" })],
  [
    "an inserting common table expression",
    "refused-syntax",
    queryWith({ before: "WITH w AS (INSERT INTO §deposits DEFAULT VALUES RETURNING 1)\n" }),
  ],
  ["creating a table", "refused-syntax", queryWith({ amount: "assets" }).replace("\nFROM", " INTO §copied\nFROM")],
  ["locking rows", "refused-syntax", queryWith({ after: "\n§FOR UPDATE" })],
  ["locking rows of one table", "refused-syntax", queryWith({ after: " FOR SHARE OF §deposits NOWAIT" })],

  // Relations
  ["the catalog of roles", "refused-relation", queryWith({ and: "EXISTS (SELECT FROM §pg_authid)" })],
  ["the qualified catalog", "refused-relation", queryWith({ and: "EXISTS (SELECT FROM §pg_catalog.pg_class)" })],
  ["the information schema", "refused-relation", queryWith({ from: "deposits, §information_schema.tables" })],
  ["tables in the schema public", "refused-relation", queryWith({ from: "§public.api_keys" })],
  ["another database", "refused-relation", queryWith({ from: "§other.public.deposits" })],
  ["another protocol's tables", "refused-relation", queryWith({ from: "§cq_protocol_01.deposits" })],
  ["settings", "refused-relation", queryWith({ from: "deposits CROSS JOIN §pg_settings" })],
  ["undocumented views in the schema", "refused-relation", queryWith({ from: "§api.community_reader" })],
  ["a table with the schema in its name", "refused-relation", queryWith({ from: '§"api.blocks"' })],
  ["a function with the schema in its name", "refused-function", queryWith({ and: '§"api.balances_at"() = 1' })],
  ["a quoted catalog", "refused-relation", queryWith({ from: '§"pg_catalog"."pg_shadow"' })],
  ["a catalog by a Unicode escape", "refused-relation", queryWith({ from: '§U&"pg\\005fauthid"' })],
  [
    "a catalog behind its own common table expression",
    "refused-relation",
    queryWith({ before: "WITH pg_authid AS (SELECT * FROM §pg_authid)\n" }),
  ],
  [
    "a catalog outside a common table expression with its name",
    "refused-relation",
    queryWith({ and: "EXISTS (SELECT FROM (WITH pg_user AS (SELECT 1) SELECT FROM pg_user) inside, §pg_user)" }),
  ],

  // Functions
  ["sleeping", "refused-function", queryWith({ and: "§pg_sleep(60) IS NULL" })],
  ["sleeping by the qualified name", "refused-function", queryWith({ amount: "§pg_catalog.pg_sleep(60)" })],
  ["sleeping in FROM", "refused-function", queryWith({ from: "deposits, §pg_sleep(60)" })],
  ["sleeping in the order", "refused-function", queryWith().replace("ORDER BY owner", "ORDER BY §pg_sleep(60)")],
  ["sleeping in the limit", "refused-function", queryWith({ from: "(SELECT * FROM deposits LIMIT (SELECT 1 FROM §pg_sleep(60))) d" })],
  ["sleeping in a window", "refused-function", queryWith({ amount: "sum(assets) OVER (PARTITION BY §pg_sleep(60))" })],
  ["sleeping in a filter", "refused-function", queryWith({ amount: "sum(assets) FILTER (WHERE §pg_sleep(60) IS NULL)" })],
  ["setting a setting", "refused-function", queryWith({ and: "§set_config('role', 'postgres', false) <> ''" })],
  ["reading a setting", "refused-function", queryWith({ and: "§current_setting('data_directory') <> ''" })],
  ["running text as a query", "refused-function", queryWith({ and: "§query_to_xml('SELECT 1', true, true, '') IS NULL" })],
  ["taking an advisory lock", "refused-function", queryWith({ and: "§pg_advisory_lock(1) IS NULL" })],
  ["notifying", "refused-function", queryWith({ and: "§pg_notify('channel', 'text') IS NULL" })],
  ["importing a large object", "refused-function", queryWith({ and: "§lo_import('/etc/passwd') = 1" })],
  ["creating a large object", "refused-function", queryWith({ and: "§lo_from_bytea(0, 'x') = 1" })],
  ["reading a file", "refused-function", queryWith({ and: "§pg_read_file('/etc/passwd') = ''" })],
  [
    "connecting elsewhere",
    "refused-function",
    queryWith({ from: "deposits, §dblink('host=example.com', 'SELECT 1') AS d (x int)" }).replace(" AS d (x int)", ""),
  ],
  ["ending other sessions", "refused-function", queryWith({ and: "§pg_terminate_backend(1)" })],
  ["advancing a sequence", "refused-function", queryWith({ and: "§nextval('s') = 1" })],
  ["many rows", "refused-function", queryWith({ from: "deposits, §generate_series(1, 1000000000)" })],
  ["a long text", "refused-function", queryWith({ and: "§repeat('x', 1000000000) = ''" })],
  ["a long padded text", "refused-function", queryWith({ and: "§lpad('', 1000000000) = ''" })],
  ["a long formatted text", "refused-function", queryWith({ and: "§format('%1000000000s', 1) = ''" })],
  ["a long replaced text", "refused-function", queryWith({ and: "§replace('aa', 'a', 'aaaa') = ''" })],
  ["an expensive regular expression", "refused-function", queryWith({ and: "§regexp_count('aaaaaaaa', '(a*)*b') = 1" })],
  ["a function in another schema", "refused-function", queryWith({ and: "§public.api_keys() = 1" })],
  ["the time", "refused-function", queryWith({ and: "§now() IS NULL" })],

  // Operators, types and syntax
  ["a regular expression", "refused-operator", queryWith({ and: "'aaaa' §~ '(a*)*b'" })],
  ["SIMILAR TO", "refused-operator refused-function", queryWith({ and: "'aaaa' §SIMILAR TO '(a*)*b'" })],
  ["an operator in a schema", "refused-operator", queryWith({ and: "1 §OPERATOR(public.=) 1" })],
  ["an operator behind ANY", "refused-operator", queryWith({ and: "'x' §~ ANY (SELECT '(a*)*b')" })],
  ["looking up a function by a type", "refused-type", queryWith({ and: "'pg_sleep'::§regproc IS NULL" })],
  ["looking up a table by a type", "refused-type", queryWith({ and: "CAST('pg_authid' AS §regclass) IS NULL" })],
  ["a padded type", "refused-type", queryWith({ and: "'x'::§char(10000000) = ''" })],
  ["a function as a field", "refused-syntax", queryWith({ amount: "(§assets).pg_sleep" })],
  [
    "a recursive bomb",
    "refused-syntax refused-relation",
    queryWith({ before: "§WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM §r)\n" }),
  ],
  ["the name of the session's user", "refused-syntax", queryWith({ and: "§current_user = ''" })],
  ["a table sample", "refused-syntax", queryWith({ from: "deposits TABLESAMPLE §SYSTEM (1)" })],
  ["all groupings", "refused-syntax", queryWith({ and: "EXISTS (SELECT 1 FROM deposits GROUP BY §CUBE (owner, assets))" })],
  ["XML", "refused-syntax", queryWith({ and: "§xmlelement(name x) IS NULL" })],
  ["a JSON table", "refused-syntax", queryWith({ from: "deposits, §JSON_TABLE('[]', '$[*]' COLUMNS (x int PATH '$'))" })],
  ["an array slice", "refused-syntax", queryWith({ and: "(ARRAY[1, 2])[§1:2] IS NULL" })],

  // Parameters
  ["a parameter by number", "unknown-parameter", queryWith({ and: "owner = §$1" })],
  ["an unknown parameter", "unknown-parameter", queryWith({ and: "owner = §:user" })],
  ["another operation's parameter", "unknown-parameter", queryWith({ and: "owner = §:pool" })],
];

describe("the SQL check", () => {
  it.each(attacks)("refuses %s", (_, codes, marked) => {
    const { text, locations } = extractMarks("spec/community/x/balances.sql", marked);
    const { query, diagnostics } = checkQuery("spec/community/x/balances.sql", text, scope);
    expect(query).toBeNull();
    expect(diagnostics.map(({ code }) => code)).toEqual(codes.split(" ").length === 1 ? locations.map(() => codes) : codes.split(" "));
    expect(new Set(diagnostics.map(({ file, line, column }) => `${file}:${line}:${column}`))).toEqual(
      new Set(locations.map(({ file, line, column }) => `${file}:${line}:${column}`)),
    );
  });
});
