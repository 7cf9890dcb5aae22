import type { AbiParameter } from "viem";
import { columnTypeOf } from "../abi/column-type.ts";
import type { ParsedFunction } from "../abi/signature.ts";
import { type Diagnostic, diagnostic, type SourceLocation } from "../diagnostics.ts";
import { columnNameProblem, namePattern, snakeCase } from "../names.ts";
import type { EventTable, ReadArgument, VaryingArgument } from "../protocol.ts";
import { checkArgumentColumn } from "./argument-columns.ts";
import { type Checked, type Declaration, keyLocation, valueLocation } from "./declaration.ts";

/** Max calls of a read per contract, block and column value. */
const maxCalls = 64;

type Argument = Declaration["file"]["reads"][string]["arguments"][number];

type Literal = Exclude<Argument, object>;

/** Checks a read's arguments against its function's parameters. `tables` are the declaration's checked tables. */
export function checkArguments(
  declaration: Declaration,
  tables: readonly EventTable[],
  read: string,
  { inputs }: ParsedFunction,
): Checked<ReadArgument[]> {
  const { arguments: given = [], touchedBy = [], everyBlocks } = declaration.file.reads[read] ?? {};
  const listLocation = valueLocation(declaration, "reads", read, "arguments");
  if (given.length !== inputs.length) {
    const location = given.length === 0 ? keyLocation(declaration, "reads", read) : listLocation;
    return { value: [], diagnostics: [diagnostic("argument-count", location, { found: given.length, expected: inputs.length })] };
  }
  const touching = tables.filter(({ name }) => touchedBy.includes(name));
  const checked = inputs.map((parameter, index) => checkArgument(declaration, touching, { read, index, parameter }, given[index] ?? ""));
  const value = checked.flatMap((argument) => argument.value ?? []);
  const calls = value.reduce(
    (product, argument) => product * (typeof argument !== "string" && "each" in argument ? argument.each.length : 1),
    1,
  );
  return {
    value,
    diagnostics: [
      ...checked.flatMap(({ diagnostics }) => diagnostics),
      ...(everyBlocks === undefined ? [] : findPeriodicColumns(given, valueLocation(declaration, "reads", read, "everyBlocks"))),
      ...(calls > maxCalls ? [diagnostic("too-many-calls", listLocation, { found: calls, expected: maxCalls })] : []),
    ],
  };
}

/** Reports a column argument in a periodic read: columns have values only at blocks with rows. */
function findPeriodicColumns(given: readonly Argument[], location: SourceLocation): Diagnostic[] {
  const [column] = given.flatMap((argument) => (typeof argument === "object" && "column" in argument ? [argument.column] : []));
  return column === undefined ? [] : [diagnostic("periodic-column", location, { column })];
}

/** An argument's location: the name of its read, its position, and the function's parameter. */
interface ArgumentLocation {
  readonly read: string;
  readonly index: number;
  readonly parameter: AbiParameter;
}

function checkArgument(
  declaration: Declaration,
  touching: readonly EventTable[],
  { read, index, parameter }: ArgumentLocation,
  argument: Argument,
): Checked<ReadArgument | null> {
  const path = ["reads", read, "arguments", index] as const;
  const location = valueLocation(declaration, ...path);
  const { type } = parameter;
  if (typeof argument !== "object") return checkLiteral(argument, type, location);
  const call = valueLocation(declaration, "reads", read, "call");
  const column = argumentColumn(parameter, index, call);
  if (column.value === null) return { value: null, diagnostics: column.diagnostics };
  if ("column" in argument) {
    const diagnostics = checkArgumentColumn(argument.column, type, touching, valueLocation(declaration, ...path, "column"));
    return { value: { ...column.value, column: argument.column }, diagnostics };
  }
  const each = checkValues(declaration, [...path, "each"], argument.each, type);
  return { value: { ...column.value, each: each.value }, diagnostics: each.diagnostics };
}

