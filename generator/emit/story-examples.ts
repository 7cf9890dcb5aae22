import type { Model, Operation } from "../model/model.ts";
import { compileTemplate, literal, objectLiteral } from "./template.ts";

const renderExamples = compileTemplate<{ examples: readonly { readonly id: string; readonly values: string }[] }>("story-examples");

/** Emits example values for every required parameter, and for each optional one that the endpoint's example includes. */
export function emitStoryExamples(model: Model): string {
  return renderExamples({ examples: model.operations.map((operation) => ({ id: operation.id, values: valuesOf(operation) })) });
}

function valuesOf(operation: Operation): string {
  const parameters = operation.parameters.filter((parameter) => parameter.required || parameter.inExample);
  const values = parameters.map((parameter) => [
    parameter.name,
    literal(parameter.story === null ? String(parameter.example) : `story:${parameter.story}`),
  ]);
  return objectLiteral(Object.fromEntries(values));
}
