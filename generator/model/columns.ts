import type { ScalarType } from "../catalog/definition.ts";
import type { CsvColumn, Field, ResponseObject } from "./model.ts";

type Objects = ReadonlyMap<string, ResponseObject>;

/** The kinds of scalars other than text; an amount (bigint) is a string in JSON and a number in CSV. */
const kinds: Partial<Record<ScalarType, CsvColumn["kind"]>> = { number: "number", integer: "number", bigint: "number", boolean: "boolean" };

/**
 * The columns of an endpoint's CSV: the fields of its rows. Nested fields have dotted names, and an array is one cell of JSON. If `data` is a list of parents
 * with nested rows, the parent's scalar fields come first; otherwise the fields outside of the rows are omitted.
 */
export function csvColumns(objects: Objects, response: string, list: boolean): CsvColumn[] {
  const object = objectNamed(objects, response);
  const rowField = object.fields.find((field) => field.name === object.rows);
  if (rowField === undefined) return fieldColumns(objects, object, "row", [], [object.name]);
  const row =
    "object" in rowField.type ? fieldColumns(objects, objectNamed(objects, rowField.type.object), "row", [], [rowField.type.object]) : [];
  if (!list) return row;
  const parent = object.fields.flatMap((field) => ("scalar" in field.type && !field.list ? [columnOf(field, "parent", [field.name])] : []));
  const parentHeaders = new Set(parent.map((column) => column.header));
  return [
    ...parent,
    ...row.map((column) => (parentHeaders.has(column.header) ? { ...column, header: `${object.rows}.${column.header}` } : column)),
  ];
}

function fieldColumns(
  objects: Objects,
  object: ResponseObject,
  from: CsvColumn["from"],
  path: readonly string[],
  above: readonly string[],
): CsvColumn[] {
  return object.fields.flatMap((field): CsvColumn[] => {
    const here = [...path, field.name];
    // A recursive object is one cell of JSON, like an array.
    if ("scalar" in field.type || field.list || above.includes(field.type.object)) return [columnOf(field, from, here)];
    return fieldColumns(objects, objectNamed(objects, field.type.object), from, here, [...above, field.type.object]);
  });
}

function columnOf(field: Field, from: CsvColumn["from"], path: readonly string[]): CsvColumn {
  const kind = field.list || "object" in field.type ? "json" : (kinds[field.type.scalar] ?? "text");
  return { header: path.join("."), path, from, kind };
}

function objectNamed(objects: Objects, name: string): ResponseObject {
  const object = objects.get(name);
  if (object === undefined) throw new Error(`Unknown object ${name} in the model.`);
  return object;
}