function checkValues(
  declaration: Declaration,
  path: readonly (string | number)[],
  given: readonly Literal[],
  type: string,
): Checked<string[]> {
  const locationOf = (position: number): SourceLocation => valueLocation(declaration, ...path, position);
  const checked = given.map((literal, position) => checkLiteral(literal, type, locationOf(position)));
  const texts = checked.map(({ value }) => value);
  const repeated = texts.flatMap((text, position) => {
    const data = { found: `${text} again`, expected: "each value once" };
    return text !== null && texts.indexOf(text) < position ? [diagnostic("wrong-value", locationOf(position), data)] : [];
  });
  return { value: texts.flatMap((text) => text ?? []), diagnostics: [...checked.flatMap(({ diagnostics }) => diagnostics), ...repeated] };
}

/** The result column that stores an argument's values. */
function argumentColumn(
  { name: written = "", type }: AbiParameter,
  index: number,
  location: SourceLocation,
): Checked<Pick<VaryingArgument, "name" | "type"> | null> {
  const subject = `parameter ${index + 1} of the function`;
  const name = snakeCase(written);
  const column = acceptedArgument(type) === null ? null : columnTypeOf(type);
  if (column === null)
    return { value: null, diagnostics: [diagnostic("unsupported-type", location, { subject, type, expected: typeNames })] };
  if (name === "") return { value: null, diagnostics: [diagnostic("unnamed-parameter", location, { subject })] };
  const diagnostics = checkSignatureName(name, "parameter", location);
  return { value: diagnostics.length > 0 ? null : { name, type: column }, diagnostics };
}

/** Reports a parameter or result name that cannot be a column name. */
export function checkSignatureName(name: string, kind: "parameter" | "result", location: SourceLocation): Diagnostic[] {
  const reason = namePattern.test(name) ? columnNameProblem(name) : "is not a snake_case name of at most 30 characters";
  const expected = `another name for the ${kind} in the signature; names do not change the selector`;
  return reason === null ? [] : [diagnostic("reserved-name", location, { name, reason, expected })];
}

const typeNames = "address, bool, bytes1 to bytes32, intN and uintN";

/** The canonical text of a value; null if the type does not accept it. */
function checkLiteral(argument: Literal, type: string, location: SourceLocation): Checked<string | null> {
  const expected = acceptedArgument(type);
  if (expected === null)
    return { value: null, diagnostics: [diagnostic("unsupported-type", location, { subject: "a parameter", type, expected: typeNames })] };
  const value = canonicalText(String(argument), type);
  if (value !== null) return { value, diagnostics: [] };
  return { value, diagnostics: [diagnostic("wrong-value", location, { found: renderArgument(argument), expected })] };
}

// A hostile value may be long.
const renderArgument = (argument: Literal): string => {
  const text = JSON.stringify(argument);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
};

function acceptedArgument(type: string): string | null {
  if (type === "address") return "an address, 0x followed by 40 hex digits in quotation marks";
  if (type === "bool") return "true or false";
  const [, size] = /^bytes(\d+)$/.exec(type) ?? [];
  if (size !== undefined) return `0x and ${2 * Number(size)} hex digits in quotation marks`;
  return /^u?int\d+$/.test(type) ? `a decimal integer in the range of ${type}` : null;
}

function canonicalText(argument: string, type: string): string | null {
  const bytes = type === "address" ? "20" : /^bytes(\d+)$/.exec(type)?.[1];
  if (bytes !== undefined)
    return /^0x[0-9a-fA-F]*$/.test(argument) && argument.length === 2 + 2 * Number(bytes) ? argument.toLowerCase() : null;
  if (type === "bool") return argument === "true" || argument === "false" ? argument : null;
  // A 256-bit integer has at most 78 digits, and converting longer texts takes quadratic time.
  if (!/^-?\d{1,78}$/.test(argument)) return null;
  const bits = BigInt(type.replace(/\D/g, ""));
  const [minimum, end] = type.startsWith("u") ? [0n, 1n << bits] : [-(1n << (bits - 1n)), 1n << (bits - 1n)];
  const value = BigInt(argument);
  return value >= minimum && value < end ? value.toString() : null;
}
