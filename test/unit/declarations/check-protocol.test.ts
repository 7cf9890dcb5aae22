import { describe, expect, it } from "vitest";
import { checkProtocol } from "../../../runtime/declarations/check-protocol.ts";
import type { QueryShape } from "../../../runtime/declarations/checks/sql-file.ts";
import { protocolFile } from "../../../runtime/declarations/definition.ts";
import { renderDiagnostic } from "../../../runtime/declarations/diagnostics.ts";
import { readYaml } from "../../../runtime/declarations/yaml/yaml-source.ts";
import { unmarked } from "./marked.ts";

const file = "endpoints/vaults/protocol.yaml";

const declaration = `protocol: vaults
name: vaults
description: Vaults for tests.
contracts:
  factory:
    networks:
      demo: [{ address: "0xA9c3D3a366466Fa809d1Ae982Fb2c46E5fC41101", from: 7 }]
  vault:
    discoveredBy:
      - { contract: factory, event: "Created(address indexed vault, string name)", address: vault }
tables:
  deposits:
    contract: vault
    events: ["Deposit(address indexed sender, address indexed owner, uint256 assetAmount, uint8[] ids)"]
    indexes: [[owner], [contract, sender]]
    latestBy: [owner]
  moves:
    contract: vault
    events:
      - "Moved(bytes32 indexed id, int128 amount)"
      - "Moved(bytes32 indexed id, int128 amount, bool done, string note)"
    columns: { id: id, amount: amount, note: note }
  settings:
    contract: vault
    events: ["Set(bytes32 indexed slot, int128 level)", "Set(bytes32 indexed slot, int128 level, string label)"]
  announcements:
    contract: "factory"
    events: ["Announced(bytes32 indexed id, uint256 total, string label)", "Announced(bytes32 indexed id, uint256 total, string label, address by)"]
reads:
  price:
    contract: vault
    call: "price(uint256 shares, int8 side, bool up, address token) view returns (uint256 price, address[] tokens)"
    arguments: ["1000000000000000000", -128, true, "0x5fbdb2315678afecb367f032d93f642f64180aa3"]
    touchedBy: [deposits]
    everyBlocks: 100
  supply:
    contract: vault
    call: totalSupply() view returns (uint256)
    everyBlocks: 1000
  position:
    contract: vault
    call: position(bytes32 moveId, int256 size, uint8 side, bytes4 tag) view returns (uint256 leftAmount)
    arguments: [{ column: slot }, { column: level }, { each: [0, "01", 2] }, "0xABCDEF01"]
    touchedBy: [settings]
  announced:
    contract: vault
    contractColumn: id
    call: total() view returns (uint256 sum)
    touchedBy: [announcements]
operations:
  balances: { sql: balances.sql }
  markets:
`;

const balances = "SELECT owner FROM deposits WHERE chain_id = :chain ORDER BY owner LIMIT :limit OFFSET :offset";

const operations: ReadonlyMap<string, QueryShape> = new Map([
  ["balances", { parameters: ["chain", "limit", "offset"], columns: ["owner"] }],
  ["markets", { parameters: ["chain", "limit", "offset"], columns: null }],
]);

