import { describe, expect, it } from "vitest";
import { renderDiagnostic } from "../../../../runtime/declarations/diagnostics.ts";
import { balances, check, declaration } from "./declaration.ts";

const lendingQuery = `SELECT log_index AS log_offset, contract AS protocol_address, NULL AS version, 'Deposit' AS event,
  NULL AS lp_token_address, NULL AS lp_token_amount, NULL AS lp_underlying_address, NULL AS exchange_rate,
  NULL AS token_address_in, asset_amount AS token_amount_in, NULL AS token_address_out, NULL AS token_amount_out,
  NULL AS borrow_rate_mode, NULL AS borrow_rate, owner AS on_behalf_of, NULL AS liquidator, sender AS "user"
FROM deposits WHERE chain_id = :chain AND block_number = :block AND transaction_index = :transaction_index`;

describe("lending events", () => {
  const lending = `${declaration}lending: { sql: lending.sql, label: Vaults, fork: Other Vaults, forkVersion: "2" }\n`;
  const checkLending = (query: string) =>
    check(
      lending,
      new Map([
        ["balances.sql", balances],
        ["lending.sql", query],
      ]),
    );

  it("are checked with their SQL, which returns all of a transaction's events without pages", () => {
    const { value, diagnostics } = checkLending(lendingQuery);
    expect(diagnostics.map(renderDiagnostic)).toEqual([]);
    expect(value?.lending).toMatchObject({
      file: "lending.sql",
      parameters: ["chain", "block", "transaction_index"],
      label: "Vaults",
      fork: "Other Vaults",
      forkVersion: "2",
    });
  });

  it("are null without a declaration", () => {
    expect(check(declaration).value?.lending).toBeNull();
  });

  it("are refused without a column, with an unknown parameter, or without their file", () => {
    const codesOf = (query: string) => checkLending(query).diagnostics.map(({ code }) => code);
    expect(codesOf(lendingQuery.replace("NULL AS version, ", ""))).toEqual(["missing-column"]);
    expect(codesOf(lendingQuery.replace(":transaction_index", ":wallet"))).toEqual(["unknown-parameter", "unused-parameter"]);
    expect(check(lending).diagnostics.map(renderDiagnostic)).toEqual([
      expect.stringMatching(/protocol\.yaml:\d+:17 missing-sql: .*lending\.sql/),
    ]);
  });
});
