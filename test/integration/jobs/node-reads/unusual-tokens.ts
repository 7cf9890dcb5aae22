import type { Address } from "../../../../runtime/lib/hex.ts";

const hex = (text: string) => Buffer.from(text).toString("hex");
const word = (value: number) => value.toString(16).padStart(64, "0");
const size = (body: string) => (body.length / 2).toString(16).padStart(4, "0");

/** Creates bytecode that returns the given bytes for name(), symbol() and decimals(), or reverts for null. */
const tokenCode = (results: readonly (string | null)[]): string => {
  const selectors = ["06fdde03", "95d89b41", "313ce567"];
  // PUSH1 0, CALLDATALOAD, PUSH1 e0, SHR; then for each selector: DUP1, PUSH4, EQ, PUSH2 target, JUMPI; finally a revert.
  const head = 6 + 3 * 11 + 5;
  let bodies = "";
  const table = results.map((result, index) => {
    const target = head + bodies.length / 2;
    const data = result ?? "";
    const end = target + 17;
    bodies +=
      result === null ? "5b60006000fd" : `5b61${size(data)}61${end.toString(16).padStart(4, "0")}60003961${size(data)}6000f3fe${data}`;
    return `8063${selectors[index]}1461${target.toString(16).padStart(4, "0")}57`;
  });
  return `0x60003560e01c${table.join("")}60006000fd${bodies}`;
};
const stringData = (text: Buffer) => word(32) + word(text.length) + text.toString("hex").padEnd(Math.ceil(text.length / 32) * 64, "0");

/** Tokens with unusual results from name(), symbol() and decimals(), and the metadata that is stored for them, by title. */
export const unusualTokens: Record<string, { code: string; name: string | null; symbol: string | null; decimals: number | null }> = {
  "bytes32 texts": {
    code: tokenCode([hex("Maker").padEnd(64, "0"), hex("MKR").padEnd(64, "0"), word(18)]),
    name: "Maker",
    symbol: "MKR",
    decimals: 18,
  },
  "reverting calls": { code: tokenCode([null, null, null]), name: null, symbol: null, decimals: null },
  "decimals of 256": {
    code: tokenCode([stringData(Buffer.from("A")), stringData(Buffer.from("B")), word(256)]),
    name: "A",
    symbol: "B",
    decimals: null,
  },
  "decimals of 255": {
    code: tokenCode([stringData(Buffer.from("A")), stringData(Buffer.from("B")), word(255)]),
    name: "A",
    symbol: "B",
    decimals: 255,
  },
  "decimals as a string": { code: tokenCode([null, null, stringData(Buffer.from("18"))]), name: null, symbol: null, decimals: null },
  "control characters and direction marks": {
    code: tokenCode([stringData(Buffer.from("Ev\u0000il\u001b[2J\u202e\nname")), stringData(Buffer.from(" \t ")), word(6)]),
    name: "Evil[2Jname",
    symbol: null,
    decimals: 6,
  },
  "invalid UTF-8": {
    code: tokenCode([stringData(Buffer.from([0x41, 0xff, 0xfe, 0x42])), hex("\u00e9").padEnd(64, "0"), word(0)]),
    name: "AB",
    symbol: "é",
    decimals: 0,
  },
  "texts in array literal syntax": {
    code: tokenCode([stringData(Buffer.from('Foo, "Bar"} {\\')), stringData(Buffer.from("NULL")), word(6)]),
    name: 'Foo, "Bar"} {\\',
    symbol: "NULL",
    decimals: 6,
  },
  "a name of 10 kB": {
    code: tokenCode([stringData(Buffer.from("x".repeat(10_000))), stringData(Buffer.from("🙂".repeat(300))), word(1)]),
    name: "x".repeat(200),
    symbol: "🙂".repeat(200),
    decimals: 1,
  },
  "a length beyond the data": {
    code: tokenCode([word(32) + word(2 ** 31), word(2 ** 40) + word(1), word(1)]),
    name: null,
    symbol: null,
    decimals: 1,
  },
  "no code": { code: "0x", name: null, symbol: null, decimals: null },
  // An endless loop that uses up the gas for all calls in a multicall.
  "calls that burn all gas": { code: "0x5b600056", name: null, symbol: null, decimals: null },
};

/** An unusual token's address by its position. */
export const addressOf = (index: number): Address => `0x${(0xfeed00 + index).toString(16).padStart(40, "0")}`;
