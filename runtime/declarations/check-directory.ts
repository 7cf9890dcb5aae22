import type { AddedProtocol } from "./added-protocol.ts";
import { type AddedProtocolFile, addedProtocolFileSchema } from "./added-protocol-file.ts";
import { checkProtocol } from "./check-protocol.ts";
import { checkAddedOperations, type TemplateEndpoint } from "./checks/added-operations.ts";
import type { Checked } from "./checks/declaration.ts";
import { type Diagnostic, diagnostic, type SourceLocation, sortDiagnostics } from "./diagnostics.ts";
import { databaseTableNames } from "./names.ts";
import { checkObjects } from "./objects/check-objects.ts";
import type { ItemField } from "./objects/item-field.ts";
import { findUnusedSharedFiles, queriesFor, queryPath } from "./query-files.ts";
import { findShapeProblems } from "./yaml/shape-problems.ts";
import { readYaml, type YamlSource } from "./yaml/yaml-source.ts";

/** The definitions that a directory's protocols are checked against. */
export interface DirectoryScope {
  /** The template's operations, by name. */
  readonly template: ReadonlyMap<string, TemplateEndpoint>;
  /** The catalog objects that items may contain, by name. */
  readonly objects: Readonly<Record<string, readonly ItemField[]>>;
  /** Names already used in paths, each with the file or protocol that uses it. */
  readonly takenNames: ReadonlyMap<string, string>;
}

/**
 * Checks the protocols in an operator's directory. `files` maps the paths of its YAML and SQL files to their texts. Each protocol is in its
 * own folder; folders without a declaration contain SQL that several protocols share.
 */
export function checkDirectory(directory: string, files: ReadonlyMap<string, string>, scope: DirectoryScope): Checked<AddedProtocol[]> {
  const declarations = [...files.keys()].filter((path) => path.endsWith("/protocol.yaml")).sort();
  const queries = new Map([...files].filter(([path]) => path.endsWith(".sql")));
  const takenNames = new Map(scope.takenNames);
  const checked = declarations.map((path) =>
    checkFolder(readYaml(path, files.get(path) ?? ""), queriesFor(path, declarations, queries), { ...scope, takenNames }),
  );
  const used = checked.flatMap((folder) => folder.used);
  const empty = declarations.length > 0 ? [] : [diagnostic("no-protocols", { file: directory, line: 1, column: 1 })];
  // The SQL files that an unreadable declaration names are unknown.
  const unused = checked.some(({ isRead }) => !isRead) ? [] : findUnusedSharedFiles(declarations, used, queries);
  return {
    value: checked.flatMap(({ value }) => value ?? []),
    diagnostics: sortDiagnostics([...empty, ...unused, ...findSharedTables(checked), ...checked.flatMap(({ diagnostics }) => diagnostics)]),
  };
}

interface CheckedFolder extends Checked<AddedProtocol | null> {
  /** Whether the declaration is valid YAML with a valid shape. */
  readonly isRead: boolean;
  /** The location of the protocol's id. */
  readonly location: SourceLocation;
  /** The paths of the SQL files that the declaration names. */
  readonly used: readonly string[];
}

const unread = (source: YamlSource, diagnostics: readonly Diagnostic[]): CheckedFolder => ({
  value: null,
  diagnostics,
  isRead: false,
  location: source.locationOf([]),
  used: [],
});

/** Reports protocols that would share a table. */
function findSharedTables(folders: readonly CheckedFolder[]): Diagnostic[] {
  const first = new Map<string, SourceLocation>();
  return folders.flatMap(({ value, location }) => {
    const tables = value === null ? [] : databaseTableNames(value.protocol);
    const shared = tables.find((table) => first.has(table));
    const other = first.get(shared ?? "");
    for (const table of tables) if (!first.has(table)) first.set(table, location);
    return shared === undefined || other === undefined ? [] : [diagnostic("shared-table", location, { table: shared, first: other })];
  });
}

function checkFolder(
  source: YamlSource,
  queries: ReadonlyMap<string, string>,
  scope: DirectoryScope & { readonly takenNames: Map<string, string> },
): CheckedFolder {
  if (source.diagnostics.length > 0) return unread(source, source.diagnostics);
  const shaped = addedProtocolFileSchema.safeParse(source.value);
  if (!shaped.success) {
    const problems = findShapeProblems(source, addedProtocolFileSchema, shaped.error.issues);
    return unread(
      source,
      problems.flatMap((problem) => problem.diagnostic ?? []),
    );
  }
  const file = { ...shaped.data, name: shaped.data.name ?? shaped.data.protocol };
  const objects = checkObjects(source, file.objects, Object.keys(scope.objects));
  const endpoints = checkAddedOperations(source, file, {
    template: scope.template,
    objects: { ...scope.objects, ...fieldsOf(objects.value) },
  });
  const protocol = checkProtocol({ source, file }, { queries, operations: endpoints.shapes, isAdded: true });
  const diagnostics = [
    ...checkNames(source, file, scope.takenNames),
    ...objects.diagnostics,
    ...endpoints.diagnostics,
    ...protocol.diagnostics,
  ];
  const named = [...Object.values(file.operations), file.lending].flatMap((use) => use?.sql ?? []);
  const location = source.locationOf(["protocol"]);
  const read = { isRead: true, location, used: named.map((name) => queryPath(source.file, name)), diagnostics };
  if (protocol.value === null || diagnostics.length > 0) return { ...read, value: null };
  const sources = new Map(named.map((name) => [name, { path: queryPath(source.file, name), text: queries.get(name) ?? "" }]));
  const networkLocations = networkLocationsOf(source, file.contracts);
  return {
    ...read,
    value: { protocol: protocol.value, objects: objects.value, endpoints: endpoints.value, location, networkLocations, sources },
  };
}

/** The networks with contracts, each with the location where it is first named. */
const networkLocationsOf = (source: YamlSource, contracts: AddedProtocolFile["contracts"]): AddedProtocol["networkLocations"] => {
  const locations = Object.entries(contracts).flatMap(([kind, { networks }]) =>
    Object.keys(networks).map((name) => [name, source.locationOfKey(["contracts", kind, "networks", name])] as const),
  );
  return new Map(locations.reverse());
};

const fieldsOf = (objects: AddedProtocol["objects"]): Record<string, readonly ItemField[]> =>
  Object.fromEntries(Object.entries(objects).map(([name, { fields }]) => [name, fields]));

/** Checks that the id is the folder's name and that no other protocol has the id or the name; adds both to `takenNames`. */
function checkNames(
  source: YamlSource,
  { protocol, name }: Pick<AddedProtocolFile, "protocol" | "name">,
  takenNames: Map<string, string>,
): Diagnostic[] {
  const folder = source.file.split("/").at(-2) ?? "";
  const keys = [["protocol", protocol], ...(name === undefined || name === protocol ? [] : [["name", name]])] as const;
  const diagnostics = keys.flatMap(([key, value = ""]) => {
    const user = takenNames.get(value);
    return user === undefined ? [] : [diagnostic("taken-name", source.locationOf([key ?? ""]), { name: value, by: user })];
  });
  for (const [, value = ""] of keys) if (!takenNames.has(value)) takenNames.set(value, source.file);
  const misplaced =
    protocol === folder ? [] : [diagnostic("misplaced-protocol", source.locationOf(["protocol"]), { protocol, expected: folder })];
  return [...misplaced, ...diagnostics];
}
