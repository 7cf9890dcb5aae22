import type { Address, Hash, Hex } from "../lib/hex.ts";
import { BadReplyError } from "./errors.ts";

/** A JSON object from the node whose fields are not checked yet. */
export type Raw = Readonly<Record<string, unknown>>;

const quantityForm = /^0x[0-9a-fA-F]{1,64}$/;
const digitsForm = /^0x[0-9a-fA-F]*$/;
const addressForm = /^0x[0-9a-fA-F]{40}$/;
const hashForm = /^0x[0-9a-fA-F]{64}$/;

const refuse = (field: string, expected: string, value: unknown): BadReplyError => {
  const shown = typeof value === "string" ? `"${value.slice(0, 80)}"` : String(value).slice(0, 80);
  return new BadReplyError(`Invalid field ${field} from the node: expected ${expected}, got ${shown}.`);
};

const text = (raw: Raw, field: string, form: RegExp, expected: string): Hex => {
  const value = raw[field];
  if (typeof value !== "string" || !form.test(value)) throw refuse(field, expected, value);
  return value.toLowerCase() as Hex;
};

/**
 * A well-formed small quantity, else undefined. `Number` accepts the prefix, the digits, and white space at the ends, which is excluded by the first and
 * last characters. A block has tens of thousands of quantities, and a regular expression takes several times as long.
 */
const smallQuantity = (value: unknown): number | undefined => {
  if (typeof value !== "string" || value.length < 3 || value.length > 15) return undefined;
  if (value.charCodeAt(0) !== 48 || value.charCodeAt(1) !== 120 || !isDigit(value.charCodeAt(value.length - 1))) return undefined;
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
};

/** 0-9, A-F, a-f. */
const isDigit = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);

/** A field that must be an object. */
export const asObject = (value: unknown, what: string): Raw => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refuse(what, "an object", value);
  return value as Raw;
};

/** A field that must be a list. */
export const asList = (value: unknown, what: string): readonly unknown[] => {
  if (!Array.isArray(value)) throw refuse(what, "a list", value);
  return value;
};

/** A quantity of any width up to 256 bits. */
export const bigQuantity = (raw: Raw, field: string): bigint =>
  BigInt(smallQuantity(raw[field]) ?? text(raw, field, quantityForm, "a hexadecimal quantity"));

/** A quantity that a number holds exactly. */
export const quantity = (raw: Raw, field: string): number => {
  const small = smallQuantity(raw[field]);
  if (small !== undefined) return small;
  const value = Number.parseInt(text(raw, field, quantityForm, "a hexadecimal quantity"), 16);
  if (!Number.isSafeInteger(value)) throw refuse(field, "a quantity below 2^53", raw[field]);
  return value;
};

/** A quantity up to the largest possible value of the field; `expected` describes it. */
export const quantityUpTo =
  (max: number, expected: string) =>
  (raw: Raw, field: string): number => {
    const value = quantity(raw, field);
    if (value > max) throw refuse(field, expected, raw[field]);
    return value;
  };

/** 20 bytes. */
export const address = (raw: Raw, field: string): Address => text(raw, field, addressForm, "an address");

/** 32 bytes. */
export const hash = (raw: Raw, field: string): Hash => text(raw, field, hashForm, "a hash");

/** Bytes of any length. */
export const data = (raw: Raw, field: string): Hex => {
  const value = text(raw, field, digitsForm, "hexadecimal data");
  if (value.length % 2 !== 0) throw refuse(field, "hexadecimal data", value);
  return value;
};

/** A field that is not checked itself, because it is only compared with checked text; empty where it is not text. */
export const claim = (raw: Raw, field: string): string => {
  const value = raw[field];
  return typeof value === "string" ? value.toLowerCase() : "";
};

/** The value of a field that a node may leave out or set to null. */
export const optional = <T>(raw: Raw, field: string, read: (raw: Raw, field: string) => T): T | null =>
  raw[field] === undefined || raw[field] === null ? null : read(raw, field);

/** A number in JSON-RPC's notation. */
export const toQuantity = (value: number): Hex => `0x${value.toString(16)}`;
