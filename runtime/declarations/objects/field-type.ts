import { type ScalarType, scalarTypes } from "./field-definition.ts";

/** The parsed type of a field: `[Transfer]?` is a nullable list of the object Transfer. */
export interface FieldType {
  readonly name: string;
  readonly list: boolean;
  readonly nullable: boolean;
}

/** Parses the type of a field. */
export function parseFieldType(text: string): FieldType {
  const nullable = text.endsWith("?");
  const bare = nullable ? text.slice(0, -1) : text;
  const list = bare.startsWith("[");
  return { name: list ? bare.slice(1, -1) : bare, list, nullable };
}

/** Whether a field's type names a scalar and not an object. */
export function isScalarType(name: string): name is ScalarType {
  return (scalarTypes as readonly string[]).includes(name);
}
