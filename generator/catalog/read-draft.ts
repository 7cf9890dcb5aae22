import type { z } from "zod";
import type { SourceLocation } from "../../runtime/declarations/diagnostics.ts";
import { protocolFileSchema } from "../../runtime/declarations/protocol-file.ts";
import { readYaml } from "../../runtime/declarations/yaml/yaml-source.ts";
import { type CheckedFile, checkFile, isMap, readEntry, readEntryOrNull } from "./checked-file.ts";
import * as definition from "./definition.ts";
import { type Diagnostic, diagnostic } from "./diagnostics.ts";
import type { CatalogDraft, EndpointDraft, FileKind, ObjectDraft, Section, ServiceDraft, TemplateDraft } from "./draft.ts";

const fileKinds: readonly { readonly kind: FileKind; readonly name: RegExp; readonly schema: z.ZodType }[] = [
  { kind: "service", name: /(?:^|\/)service\.yaml$/, schema: definition.serviceDefinition },
  { kind: "endpoints", name: /(?:^|\/)endpoints\/[^/]+\.yaml$/, schema: definition.endpointFile },
  { kind: "objects", name: /(?:^|\/)objects\/[^/]+\.yaml$/, schema: definition.objectFile },
  { kind: "template", name: /(?:^|\/)community\/template\.yaml$/, schema: definition.communityTemplateFile },
  { kind: "protocol", name: /(?:^|\/)community\/[^/]+\/protocol\.yaml$/, schema: protocolFileSchema },
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
  readonly unreadableKinds: Set<FileKind>;
  readonly incompleteKinds: Set<FileKind>;
  readonly checkedFiles: Map<FileKind, CheckedFile[]>;
}

/** Reads every file as far as possible and reports problems in its YAML and its shape. */
export function readDraft(files: ReadonlyMap<string, string>): { draft: CatalogDraft; diagnostics: Diagnostic[] } {
  const read: ReadFiles = { diagnostics: [], unreadableKinds: new Set(), incompleteKinds: new Set(), checkedFiles: new Map() };
  // Sorted by code units, so that the order does not depend on the locale.
  const sorted = [...files].sort(([left], [right]) => (left < right ? -1 : 1));
  const isQuery = ([file]: readonly [string, string]): boolean => queryPath.test(file);
  for (const [file, text] of sorted.filter((entry) => !isQuery(entry))) addFile(read, file, text);
  const all = (kind: FileKind) => read.checkedFiles.get(kind) ?? [];
  const [service] = all("service");
  const [template] = all("template");
  const draft: CatalogDraft = {
    service: service === undefined ? null : readService(service),
    endpoints: all("endpoints").flatMap(readEndpoints),
    objects: all("objects").flatMap(readObjects),
    template: template === undefined ? null : readTemplate(template),
    protocols: all("protocol").flatMap((file) => readEntryOrNull(file, protocolFileSchema, []) ?? []),
    sqlFiles: new Map(sorted.filter(isQuery)),
    unreadableKinds: read.unreadableKinds,
    incompleteKinds: read.incompleteKinds,
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
  const checked = source.value === undefined ? null : checkFile(source, schema);
  const mayHideEntries = source.diagnostics.length > 0;
  // The whole catalog refers to the service and the template: no reference can be checked if any part of them is hidden.
  const isReadable = checked !== null && hasContent(kind, source.value) && !(mayHideEntries && (kind === "service" || kind === "template"));
  read.diagnostics.push(...source.diagnostics, ...(checked?.diagnostics ?? []));
  if (isReadable) read.checkedFiles.set(kind, [...(read.checkedFiles.get(kind) ?? []), checked]);
  else read.unreadableKinds.add(kind);
  if (!isReadable || mayHideEntries) read.incompleteKinds.add(kind);
}

// A file whose entries are missing or under a misspelled key could declare any name.
function hasContent(kind: FileKind, value: unknown): boolean {
  if (!isMap(value)) return false;
  if (kind === "endpoints") return isMap(value.endpoints);
  return kind === "template" ? isMap(value.operations) : true;
}

function readService(file: CheckedFile): ServiceDraft | null {
  const draft = readEntryOrNull(file, definition.serviceDefinition, []);
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

function readEndpoints(file: CheckedFile): EndpointDraft[] {
  const domain = file.valueAt(["domain"]);
  const isReadable = typeof domain === "string" && !file.problems.some((problem) => problem.path[0] === "domain");
  return file.keysAt(["endpoints"]).map((id) => ({
    ...readEntry(file, definition.endpointDefinition, ["endpoints", id]),
    domain: isReadable ? domain : null,
  }));
}

const objectWithoutFields = definition.objectDefinition.omit({ fields: true });

function readObjects(file: CheckedFile): ObjectDraft[] {
  return file.keysAt([]).map((name) => ({
    ...readEntry(file, objectWithoutFields, [name], ["fields"]),
    fields: readSection(file, definition.fieldDefinition, [name, "fields"]) ?? new Map(),
  }));
}

const templateWithoutOperations = definition.communityTemplateFile.omit({ operations: true });

function readTemplate(file: CheckedFile): TemplateDraft | null {
  const draft = readEntryOrNull(file, templateWithoutOperations, [], ["operations"]);
  const operations = readSection(file, definition.communityTemplateFile.shape.operations.valueType, ["operations"]);
  return draft && { ...draft, operations: operations ?? new Map() };
}

function readSection<S extends z.ZodObject>(file: CheckedFile, schema: S, path: readonly string[]): Section<z.output<S>> {
  if (!isMap(file.valueAt(path))) return null;
  return new Map(file.keysAt(path).map((name) => [name, readEntry(file, schema, [...path, name])]));
}