const check = (text: string, queries: ReadonlyMap<string, string> = new Map([["balances.sql", balances]])) => {
  const source = readYaml(file, text);
  return checkProtocol({ source, file: protocolFile.parse(source.value) }, { queries, operations, isAdded: false });
};

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

  it("may have nothing but planned operations", () => {
    const planned = "protocol: planned\nname: planned\ndescription: Only planned.\noperations:\n  markets:\n";
    expect(check(planned, new Map())).toMatchObject({ diagnostics: [], value: { tables: [], reads: [], operations: {}, contracts: {} } });
  });
});

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

  it("are checked with their SQL, which returns all events of a transaction without pages", () => {
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

/** A fault: what is wrong, the code of its only diagnostic, what is replaced by what (with a mark at its position), and a part of the message. */
type Fault = readonly [wrong: string, code: string, find: string, put: string, contains: string];

const faults: readonly Fault[] = [
  [
    "an unknown contract of a table",
    "unknown-contract",
    "deposits:\n    contract: vault",
    "deposits:\n    contract: §vaults",
    "nearest: vault",
  ],
  ["an unknown contract of a discovery", "unknown-contract", "contract: factory", "contract: §registry", "expected factory, vault"],
  ["an unknown contract of a read", "unknown-contract", "supply:\n    contract: vault", "supply:\n    contract: §pool", "Unknown contract"],
  [
    "a repeated address",
    "duplicate-address",
    "from: 7 }]",
    'from: 7 }, { address: §"0xa9c3d3a366466fa809d1ae982fb2c46e5fc41101", from: 8 }]',
    ":7:25",
  ],
  ["an unknown parameter of a discovery", "unknown-parameter", "address: vault }", "address: §vaults }", "nearest: vault"],
  [
    "a parameter of a discovery that is not an address",
    "wrong-value",
    "address: vault }",
    "address: §name }",
    "a parameter of type address",
  ],
  [
    "text that is not a signature",
    "signature-syntax",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id int128 amount)"',
    "expected a signature such as",
  ],
  [
    "a signature with its keyword",
    "signature-syntax",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"event Moved(bytes32 indexed id, int128 amount)"',
    "starts with event",
  ],
  [
    "an unknown type",
    "signature-syntax",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int127x amount)"',
    "int127x",
  ],
  [
    "a tuple",
    "unsupported-type",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int128 amount, (address, uint256) pair)"',
    "tuple",
  ],
  [
    "a list of lists",
    "unsupported-type",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int128 amount, uint256[][] pairs)"',
    "uint256[][]",
  ],
  [
    "a list of texts",
    "unsupported-type",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int128 amount, string[] names)"',
    "string[]",
  ],
  [
    "a parameter without a name",
    "unnamed-parameter",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int128 amount, bool)"',
    "Missing name of parameter 3",
  ],
  [
    "four indexed parameters",
    "indexed-parameters",
    '"Moved(bytes32 indexed id, int128 amount)"',
    '§"Moved(bytes32 indexed id, int128 indexed amount, bool indexed a, bool indexed b)"',
    "at most 3",
  ],
  [
    "a repeated event",
    "duplicate-event",
    'bool done, string note)"',
    'bool done, string note)"\n      - §"Moved(bytes32 indexed other, int128 different)"',
    ":20:9",
  ],
  [
    "variants of different types",
    "conflicting-type",
    '- "Moved(bytes32 indexed id, int128 amount, bool done',
    '- §"Moved(address indexed id, int128 amount, bool done',
    "bytes32",
  ],
  ["an unknown parameter of a column", "unknown-parameter", "note: note }", "note: §notes }", "nearest: note"],
  ["a column that every table has", "reserved-name", "{ id: id,", "{ §block_number: id,", "is a column that every table has"],
  [
    "a reserved word as a column",
    "reserved-name",
    'uint256 assetAmount, uint8[] ids)"]',
    'uint256 assetAmount, uint8[] ids, address to)"]',
    "expected another name for it under columns",
  ],
  ["a table that every protocol has", "reserved-name", "  moves:\n", "  §contracts:\n", "is a table that every protocol has"],
  ["a table with the name of a derived table", "reserved-name", "  moves:\n", "  §moves_latest:\n", "<table>_latest"],
  ["a table with the name of a catalog", "reserved-name", "  moves:\n", "  §pg_class:\n", "catalog"],
  ["a reserved word as a read", "reserved-name", "  supply:\n", "  §limit:\n", "reserved word"],
  ["a read with the name of a table", "duplicate-table", "  supply:\n", "  §moves:\n", ":17:3"],
  ["an unknown column of an index", "unknown-column", "[[owner], [contract, sender]]", "[[owner], [contract, §sendr]]", "nearest: sender"],
  ["a repeated column of an index", "duplicate-column", "[[owner], [contract, sender]]", "[[owner, §owner], [contract, sender]]", "owner"],
  ["an index of values of any length", "unindexable-column", "[[owner], [contract, sender]]", "[[§ids], [contract, sender]]", "uint8[]"],
  ["a key of an unknown column", "unknown-column", "latestBy: [owner]", "latestBy: [§owners]", "nearest: owner"],
  [
    "a key that a variant lacks",
    "nullable-key",
    "note: note }",
    "done: done }\n    latestBy: [id, §done]",
    "Moved(bytes32 indexed id, int128 amount)",
  ],
  [
    "a function that writes",
    "signature-syntax",
    "call: totalSupply() view returns (uint256)",
    "call: §totalSupply() returns (uint256)",
    "neither view nor pure",
  ],
  [
    "a function without a result",
    "signature-syntax",
    "call: totalSupply() view returns (uint256)",
    "call: §totalSupply() view",
    "returns nothing",
  ],
  ["a result that cannot be stored", "unsupported-type", "returns (uint256)\n", "returns ((uint256 a, uint256 b))\n", "tuple"],
  [
    "results without names",
    "unnamed-parameter",
    "call: totalSupply() view returns (uint256)",
    "call: §totalSupply() view returns (uint256 a, uint256)",
    "result 2",
  ],
  [
    "results with the same name",
    "duplicate-column",
    "call: totalSupply() view returns (uint256)",
    "call: §totalSupply() view returns (uint256 aB, uint256 a_b)",
    "a_b",
  ],
  ["too few arguments", "argument-count", "call: totalSupply() view", "call: totalSupply(uint8 id) view", "found 0, expected 1"],
  ["an argument out of range", "wrong-value", "-128", "§-129", "in the range of int8"],
  ["an argument that is not an integer", "wrong-value", '"1000000000000000000"', '§"1e18"', "a decimal integer"],
  ["an argument of hostile length", "wrong-value", '"1000000000000000000"', `§"${"9".repeat(100_000)}"`, "a decimal integer"],
  ["an argument that is not a boolean", "wrong-value", "-128, true", "-128, §1", "true or false"],
  ["an argument that is not an address", "wrong-value", '"0x5fbdb2315678afecb367f032d93f642f64180aa3"]', '§"0x5f"]', "an address"],
  [
    "a read that a table of other contracts touches",
    "unknown-table",
    "touchedBy: [deposits]",
    "touchedBy: [deposits, §deposit]",
    "nearest: deposits",
  ],
  [
    "a read that is never due",
    "never-due",
    "  supply:\n    contract: vault\n    call: totalSupply() view returns (uint256)\n    everyBlocks: 1000\n",
    "  §supply:\n    contract: vault\n    call: totalSupply() view returns (uint256)\n",
    "touchedBy, everyBlocks",
  ],
  ["an argument of an unknown column", "unknown-column", "{ column: slot }", "{ column: §slots }", "nearest: slot"],
  ["an argument of a column of another type", "wrong-value", "{ column: slot }", "{ column: §level }", '"level" of type int128'],
  ["an argument of a column of a wider type", "wrong-value", "int256 size", "int64 size", "expected a column of type int64"],
  ["an argument of a column of another sign", "wrong-value", "int256 size", "uint256 size", "expected a column of type uint256"],
  [
    "an argument that a variant lacks",
    "nullable-key",
    "{ column: level }",
    "{ column: §label }",
    "Set(bytes32 indexed slot, int128 level)",
  ],
  ["a listed argument out of range", "wrong-value", '{ each: [0, "01", 2] }', '{ each: [0, §256, "01", 2] }', "in the range of uint8"],
  ["a repeated argument", "wrong-value", '{ each: [0, "01", 2] }', "{ each: [1, 0, §1] }", "each value once"],
  ["bytes of another length", "wrong-value", '"0xABCDEF01"]', '§"0xABCDEF0123"]', "0x and 8 hex digits"],
  [
    "too many calls",
    "too-many-calls",
    'arguments: [{ column: slot }, { column: level }, { each: [0, "01", 2] }, ',
    `arguments: §[{ column: slot }, { column: level }, { each: [${Array.from({ length: 65 }, (_, value) => value).join()}] }, `,
    "found 65 for each contract and block, expected at most 64",
  ],
  [
    "arguments of columns every so many blocks",
    "periodic-column",
    "touchedBy: [settings]\n",
    "touchedBy: [settings]\n    everyBlocks: §10\n",
    '"slot"',
  ],
  ["a read of the contracts of an unknown column", "unknown-column", "contractColumn: id", "contractColumn: §ids", "nearest: id"],
  [
    "a read of the contracts of numbers",
    "wrong-value",
    "contractColumn: id",
    "contractColumn: §total",
    "expected a column of type address or bytes32",
  ],
  [
    "a read of the contracts of a column that a variant lacks",
    "nullable-key",
    "contractColumn: id",
    "contractColumn: §by",
    "Announced(bytes32 indexed id",
  ],
  [
    "a read of the contracts of a column without tables",
    "missing-key",
    "contractColumn: id\n    call: total() view returns (uint256 sum)\n    touchedBy: [announcements]",
    "contractColumn: §id\n    call: total() view returns (uint256 sum)\n    everyBlocks: 5",
    "touchedBy",
  ],
  [
    "a table of another contract without the column of the read's",
    "unknown-table",
    "    contractColumn: id\n",
    "",
    "not a table of the same contract",
  ],
  ["a column of a parameter without a name", "unnamed-parameter", "bytes32 moveId", "bytes32", "parameter 1 of the function"],
  ["a column of a parameter with a reserved name", "reserved-name", "bytes32 moveId", "bytes32 contract", "another name of the parameter"],
  ["a parameter and a result with the same name", "duplicate-column", "uint256 leftAmount", "uint256 move_id", "move_id"],
  ["a listed argument of any length", "unsupported-type", "uint8 side", "string side", "parameter 3 of the function"],
  ["an unknown operation", "unknown-operation", "  markets:\n", "  §market:\n", "nearest: markets"],
  ["a SQL file that is missing", "missing-sql", "  markets:\n", "  markets: { sql: §market.sql }\n", "expected balances.sql"],
];

describe("a declaration is refused for", () => {
  it.each(faults)("%s", (_, code, find, put, contains) => {
    const parts = declaration.split(find);
    expect(parts).toHaveLength(2);
    const { text, locations } = unmarked(file, parts.join(put));
    const { value, diagnostics } = check(text);
    expect(value).toBeNull();
    expect(diagnostics.map((found) => found.code)).toEqual([code]);
    const [found] = diagnostics;
    if (locations.length > 0) expect({ file: found?.file, line: found?.line, column: found?.column }).toEqual(locations[0]);
    expect(found?.message).toContain(contains);
  });

  it("SQL that is wrong, at its position in the SQL file", () => {
    const { diagnostics } = check(
      declaration,
      new Map([["balances.sql", `-- Balances.\n${balances.replace("FROM deposits", "FROM secrets")}`]]),
    );
    expect(diagnostics.map(renderDiagnostic)).toEqual([
      expect.stringMatching(/^endpoints\/vaults\/balances\.sql:2:19 refused-relation: Refused table "secrets": expected /),
    ]);
  });

  it("SQL files that no operation names", () => {
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
