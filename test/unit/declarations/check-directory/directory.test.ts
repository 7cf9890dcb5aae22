import { describe, expect, it } from "vitest";
import { files, folder, problemsOf } from "./savings.ts";

describe("a protocol directory", () => {
  it("reports missing and unknown SQL columns", () => {
    const texts = files();
    texts.set(`${folder}/deposits.sql`, (texts.get(`${folder}/deposits.sql`) ?? "").replace("  d.sender,", "  d.sender AS payer,"));
    expect(problemsOf(texts)).toEqual([
      expect.stringMatching(/^endpoints\/savings\/deposits\.sql:2:1 missing-column: Missing columns sender/),
      expect.stringMatching(/^endpoints\/savings\/deposits\.sql:8:3 surplus-column: Unknown column "payer"/),
    ]);
  });

  it("reports an id that differs from the folder's name, and a name that two protocols share", () => {
    const other = files((declaration) => declaration.replace("protocol: savings", "protocol: other\nname: savings"));
    const moved = [...other].map(([path, text]) => [path.replace("savings/", "others/"), text] as const);
    expect(problemsOf(new Map([...files(), ...moved]))).toEqual(
      [
        'endpoints/savings/protocol.yaml:3:11 taken-name: Duplicate name "savings": it is already the id or the name of endpoints/others/protocol.yaml, expected another one',
        'endpoints/others/protocol.yaml:3:11 misplaced-protocol: Misplaced protocol "other": expected others, the name of the folder',
      ].sort(),
    );
  });

  it("reports protocols whose tables would have the same name in the database", () => {
    const named = (id: string, table: string): [string, string][] =>
      [...files((text) => text.replace("protocol: savings", `protocol: ${id}`).replaceAll("share_transfers", table))].map(
        ([path, text]) => [path.replace("savings/", `${id}/`), text.replaceAll("share_transfers", table)],
      );
    // Both are cq_savings_share_transfers.
    expect(problemsOf(new Map([...named("savings", "share_transfers"), ...named("savings_share", "transfers")]))).toEqual([
      "endpoints/savings_share/protocol.yaml:3:11 shared-table: Shared table cq_savings_share_transfers: the protocol at endpoints/savings/protocol.yaml:3:11 has a database table with the same name, expected another id",
    ]);
    expect(problemsOf(new Map([...named("savings", "share_transfers"), ...named("savings_share", "moves")]))).toEqual([]);
  });

  it("reports all invalid protocols, and a directory without protocols", () => {
    const broken = new Map([...files((text) => text.replace("bigint", "big")), ["endpoints/zero/protocol.yaml", "protocol: [zero"]]);
    const found = problemsOf(broken);
    expect(found.some((line) => line.startsWith("endpoints/savings/protocol.yaml:"))).toBe(true);
    expect(found.some((line) => line.startsWith("endpoints/zero/protocol.yaml:1:"))).toBe(true);
    expect(problemsOf(new Map())).toEqual(["endpoints:1:1 no-protocols: Empty directory: expected at least one folder with protocol.yaml"]);
  });

  it("accepts shared SQL in a folder without a declaration, and reports an unused file there", () => {
    const texts = files((declaration) => declaration.replace("sql: deposits.sql", "sql: ../shared/deposits.sql"));
    texts.set("endpoints/shared/deposits.sql", texts.get(`${folder}/deposits.sql`) ?? "");
    texts.delete(`${folder}/deposits.sql`);
    expect(problemsOf(texts)).toEqual([]);
    texts.set("endpoints/shared/other.sql", "SELECT 1");
    expect(problemsOf(texts)).toEqual([expect.stringMatching(/^endpoints\/shared\/other\.sql:1:1 unused-sql: /)]);
  });
});
