import { checkProtocol } from "../../../runtime/declarations/check-protocol.ts";
import type { Checked } from "../../../runtime/declarations/checks/declaration.ts";
import type { QueryShape } from "../../../runtime/declarations/checks/sql-file.ts";
import { parseFieldType } from "../../../runtime/declarations/objects/field-type.ts";
import type { Protocol } from "../../../runtime/declarations/protocol.ts";
import type { ProtocolFile } from "../../../runtime/declarations/protocol-file.ts";
import { findUnusedSharedFiles, queriesFor, queryPath } from "../../../runtime/declarations/query-files.ts";
import { queryParametersOf } from "../../../runtime/declarations/request-parameters.ts";
import { requiredColumns } from "../../../runtime/declarations/result-columns.ts";
import type { Draft, TemplateOperation } from "../draft.ts";
import type { Lookup } from "../lookup.ts";

/** Checks the declared protocols and their SQL; those that could not be read are omitted. */
export function checkCommunity(lookup: Lookup): Checked<Protocol[]> {
  const { template, protocols, sqlFiles, incompleteKinds } = lookup.draft;
  const operations = [...(template?.operations.values() ?? [])];
  if (template === null || operations.some((operation) => operation.invalidKeys.size > 0)) return { value: [], diagnostics: [] };
  const shapes = new Map(operations.map((operation) => [operation.name, shapeOf(operation, lookup)]));
  const declarations = protocols.map(({ source }) => source.file);
  const complete = protocols.filter((draft) => draft.invalidKeys.size === 0);
  const checked = complete.map((draft) =>
    checkProtocol(
      // A draft without invalid keys is complete.
      { source: draft.source, file: draft.value as ProtocolFile },
      { queries: queriesFor(draft.source.file, declarations, sqlFiles), operations: shapes, isAdded: false },
    ),
  );
  const areAllRead = complete.length === protocols.length && !incompleteKinds.has("protocol");
  return {
    value: checked.flatMap(({ value }) => value ?? []).sort((left, right) => (left.id < right.id ? -1 : 1)),
    diagnostics: [
      ...checked.flatMap(({ diagnostics }) => diagnostics),
      ...(areAllRead ? findUnusedSharedFiles(declarations, protocols.flatMap(namedQueries), sqlFiles) : []),
    ],
  };
}

/** The paths of the SQL files that a declaration names. */
function namedQueries({ source, value }: Draft<ProtocolFile>): string[] {
  const names = [...Object.values(value.operations ?? {}), value.lending].flatMap((use) => use?.sql ?? []);
  return names.map((name) => queryPath(source.file, name));
}

function shapeOf({ value }: Draft<TemplateOperation>, lookup: Lookup): QueryShape {
  const names = (value.query ?? []).map((use) => (typeof use === "string" ? use : use.name));
  const item = itemOf(value.response ?? "", lookup);
  const objects = [...(item?.fields.values() ?? [])].flatMap(
    ({ value: { type } }) => lookup.objects.get(parseFieldType(type ?? "").name) ?? [],
  );
  return {
    parameters: queryParametersOf(names),
    columns: item === null ? null : requiredColumns([...item.fields.keys()]),
    elements: objects.flatMap(({ isComplete, fields }) => (isComplete ? [requiredColumns([...fields.keys()])] : [])),
  };
}

/** The object of a response's items; null if it or the response's object could not be read. */
function itemOf(response: string, { objects }: Lookup) {
  const object = objects.get(response);
  const rows = object?.rows === undefined ? undefined : object.fields.get(object.rows)?.value.type;
  const item = rows === undefined ? undefined : objects.get(parseFieldType(rows).name);
  return item?.isComplete ? item : null;
}
