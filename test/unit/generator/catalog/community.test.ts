import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../../../generator/catalog/load.ts";
import { emitCommunity } from "../../../../generator/emit/community.ts";
import { buildModel } from "../../../../generator/model/build-model.ts";
import { renderDiagnostic } from "../../../../runtime/declarations/diagnostics.ts";
import { smallCatalog } from "../../../support/generator/catalog/small-catalog.ts";
import { protocolFile } from "./expect-diagnostics.ts";

const queryFile = "spec/community/protocol_01/balances.sql";
const query = `SELECT owner AS address, assets AS balance, 'wallet' AS kind, NULL AS labels, NULL AS parent FROM deposits
WHERE chain_id = :chain AND block_number <= :as_of_block ORDER BY owner LIMIT :limit OFFSET :offset`;

const declared = `${smallCatalog.get(protocolFile)?.replace("balances: { notes: Only some of them. }", "balances: { sql: balances.sql }")}
contracts:
  vault: { networks: { demo: [{ address: "0x5fbdb2315678afecb367f032d93f642f64180aa3", from: 1 }] } }
tables:
  deposits: { contract: vault, events: ["Deposit(address indexed owner, uint256 assets)"], indexes: [[owner]] }
`;

const catalogOf = (files: readonly (readonly [string, string])[]) => loadCatalog(new Map([...smallCatalog, ...files]));
const messagesOf = (...files: readonly (readonly [string, string])[]) => catalogOf(files).diagnostics.map(renderDiagnostic);

describe("a declared protocol", () => {
  const { catalog, diagnostics } = catalogOf([
    [protocolFile, declared],
    [queryFile, query],
  ]);

  it("has no diagnostics", () => {
    expect(diagnostics.map(renderDiagnostic)).toEqual([]);
  });

  it("has live operations with SQL, and planned ones without", () => {
    expect(catalog?.communityOperations.map(({ id, definition }) => [id, definition.status])).toEqual([
      ["getProtocol01Markets", "planned"],
      ["getProtocol01Balances", "live"],
      ["getProtocol02Balances", "planned"],
    ]);
  });

  it("is emitted as a constant, ordered by number", () => {
    if (catalog === null) throw new Error(`Invalid catalog: ${diagnostics.map(renderDiagnostic).join(", ")}`);
    const text = emitCommunity(buildModel(catalog, new Map()));
    const [, json = ""] = /export const protocols = (.*) as const;\n$/s.exec(text) ?? [];
    expect(JSON.parse(json)).toEqual(catalog.protocols);
    expect(catalog.protocols.map(({ id }) => id)).toEqual(["protocol_01", "protocol_02"]);
    expect(catalog.protocols[0]?.operations.balances).toMatchObject({
      file: "balances.sql",
      parameters: ["chain", "as_of_block", "limit", "offset"],
      columns: ["address", "balance", "kind", "labels", "parent"],
    });
  });
});

