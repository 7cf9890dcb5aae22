import { describe, expect, it } from "vitest";
import { renderDiagnostic } from "../../../runtime/declarations/diagnostics.ts";
import { checkQuery, type QueryScope } from "../../../runtime/declarations/sql/check-query.ts";
import { extractMarks } from "./extract-marks.ts";
import { queryWith, scope } from "./query-cases.ts";

const file = "spec/community/x/balances.sql";

const findings = (marked: string, queryScope: QueryScope = scope) => {
  const { text, locations } = extractMarks(file, marked);
  const { diagnostics } = checkQuery(file, text, queryScope);
  return {
    codes: diagnostics.map(({ code }) => code),
    at: diagnostics.map(({ file: path, line, column }) => ({ file: path, line, column })),
    locations,
    messages: diagnostics.map(renderDiagnostic),
  };
};

describe("a query", () => {
  it("is compiled with numbered parameters in place of the named ones, and without its semicolon", () => {
    const lines = (table: string, limit: string, offset: string) => [
      `SELECT owner, 1 AS amount FROM ${table}`,
      `ORDER BY 1 LIMIT ${limit} OFFSET ${offset} -- the end`,
    ];
    const { query, diagnostics } = checkQuery(file, lines("deposits", ":limit", ":offset;").join("\n"), {
      ...scope,
      parameters: ["offset", "limit"],
    });
    expect(diagnostics).toEqual([]);
    expect(query).toEqual({
      text: lines('"cq_vaults".deposits', "$1    ", "$2      ").join("\n"),
      parameters: ["limit", "offset"],
      columns: ["owner", "amount"],
      views: [],
    });
  });

  it("has one number per parameter, and unchanged casts, strings and comments", () => {
    const { query } = checkQuery(file, queryWith({ and: "owner = :wallet OR ':chain'::text = $$:user$$ -- :user\n  /* :user */" }), scope);
    expect(query?.parameters).toEqual(["chain", "wallet", "as_of_block", "limit", "offset"]);
    expect(query?.text).toContain("(owner = $2      OR ':chain'::text = $$:user$$ -- :user\n  /* :user */)");
  });

  it("has the protocol's read functions qualified with its schema", () => {
    const { query } = checkQuery(file, queryWith({ from: "deposits JOIN share_price_at(:chain, :as_of_block) p ON true" }), scope);
    expect(query?.text).toContain('JOIN "cq_vaults".share_price_at($1    , $2          ) p');
    expect(findings(queryWith({ from: "§deposits_at(:chain, :as_of_block)" }))).toMatchObject({ codes: ["refused-function"] });
    expect(findings(queryWith({ from: "§cq_other.share_price_at(:chain, :as_of_block)" }))).toMatchObject({ codes: ["refused-function"] });
  });

  it("has only the protocol's own tables qualified with its schema", () => {
    const relationsIn = (sql: string) => checkQuery(file, sql, scope).query?.text.match(/(?:FROM|JOIN|ONLY) \S+/g);
    const from = 'deposits AS "ä" JOIN ONLY deposits_latest ON true JOIN "contracts" ON true JOIN api.blocks ON true';
    expect(relationsIn(queryWith({ from, and: "owner <> 'ä' /* FROM deposits */" }))).toEqual([
      'FROM "cq_vaults".deposits',
      "JOIN ONLY",
      'JOIN "cq_vaults"."contracts"',
      "JOIN api.blocks",
      "FROM deposits",
    ]);
    expect(checkQuery(file, queryWith({ from }), scope).query?.text).toContain('ONLY "cq_vaults".deposits_latest ON');
    const before = "WITH share_price AS (SELECT owner FROM share_price)\n";
    expect(relationsIn(queryWith({ before, from: "deposits NATURAL JOIN share_price" }))).toEqual([
      'FROM "cq_vaults".share_price)',
      'FROM "cq_vaults".deposits',
      "JOIN share_price",
    ]);
  });

  it.each([
    [
      "views and functions in the schema api",
      { from: "deposits JOIN api.blocks b ON b.number = block_number, api.balances_at(:chain, :as_of_block) held" },
    ],
    ["its own newest-row tables", { from: "deposits_latest" }],
    [
      "common table expressions that refer to earlier ones",
      { before: "WITH a AS (SELECT * FROM deposits), b AS MATERIALIZED (SELECT * FROM a)\n", from: "b" },
    ],
    ["a common table expression from a subquery", { before: "WITH a AS (SELECT 1)\n", and: "EXISTS (SELECT FROM (SELECT * FROM a) x)" }],
    [
      "sets, windows and aggregates",
      { amount: "sum(DISTINCT assets) FILTER (WHERE assets > 0) OVER (PARTITION BY owner ORDER BY assets ROWS 1 PRECEDING)" },
    ],
    ["lists of values and JSON", { amount: "(SELECT json_agg(json_build_object('a', v.a)) FROM (VALUES (1), (2)) AS v (a))" }],
    [
      "functions with special syntax",
      {
        amount:
          "EXTRACT(epoch FROM to_timestamp(1) AT TIME ZONE 'UTC') + position('a' IN 'b') + length(trim(both ' ' FROM 'x') || substring('abc' FROM 2))",
      },
    ],
    ["arrays", { amount: "(ARRAY[1, 2])[1] + (SELECT max(x) FROM unnest(ARRAY[[1], [2]]) WITH ORDINALITY AS u (x, n))" }],
    [
      "conditions",
      {
        and: "assets BETWEEN 1 AND 2 OR assets IN (1, 2) OR owner LIKE 'a%' OR assets IS DISTINCT FROM 1 OR NULLIF(assets, 1) = GREATEST(1, 2) OR NOT (assets = ANY (ARRAY[1])) OR (assets, 1) = (1, 2) OR CASE WHEN true IS TRUE THEN true ELSE false END",
      },
    ],
    [
      "SQL types",
      {
        and: "'1'::bigint = 1::numeric(78, 0) AND bytea '\\x00' = owner AND interval '1 day' > '2 days'::interval AND '{}'::jsonb -> 'a' IS NULL AND '{1}'::int[] = NULL",
      },
    ],
  ])("may use %s", (_, parts) => {
    expect(findings(queryWith(parts)).messages).toEqual([]);
  });

  it("may limit a common table expression, to compute the rest for one page only", () => {
    const sql = queryWith({ before: "WITH page AS (SELECT * FROM deposits ORDER BY owner LIMIT :limit OFFSET :offset)\n", from: "page" });
    expect(findings(sql.replace(/ LIMIT :limit OFFSET :offset$/, "")).messages).toEqual([]);
  });

  it.each([
    ["an incomplete list", "sql-syntax", "SELECT owner,\n  assets AS FROM §deposits"],
    ["an unmatched bracket", "sql-syntax", queryWith({ and: "assets = §) OR (" })],
    ["an unterminated string", "sql-syntax", queryWith({ and: "owner = §'open" })],
    ["an empty text", "sql-statement", "§"],
    ["only a comment", "sql-statement", "§-- SELECT 1\n"],
    ["only a semicolon", "sql-statement", "§;"],
  ])("is refused for %s", (_, code, marked) => {
    const found = findings(marked);
    expect(found).toMatchObject({ codes: [code], at: found.locations });
  });

  it("has diagnostics with columns in characters, not bytes", () => {
    const after = findings(queryWith({ and: "owner <> 'äöü€😀' AND §pg_sleep(1) IS NULL" }));
    expect(after).toMatchObject({ codes: ["refused-function"], at: after.locations });
    const syntax = findings(queryWith({ and: "owner <> 'äöü€' AND §)" }));
    expect(syntax).toMatchObject({ codes: ["sql-syntax"], at: syntax.locations });
    const parameter = findings(queryWith({ and: "owner <> 'äöü€' AND owner = §:user" }));
    expect(parameter).toMatchObject({ codes: ["unknown-parameter"], at: parameter.locations });
    expect(checkQuery(file, queryWith({ and: "owner <> 'äöü€' AND owner = :wallet" }), scope).query?.text).toContain(
      "'äöü€' AND owner = $2     )",
    );
  });

  it("of hostile size is refused before it is parsed", () => {
    expect(findings(queryWith({ and: `owner <> '${"x".repeat(70_000)}'` })).codes).toEqual(["sql-size"]);
    expect(findings(queryWith({ and: `${"NOT ".repeat(6_000)} true` })).codes).toEqual(["sql-size"]);
    expect(findings(queryWith({ and: `0 < ${"1 + ".repeat(2_000)} 1` })).codes).toContain("refused-syntax");
    expect(findings(queryWith({ and: `${"(".repeat(2_400)}true${")".repeat(2_400)}` })).codes).toEqual([]);
    expect(findings(queryWith({ and: `${"NOT (".repeat(1_000)}true${")".repeat(1_000)}` })).codes).toContain("refused-syntax");
    // The parser still works.
    expect(findings(queryWith()).codes).toEqual([]);
  });
});

