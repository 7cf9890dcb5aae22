/**
 * An ABI type (Solidity documentation, "Contract ABI Specification"); declarations have no tuples. `wordCount` is the length of its encoding in words,
 * null if it is dynamic.
 */
export type AbiType =
  | { readonly kind: "uint" | "int"; readonly bits: number; readonly wordCount: 1 }
  | { readonly kind: "address" | "bool"; readonly wordCount: 1 }
  | { readonly kind: "fixedBytes"; readonly size: number; readonly wordCount: 1 }
  | { readonly kind: "bytes" | "string"; readonly wordCount: null }
  /** `length` is null for a list of any length. */
  | { readonly kind: "list"; readonly item: AbiType; readonly length: number | null; readonly wordCount: number | null };

/** Parses the canonical name of a type, such as `uint256` or `address[2][]`. @throws {RangeError} */
export const parseAbiType = (text: string): AbiType => {
  const [, itemText, lengthText] = /^(.*)\[(\d{0,9})\]$/s.exec(text) ?? [];
  if (itemText === undefined) return elementaryType(text);
  const item = parseAbiType(itemText);
  const length = lengthText === "" ? null : Number(lengthText);
  // Zero-length lists would let one word claim any number of items.
  if (length === 0) throw unknownType(text);
  return { kind: "list", item, length, wordCount: length === null || item.wordCount === null ? null : length * item.wordCount };
};

const elementaryType = (text: string): AbiType => {
  if (text === "address" || text === "bool") return { kind: text, wordCount: 1 };
  if (text === "bytes" || text === "string") return { kind: text, wordCount: null };
  const [, name, digits] = /^(uint|int|bytes)([1-9]\d{0,2})$/.exec(text) ?? [];
  const number = Number(digits);
  if (name === "bytes" && number <= 32) return { kind: "fixedBytes", size: number, wordCount: 1 };
  if ((name === "uint" || name === "int") && number <= 256 && number % 8 === 0) return { kind: name, bits: number, wordCount: 1 };
  throw unknownType(text);
};

const unknownType = (text: string): RangeError => new RangeError(`Unknown ABI type ${JSON.stringify(text)}.`);
