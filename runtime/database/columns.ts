import type { Hex } from "../lib/hex.ts";

/*
 * Tens of thousands of rows as one row with a list for each column. The driver makes a text of each value and an object of each row, one call after the other;
 * a list of a whole column is one text, which JSON.parse or a few cuts take apart several times as fast. All lists of one SELECT are in the same order.
 */

/** A column as a JSON array: numbers up to 2^53 - 1, text, booleans and nulls. Larger numbers as text, or they would lose digits. */
export const listOf = (column: string): string => `coalesce(json_agg(${column}), '[]')`;

/** A column of addresses, none of them null, one right after the other, for `addressesIn`. */
export const joinedAddresses = (column: string): string => `coalesce(string_agg(${column}, ''::bytea), ''::bytea)`;

const digits = 40;

/** The addresses that `joinedAddresses` joined. @throws {RangeError} where they are not whole ones. */
export function addressesIn(joined: Hex): Hex[] {
  const count = (joined.length - 2) / digits;
  if (!Number.isInteger(count)) throw new RangeError("The database holds an address that has not 20 bytes.");
  return Array.from({ length: count }, (_, index): Hex => `0x${joined.slice(2 + index * digits, 2 + (index + 1) * digits)}`);
}
