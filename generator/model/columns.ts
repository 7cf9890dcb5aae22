import { type ItemColumn, itemColumn, itemColumns } from "../../runtime/declarations/objects/item-columns.ts";
import { itemFieldOf } from "./fields.ts";
import type { CsvColumn, ResponseObject } from "./model.ts";

type Objects = ReadonlyMap<string, ResponseObject>;

/**
 * The columns of an endpoint's CSV: the fields of its rows. If `data` lists parents with nested rows, the parents' scalar fields come first;
 * otherwise the fields outside the rows are omitted.
 */
export function csvColumns(objects: Objects, response: string, list: boolean): CsvColumn[] {
  const columnsOf = (name: string) => itemColumns((object) => objectNamed(objects, object).fields.map(itemFieldOf), name).map(inRow);
  const object = objectNamed(objects, response);
  const rowField = object.fields.find((field) => field.name === object.rows);
  if (rowField === undefined) return columnsOf(object.name);
  const row = "object" in rowField.type ? columnsOf(rowField.type.object) : [];
  if (!list) return row;
  const parent = object.fields.flatMap((field): CsvColumn[] =>
    "scalar" in field.type && !field.list ? [{ ...itemColumn(itemFieldOf(field), [field.name]), from: "parent" }] : [],
  );
  const parentHeaders = new Set(parent.map((column) => column.header));
  return [
    ...parent,
    ...row.map((column) => (parentHeaders.has(column.header) ? { ...column, header: `${object.rows}.${column.header}` } : column)),
  ];
}

const inRow = ({ header, path, kind }: ItemColumn): CsvColumn => ({ header, path, from: "row", kind });

function objectNamed(objects: Objects, name: string): ResponseObject {
  const object = objects.get(name);
  if (object === undefined) throw new Error(`Unknown object ${name} in the model.`);
  return object;
}
