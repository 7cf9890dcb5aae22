import { columnTypeOfParameter, isDynamic } from "../abi/column-type.ts";
import { type Diagnostic, diagnostic, type SourceLocation } from "../diagnostics.ts";
import { columnNameProblem, namePattern, snakeCase } from "../names.ts";
import type { Column, EventParameter, EventSignature } from "../protocol.ts";
import { type Checked, type Declaration, keyLocation, valueLocation } from "./declaration.ts";

/** A table's event, with the position of its signature. */
export interface LocatedEvent {
  readonly event: EventSignature;
  readonly location: SourceLocation;
}

/** A column of a table before its name is checked. */
interface NamedColumn {
  readonly column: Column;
  readonly location: SourceLocation;
}

/** A table's columns: the ones that the declaration lists, or one per event parameter. */
export function checkColumns(declaration: Declaration, table: string, events: readonly LocatedEvent[]): Checked<Column[]> {
  const { columns } = declaration.file.tables[table] ?? {};
  const conflicts = findConflicts(events);
  const named = columns === undefined ? derivedColumns(distinctParameters(events)) : listedColumns(declaration, table, columns, events);
  return { value: named.value.map(({ column }) => column), diagnostics: [...conflicts, ...named.diagnostics, ...checkNames(named.value)] };
}

/** Reports a column that cannot be indexed because its values may have any length. */
export function checkIndexable(column: Column, events: readonly LocatedEvent[], location: SourceLocation): Diagnostic[] {
  const parameter = events.flatMap(({ event }) => event.parameters).find(({ name }) => name === column.parameter);
  if (parameter === undefined || parameter.indexed || !isDynamic(parameter.type)) return [];
  return [diagnostic("unindexable-column", location, { name: column.name, type: parameter.type })];
}

type LocatedParameter = EventParameter & { readonly location: SourceLocation };

/** Each parameter of the events, as declared by the first event that has it. */
function distinctParameters(events: readonly LocatedEvent[]): ReadonlyMap<string, LocatedParameter> {
  const found = new Map<string, LocatedParameter>();
  for (const { event, location } of events) {
    for (const parameter of event.parameters) if (!found.has(parameter.name)) found.set(parameter.name, { ...parameter, location });
  }
  return found;
}

function findConflicts(events: readonly LocatedEvent[]): Diagnostic[] {
  const first = distinctParameters(events);
  return events.flatMap(({ event, location }) =>
    event.parameters.flatMap((parameter) => {
      const other = first.get(parameter.name);
      if (other === undefined || columnTypeOfParameter(other) === columnTypeOfParameter(parameter)) return [];
      return [diagnostic("conflicting-type", location, { parameter: parameter.name, type: parameter.type, other: other.type })];
    }),
  );
}

function derivedColumns(parameters: ReadonlyMap<string, LocatedParameter>): Checked<NamedColumn[]> {
  const value = [...parameters.values()].flatMap((parameter) => locatedColumn(snakeCase(parameter.name), parameter, parameter.location));
  return { value, diagnostics: [] };
}

function listedColumns(
  declaration: Declaration,
  table: string,
  columns: Readonly<Record<string, string>>,
  events: readonly LocatedEvent[],
): Checked<NamedColumn[]> {
  const parameters = distinctParameters(events);
  const checked = Object.entries(columns).map(([name, parameterName]): Checked<NamedColumn[]> => {
    const path = ["tables", table, "columns", name];
    const parameter = parameters.get(parameterName);
    if (parameter !== undefined) return { value: locatedColumn(name, parameter, keyLocation(declaration, ...path)), diagnostics: [] };
    // If no event could be read, the parameters are unknown.
    if (events.length === 0) return { value: [], diagnostics: [] };
    const data = { name: parameterName, kind: "a parameter of the events", expected: [...parameters.keys()] };
    return { value: [], diagnostics: [diagnostic("unknown-parameter", valueLocation(declaration, ...path), data)] };
  });
  return { value: checked.flatMap(({ value }) => value), diagnostics: checked.flatMap(({ diagnostics }) => diagnostics) };
}

function locatedColumn(name: string, parameter: EventParameter, location: SourceLocation): NamedColumn[] {
  const type = columnTypeOfParameter(parameter);
  return type === null ? [] : [{ column: { name, parameter: parameter.name, type }, location }];
}

function checkNames(columns: readonly NamedColumn[]): Diagnostic[] {
  return columns.flatMap(({ column: { name, parameter }, location }, index) => {
    const reason = namePattern.test(name) ? columnNameProblem(name) : "is not a snake_case name of at most 30 characters";
    const expected = `another name for it under columns, such as ${suggestedName(name)}: ${parameter}`;
    if (reason !== null) return [diagnostic("reserved-name", location, { name, reason, expected })];
    const first = columns.findIndex(({ column }) => column.name === name);
    return first < index ? [diagnostic("duplicate-column", location, { name })] : [];
  });
}

const suggestedName = (name: string): string => (namePattern.test(`${name}_value`) ? `${name}_value` : "value");
