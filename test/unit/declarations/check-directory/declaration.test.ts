import { describe, expect, it } from "vitest";
import { renderDiagnostic } from "../../../../runtime/declarations/diagnostics.ts";
import { check, files, folder, problemsOf, vault } from "./savings.ts";

/** The line and column of a text in the declaration after an edit. */
const positionOf = (texts: ReadonlyMap<string, string>, text: string): string => {
  const before = (texts.get(`${folder}/protocol.yaml`) ?? "").split(text)[0] ?? "";
  return `${folder}/protocol.yaml:${before.split("\n").length}:${(before.split("\n").at(-1) ?? "").length + 1}`;
};

describe("a protocol directory", () => {
  it("is read with its own operations and objects", () => {
    const { value, diagnostics } = check(files());
    expect(diagnostics.map(renderDiagnostic)).toEqual([]);
    expect(value.map(({ protocol }) => [protocol.id, protocol.name])).toEqual([["savings", "savings"]]);
    expect(value[0]?.endpoints.deposits).toEqual({
      summary: "Deposits for a wallet",
      notes: "Deposits into the vaults whose shares the wallet received, newest first. An address without deposits has no items.",
      item: "Deposit",
      parameters: ["address"],
      cost: { hundredths: 1, per: "item" },
    });
    expect(value[0]?.endpoints.balances).toMatchObject({ item: "CommunityBalance", parameters: ["address"], cost: null });
  });

  it.each([
    [
      "a built-in protocol's id",
      "protocol: savings",
      "protocol: protocol_06",
      "protocol_06",
      'taken-name: Duplicate name "protocol_06": it is already the id or the name of the built-in protocol protocol_06, expected another one',
    ],
    [
      "an unknown type",
      "type: bigint, description: Amount of assets",
      "type: bigin, description: Amount of assets",
      "bigin,",
      /^unknown-type: Unknown type "bigin": expected .*bigint.*\(nearest: bigint\)$/,
    ],
    [
      "an unknown item",
      "item: Deposit",
      "item: Deposits",
      "Deposits\n",
      /^unknown-item: Unknown object "Deposits": .*\(nearest: Deposit\)$/,
    ],
    [
      "an unknown parameter",
      "parameters: [address]",
      "parameters: [adress]",
      "adress",
      /^unknown-value: Unknown value "adress": expected address, pool-address \(nearest: address\)$/,
    ],
    [
      "a cost with three decimals",
      "credits: 0.01",
      "credits: 0.001",
      "0.001",
      "wrong-value: Invalid value: found 0.001, expected a number with at most two decimals",
    ],
    [
      "an item for an operation in the template",
      "sql: balances.sql",
      "item: Deposit\n    sql: balances.sql",
      "item: Deposit\n    sql",
      'template-operation: Unexpected key "item": the template defines the item and parameters of balances, expected no item',
    ],
    [
      "an operation without its own item",
      "    item: Deposit\n",
      "",
      "deposits:\n    sql",
      /^unknown-operation: Unknown community operation "deposits": not in the community template, and without item, which operations that are not in the template require; expected balances, market_data/,
    ],
    [
      "a protocol's own operation without a summary",
      "    summary: Deposits for a wallet\n",
      "",
      "deposits:\n    sql",
      'missing-key: Missing key "summary": expected the title of the endpoint',
    ],
    [
      "a derived field without its source",
      "      sender:",
      "      pretty_value: { type: string, description: Formatted. }\n      sender:",
      "pretty_value",
      'underived-field: Underived field "pretty_value": the server derives it from value, expected that field in the same object',
    ],
    [
      "a catalog object",
      "  Deposit:\n",
      "  CommunityAmount: { description: Amount., fields: { amount: { type: bigint, description: Amount. } } }\n  Deposit:\n",
      "CommunityAmount",
      'reserved-name: Reserved name "CommunityAmount": is an object of the catalog, expected another name',
    ],
    [
      "an object that contains itself",
      "      sender:",
      '      parts: { type: "[Deposit]", description: Parts. }\n      sender:',
      "Deposit:\n",
      "recursive-object: Recursive object Deposit: expected objects that do not contain themselves",
    ],
    [
      "contracts that an unknown read lists",
      "\ntables:",
      "\n  pool: { listedBy: [{ read: aset }] }\ntables:",
      "aset",
      'unknown-read: Unknown read "aset": expected asset, share_price (nearest: asset)',
    ],
    [
      "contracts listed by a result of the wrong type",
      "\ntables:",
      "\n  pool: { listedBy: [{ read: share_price }] }\ntables:",
      "share_price",
      'wrong-value: Invalid value: found "assets" of type uint256, expected a result of type address or address[]',
    ],
    [
      "contracts listed by an unknown result",
      "\ntables:",
      "\n  pool: { listedBy: [{ read: asset, column: pool }] }\ntables:",
      "pool }",
      'unknown-column: Unknown column "pool": expected asset',
    ],
    [
      "listed contracts at fixed addresses",
      "    networks:",
      "    listedBy: [{ read: asset }]\n    networks:",
      "networks:",
      "listed-contracts: Conflict with listedBy of vault: found networks, expected another kind for contracts at fixed addresses",
    ],
    [
      "latestBy in a table of listed contracts",
      "\ntables:",
      '\n  pool: { listedBy: [{ read: asset }] }\ntables:\n  moves: { contract: pool, events: ["Moved(address by)"], latestBy: [by] }',
      "latestBy",
      "listed-contracts: Conflict with listedBy of pool: found latestBy of a table of its events, expected a table without it",
    ],
    [
      "listed contracts that announce others",
      "\ntables:",
      '\n  pool: { listedBy: [{ read: asset }] }\n  gauge: { discoveredBy: [{ contract: pool, event: "Made(address gauge)", address: gauge }] }\ntables:',
      'pool, event: "Made',
      "listed-contracts: Conflict with listedBy of pool: found contracts of gauge that its events announce, expected a kind that no read lists",
    ],
    [
      "an address without quotation marks, which YAML reads as a number",
      `"${vault}"`,
      vault,
      vault,
      `unquoted-hex: Invalid value: found the number ${vault}, expected an address or bytes in quotation marks: "${vault}"`,
    ],
    [
      "an argument without quotation marks",
      '["1000000000000000000000000000000000000"]',
      `[${vault}]`,
      `${vault}]`,
      `unquoted-hex: Invalid value: found the number ${vault}, expected an address or bytes in quotation marks: "${vault}"`,
    ],
    ["an unknown key", "    summary:", "    sumary:", "sumary", /^unknown-key: Unknown key "sumary": expected .*summary/],
  ] as const)("reports %s at its position", (_case, text, replacement, at, problem) => {
    const texts = files((declaration) => declaration.replace(text, replacement));
    const position = positionOf(texts, at);
    const found = problemsOf(texts)
      .filter((line) => line.startsWith(`${position} `))
      .map((line) => line.slice(position.length + 1));
    expect(found, problemsOf(texts).join("\n")).toContainEqual(typeof problem === "string" ? problem : expect.stringMatching(problem));
    expect(check(texts).value).toEqual([]);
  });

  it("is read with contracts that a read lists", () => {
    const { value, diagnostics } = check(
      files((declaration) =>
        declaration.replace("\ntables:", "\n  token: { listedBy: [{ read: asset }, { read: asset, column: asset }] }\ntables:"),
      ),
    );
    expect(diagnostics).toEqual([]);
    expect(value[0]?.protocol.contracts.token).toEqual({
      networks: {},
      discoveredBy: [],
      listedBy: [
        { read: "asset", column: "asset" },
        { read: "asset", column: "asset" },
      ],
    });
  });
});
