import { type Diagnostic, diagnostic, quote, type SourceLocation } from "../diagnostics.ts";
import type { EventParameter, EventTable } from "../protocol.ts";

/** A use of a column in the tables that make a read due. */
interface ColumnUse {
  readonly name: string;
  readonly location: SourceLocation;
  readonly accepts: (parameter: EventParameter) => boolean;
  /** The accepted types, for diagnostics. */
  readonly expected: string;
}

/** Checks that the tables that make a read due have a value for an argument of this ABI type in every row. */
export const checkArgumentColumn = (name: string, type: string, tables: readonly EventTable[], location: SourceLocation): Diagnostic[] =>
  checkColumn({ name, location, accepts: (parameter) => isAssignable(parameter, type), expected: type }, tables);

/** Checks that every row of these tables has a contract address, or a 32-byte id, which may start with an address. */
export const checkContractColumn = (name: string, tables: readonly EventTable[], location: SourceLocation): Diagnostic[] =>
  checkColumn({ name, location, accepts: ({ type }) => type === "address" || type === "bytes32", expected: "address or bytes32" }, tables);

function checkColumn(use: ColumnUse, tables: readonly EventTable[]): Diagnostic[] {
  const { name, location } = use;
  const [first, ...others] = tables.map(({ columns }) => columns.map((column) => column.name));
  // Unknown tables have already been reported.
  if (first === undefined) return [];
  const expected = first.filter((column) => others.every((columns) => columns.includes(column)));
  if (!expected.includes(name)) return [diagnostic("unknown-column", location, { name, expected })];
  return tables.flatMap((table) => checkValues(table, use)).slice(0, 1);
}

function checkValues({ columns, events }: EventTable, { name, location, accepts, expected }: ColumnUse): Diagnostic[] {
  const written = columns.find((column) => column.name === name)?.parameter;
  return events.flatMap((event) => {
    const parameter = event.parameters.find((candidate) => candidate.name === written);
    if (parameter === undefined) return [diagnostic("nullable-key", location, { name, event: event.text })];
    if (accepts(parameter)) return [];
    return [
      diagnostic("wrong-value", location, { found: `${quote(name)} of type ${parameter.type}`, expected: `a column of type ${expected}` }),
    ];
  });
}

/** Whether an event parameter can be passed as an argument of this type: the types are equal, or the argument is a wider integer. */
function isAssignable({ type: from }: EventParameter, to: string): boolean {
  const [narrow, wide] = [integerOf(from), integerOf(to)];
  return from === to || (narrow !== null && wide !== null && narrow.sign === wide.sign && narrow.bits <= wide.bits);
}

function integerOf(type: string): { readonly sign: string; readonly bits: number } | null {
  const [, sign, bits] = /^(u?int)(\d+)$/.exec(type) ?? [];
  return sign === undefined ? null : { sign, bits: Number(bits) };
}
