import type { OperationRow } from "../../domains/community/queries/operation-queries.ts";
import { nativeTokenAddress } from "../../lib/hex.ts";

/** The configured name and symbol of a chain's native token. */
export interface NativeNames {
  readonly name: string;
  readonly symbol: string;
}

/** The name prefixes of fields that describe a token. */
const tokenPrefixes = ["contract", "asset"] as const;

/**
 * Adds the native token's configured name and symbol, which the schema `api` does not have, to a row from declared SQL and to rows in its lists.
 */
export function withNativeNames(row: OperationRow, native: NativeNames): OperationRow {
  const named = Object.fromEntries(
    tokenPrefixes
      .filter((token) => row[`${token}_address`] === nativeTokenAddress)
      .flatMap((token) => [
        [`${token}_name`, row[`${token}_name`] ?? native.name],
        [`${token}_ticker_symbol`, row[`${token}_ticker_symbol`] ?? native.symbol],
      ]),
  );
  const lists = Object.entries(row).flatMap(([field, value]) =>
    Array.isArray(value) ? [[field, value.map((element: unknown) => (isRow(element) ? withNativeNames(element, native) : element))]] : [],
  );
  return { ...row, ...named, ...Object.fromEntries(lists) };
}

const isRow = (value: unknown): value is OperationRow => typeof value === "object" && value !== null && !Array.isArray(value);
