import type { z } from "zod";
import { protocolFile } from "../../runtime/declarations/definition.ts";
import type { SourceLocation } from "../../runtime/declarations/diagnostics.ts";
import { readYaml } from "../../runtime/declarations/yaml/yaml-source.ts";
import * as definition from "./definition.ts";
import { type Diagnostic, diagnostic } from "./diagnostics.ts";
import type { CatalogDraft, EndpointDraft, FileKind, ObjectDraft, Section, ServiceDraft, TemplateDraft } from "./draft.ts";
import { isMap, readDraftOf, readEntry, type ShapedFile, shapeFile } from "./shaped-file.ts";

const fileKinds: readonly { readonly kind: FileKind; readonly name: RegExp; readonly schema: z.ZodType }[] = [
  { kind: "service", name: /(?:^|\/)service\.yaml$/, schema: definition.serviceDefinition },
  { kind: "endpoints", name: /(?:^|\/)endpoints\/[^/]+\.yaml$/, schema: definition.endpointFile },
  { kind: "objects", name: /(?:^|\/)objects\/[^/]+\.yaml$/, schema: definition.objectFile },
  { kind: "template", name: /(?:^|\/)community\/template\.yaml$/, schema: definition.communityTemplateFile },
  { kind: "protocol", name: /(?:^|\/)community\/[^/]+\/protocol\.yaml$/, schema: protocolFile },
];

const expectedFiles = [
  "service.yaml",
  "endpoints/*.yaml",
  "objects/*.yaml",
  "community/template.yaml",
  "community/<protocol>/protocol.yaml",
  "community/<folder>/*.sql",
];

const queryPath = /(?:^|\/)community\/[^/]+\/[^/]+\.sql$/;

interface ReadFiles {
  readonly diagnostics: Diagnostic[];
  readonly unreadable: Set<FileKind>;
  readonly incomplete: Set<FileKind>;
  readonly shaped: Map<FileKind, ShapedFile[]>;
}

/** Reads every file as far as possible and reports problems in its YAML and its shape. */
export function readDraft(files: ReadonlyMap<string, string>): { draft: CatalogDraft; diagnostics: Diagnostic[] } {
  const read: ReadFiles = { diagnostics: [], unreadable: new Set(), incomplete: new Set(), shaped: new Map() };
  // Sorted by code units, so that the order does not depend on the locale.
  const sorted = [...files].sort(([left], [right]) => (left < right ? -1 : 1));
  const isQuery = ([file]: readonly [string, string]): boolean => queryPath.test(file);
  for (const [file, text] of sorted.filter((entry) => !isQuery(entry))) addFile(read, file, text);
  const all = (kind: FileKind) => read.shaped.get(kind) ?? [];
  const [service] = all("service");
  const [template] = all("template");
  const draft: CatalogDraft = {
    service: service === undefined ? null : readService(service),
    endpoints: all("endpoints").flatMap(readEndpoints),
    objects: all("objects").flatMap(readObjects),
    template: template === undefined ? null : readTemplate(template),
    protocols: all("protocol").flatMap((file) => readDraftOf(file, protocolFile, []) ?? []),
    queries: new Map(sorted.filter(isQuery)),
    unreadable: read.unreadable,
    incomplete: read.incomplete,
  };
  return { draft, diagnostics: read.diagnostics };
}

function addFile(read: ReadFiles, file: string, text: string): void {
  const entry = fileKinds.find(({ name }) => name.test(file));
  if (entry === undefined) {
    const start: SourceLocation = { file, line: 1, column: 1 };
    read.diagnostics.push(diagnostic("unknown-file", start, { expected: expectedFiles }));
    return;
  }
  const { kind, schema } = entry;
  const source = readYaml(file, text);
  const shape = source.value === undefined ? null : shapeFile(source, schema);
  const mayHideEntries = source.diagnostics.length > 0;
  // The whole catalog refers to the service and the template: no reference can be checked if any part of them is hidden.
  const isReadable = shape !== null && hasContent(kind, source.value) && !(mayHideEntries && (kind === "service" || kind === "template"));
  read.diagnostics.push(...source.diagnostics, ...(shape?.diagnostics ?? []));
  if (isReadable) read.shaped.set(kind, [...(read.shaped.get(kind) ?? []), shape]);
  else read.unreadable.add(kind);
  if (!isReadable || mayHideEntries) read.incomplete.add(kind);
}

// A file whose entries are missing or under a misspelled key could declare any name.
function hasContent(kind: FileKind, value: unknown): boolean {
  if (!isMap(value)) return false;
  if (kind === "endpoints") return isMap(value.endpoints);
  return kind === "template" ? isMap(value.operations) : true;
}

function readService(file: ShapedFile): ServiceDraft | null {
  const draft = readDraftOf(file, definition.serviceDefinition, []);
  const { authentication, headers, pagination } = definition.serviceDefinition.shape;
  return (
    draft && {
      ...draft,
      pathParameters: readSection(file, definition.parameterDefinition, ["pathParameters"]),
      queryParameters: readSection(file, definition.parameterDefinition, ["queryParameters"]),
      pagination: readSection(file, pagination.valueType, ["pagination"]),
      authentication: readSection(file, authentication.valueType, ["authentication"]),
      headers: readSection(file, headers.valueType, ["headers"]),
    }
  );
}

function readEndpoints(file: ShapedFile): EndpointDraft[] {
  const domain = file.at(["domain"]);
  const isReadable = typeof domain === "string" && !file.problems.some((problem) => problem.path[0] === "domain");
  return file.keysAt(["endpoints"]).map((id) => ({
    ...readEntry(file, definition.endpointDefinition, ["endpoints", id]),
    domain: isReadable ? domain : null,
  }));
}

const objectWithoutFields = definition.objectDefinition.omit({ fields: true });

function readObjects(file: ShapedFile): ObjectDraft[] {
  return file.keysAt([]).map((name) => ({
    ...readEntry(file, objectWithoutFields, [name], ["fields"]),
    fields: readSection(file, definition.fieldDefinition, [name, "fields"]) ?? new Map(),
  }));
}

const templateWithoutOperations = definition.communityTemplateFile.omit({ operations: true });

function readTemplate(file: ShapedFile): TemplateDraft | null {
  const draft = readDraftOf(file, templateWithoutOperations, [], ["operations"]);
  const operations = readSection(file, definition.communityTemplateFile.shape.operations.valueType, ["operations"]);
  return draft && { ...draft, operations: operations ?? new Map() };
}

function readSection<S extends z.ZodObject>(file: ShapedFile, schema: S, path: readonly string[]): Section<z.output<S>> {
  if (!isMap(file.at(path))) return null;
  return new Map(file.keysAt(path).map((name) => [name, readEntry(file, schema, [...path, name])]));
}
