import { isScalarType, parseFieldType } from "../../runtime/declarations/objects/field-type.ts";
import type { ItemField } from "../../runtime/declarations/objects/item-field.ts";
import type { CatalogObject } from "../catalog/catalog.ts";
import type { FieldDefinition } from "../catalog/definition.ts";
import type { Field, ResponseObject } from "./model.ts";

function fieldOf(name: string, definition: FieldDefinition): Field {
  const { name: type, list, nullable } = parseFieldType(definition.type);
  return {
    name,
    description: definition.description,
    type: isScalarType(type) ? { scalar: type } : { object: type },
    list,
    nullable,
    values: definition.values ?? null,
    example: definition.example ?? null,
    added: definition.added ?? false,
  };
}

/** Converts a catalog object and parses the types of its fields. */
export function objectOf(object: CatalogObject): ResponseObject {
  return {
    name: object.name,
    description: object.description,
    added: object.added ?? false,
    rows: object.rows ?? null,
    fields: Object.entries(object.fields).map(([name, definition]) => fieldOf(name, definition)),
  };
}

/** A field without its documentation, in the shape that the runtime shares. */
export const itemFieldOf = ({ name, type, list, nullable }: Field): ItemField => ({
  name,
  format: "scalar" in type ? type.scalar : null,
  object: "object" in type ? type.object : null,
  list,
  nullable,
});
