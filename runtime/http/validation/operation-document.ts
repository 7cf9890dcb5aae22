import type { OpenApiDocument } from "../openapi-document.ts";

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

/**
 * A document reduced to the parameters of one path: express-openapi-validator traverses the entire document for each status of each operation, which
 * would take minutes.
 */
export function documentOfRequest(document: OpenApiDocument, path: string): OpenApiDocument {
  const { operationId, parameters } = operationOf(document, path);
  // An operation needs a response (OpenAPI 3.1, section 4.8.10.1).
  return withPath(document, path, { get: { operationId, parameters, responses: { "200": { description: "" } } } });
}

/** The reference to the schema of a JSON response; null if the status is not documented. */
export function responseSchemaOf(document: OpenApiDocument, path: string, status: number): string | null {
  const { responses } = operationOf(document, path);
  const documented = isObject(responses) ? responses[status] : undefined;
  if (!isObject(documented)) return null;
  const response = (typeof documented.$ref === "string" ? resolveReference(document, documented.$ref) : documented) as JsonObject;
  const content = response.content as Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
  return content["application/json"]?.schema.$ref ?? null;
}

/** A document with one operation, at `/`, whose 200 response has a schema. */
export function documentOfResponse(document: OpenApiDocument, schema: string): OpenApiDocument {
  const response = { description: "", content: { "application/json": { schema: { $ref: schema } } } };
  return withPath(document, "/", { get: { responses: { "200": response } } });
}

/** The value at a reference such as `#/components/<kind>/<name>`. */
export function resolveReference(document: OpenApiDocument, reference: string): unknown {
  const names = reference.split("/").slice(1);
  return names.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), document);
}

function itemOf({ paths }: OpenApiDocument, path: string): JsonObject {
  const item = isObject(paths) ? paths[path] : undefined;
  if (!isObject(item)) throw new Error(`The document has no path ${path}.`);
  return item;
}

const operationOf = (document: OpenApiDocument, path: string): JsonObject => itemOf(document, path).get as JsonObject;

/** A document reduced to one path and the components that it refers to. */
function withPath(document: OpenApiDocument, path: string, item: JsonObject): OpenApiDocument {
  const references = new Set<string>();
  collectReferences(document, item, references);
  const components = Object.entries(isObject(document.components) ? document.components : {}).map(([kind, group]) => {
    const isKept = ([name]: [string, unknown]): boolean => kind === "securitySchemes" || references.has(`#/components/${kind}/${name}`);
    return [kind, Object.fromEntries(Object.entries(isObject(group) ? group : {}).filter(isKept))];
  });
  return { ...document, paths: { [path]: item }, components: Object.fromEntries(components) };
}

function collectReferences(document: OpenApiDocument, value: unknown, found: Set<string>): void {
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== "$ref" || typeof inner !== "string") collectReferences(document, inner, found);
    else if (!found.has(inner)) {
      found.add(inner);
      collectReferences(document, resolveReference(document, inner), found);
    }
  }
}
