import { decodeAbiParameters, type Hex } from "viem";
import { describe, expect, it } from "vitest";
import { renderValue } from "../../../runtime/events/render-value.ts";
import { wordReaderOf } from "../../../runtime/events/word-readers.ts";

const sizes = (name: string, step: number, max: number): string[] =>
  Array.from({ length: max / step }, (_, index) => `${name}${(index + 1) * step}`);
const types = ["address", "bool", "uint", "int", ...sizes("uint", 8, 256), ...sizes("int", 8, 256), ...sizes("bytes", 1, 32)];

/** Words at the bounds of all sizes, and their neighbours. */
const words = [
  ...Array.from({ length: 256 }, (_, bit) => 2n ** BigInt(bit)).flatMap((power) => [power - 1n, power, power + 1n, 2n ** 256n - power]),
  0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaedn,
  0xdeadbeefn * 2n ** 160n + 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaedn,
].map((value) => value.toString(16).padStart(64, "0"));

/** The value that viem decodes, rendered; null if viem rejects the word. */
function decodedByViem(type: string, word: string): string | null {
  try {
    return renderValue({ type }, decodeAbiParameters([{ type }], `0x${word}` as Hex)[0]);
  } catch {
    return null;
  }
}

describe("a one-word type's reader", () => {
  it.each(types)("accepts the same words of %s as viem, with the same values", (type) => {
    const read = wordReaderOf(type);
    for (const word of words) expect([word, read?.(word)]).toEqual([word, decodedByViem(type, word)]);
  });

  it.each(["string", "bytes", "uint256[]", "uint256[2]", "tuple", "function"])("does not exist for %s", (type) => {
    expect(wordReaderOf(type)).toBeNull();
  });
});
