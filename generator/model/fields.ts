import type { CatalogObject } from "../catalog/catalog.ts";
import { type FieldDefinition, type ScalarType, scalarTypes } from "../catalog/definition.ts";
import type { Field, ResponseObject } from "./model.ts";

const scalarNames: ReadonlySet<string> = new Set(scalarTypes);

const isScalar = (name: string): name is ScalarType => scalarNames.has(name);

/** A field's `[Transfer]?` taken apart. */
function fieldOf(name: string, definition: FieldDefinition): Field {
  const nullable = definition.type.endsWith("?");
  const list = definition.type.startsWith("[");
  const base = definition.type.replace(/[[\]?]/g, "");
  return {
    name,
    description: definition.description,
    type: isScalar(base) ? { scalar: base } : { object: base },
    list,
    nullable,
    values: definition.values ?? null,
    example: definition.example ?? null,
    added: definition.added ?? false,
  };
}

/** A catalog object with its fields taken apart. */
export function objectOf(object: CatalogObject): ResponseObject {
  return {
    name: object.name,
    description: object.description,
    added: object.added ?? false,
    rows: object.rows ?? null,
    fields: Object.entries(object.fields).map(([name, definition]) => fieldOf(name, definition)),
  };
}
