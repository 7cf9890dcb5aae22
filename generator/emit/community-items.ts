import { requestParameters } from "../../runtime/declarations/request-parameters.ts";
import { itemFieldOf } from "../model/fields.ts";
import type { Model, Operation, ResponseObject } from "../model/model.ts";
import { catalogHeader } from "./header.ts";

/**
 * Emits the fields of community endpoints' items and of the objects in them; the server uses them to convert the columns of declared SQL.
 */
export function emitCommunityItems(model: Model): string {
  const handlers = model.handlers.filter(({ operation }) => operation.class === "C");
  const operations = handlers.flatMap(({ id, operation }) => {
    const item = itemOf(model, model.objects.get(operation.response));
    return item === undefined ? [] : [[nameOf(operation), { handler: id, item: item.name, parameters: parametersOf(operation) }] as const];
  });
  const objects = new Map<string, ResponseObject>();
  for (const [, { item }] of operations) collect(model, item, objects);
  const fields = Object.fromEntries([...objects.values()].map((object) => [object.name, object.fields.map(itemFieldOf)]));
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
    "/** An operation of the template: its handler, the object of its items, and the parameters that only some operations have. */",
    "export interface TemplateOperation {",
    "  readonly handler: string;",
    "  readonly item: string;",
    '  readonly parameters: readonly ("address" | "pool-address")[];',
    "}",
    "",
    "/** The operations of the template, by name. */",
    `export const communityOperations: Readonly<Record<string, TemplateOperation>> = ${JSON.stringify(Object.fromEntries(operations), null, 2)};`,
    "",
    "/** The fields of these objects, by name. */",
    `export const communityObjects: Readonly<Record<string, readonly ItemField[]>> = ${JSON.stringify(fields, null, 2)};`,
    "",
  ].join("\n");
}

/** The last segment of the path. */
const nameOf = ({ path }: Operation): string => path.split("/").at(-2) ?? "";

const parametersOf = ({ parameters }: Operation): string[] =>
  requestParameters.filter((name) => parameters.some((parameter) => parameter.name === name));

/** The object type of a response's rows. */
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
