import { communityObjects, type ItemField } from "../../../generated/community-items.gen.ts";
import type { OperationRow } from "../../domains/community/queries/run-operation.ts";
import { decimalOf } from "../../lib/decimal.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { pretty, viewNumber } from "../prices/view-quotes.ts";

/** The logo of a token by its address; null if none is configured. */
export type LogoOf = (token: string) => string | null;

/** The contract whose logo a field shows, by the name of the field. */
const logoContracts: Readonly<Record<string, string>> = { logo_url: "contract_address", asset_logo_url: "asset_address" };
const prettyPrefix = "pretty_";

/**
 * A row of declared SQL as the object of the response: numbers and timestamps in the formats of its fields, and the derived fields.
 * @throws {TypeError} for a value that is not of its field's format, or null in a field that is never null.
 */
export function viewItem(object: string, row: OperationRow, logoOf: LogoOf): Readonly<Record<string, unknown>> {
  const fields = communityObjects[object];
  if (fields === undefined) throw new TypeError(`Object ${object} is not part of a community endpoint.`);
  return Object.fromEntries(fields.map((field) => [field.name, viewField(object, field, row, logoOf)]));
}

function viewField(object: string, field: ItemField, row: OperationRow, logoOf: LogoOf): unknown {
  const { name } = field;
  const contract = logoContracts[name];
  if (contract !== undefined) return typeof row[contract] === "string" ? logoOf(row[contract]) : null;
  if (name.startsWith(prettyPrefix)) return prettyOf(row[name.slice(prettyPrefix.length)]);
  const value = row[name] ?? null;
  if (value === null && !field.nullable) throw new TypeError(`Column ${name} of ${object} is null.`);
  if (value === null) return null;
  if (!field.list) return viewValue(object, field, value, logoOf);
  if (!Array.isArray(value)) throw new TypeError(`Column ${name} of ${object} is not a list.`);
  return value.map((element: unknown) => viewValue(object, field, element, logoOf));
}

const viewValue = (object: string, { name, format, object: nested }: ItemField, value: unknown, logoOf: LogoOf): unknown => {
  if (nested !== null) return viewItem(nested, value as OperationRow, logoOf);
  const viewed = formats[format ?? ""]?.(value) ?? (typeof value === "string" ? value : undefined);
  if (viewed === undefined) throw new TypeError(`Column ${name} of ${object} has the value ${String(value)}: expected ${format}.`);
  return viewed;
};

const decimalText = /^-?\d+(?:\.\d+)?$/;

/** A number, or its decimal text as the database returns numeric. */
const numberOf = (value: unknown): number | undefined => {
  if (typeof value === "number") return value;
  return typeof value === "string" && decimalText.test(value) ? (viewNumber(decimalOf(value)) ?? undefined) : undefined;
};

/** By format of a field; undefined for a value that is not of the format. */
const formats: Readonly<Record<string, (value: unknown) => unknown>> = {
  number: numberOf,
  integer: (value) => {
    const number = numberOf(value);
    return Number.isSafeInteger(number) ? number : undefined;
  },
  bigint: (value) => {
    const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
    return typeof text === "string" && /^-?\d+$/.test(text) ? text : undefined;
  },
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  timestamp: (value) =>
    typeof value === "number" ? isoTimestamp(value) : value instanceof Date ? isoTimestamp(value.getTime() / 1000) : undefined,
};

/** A value in US dollars for display. */
const prettyOf = (value: unknown): string | null => {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && decimalText.test(text) ? pretty(decimalOf(text), "USD") : null;
};
