import type { Address, Hash, Hex } from "../lib/hex.ts";
import { InvalidResponseError } from "./errors.ts";

/** A JSON object from the node whose fields are not checked yet. */
export type RawObject = Readonly<Record<string, unknown>>;

const quantityPattern = /^0x[0-9a-fA-F]{1,64}$/;
const digitsPattern = /^0x[0-9a-fA-F]*$/;
const addressPattern = /^0x[0-9a-fA-F]{40}$/;
const hashPattern = /^0x[0-9a-fA-F]{64}$/;

const invalidField = (field: string, expected: string, value: unknown): InvalidResponseError => {
  const shown = typeof value === "string" ? `"${value.slice(0, 80)}"` : String(value).slice(0, 80);
  return new InvalidResponseError(`Invalid field ${field} from the node: expected ${expected}, got ${shown}.`);
};

const text = (raw: RawObject, field: string, pattern: RegExp, expected: string): Hex => {
  const value = raw[field];
  if (typeof value !== "string" || !pattern.test(value)) throw invalidField(field, expected, value);
  return value.toLowerCase() as Hex;
};

/**
 * A well-formed small quantity, otherwise undefined. `Number` also accepts white space at both ends, so the first and last characters are checked. A block has
 * tens of thousands of quantities, and a regular expression takes several times as long.
 */
const smallQuantity = (value: unknown): number | undefined => {
  if (typeof value !== "string" || value.length < 3 || value.length > 15) return undefined;
  if (value.charCodeAt(0) !== 48 || value.charCodeAt(1) !== 120 || !isHexDigit(value.charCodeAt(value.length - 1))) return undefined;
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
};

/** Whether a character code is that of 0-9, A-F or a-f. */
const isHexDigit = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);

/** A field that must be an object. */
export const asObject = (value: unknown, field: string): RawObject => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalidField(field, "an object", value);
  return value as RawObject;
};

/** A field that must be an array. */
export const asList = (value: unknown, field: string): readonly unknown[] => {
  if (!Array.isArray(value)) throw invalidField(field, "an array", value);
  return value;
};

/** A quantity up to 256 bits wide. */
export const readBigQuantity = (raw: RawObject, field: string): bigint =>
  BigInt(smallQuantity(raw[field]) ?? text(raw, field, quantityPattern, "a hexadecimal quantity"));

/** A quantity that a JavaScript number represents exactly. */
export const readQuantity = (raw: RawObject, field: string): number => {
  const small = smallQuantity(raw[field]);
  if (small !== undefined) return small;
  const value = Number.parseInt(text(raw, field, quantityPattern, "a hexadecimal quantity"), 16);
  if (!Number.isSafeInteger(value)) throw invalidField(field, "a quantity below 2^53", raw[field]);
  return value;
};

/** A reader for quantities up to the field's largest possible value, which `expected` describes. */
export const quantityUpTo =
  (max: number, expected: string) =>
  (raw: RawObject, field: string): number => {
    const value = readQuantity(raw, field);
    if (value > max) throw invalidField(field, expected, raw[field]);
    return value;
  };

/** A reader for quantities below a limit, which `expected` describes. */
export const bigQuantityBelow =
  (limit: bigint, expected: string) =>
  (raw: RawObject, field: string): bigint => {
    const value = readBigQuantity(raw, field);
    if (value >= limit) throw invalidField(field, expected, raw[field]);
    return value;
  };

/** A field of 20 bytes, in lower case. */
export const readAddress = (raw: RawObject, field: string): Address => text(raw, field, addressPattern, "an address");

/** A field of 32 bytes, in lower case. */
export const readHash = (raw: RawObject, field: string): Hash => text(raw, field, hashPattern, "a hash");

/** A field of any number of bytes, in lower case. */
export const readData = (raw: RawObject, field: string): Hex => {
  const value = text(raw, field, digitsPattern, "hexadecimal data");
  if (value.length % 2 !== 0) throw invalidField(field, "hexadecimal data", value);
  return value;
};

/** A field that is not checked, because it is only compared with checked text; empty if it is not text. */
export const uncheckedText = (raw: RawObject, field: string): string => {
  const value = raw[field];
  return typeof value === "string" ? value.toLowerCase() : "";
};

/** The value of a field that nodes may omit or set to null. */
export const readOptional = <T>(raw: RawObject, field: string, read: (raw: RawObject, field: string) => T): T | null =>
  raw[field] === undefined || raw[field] === null ? null : read(raw, field);

/** A number as a word, as contracts return it. */
export const toWord = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`;

/** A number as a JSON-RPC quantity, such as 0x1a. */
export const toQuantity = (value: number): Hex => `0x${value.toString(16)}`;
