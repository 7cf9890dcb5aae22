import type { Hex } from "../lib/hex.ts";
import { identifier, type Sql, sql } from "./sql.ts";

/*
 * Helpers to return tens of thousands of rows as one row with one list per column. For separate rows, the driver decodes each value and creates an object for
 * each row; splitting the text of a column's list is several times as fast. All lists in one SELECT are in the same order.
 */

/** A column as a JSON array: numbers up to 2^53 - 1, text, booleans and nulls. Cast larger numbers to text: otherwise they lose digits. */
export const jsonArrayOf = (column: string | Sql): Sql =>
  sql`coalesce(json_agg(${typeof column === "string" ? identifier(column) : column}), '[]')`;

/** A column of addresses, none of them null, concatenated for `splitAddresses`. */
export const concatenatedAddresses = (column: string): Sql => sql`coalesce(string_agg(${identifier(column)}, ''::bytea), ''::bytea)`;

const digits = 40;

/** The addresses in a value of `concatenatedAddresses`. @throws {RangeError} if its length is not a multiple of 20 bytes. */
export function splitAddresses(concatenated: Hex): Hex[] {
  const count = (concatenated.length - 2) / digits;
  if (!Number.isInteger(count))
    throw new RangeError(`Invalid addresses in the database: ${(concatenated.length - 2) / 2} bytes; expected a multiple of 20.`);
  return Array.from({ length: count }, (_, index): Hex => `0x${concatenated.slice(2 + index * digits, 2 + (index + 1) * digits)}`);
}
