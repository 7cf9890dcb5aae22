import type { ScalarType } from "../../runtime/declarations/objects/field-definition.ts";
import type { Field, Model } from "../model/model.ts";
import { commentText, compileTemplate, literal } from "./template.ts";

interface ObjectView {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly { readonly name: string; readonly type: string; readonly description: string }[];
}

const renderResponses = compileTemplate<{ objects: readonly ObjectView[] }>("responses");

const scalars: Partial<Record<ScalarType, string>> = { number: "number", integer: "number", boolean: "boolean" };

/** Emits one TypeScript interface per object; no field is optional, and a nullable field is a union with null. */
export function emitResponses(model: Model): string {
  const objects = [...model.objects.values()].map((object) => ({
    name: object.name,
    description: commentText(object.description),
    fields: object.fields.map((field) => ({ name: field.name, type: fieldType(field), description: commentText(field.description) })),
  }));
  return renderResponses({ objects });
}

function fieldType(field: Field): string {
  const values = field.values?.map(literal).join(" | ");
  const base = "object" in field.type ? field.type.object : (values ?? scalars[field.type.scalar] ?? "string");
  const type = field.list ? `readonly ${values === undefined ? base : `(${base})`}[]` : base;
  return field.nullable ? `${type} | null` : type;
}
