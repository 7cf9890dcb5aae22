import { type AbiParameter, decodeAbiParameters, encodeAbiParameters } from "viem";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../demo/story/random.ts";
import { parseAbiType } from "../../../runtime/declarations/abi/abi-type.ts";
import { decodeAbi } from "../../../runtime/declarations/abi/decode-abi.ts";
import type { Hex } from "../../../runtime/lib/hex.ts";

const random = createRandom("strict ABI");
const hexOf = (byteCount: number): Hex =>
  `0x${Array.from({ length: byteCount }, () => random.between(0, 255).toString(16).padStart(2, "0")).join("")}`;
const numberOf = (bits: number): bigint => BigInt(hexOf(bits / 8));

const items = ["address", "bool", "uint8", "uint112", "uint256", "int24", "int256", "bytes1", "bytes32", "bytes", "string"];
const types = [...items, ...items.flatMap((item) => [`${item}[]`, `${item}[3]`]), "uint256[2][]", "bytes[][2]"];

const randomValue = (type: string): unknown => {
  const [, item = "", length] = /^(.*)\[(\d*)\]$/.exec(type) ?? [];
  if (item !== "") return Array.from({ length: length === "" ? random.between(0, 4) : Number(length) }, () => randomValue(item));
  if (type === "address") return hexOf(20);
  if (type === "bool") return random.oneIn(2);
  if (type === "string") return "é𝔘 text ".repeat(random.between(0, 6));
  if (type === "bytes") return hexOf(random.between(0, 70));
  if (type.startsWith("bytes")) return hexOf(Number(type.slice(5)));
  if (type.startsWith("uint")) return numberOf(Number(type.slice(4)));
  return BigInt.asIntN(Number(type.slice(3)), numberOf(Number(type.slice(3))));
};

interface Example {
  readonly names: readonly string[];
  readonly parameters: readonly AbiParameter[];
  readonly values: readonly unknown[];
  readonly data: Hex;
}
const examples = Array.from({ length: 400 }, (): Example => {
  const names = Array.from({ length: random.between(0, 4) }, () => random.pick(types));
  const parameters = names.map((type) => ({ type, name: "x" }));
  const values = names.map(randomValue);
  return { names, parameters, values, data: encodeAbiParameters(parameters, values) };
});
const decode = ({ names }: Example, data: Hex) => decodeAbi(names.map(parseAbiType), data);

/** Converts addresses to lower case, because viem returns them with a checksum, and numbers to bigints. */
const normalize = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(normalize);
  return typeof value === "number" ? BigInt(value) : typeof value === "string" && value.startsWith("0x") ? value.toLowerCase() : value;
};

describe("decodeAbi", () => {
  it("returns the encoded values", () => {
    for (const example of examples) expect(decode(example, example.data), example.names.join()).toEqual(example.values);
  });

  it("accepts modified data if and only if it equals the encoding of its values", () => {
    let accepted = 0;
    let refused = 0;
    for (const example of examples.filter(({ data }) => data.length > 2)) {
      const at = random.between(2, example.data.length - 1);
      const digit = random.pick(["0", "1", "2", "4", "8", "f"]);
      const data: Hex = `0x${example.data.slice(2, at)}${digit}${example.data.slice(at + 1)}`;
      const decoded = decode(example, data);
      const encoded = reencode(example, data);
      // A modified byte in a string may be invalid UTF-8, and is then replaced.
      if (example.names.some((name) => name.startsWith("string"))) continue;
      if (decoded === null) expect(encoded, `${example.names.join()} ${data}`).not.toBe(data);
      else expect(encoded, `${example.names.join()} ${data}`).toBe(data);
      if (decoded === null) refused += 1;
      else accepted += 1;
    }
    expect(Math.min(accepted, refused)).toBeGreaterThan(30);
  });

  it("refuses data that is too short, or too long unless the rest is ignored", () => {
    for (const example of examples.filter(({ data }) => data.length > 2)) {
      const { names, data, values } = example;
      for (const cut of [2, 64]) expect(decode(example, data.slice(0, -cut) as Hex), names.join()).toBeNull();
      for (const more of ["00", "0".repeat(64)]) {
        expect(decode(example, `${data}${more}`), names.join()).toBeNull();
        expect(decodeAbi(names.map(parseAbiType), `${data}${more}`, { ignoresRest: true }), names.join()).toEqual(values);
      }
    }
    expect(decodeAbi([], "0x")).toEqual([]);
  });

  it.each([
    ["an address with a higher byte", "address", "01".padStart(24, "0").padEnd(64, "0")],
    ["a bool of 2", "bool", "2".padStart(64, "0")],
    ["a uint8 of 256", "uint8", "100".padStart(64, "0")],
    ["an int8 that is not sign-extended", "int8", "ff".padStart(64, "0")],
    ["a bytes4 with a fifth byte", "bytes4", "1122334455".padEnd(64, "0")],
    ["an offset beyond the data", "bytes", "f".repeat(64)],
    ["an offset to the head", "bytes", "0".repeat(64)],
    ["a length of 2^256 - 1", "bytes", `${"20".padStart(64, "0")}${"f".repeat(64)}`],
    ["a length of four billion items", "address[]", `${"20".padStart(64, "0")}${"ffffffff".padStart(64, "0")}`],
    ["a gap before the tail", "bytes", `${"40".padStart(64, "0")}${"0".repeat(128)}`],
    ["padding that is not zero", "bytes", `${"20".padStart(64, "0")}${"1".padStart(64, "0")}${"a".repeat(64)}`],
    ["two items that share their bytes", "bytes[]", ["20", "2", "40", "40", "1", "aa"].map((part) => part.padStart(64, "0")).join("")],
  ])("refuses %s", (_, type, words) => {
    expect(decodeAbi([parseAbiType(type)], `0x${words}`)).toBeNull();
  });

  it("replaces invalid UTF-8", () => {
    const data: Hex = `0x${"20".padStart(64, "0")}${"3".padStart(64, "0")}${"61ff62".padEnd(64, "0")}`;
    expect(decodeAbi([parseAbiType("string")], data)).toEqual(["a\ufffdb"]);
  });
});

/** Encodes the values that viem, which is not strict, decodes; null if it cannot decode the data. */
const reencode = ({ parameters }: Example, data: Hex): Hex | null => {
  try {
    return encodeAbiParameters(parameters, normalize(decodeAbiParameters(parameters, data)) as unknown[]);
  } catch {
    return null;
  }
};

describe("parseAbiType", () => {
  it.each(["", "uint", "uint7", "uint264", "bytes33", "bytes0", "uint256[0]", "tuple", "(uint256)", "fixed128x18", "address[", "x[]"])(
    "refuses %j",
    (text) => {
      expect(() => parseAbiType(text)).toThrow(RangeError);
    },
  );
});
