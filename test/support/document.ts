import { readFile } from "node:fs/promises";

export interface MediaTypes {
  readonly content?: Readonly<Record<string, unknown>>;
}
export type Responses = Readonly<Record<string, MediaTypes & { readonly $ref?: string }>>;
export interface DocumentedOperation {
  readonly operationId: string;
  readonly responses: Responses;
}
export type PathItem = Readonly<Record<string, DocumentedOperation>>;
type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The parts of the OpenAPI document that tests read. */
export interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Components;
}

/** Reads the generated OpenAPI document. */
export async function readDocument(): Promise<Document> {
  return JSON.parse(await readFile(new URL("../../generated/openapi.json", import.meta.url), "utf8")) as Document;
}

/**
 * Reduces the document to one path and its references: the validator traverses the entire document for every operation and status,
 * which takes minutes for the full one.
 */
export function reduceToPath(document: Document, path: string): Document {
  const item = document.paths[path];
  if (item === undefined) throw new Error(`The document has no path ${path}`);
  const references = new Set<string>();
  collectReferences(document, item, references);
  const reachableOf = (kind: string, group: Components[string]): Components[string] =>
    Object.fromEntries(
      Object.entries(group).filter(([name]) => kind === "securitySchemes" || references.has(`#/components/${kind}/${name}`)),
    );
  const components = Object.fromEntries(Object.entries(document.components).map(([kind, group]) => [kind, reachableOf(kind, group)]));
  return { ...document, paths: { [path]: item }, components };
}

function collectReferences(document: Document, value: unknown, found: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== "$ref" || typeof inner !== "string") collectReferences(document, inner, found);
    else if (!found.has(inner)) {
      found.add(inner);
      collectReferences(document, resolveReference(document, inner), found);
    }
  }
}

/** Resolves `#/components/<kind>/<name>`. */
export function resolveReference({ components }: Document, reference: string): unknown {
  const [, , kind = "", name = ""] = reference.split("/");
  return components[kind]?.[name];
}
