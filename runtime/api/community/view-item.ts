import { communityObjects } from "../../../generated/community-items.gen.ts";
import type { ItemField } from "../../declarations/objects/item-field.ts";
import { derivedSource } from "../../declarations/result-columns.ts";
import type { OperationRow } from "../../domains/community/queries/operation-queries.ts";
import { parseDecimal } from "../../lib/decimal.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { formatQuote, viewNumber } from "../prices/view-quotes.ts";

/** The logo of a token by its address; null if none is configured. */
export type LogoOf = (token: string) => string | null;

/** Fields by object name. */
export type ObjectFields = Readonly<Record<string, readonly ItemField[]>>;

/**
 * Converts a row from declared SQL to a response object: formats numbers and timestamps, and adds the derived fields.
 * @throws {TypeError} if a value does not match its field's format, or a field that is never null is null.
 */
export function viewItem(
  object: string,
  row: OperationRow,
  logoOf: LogoOf,
  objects: ObjectFields = communityObjects,
): Readonly<Record<string, unknown>> {
  const fields = objects[object];
  if (fields === undefined) throw new TypeError(`Object ${object} is not part of a community endpoint.`);
  return Object.fromEntries(fields.map((field) => [field.name, viewField({ objects, object, logoOf }, field, row)]));
}

interface Scope {
  readonly objects: ObjectFields;
  /** The object that the field is part of. */
  readonly object: string;
  readonly logoOf: LogoOf;
}

function viewField(scope: Scope, field: ItemField, row: OperationRow): unknown {
  const { name } = field;
  const { object, logoOf } = scope;
  const source = derivedSource(name);
  if (source !== null) return name.endsWith("logo_url") ? logoOfContract(row[source], logoOf) : prettyOf(row[source]);
  const value = row[name] ?? null;
  if (value === null && !field.nullable) throw new TypeError(`Column ${name} of ${object} is null.`);
  if (value === null) return null;
  if (!field.list) return viewValue(scope, field, value);
  if (!Array.isArray(value)) throw new TypeError(`Column ${name} of ${object} is not a list.`);
  return value.map((element: unknown) => viewValue(scope, field, element));
}

const logoOfContract = (contract: unknown, logoOf: LogoOf): string | null => (typeof contract === "string" ? logoOf(contract) : null);

const viewValue = ({ objects, object, logoOf }: Scope, { name, format, object: nested }: ItemField, value: unknown): unknown => {
  if (nested !== null) return viewItem(nested, value as OperationRow, logoOf, objects);
  const viewed = formats[format ?? ""]?.(value) ?? (typeof value === "string" ? value : undefined);
  if (viewed === undefined) throw new TypeError(`Column ${name} of ${object} has the value ${String(value)}: expected ${format}.`);
  return viewed;
};

const decimalText = /^-?\d+(?:\.\d+)?$/;

/** Parses a number, or the decimal text that the database returns for numeric. */
const numberOf = (value: unknown): number | undefined => {
  if (typeof value === "number") return value;
  return typeof value === "string" && decimalText.test(value) ? (viewNumber(parseDecimal(value)) ?? undefined) : undefined;
};

/** Converts values by their field's format; undefined for a value that does not have the format. */
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

/** Formats a value in US dollars for display; null if it is not a number. */
const prettyOf = (value: unknown): string | null => {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && decimalText.test(text) ? formatQuote(parseDecimal(text), "USD") : null;
};
