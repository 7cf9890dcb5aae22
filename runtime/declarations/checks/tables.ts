import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { tableNameProblem } from "../names.ts";
import type { Column, EventTable } from "../protocol.ts";
import { checkColumns, checkIndexable, type LocatedEvent } from "./columns.ts";
import { checkContractName } from "./contracts.ts";
import { type Checked, type Declaration, keyLocation, valueLocation } from "./declaration.ts";
import { checkEvent } from "./events.ts";

interface CheckedTable extends Checked<EventTable> {
  readonly events: readonly LocatedEvent[];
}

/** Checks the tables of events. */
export function checkTables(declaration: Declaration): Checked<EventTable[]> {
  const tables = Object.keys(declaration.file.tables).map((name) => checkTable(declaration, name));
  return {
    value: tables.map(({ value }) => value),
    diagnostics: [...tables.flatMap(({ diagnostics }) => diagnostics), ...findDuplicateEvents(tables)],
  };
}

/** Reports a name that a table or read cannot have. */
export function checkTableName(declaration: Declaration, section: "tables" | "reads", name: string): Diagnostic[] {
  const reason = tableNameProblem(name);
  if (reason === null) return [];
  return [diagnostic("reserved-name", keyLocation(declaration, section, name), { name, reason, expected: "another name" })];
}

function checkTable(declaration: Declaration, name: string): CheckedTable {
  const { contract = "", events = [], indexes = [], latestBy } = declaration.file.tables[name] ?? {};
  const checked = events.map((text, index) => {
    const location = valueLocation(declaration, "tables", name, "events", index);
    return { location, ...checkEvent(text, location) };
  });
  const located = checked.flatMap(({ value, location }) => (value === null ? [] : [{ event: value, location }]));
  const columns = checkColumns(declaration, name, located);
  const isComplete = located.length === events.length && columns.diagnostics.length === 0;
  return {
    value: { name, contract, events: located.map(({ event }) => event), columns: columns.value, indexes, latestBy: latestBy ?? null },
    events: located,
    diagnostics: [
      ...checkTableName(declaration, "tables", name),
      ...checkContractName(declaration, contract, "tables", name, "contract"),
      ...checked.flatMap(({ diagnostics }) => diagnostics),
      ...columns.diagnostics,
      // Keys refer to columns, which are known only if all of them are valid.
      ...(isComplete ? checkKeys(declaration, name, columns.value, located) : []),
    ],
  };
}

function checkKeys(declaration: Declaration, table: string, columns: readonly Column[], events: readonly LocatedEvent[]): Diagnostic[] {
  const { indexes = [], latestBy = [] } = declaration.file.tables[table] ?? {};
  const check = (key: readonly string[], ...path: (string | number)[]): Diagnostic[] =>
    key.flatMap((name, index) => {
      const location = valueLocation(declaration, "tables", table, ...path, index);
      const column = columns.find((known) => known.name === name);
      if (key.indexOf(name) < index) return [diagnostic("duplicate-column", location, { name })];
      if (column !== undefined) return checkIndexable(column, events, location);
      if (name === "contract") return [];
      return [diagnostic("unknown-column", location, { name, expected: ["contract", ...columns.map((known) => known.name)] })];
    });
  return [
    ...indexes.flatMap((key, index) => check(key, "indexes", index)),
    ...check(latestBy, "latestBy"),
    ...latestBy.flatMap((name, index) => checkPresence(declaration, table, columns, events, name, index)),
  ];
}

function checkPresence(
  declaration: Declaration,
  table: string,
  columns: readonly Column[],
  events: readonly LocatedEvent[],
  name: string,
  index: number,
): Diagnostic[] {
  const column = columns.find((known) => known.name === name);
  const nullVariant = events.find(({ event }) => !event.parameters.some((parameter) => parameter.name === column?.parameter));
  if (column === undefined || nullVariant === undefined) return [];
  return [
    diagnostic("nullable-key", valueLocation(declaration, "tables", table, "latestBy", index), { name, event: nullVariant.event.text }),
  ];
}

// Variants with the same types differ in which parameters are indexed, so a log's number of topics determines its variant.
function findDuplicateEvents(tables: readonly CheckedTable[]): Diagnostic[] {
  const first = new Map<string, LocatedEvent>();
  return tables.flatMap(({ value, events }) =>
    events.flatMap(({ event, location }) => {
      const key = `${value.contract} ${event.topic0} ${event.parameters.filter(({ indexed }) => indexed).length}`;
      const other = first.get(key);
      if (other === undefined) first.set(key, { event, location });
      return other === undefined ? [] : [diagnostic("duplicate-event", location, { event: event.name, first: other.location })];
    }),
  );
}