describe("SQL in a folder without a protocol", () => {
  const sharedFile = "spec/community/savings/balances.sql";
  const secondFile = "spec/community/protocol_02/protocol.yaml";
  const sharing = declared.replace("sql: balances.sql", "sql: ../savings/balances.sql");
  const second = sharing.replace("protocol: protocol_01", "protocol: protocol_02").replace(/name: .*/, "name: second");

  it("is shared by the protocols that refer to it, each with its own tables", () => {
    const { catalog, diagnostics } = catalogOf([
      [protocolFile, sharing],
      [secondFile, second],
      [sharedFile, query],
    ]);
    expect(diagnostics.map(renderDiagnostic)).toEqual([]);
    expect(catalog?.protocols.map(({ operations }) => operations.balances?.file)).toEqual(Array(2).fill("../savings/balances.sql"));
    expect(catalog?.protocols.map(({ operations }) => /FROM (\S+)/.exec(operations.balances?.text ?? "")?.[1])).toEqual([
      '"cq_protocol_01".deposits',
      '"cq_protocol_02".deposits',
    ]);
  });

  it("is checked for each protocol that uses it", () => {
    const renamed = second.replace("  deposits:", "  payments:");
    expect(messagesOf([protocolFile, sharing], [secondFile, renamed], [sharedFile, query])).toEqual([
      expect.stringContaining(
        `${sharedFile}:1:${query.indexOf("deposits") + 1} refused-relation: Refused table "deposits": expected payments`,
      ),
    ]);
  });

  it("must be used by a protocol", () => {
    expect(messagesOf([sharedFile, query])).toEqual([
      `${sharedFile}:1:1 unused-sql: Unused SQL file: expected a file that an operation names`,
    ]);
  });

  it("must not be in another protocol's folder", () => {
    const other = declared.replace("sql: balances.sql", "sql: ../protocol_02/balances.sql");
    const secondWithFile = second.replace("sql: ../savings/balances.sql", "sql: balances.sql");
    expect(messagesOf([protocolFile, other], [secondFile, secondWithFile], ["spec/community/protocol_02/balances.sql", query])).toEqual([
      expect.stringMatching(/protocol_01\/protocol\.yaml:7:20 missing-sql: Unknown SQL file "\.\.\/protocol_02\/balances\.sql"/),
    ]);
  });

  it.each(["../../examples/balances.sql", "/etc/balances.sql", "../balances.sql", "../savings/../balances.sql", "savings/balances.sql"])(
    "must not be outside the protocols directory: %s",
    (path) => {
      const outside = declared.replace("sql: balances.sql", `sql: ${path}`);
      expect(messagesOf([protocolFile, outside], [sharedFile, query])).toEqual([
        expect.stringMatching(/protocol\.yaml:7:20 wrong-value: Invalid value: .*a SQL file in the same folder/),
      ]);
    },
  );
});

describe("a protocol's files", () => {
  it("are checked against the response fields, and errors have positions", () => {
    expect(messagesOf([protocolFile, declared], [queryFile, query.replace("assets AS balance", "assets AS amount")])).toEqual([
      `${queryFile}:1:1 missing-column: Missing columns balance: expected a column for each field, NULL if the protocol has no value for it`,
      expect.stringContaining(`${queryFile}:1:26 surplus-column: Unknown column "amount"`),
    ]);
  });

  it("must contain the SQL that an operation refers to", () => {
    expect(messagesOf([protocolFile, declared])).toEqual([
      expect.stringMatching(/protocol\.yaml:7:20 missing-sql: Unknown SQL file "balances\.sql"/),
    ]);
  });

  it("must not contain other SQL", () => {
    expect(messagesOf([protocolFile, declared], [queryFile, query], ["spec/community/protocol_01/old.sql", "SELECT 1"])).toEqual([
      "spec/community/protocol_01/old.sql:1:1 unused-sql: Unused SQL file: expected balances.sql",
    ]);
  });

  it("must be in a protocol's folder", () => {
    expect(messagesOf(["spec/community/old.sql", query])).toEqual([expect.stringContaining("spec/community/old.sql:1:1 unknown-file")]);
    expect(messagesOf(["spec/community/protocol_01/more.yaml", "protocol: protocol_01"])).toEqual([
      expect.stringContaining("spec/community/protocol_01/more.yaml:1:1 unknown-file"),
    ]);
  });

  it("are not checked if the declaration or the template cannot be read", () => {
    const misspelled = messagesOf([protocolFile, declared.replace("tables:", "tabels:")], [queryFile, query]);
    expect(misspelled).toEqual([expect.stringContaining("unknown-key")]);
    const template =
      smallCatalog.get("spec/community/template.yaml")?.replace("    notes: All of them.\n    response", "    response") ?? "";
    expect(messagesOf(["spec/community/template.yaml", template], [protocolFile, declared], [queryFile, "SELECT"])).toEqual([
      expect.stringContaining("missing-key"),
    ]);
  });
});
