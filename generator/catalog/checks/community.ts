import { checkProtocol } from "../../../runtime/declarations/check-protocol.ts";
import type { Checked } from "../../../runtime/declarations/checks/declaration.ts";
import type { OperationShape } from "../../../runtime/declarations/checks/operations.ts";
import type { ProtocolFile } from "../../../runtime/declarations/definition.ts";
import type { Protocol, QueryParameter } from "../../../runtime/declarations/protocol.ts";
import { resultColumns } from "../../../runtime/declarations/result-columns.ts";
import type { Draft, TemplateOperation } from "../draft.ts";
import { parseFieldType } from "../field-type.ts";
import type { Lookup } from "../lookup.ts";

/** Checks the declared protocols and their SQL; those that could not be read are omitted. */
export function checkCommunity(lookup: Lookup): Checked<Protocol[]> {
  const { template, protocols, queries } = lookup.draft;
  const operations = [...(template?.operations.values() ?? [])];
  if (template === null || operations.some((operation) => operation.invalidKeys.size > 0)) return { value: [], diagnostics: [] };
  const shapes = new Map(operations.map((operation) => [operation.name, shapeOf(operation, lookup)]));
  const checked = protocols
    .filter((draft) => draft.invalidKeys.size === 0)
    // A draft without invalid keys is complete.
    .map((draft) =>
      checkProtocol(
        { source: draft.source, file: draft.value as ProtocolFile },
        { queries: queriesOf(draft, queries), operations: shapes },
      ),
    );
  return {
    value: checked.flatMap(({ value }) => value ?? []).sort((left, right) => (left.id < right.id ? -1 : 1)),
    diagnostics: checked.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** The SQL files in the folder of a protocol, by name. */
function queriesOf({ source }: Draft<unknown>, queries: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const folder = source.file.replace(/[^/]*$/, "");
  return new Map([...queries].filter(([path]) => path.startsWith(folder)).map(([path, text]) => [path.slice(folder.length), text]));
}

/** Parameters of requests that SQL receives, by the names of both. */
const optionalParameters: Readonly<Record<string, QueryParameter>> = { address: "wallet", "pool-address": "pool" };

function shapeOf({ value }: Draft<TemplateOperation>, lookup: Lookup): OperationShape {
  const names = (value.query ?? []).map((use) => (typeof use === "string" ? use : use.name));
  return {
    parameters: ["chain", ...names.flatMap((name) => optionalParameters[name] ?? []), "as_of_block", "limit", "offset"],
    columns: columnsOf(value.response ?? "", lookup),
  };
}

/** The columns that the items of a response require; null if the response or its items could not be read. */
function columnsOf(response: string, { objects }: Lookup): string[] | null {
  const object = objects.get(response);
  const rows = object?.rows === undefined ? undefined : object.fields.get(object.rows)?.value.type;
  const item = rows === undefined ? undefined : objects.get(parseFieldType(rows).name);
  return item?.complete ? resultColumns([...item.fields.keys()]) : null;
}
