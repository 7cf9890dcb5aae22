import { describe, expect, it } from "vitest";
import { type InstallState, isEmptyPlan, planInstallation } from "../../../../runtime/domains/community/install/plan.ts";
import type { Installation } from "../../../../runtime/domains/community/install/statements.ts";
import { installationOf } from "../../../../runtime/domains/community/install/statements.ts";
import { contractOf, protocolOf, tableOf } from "../../../support/declared-protocol.ts";

const installation = (id: string, fingerprint = "a"): Installation => ({
  id,
  schema: `cq_${id}`,
  tables: [`cq_${id}_contracts`],
  resultTables: [],
  statements: [],
  fingerprint,
});
const installed = (id: string, fingerprint = "a") => ({ id, fingerprint, tables: [`cq_${id}_contracts`] });
const state = (parts: Partial<InstallState>): InstallState => ({ installed: [], versions: new Map(), withoutGrants: new Set(), ...parts });
const indexed = (planned: Installation, version = 1) => ({ installation: planned, version });

describe("planInstallation", () => {
  const [x, y] = [installation("x"), installation("y")];

  it("creates a new protocol with its grants", () => {
    expect(planInstallation(state({}), new Set(["x"]), [indexed(x)])).toMatchObject({ drop: [], create: [x], grant: [x] });
  });

  it("changes nothing if everything is installed", () => {
    const given = state({ installed: [installed("x"), installed("y")], versions: new Map([["community:x", 1]]) });
    expect(isEmptyPlan(planInstallation(given, new Set(["x", "y"]), [indexed(x)]))).toBe(true);
  });

  it("drops undeclared protocols, and recreates those with different tables", () => {
    const given = state({ installed: [installed("x", "b"), installed("gone")], versions: new Map([["community:x", 1]]) });
    const plan = planInstallation(given, new Set(["x"]), [indexed(x)]);
    expect(plan.drop.map(({ id }) => id)).toEqual(["x", "gone"]);
    expect(plan).toMatchObject({ create: [x], clear: [], readAgain: [] });
  });

  it("keeps the tables of a protocol that only other chains index, even if they differ", () => {
    const given = state({ installed: [installed("x", "b")] });
    expect(isEmptyPlan(planInstallation(given, new Set(["x", "y"]), []))).toBe(true);
  });

  it("deletes a protocol's rows once it is no longer indexed on a chain", () => {
    const given = state({ installed: [installed("x"), installed("y")], versions: new Map([["community:x", 1]]) });
    expect(planInstallation(given, new Set(["x", "y"]), [indexed(y)])).toMatchObject({ drop: [], clear: [installed("x")] });
  });

  it("repeats the reads if the version differs, and restores grants that the role has lost", () => {
    const given = state({
      installed: [installed("x"), installed("y")],
      versions: new Map([
        ["community:x", 1],
        ["community:y", 1],
      ]),
      withoutGrants: new Set(["cq_y"]),
    });
    const plan = planInstallation(given, new Set(["x", "y"]), [indexed(x, 2), indexed(y)]);
    expect(plan).toMatchObject({ drop: [], create: [], readAgain: [x], grant: [y] });
  });
});

describe("a protocol's installation", () => {
  const table = tableOf("paid", "till", ["Paid(address indexed from, uint256[] amounts, bytes32[] ids, string memo, bool ok)"], {
    indexes: [["from"]],
    latestBy: ["from"],
  });
  const tills = protocolOf({ id: "tills", contracts: { till: contractOf() }, tables: [table] });

  it("has a table and a view for each relation", () => {
    const { tables, statements } = installationOf(tills);
    const names = ["contracts", "paid", "paid_latest", "paid_periods", "skipped"];
    expect(tables).toEqual(names.map((name) => `cq_tills_${name}`));
    expect(statements.map(String).filter((text) => text.startsWith("CREATE VIEW"))).toEqual(
      names.map((name) => `CREATE VIEW cq_tills.${name} AS SELECT * FROM cq_tills_${name}`),
    );
  });

  it("has a different fingerprint if its tables differ", () => {
    const { fingerprint } = installationOf(tills);
    expect(installationOf({ ...tills, version: 2, description: "Other words." }).fingerprint).toBe(fingerprint);
    expect(installationOf({ ...tills, tables: [{ ...table, indexes: [] }] }).fingerprint).not.toBe(fingerprint);
  });
});
