import type { Address, Hash, Hex } from "../lib/hex.ts";
import { BadReplyError } from "./errors.ts";

/** A JSON object of the node's, its fields not trusted yet. */
export type Raw = Readonly<Record<string, unknown>>;

const quantityForm = /^0x[0-9a-fA-F]{1,64}$/;
const dataForm = /^0x(?:[0-9a-fA-F]{2})*$/;
const addressForm = /^0x[0-9a-fA-F]{40}$/;
const hashForm = /^0x[0-9a-fA-F]{64}$/;

const refuse = (field: string, expected: string, value: unknown): BadReplyError => {
  const shown = typeof value === "string" ? `"${value.slice(0, 80)}"` : String(value).slice(0, 80);
  return new BadReplyError(`The node's field ${field} should be ${expected}, and is ${shown}.`);
};

const text = (raw: Raw, field: string, form: RegExp, expected: string): Hex => {
  const value = raw[field];
  if (typeof value !== "string" || !form.test(value)) throw refuse(field, expected, value);
  return value.toLowerCase() as Hex;
};

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
export const bigQuantity = (raw: Raw, field: string): bigint => BigInt(text(raw, field, quantityForm, "a hexadecimal quantity"));

/** A quantity that a number holds exactly. */
export const quantity = (raw: Raw, field: string): number => {
  const value = Number.parseInt(text(raw, field, quantityForm, "a hexadecimal quantity"), 16);
  if (!Number.isSafeInteger(value)) throw refuse(field, "a quantity below 2^53", raw[field]);
  return value;
};

/** A quantity up to a bound beyond which the field says nothing that there can be; `expected` words it. */
export const quantityUpTo =
  (most: number, expected: string) =>
  (raw: Raw, field: string): number => {
    const value = quantity(raw, field);
    if (value > most) throw refuse(field, expected, raw[field]);
    return value;
  };

/** 20 bytes. */
export const address = (raw: Raw, field: string): Address => text(raw, field, addressForm, "an address");

/** 32 bytes. */
export const hash = (raw: Raw, field: string): Hash => text(raw, field, hashForm, "a hash");

/** Bytes of any length. */
export const data = (raw: Raw, field: string): Hex => text(raw, field, dataForm, "hexadecimal data");

/** The value of a field that a node may leave out or set to null. */
export const optional = <T>(raw: Raw, field: string, read: (raw: Raw, field: string) => T): T | null =>
  raw[field] === undefined || raw[field] === null ? null : read(raw, field);

/** A height as JSON-RPC writes it. */
export const toQuantity = (value: number): Hex => `0x${value.toString(16)}`;
