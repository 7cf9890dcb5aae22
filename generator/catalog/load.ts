import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { sortDiagnostics } from "../../runtime/declarations/diagnostics.ts";
import type { Protocol } from "../../runtime/declarations/protocol.ts";
import type { Catalog, CatalogObject, CatalogOperation } from "./catalog.ts";
import { checkCommunity } from "./checks/community.ts";
import { checkExamples } from "./checks/examples.ts";
import { checkGraph } from "./checks/graph.ts";
import { checkIdentity } from "./checks/identity.ts";
import { checkParameters } from "./checks/parameters.ts";
import { checkPaths } from "./checks/paths.ts";
import { checkReferences } from "./checks/references.ts";
import { checkResponseFields } from "./checks/response-fields.ts";
import { checkRules } from "./checks/rules.ts";
import { checkService } from "./checks/service.ts";
import { checkUnused } from "./checks/unused.ts";
import type { EndpointDefinition, FieldDefinition, ObjectDefinition, ServiceDefinition } from "./definition.ts";
import type { Diagnostic } from "./diagnostics.ts";
import { expandCommunity } from "./expand-community.ts";
import { createLookup, type Lookup, locationOfKey, type ResolvedObject } from "./lookup.ts";
import { readDraft } from "./read-draft.ts";

/** The result of a load: every diagnostic, and the catalog if there are no diagnostics. */
export interface LoadedCatalog {
  readonly catalog: Catalog | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Checks and resolves a catalog, and returns all diagnostics. `files` maps paths such as `spec/service.yaml` to texts. */
export function loadCatalog(files: ReadonlyMap<string, string>): LoadedCatalog {
  const { draft, diagnostics: shapeDiagnostics } = readDraft(files);
  const lookup = createLookup(draft);
  const communityOperations = expandCommunity(draft);
  const protocols = checkCommunity(lookup);
  const diagnostics = sortDiagnostics([
    ...shapeDiagnostics,
    ...checkService(lookup, rootOf(files)),
    ...checkReferences(lookup),
    ...checkIdentity(lookup, communityOperations),
    ...checkPaths(lookup, communityOperations),
    ...checkParameters(lookup),
    ...checkRules(lookup),
    ...checkResponseFields(lookup),
    ...checkExamples(lookup),
    ...checkGraph(lookup),
    ...checkUnused(lookup),
    ...protocols.diagnostics,
  ]);
  return { catalog: diagnostics.length === 0 ? resolve(lookup, communityOperations, protocols.value) : null, diagnostics };
}

/** Reads the YAML and SQL files of the catalog in a folder; their paths start with the folder's name and use forward slashes. */
export async function readCatalogFiles(directory: string): Promise<Map<string, string>> {
  const root = basename(directory);
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && /\.(ya?ml|sql)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(directory, "/").length))
    .sort();
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
  return new Map(names.map((name, index) => [`${root}/${name.replaceAll("\\", "/")}`, texts[index] ?? ""]));
}

function rootOf(files: ReadonlyMap<string, string>): string {
  const [first = "spec/"] = files.keys();
  return first.replace(/(?:service\.yaml|(?:endpoints|objects)\/[^/]*|community\/.*)$/, "");
}

// Called only without diagnostics: every draft is then complete, so the casts below are safe.
function resolve(
  { draft, objects }: Lookup,
  communityOperations: readonly CatalogOperation[],
  protocols: readonly Protocol[],
): Catalog | null {
  if (draft.service === null) return null;
  return {
    service: draft.service.value as ServiceDefinition,
    operations: draft.endpoints.map((endpoint) => ({
      id: endpoint.name,
      handler: endpoint.name,
      domain: endpoint.domain ?? "",
      location: locationOfKey(endpoint),
      definition: endpoint.value as EndpointDefinition,
      protocol: null,
    })),
    objects: new Map([...objects].map(([name, object]) => [name, resolveObject(name, object)])),
    communityOperations,
    protocols,
  };
}

function resolveObject(name: string, { draft, fields, rows }: ResolvedObject): CatalogObject {
  return {
    ...(draft.value as Omit<ObjectDefinition, "fields">),
    ...(rows === undefined ? {} : { rows }),
    name,
    location: locationOfKey(draft),
    fields: Object.fromEntries([...fields].map(([field, { value }]) => [field, value as FieldDefinition])),
  };
}
