import type { OpenApiDocument } from "../openapi-document.ts";
import type { Query } from "../query.ts";
import { resolveReference } from "./operation-document.ts";

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

/** A parameter in the document. */
export interface DocumentedParameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

/** The parameters of the operation at a path, with references resolved. */
export function parametersOf(document: OpenApiDocument, path: string): readonly DocumentedParameter[] {
  const paths = document.paths as Readonly<Record<string, { readonly get: { readonly parameters?: readonly object[] } }>>;
  return (paths[path]?.get.parameters ?? []).map((parameter) =>
    "$ref" in parameter ? (resolveReference(document, String(parameter.$ref)) as DocumentedParameter) : (parameter as DocumentedParameter),
  );
}

/** Normalizes a value to the form that the document's schema accepts: trims it and list elements, and corrects the case of enum members. */
export function normalizeValue({ schema }: DocumentedParameter, text: string): string {
  const trimmed =
    schema.type === "array"
      ? text
          .split(",")
          .map((part) => part.trim())
          .join(",")
      : text.trim();
  return schema.enum?.includes(trimmed.toUpperCase()) === true ? trimmed.toUpperCase() : trimmed;
}

/**
 * Removes the parts of a query that the parsers accept but a single parameter's JSON Schema cannot express: unknown and empty parameters, and the page size
 * of a CSV download.
 */
export function normalizeQuery(parameters: readonly DocumentedParameter[], query: Query): URLSearchParams {
  const isCsv = query.format === "csv";
  const entries = parameters.flatMap((parameter): [string, string][] => {
    const sent = query[parameter.name];
    if (parameter.in !== "query" || typeof sent !== "string" || sent.trim() === "") return [];
    return isCsv && parameter.name === "page-size" ? [] : [[parameter.name, normalizeValue(parameter, sent)]];
  });
  return new URLSearchParams(entries);
}
