import { columnTypeOf, storedTypes } from "../abi/column-type.ts";
import { type ParsedFunction, parseFunction } from "../abi/signature.ts";
import { type Diagnostic, diagnostic, type SourceLocation } from "../diagnostics.ts";
import { columnNameProblem, namePattern, snakeCase } from "../names.ts";
import type { ContractRead } from "../protocol.ts";
import { checkContractName } from "./contracts.ts";
import { type Checked, type Declaration, keyAt, valueAt } from "./declaration.ts";
import { checkTableName } from "./tables.ts";

const example = "totalAssets() view returns (uint256 assets)";

/** Checks the contract functions that are read. */
export function checkReads(declaration: Declaration): Checked<ContractRead[]> {
  const reads = Object.keys(declaration.file.reads).map((name) => checkRead(declaration, name));
  return { value: reads.flatMap(({ value }) => value ?? []), diagnostics: reads.flatMap(({ diagnostics }) => diagnostics) };
}

function checkRead(declaration: Declaration, name: string): Checked<ContractRead | null> {
  const read = declaration.file.reads[name];
  if (read === undefined) return { value: null, diagnostics: [] };
  const location = valueAt(declaration, "reads", name, "call");
  const parsed = parseFunction(read.call);
  const columns = parsed.ok ? columnsOf(parsed.value, location) : { value: [], diagnostics: [] };
  const diagnostics = [
    ...checkTableName(declaration, "reads", name),
    ...checkUniqueName(declaration, name),
    ...checkContractName(declaration, read.contract, "reads", name, "contract"),
    ...(parsed.ok ? checkArguments(declaration, name, parsed.value) : [signatureFault(read.call, parsed.problem, location)]),
    ...columns.diagnostics,
    ...checkTimes(declaration, name),
  ];
  if (!parsed.ok || diagnostics.length > 0) return { value: null, diagnostics };
  const { text, selector } = parsed.value;
  const value = {
    name,
    contract: read.contract,
    function: { text, selector },
    arguments: read.arguments.map(String),
    columns: columns.value,
    touchedBy: read.touchedBy,
    everyBlocks: read.everyBlocks ?? null,
  };
  return { value, diagnostics };
}

const signatureFault = (text: string, problem: string, location: SourceLocation): Diagnostic =>
  diagnostic("signature-syntax", location, { text, problem, example });

function checkUniqueName(declaration: Declaration, name: string): Diagnostic[] {
  if (!Object.hasOwn(declaration.file.tables, name)) return [];
  return [diagnostic("duplicate-table", keyAt(declaration, "reads", name), { name, first: keyAt(declaration, "tables", name) })];
}

function checkTimes(declaration: Declaration, name: string): Diagnostic[] {
  const { contract = "", touchedBy = [], everyBlocks } = declaration.file.reads[name] ?? {};
  const { contracts, tables } = declaration.file;
  // A contract that is not declared is reported where it is named.
  const isSame = (other: string): boolean => other === contract || !Object.hasOwn(contracts, other) || !Object.hasOwn(contracts, contract);
  const expected = Object.keys(tables).filter((table) => isSame(tables[table]?.contract ?? ""));
  const unknown = touchedBy.flatMap((table, index) =>
    expected.includes(table)
      ? []
      : [diagnostic("unknown-table", valueAt(declaration, "reads", name, "touchedBy", index), { name: table, expected })],
  );
  const never = touchedBy.length === 0 && everyBlocks === undefined;
  return never ? [diagnostic("never-due", keyAt(declaration, "reads", name))] : unknown;
}

function checkArguments(declaration: Declaration, name: string, { inputs }: ParsedFunction): Diagnostic[] {
  const { arguments: given = [] } = declaration.file.reads[name] ?? {};
  if (given.length !== inputs.length) {
    const location = given.length === 0 ? keyAt(declaration, "reads", name) : valueAt(declaration, "reads", name, "arguments");
    return [diagnostic("argument-count", location, { found: given.length, expected: inputs.length })];
  }
  return given.flatMap((argument, index) => {
    const type = inputs[index]?.type ?? "";
    const location = valueAt(declaration, "reads", name, "arguments", index);
    const expected = acceptedArgument(type);
    if (expected === null) {
      const types = "address, bool, intN and uintN";
      return [diagnostic("unsupported-type", location, { subject: `parameter ${index + 1}`, type, expected: types })];
    }
    return fits(String(argument), type) ? [] : [diagnostic("wrong-value", location, { found: JSON.stringify(argument), expected })];
  });
}

function acceptedArgument(type: string): string | null {
  if (type === "address") return "an address, 0x and 40 hex digits in quotation marks";
  if (type === "bool") return "true or false";
  return /^u?int\d+$/.test(type) ? `a decimal integer in the range of ${type}` : null;
}

function fits(argument: string, type: string): boolean {
  if (type === "address") return /^0x[0-9a-fA-F]{40}$/.test(argument);
  if (type === "bool") return argument === "true" || argument === "false";
  // No integer of 256 bits has more digits, and the conversion of longer texts takes quadratic time.
  if (!/^-?\d{1,78}$/.test(argument)) return false;
  const bits = BigInt(type.replace(/\D/g, ""));
  const [minimum, end] = type.startsWith("u") ? [0n, 1n << bits] : [-(1n << (bits - 1n)), 1n << (bits - 1n)];
  const value = BigInt(argument);
  return value >= minimum && value < end;
}

function columnsOf({ outputs }: ParsedFunction, location: SourceLocation): Checked<ContractRead["columns"]> {
  if (outputs.length === 0) {
    const data = { text: "the function", problem: "it returns nothing", example };
    return { value: [], diagnostics: [diagnostic("signature-syntax", location, data)] };
  }
  const checked = outputs.map(({ name: written = "", type }, index): Checked<ContractRead["columns"]> => {
    const subject = `result ${index + 1} of the function`;
    const column = columnTypeOf(type);
    const name = written === "" && outputs.length === 1 ? "value" : snakeCase(written);
    if (name === "") return { value: [], diagnostics: [diagnostic("unnamed-parameter", location, { subject })] };
    if (column === null)
      return { value: [], diagnostics: [diagnostic("unsupported-type", location, { subject, type, expected: storedTypes })] };
    const reason = namePattern.test(name) ? columnNameProblem(name) : "is not a snake_case name of at most 30 characters";
    const expected = "another name of the result in the signature, which its selector does not include";
    if (reason !== null) return { value: [], diagnostics: [diagnostic("reserved-name", location, { name, reason, expected })] };
    return { value: [{ name, type: column }], diagnostics: [] };
  });
  const value = checked.flatMap((one) => one.value);
  const repeated = value.filter(({ name }, index) => value.findIndex((other) => other.name === name) < index);
  return {
    value,
    diagnostics: [
      ...checked.flatMap((one) => one.diagnostics),
      ...repeated.map(({ name }) => diagnostic("duplicate-column", location, { name })),
    ],
  };
}
