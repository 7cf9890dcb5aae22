import { describe, expect, it } from "vitest";
import { renderDiagnostic } from "../../../../runtime/declarations/diagnostics.ts";
import { check, declaration } from "./declaration.ts";

describe("a declaration", () => {
  it("is checked and completed", () => {
    const { value, diagnostics } = check(declaration);
    expect(diagnostics.map(renderDiagnostic)).toEqual([]);
    expect(value).toMatchObject({ id: "vaults", name: "vaults", version: 1 });
    expect(value?.contracts).toMatchObject({
      factory: { networks: { demo: [{ address: "0xa9c3d3a366466fa809d1ae982fb2c46e5fc41101", from: 7 }] }, discoveredBy: [] },
      vault: { networks: {}, discoveredBy: [{ contract: "factory", parameter: "vault", event: { name: "Created" } }] },
    });
    expect(value?.tables[0]).toMatchObject({
      name: "deposits",
      contract: "vault",
      columns: [
        { name: "sender", parameter: "sender", type: "address" },
        { name: "owner", parameter: "owner", type: "address" },
        { name: "asset_amount", parameter: "assetAmount", type: "uint256" },
        { name: "ids", parameter: "ids", type: "uint256[]" },
      ],
      indexes: [["owner"], ["contract", "sender"]],
      latestBy: ["owner"],
    });
    expect(value?.tables[1]).toMatchObject({
      columns: [
        { name: "id", type: "bytes" },
        { name: "amount", type: "int256" },
        { name: "note", type: "text" },
      ],
      latestBy: null,
    });
    expect(value?.reads).toMatchObject([
      {
        name: "price",
        arguments: ["1000000000000000000", "-128", "true", "0x5fbdb2315678afecb367f032d93f642f64180aa3"],
        columns: [
          { name: "price", type: "uint256" },
          { name: "tokens", type: "address[]" },
        ],
        touchedBy: ["deposits"],
        everyBlocks: 100,
      },
      { name: "supply", columns: [{ name: "value", type: "uint256" }], touchedBy: [], everyBlocks: 1000 },
      {
        name: "position",
        arguments: [
          { name: "move_id", type: "bytes", column: "slot" },
          { name: "size", type: "int256", column: "level" },
          { name: "side", type: "uint256", each: ["0", "1", "2"] },
          "0xabcdef01",
        ],
        columns: [{ name: "left_amount", type: "uint256" }],
        contractColumn: null,
      },
      { name: "announced", contract: "vault", touchedBy: ["announcements"], contractColumn: "id" },
    ]);
    expect(Object.keys(value?.operations ?? {})).toEqual(["balances"]);
    expect(value?.operations.balances).toMatchObject({
      file: "balances.sql",
      text: expect.stringContaining('FROM "cq_vaults".deposits WHERE'),
      parameters: ["chain", "limit", "offset"],
      columns: ["owner"],
    });
  });

  it("may have only planned operations", () => {
    const planned = "protocol: planned\nname: planned\ndescription: Only planned.\noperations:\n  markets:\n";
    expect(check(planned, new Map())).toMatchObject({ diagnostics: [], value: { tables: [], reads: [], operations: {}, contracts: {} } });
  });
});
