import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Catalog, CatalogObject, CatalogOperation } from "../../../../generator/catalog/catalog.ts";
import {
  endpointDefinition,
  objectDefinition,
  type ServiceDefinition,
  serviceDefinition,
} from "../../../../generator/catalog/definition.ts";
import { loadCatalog, readCatalogFiles } from "../../../../generator/catalog/load.ts";

/** The repository's root folder. */
export const repository = fileURLToPath(new URL("../../../..", import.meta.url));

/** This repository's catalog. */
export async function realCatalog(): Promise<Catalog> {
  const { catalog, diagnostics } = loadCatalog(await readCatalogFiles(join(repository, "spec")));
  if (catalog === null)
    throw new Error(`Invalid catalog: spec/ has ${diagnostics.length} errors, the first is: ${diagnostics[0]?.message}`);
  return catalog;
}

const location = { file: "spec/small.yaml", line: 1, column: 1 };

/** A service with two pagination styles, one chain parameter and one failure. */
const smallService: ServiceDefinition = serviceDefinition.parse({
  title: "Small",
  version: "1.2.3",
  description: "A catalog for tests.",
  license: { name: "MIT", identifier: "MIT" },
  tags: { things: "Things for tests." },
  envelope: {
    data: { description: "The payload." },
    error: { description: "True for a failure." },
    error_message: { description: "The reason of a failure." },
    error_code: { description: "The HTTP status." },
  },
  errors: { "400": { title: "Bad request", description: "A parameter is invalid.", example: "Send a different value." } },
  authentication: { bearer: { type: "http", scheme: "bearer", description: "The key." } },
  headers: { "X-Credits": { type: "number", description: "The cost.", example: 1 } },
  pathParameters: {
    chainName: { type: "chain", description: "The network.", example: "demo" },
    thing: { type: "text", description: "The thing.", example: "stone" },
    page: { type: "integer", minimum: 0, description: "The page.", example: 0 },
  },
  queryParameters: {
    format: { type: "choice", values: ["json", "csv"], default: "json", description: "The format.", example: "json" },
    "page-size": { type: "integer", minimum: 1, maximum: 1000, default: 100, description: "The size.", example: 100 },
    "page-number": { type: "integer", minimum: 0, default: 0, description: "The number.", example: 0 },
  },
  commonQuery: ["format"],
  pagination: {
    none: { description: "A single response.", responseFields: [] },
    page: { description: "By page.", query: ["page-size", "page-number"], responseFields: ["pagination"] },
  },
  networkGroups: { subset: { description: "Some networks.", chains: ["demo"] } },
});

/** An endpoint in a small catalog. Its definition and its other properties have defaults. */
export function endpoint(
  id: string,
  definition: Readonly<Record<string, unknown>> = {},
  overrides: Partial<CatalogOperation> = {},
): CatalogOperation {
  const parsed = endpointDefinition.parse({
    class: "A",
    path: `/v1/{chainName}/${id.toLowerCase()}/`,
    summary: `The summary of ${id}`,
    notes: `The notes of ${id}.`,
    cost: { credits: 1, per: "call" },
    mode: "realtime",
    response: "ThingResponse",
    ...definition,
  });
  return { id, handler: id, domain: "things", location, protocol: null, definition: parsed, ...overrides };
}

/** An object in a small catalog. */
export function object(name: string, fields: Readonly<Record<string, string>>, rows?: string): CatalogObject {
  const examples: Readonly<Record<string, unknown>> = {
    string: "x",
    number: 1.5,
    integer: 3,
    boolean: true,
    bigint: "7",
    timestamp: "2026-03-01T12:00:00Z",
  };
  const definitions = Object.entries(fields).map(([field, type]) => {
    const base = type.replaceAll(/[[\]?]/g, "");
    const example = type.startsWith("[") && base in examples ? [examples[base]] : examples[base];
    return [field, { type, description: `The field ${field}.`, ...(example === undefined ? {} : { example }) }];
  });
  const definition = objectDefinition.parse({
    description: `The object ${name}.`,
    ...(rows === undefined ? {} : { rows }),
    fields: Object.fromEntries(definitions),
  });
  return { ...definition, name, location };
}

const thingResponse = object("ThingResponse", { updated_at: "timestamp", items: "[Thing]" }, "items");
const thing = object("Thing", { name: "string?", amount: "bigint?" });

/** A catalog with the given endpoints and objects. */
export function smallCatalog(
  operations: readonly CatalogOperation[] = [endpoint("getThings")],
  objects: readonly CatalogObject[] = [thingResponse, thing],
): Catalog {
  return {
    service: smallService,
    operations,
    objects: new Map(objects.map((entry) => [entry.name, entry])),
    communityOperations: [],
    protocols: [],
  };
}
