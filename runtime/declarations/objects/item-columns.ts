import type { ItemField } from "./item-field.ts";

/** A CSV column, with the path of its value in the row. */
export interface ItemColumn {
  readonly header: string;
  readonly path: readonly string[];
  readonly kind: "text" | "number" | "boolean" | "json";
}

/** The kinds of scalars other than text; an amount (bigint) is a string in JSON and a number in CSV. */
const kinds: Readonly<Record<string, ItemColumn["kind"]>> = { number: "number", integer: "number", bigint: "number", boolean: "boolean" };

/** The columns of an object's fields: nested fields have dotted names, and an array or a recursive object is one JSON cell. */
export function itemColumns(fieldsOf: (object: string) => readonly ItemField[], object: string): ItemColumn[] {
  const columnsOf = (name: string, path: readonly string[], ancestors: readonly string[]): ItemColumn[] =>
    fieldsOf(name).flatMap((field): ItemColumn[] => {
      const fieldPath = [...path, field.name];
      if (field.object === null || field.list || ancestors.includes(field.object)) return [itemColumn(field, fieldPath)];
      return columnsOf(field.object, fieldPath, [...ancestors, field.object]);
    });
  return columnsOf(object, [], [object]);
}

/** The column of one field. */
export function itemColumn({ format, list }: ItemField, path: readonly string[]): ItemColumn {
  const kind = list || format === null ? "json" : (kinds[format] ?? "text");
  return { header: path.join("."), path, kind };
}