describe("the result of a query", () => {
  it("must have a column for each field", () => {
    const missing = findings(`§${queryWith().replace(", assets AS amount", "")}`);
    expect(missing).toMatchObject({ codes: ["missing-column"], at: missing.locations });
    expect(missing.messages[0]).toContain("Missing columns amount");
    const surplus = findings(queryWith({ amount: "assets AS amount, §shares" }).replace("shares AS amount", "shares"));
    expect(surplus).toMatchObject({ codes: ["surplus-column"], at: surplus.locations });
    const misspelled = findings(`§${queryWith().replace("assets AS amount", "§assets AS amounts")}`);
    expect(misspelled.codes).toEqual(["surplus-column", "missing-column"]);
    expect(misspelled.messages[0]).toContain("nearest: amount");
    const repeated = findings(queryWith({ amount: "assets AS amount, §owner" }).replace("owner AS amount", "owner"));
    expect(repeated).toMatchObject({ codes: ["duplicate-column"], at: repeated.locations });
  });

  it("must have a key for each field in the objects of its lists", () => {
    const withElements = {
      ...scope,
      elements: [
        ["token", "amount"],
        ["pool", "share", "kind"],
      ],
    };
    const findingsOfObject = (keys: string) => findings(queryWith({ amount: `(SELECT json_agg(${keys}))` }), withElements);
    expect(findingsOfObject("json_build_object('token', owner, 'amount', 1)").codes).toEqual([]);
    expect(findingsOfObject("jsonb_build_object('kind', 1, 'pool', owner, 'share', 1)").codes).toEqual([]);
    const misspelled = findingsOfObject("§json_build_object('token', owner, §'amuont', 1)");
    expect(misspelled.codes.sort()).toEqual(["missing-keys", "surplus-key"]);
    expect(misspelled.at.sort((left, right) => left.column - right.column)).toEqual(misspelled.locations);
    expect(misspelled.messages.join()).toContain("nearest: amount");
    const missing = findingsOfObject("§json_build_object('pool', owner, 'kind', 1)");
    expect(missing).toMatchObject({ codes: ["missing-keys"], at: missing.locations });
    expect(missing.messages[0]).toContain("Missing keys share");
    const repeated = findingsOfObject("json_build_object('token', owner, 'amount', 1, §'token', 2)");
    expect(repeated).toMatchObject({ codes: ["repeated-key"], at: repeated.locations });
    // Computed keys are unknown.
    expect(findingsOfObject("json_build_object(owner, 1, 'amount', 1)").codes).toEqual([]);
    expect(findings(queryWith({ amount: "json_build_object('a', 1)" })).codes).toEqual([]);
  });

  it("must name its columns", () => {
    const star = findings(queryWith().replace("owner, assets AS amount", "§*"));
    expect(star).toMatchObject({ codes: ["unnamed-column"], at: star.locations });
    const unnamed = findings(queryWith().replace("assets AS amount", "§assets + 1"));
    expect(unnamed).toMatchObject({ codes: ["unnamed-column"], at: unnamed.locations });
  });

  it("has the columns of the first part of a union", () => {
    const sql = `SELECT owner, assets AS amount FROM deposits UNION ALL ${queryWith()}`;
    expect(findings(sql).messages).toEqual([]);
  });

  it("is not compared with unknown fields", () => {
    expect(findings(queryWith({ amount: "1 AS anything, 2" }), { ...scope, columns: null }).codes).toEqual([]);
  });

  it("must be one page in a fixed order", () => {
    const requirementsOf = (sql: string) => findings(`§${sql}`).messages.map((message) => message.split("expected ")[1]);
    expect(requirementsOf(queryWith().replace("ORDER BY owner", ""))).toEqual(["ORDER BY with columns that no two rows share"]);
    expect(requirementsOf(queryWith().replace("LIMIT :limit OFFSET :offset", "LIMIT :offset OFFSET :limit"))).toEqual([
      "LIMIT :limit OFFSET :offset",
    ]);
    expect(requirementsOf(queryWith().replace("LIMIT :limit OFFSET :offset", "OFFSET :offset FETCH FIRST :limit ROWS WITH TIES"))).toEqual([
      "LIMIT :limit OFFSET :offset",
    ]);
  });

  it("must depend on all of the operation's parameters", () => {
    const unused = findings(`§${queryWith().replace("owner = :wallet", "true")}`);
    expect(unused).toMatchObject({ codes: ["unused-parameter"], at: unused.locations });
    expect(unused.messages[0]).toContain("Unused parameter :wallet");
  });
});
