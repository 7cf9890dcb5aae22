import { describe, expect, it } from "vitest";
import { renderDiagnostic } from "../../../../runtime/declarations/diagnostics.ts";
import { balances, check, declaration, describeRefusals } from "./declaration.ts";

describeRefusals([
  ["an unknown operation", "unknown-operation", "  markets:\n", "  §market:\n", "nearest: markets"],
  ["a missing SQL file", "missing-sql", "  markets:\n", "  markets: { sql: §market.sql }\n", "expected balances.sql"],
]);

describe("a declaration is refused for", () => {
  it("invalid SQL, at its position in the SQL file", () => {
    const { diagnostics } = check(
      declaration,
      new Map([["balances.sql", `-- Balances.\n${balances.replace("FROM deposits", "FROM secrets")}`]]),
    );
    expect(diagnostics.map(renderDiagnostic)).toEqual([
      expect.stringMatching(/^endpoints\/vaults\/balances\.sql:2:19 refused-relation: Refused table "secrets": expected /),
    ]);
  });

  it("SQL files that no operation uses", () => {
    const { diagnostics } = check(
      declaration,
      new Map([
        ["balances.sql", balances],
        ["old.sql", "SELECT 1"],
      ]),
    );
    expect(diagnostics.map(renderDiagnostic)).toEqual(["endpoints/vaults/old.sql:1:1 unused-sql: Unused SQL file: expected balances.sql"]);
  });
});
