import type { Hex } from "../../lib/hex.ts";
import type { AbiType } from "./abi-type.ts";

/** Numbers as bigint, addresses and bytes as hex. */
export type AbiValue = string | bigint | boolean | readonly AbiValue[];

/** The number of hex digits in a word. */
const wordDigits = 64;
/** The position of the first digit, after 0x. */
const start = 2;
const zeros = "0".repeat(wordDigits);

/** ABI data, and the end of the decoded part. Positions count hex digits. */
interface Encoded {
  readonly data: Hex;
  end: number;
}

/**
 * Decodes ABI data in the specification's strict mode: each tail begins where the previous one ends, so that no byte is
 * decoded twice, and padding is zero. Compilers encode events and results in this way. Returns null for all other data, including data that is too
 * short or too long. With `ignoresRest`, additional data may follow; callers of functions ignore it.
 */
export const decodeAbi = (types: readonly AbiType[], data: Hex, { ignoresRest = false } = {}): readonly AbiValue[] | null => {
  const encoded: Encoded = { data, end: start };
  const values = decodeSequence(encoded, types, start);
  return values !== null && (ignoresRest || encoded.end === data.length) ? values : null;
};

/** Decodes a topic; null if it does not encode a value of this type, which must be one word long. */
export const decodeTopic = (type: AbiType, topic: Hex): AbiValue | null => decodeStatic(topic, type, start);

/** Decodes the heads of all values, then the tails of dynamic ones. */
const decodeSequence = (encoded: Encoded, types: readonly AbiType[], from: number): readonly AbiValue[] | null => {
  const { data } = encoded;
  let tail = from + wordDigits * types.reduce((sum, { wordCount }) => sum + (wordCount ?? 1), 0);
  if (tail > data.length) return null;
  const values: AbiValue[] = [];
  let head = from;
  for (const type of types) {
    const isDynamic = type.wordCount === null;
    if (isDynamic && 2 * smallNumberAt(data, head) !== tail - from) return null;
    const value = isDynamic ? decodeDynamic(encoded, type, tail) : decodeStatic(data, type, head);
    if (value === null) return null;
    values.push(value);
    if (isDynamic) tail = encoded.end;
    head += wordDigits * (type.wordCount ?? 1);
  }
  encoded.end = tail;
  return values;
};

const decodeDynamic = (encoded: Encoded, type: AbiType, from: number): AbiValue | null => {
  switch (type.kind) {
    case "bytes":
      return decodeBytes(encoded, from);
    case "string": {
      const content = decodeBytes(encoded, from);
      return content === null ? null : Buffer.from(content.slice(start), "hex").toString("utf8");
    }
    case "list":
      return type.length === null ? decodeCounted(encoded, type.item, from) : decodeItems(encoded, type.item, type.length, from);
    default:
      return null;
  }
};

const decodeCounted = (encoded: Encoded, item: AbiType, from: number): readonly AbiValue[] | null => {
  const count = smallNumberAt(encoded.data, from);
  return count < 0 ? null : decodeItems(encoded, item, count, from + wordDigits);
};

const decodeItems = (encoded: Encoded, item: AbiType, count: number, from: number): readonly AbiValue[] | null =>
  // Checked before the list is allocated.
  from + wordDigits * (item.wordCount ?? 1) * count > encoded.data.length
    ? null
    : decodeSequence(encoded, new Array<AbiType>(count).fill(item), from);

const decodeBytes = (encoded: Encoded, from: number): string | null => {
  const { data } = encoded;
  const length = smallNumberAt(data, from);
  const content = from + wordDigits;
  const padding = content + 2 * length;
  const end = content + Math.ceil(length / 32) * wordDigits;
  if (length < 0 || end > data.length || !isZero(data, padding, end)) return null;
  encoded.end = end;
  return `0x${data.slice(content, padding)}`;
};

const decodeStatic = (data: Hex, type: AbiType, at: number): AbiValue | null => {
  switch (type.kind) {
    case "uint": {
      const value = numberAt(data, at);
      return type.bits < 256 && value >> BigInt(type.bits) > 0n ? null : value;
    }
    case "int": {
      const value = BigInt.asIntN(256, numberAt(data, at));
      return BigInt.asIntN(type.bits, value) === value ? value : null;
    }
    case "address":
      return isZero(data, at, at + 24) ? `0x${data.slice(at + 24, at + wordDigits)}` : null;
    case "bool": {
      const value = smallNumberAt(data, at);
      return value === 0 || value === 1 ? value === 1 : null;
    }
    case "fixedBytes": {
      const padding = at + 2 * type.size;
      return isZero(data, padding, at + wordDigits) ? `0x${data.slice(at, padding)}` : null;
    }
    case "list":
      return decodeStaticItems(data, type.item, type.length ?? 0, at);
    default:
      return null;
  }
};

const decodeStaticItems = (data: Hex, item: AbiType, count: number, from: number): readonly AbiValue[] | null => {
  const values: AbiValue[] = [];
  for (let position = 0; position < count; position += 1) {
    const value = decodeStatic(data, item, from + position * wordDigits * (item.wordCount ?? 1));
    if (value === null) return null;
    values.push(value);
  }
  return values;
};

const numberAt = (data: Hex, at: number): bigint => BigInt(`0x${data.slice(at, at + wordDigits)}`);

/** An offset or a length; -1 if the word is missing, or too large for any data. */
const smallNumberAt = (data: Hex, at: number): number =>
  at + wordDigits <= data.length && isZero(data, at, at + 56) ? Number.parseInt(data.slice(at + 56, at + wordDigits), 16) : -1;

const isZero = (data: Hex, from: number, to: number): boolean => data.slice(from, to) === zeros.slice(0, to - from);
