/** Reads a value from the hex digits of a 32-byte word, in the format of `renderValue`; null if the word is not a value of the type. */
export type WordReader = (word: string) => string | null;

/** Hex digits of one 32-byte word. */
export const wordDigits = 64;

const readAddress: WordReader = (word) => `0x${word.slice(24)}`.toLowerCase();

const flags: Readonly<Record<string, string>> = { [`${"0".repeat(64)}`]: "false", [`${"0".repeat(63)}1`]: "true" };
const readBool: WordReader = (word) => flags[word] ?? null;

/** viem decodes integers of up to 48 bits to numbers. */
const maxSmallBits = 48;

const readInteger =
  (bits: number, signed: boolean): WordReader =>
  (word) => {
    const unsigned = BigInt(`0x${word}`);
    const value = signed ? BigInt.asIntN(256, unsigned) : unsigned;
    // Like viem, ignores bits above the type's size, but rejects unsafe integers for types up to 48 bits.
    return bits <= maxSmallBits && !Number.isSafeInteger(Number(value)) ? null : value.toString();
  };

/**
 * The reader for a one-word type: an address, a boolean, a number or bytes of fixed length; null for all other types. It accepts the same words
 * as viem's `decodeAbiParameters`, which computes the checksum of each address: a keccak hash that lower-case addresses do not need.
 */
export function wordReaderOf(type: string): WordReader | null {
  if (type === "address") return readAddress;
  if (type === "bool") return readBool;
  const integer = /^(u?)int(\d*)$/.exec(type);
  if (integer !== null) return readInteger(Number(integer[2] || 256), integer[1] === "");
  const bytes = /^bytes(\d+)$/.exec(type);
  if (bytes === null) return null;
  const digits = 2 * Number(bytes[1]);
  return (word) => `0x${word.slice(0, digits)}`.toLowerCase();
}
