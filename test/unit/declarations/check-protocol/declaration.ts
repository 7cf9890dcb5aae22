import { describe, expect, it } from "vitest";
import { checkProtocol } from "../../../../runtime/declarations/check-protocol.ts";
import type { QueryShape } from "../../../../runtime/declarations/checks/sql-file.ts";
import { protocolFileSchema } from "../../../../runtime/declarations/protocol-file.ts";
import { readYaml } from "../../../../runtime/declarations/yaml/yaml-source.ts";
import { extractMarks } from "../extract-marks.ts";

const file = "endpoints/vaults/protocol.yaml";

/** A valid declaration. Refusal tests modify it. */
export const declaration = `protocol: vaults
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

/** The SQL for the operation `balances` in `declaration`. */
export const balances = "SELECT owner FROM deposits WHERE chain_id = :chain ORDER BY owner LIMIT :limit OFFSET :offset";

const operations: ReadonlyMap<string, QueryShape> = new Map([
  ["balances", { parameters: ["chain", "limit", "offset"], columns: ["owner"] }],
  ["markets", { parameters: ["chain", "limit", "offset"], columns: null }],
]);

/** Checks a declaration with its SQL files. */
export const check = (text: string, queries: ReadonlyMap<string, string> = new Map([["balances.sql", balances]])) => {
  const source = readYaml(file, text);
  return checkProtocol({ source, file: protocolFileSchema.parse(source.value) }, { queries, operations, isAdded: false });
};

/**
 * A change that makes the declaration invalid: a title, the code of the only diagnostic, a text and its replacement (with a mark at the expected
 * position), and a part of the message.
 */
export type RefusedChange = readonly [title: string, code: string, find: string, replacement: string, message: string];

/** Tests that a declaration with each of the changes is refused with one diagnostic, at the marked position. */
export const describeRefusals = (changes: readonly RefusedChange[]): void => {
  describe("a declaration is refused for", () => {
    it.each(changes)("%s", (_, code, find, replacement, message) => {
      const parts = declaration.split(find);
      expect(parts).toHaveLength(2);
      const { text, locations } = extractMarks(file, parts.join(replacement));
      const { value, diagnostics } = check(text);
      expect(value).toBeNull();
      expect(diagnostics.map((found) => found.code)).toEqual([code]);
      const [found] = diagnostics;
      if (locations.length > 0) expect({ file: found?.file, line: found?.line, column: found?.column }).toEqual(locations[0]);
      expect(found?.message).toContain(message);
    });
  });
};
