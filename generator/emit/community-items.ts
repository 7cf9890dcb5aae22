import type { Field, Model, ResponseObject } from "../model/model.ts";
import { catalogHeader } from "./header.ts";

/** The fields of the items that community endpoints return, and of the objects in them: by them, the server converts the columns of declared SQL. */
export function emitCommunityItems(model: Model): string {
  const handlers = model.handlers.filter(({ operation }) => operation.class === "C");
  const items = handlers.flatMap(({ id, operation }) => {
    const item = itemOf(model, model.objects.get(operation.response));
    return item === undefined ? [] : [[id, item.name] as const];
  });
  const objects = new Map<string, ResponseObject>();
  for (const [, name] of items) collect(model, name, objects);
  const fields = Object.fromEntries([...objects.values()].map((object) => [object.name, object.fields.map(viewField)]));
  return [
    `// ${catalogHeader}`,
    "",
    "/** A field of an item: the format of its value, or the object that it contains. */",
    "export interface ItemField {",
    "  readonly name: string;",
    "  readonly format: string | null;",
    "  readonly object: string | null;",
    "  readonly list: boolean;",
    "  readonly nullable: boolean;",
    "}",
    "",
    "/** The object of the items of each community endpoint, by handler. */",
    `export const communityItems: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(items), null, 2)};`,
    "",
    "/** The fields of these objects, by name. */",
    `export const communityObjects: Readonly<Record<string, readonly ItemField[]>> = ${JSON.stringify(fields, null, 2)};`,
    "",
  ].join("\n");
}

/** The object of the rows of a response. */
function itemOf(model: Model, response: ResponseObject | undefined): ResponseObject | undefined {
  const rows = response?.fields.find(({ name }) => name === response.rows);
  return rows !== undefined && "object" in rows.type ? model.objects.get(rows.type.object) : undefined;
}

function collect(model: Model, name: string, objects: Map<string, ResponseObject>): void {
  const object = model.objects.get(name);
  if (object === undefined || objects.has(name)) return;
  objects.set(name, object);
  for (const { type } of object.fields) if ("object" in type) collect(model, type.object, objects);
}

const viewField = ({ name, type, list, nullable }: Field) => ({
  name,
  format: "scalar" in type ? type.scalar : null,
  object: "object" in type ? type.object : null,
  list,
  nullable,
});
