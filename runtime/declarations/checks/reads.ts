import { columnTypeOf, storableTypesText } from "../abi/column-type.ts";
import { type ParsedFunction, parseFunction } from "../abi/signature.ts";
import { type Diagnostic, diagnostic, type SourceLocation } from "../diagnostics.ts";
import { snakeCase } from "../names.ts";
import type { ContractRead, EventTable } from "../protocol.ts";
import { checkContractColumn } from "./argument-columns.ts";
import { checkArguments, checkSignatureName } from "./arguments.ts";
import { checkContractName } from "./contracts.ts";
import { type Checked, type Declaration, keyLocation, valueLocation } from "./declaration.ts";
import { checkTableName } from "./tables.ts";

const example = "totalAssets() view returns (uint256 assets)";

/** Checks the contract functions that are read. */
export function checkReads(declaration: Declaration, tables: readonly EventTable[]): Checked<ContractRead[]> {
  const reads = Object.keys(declaration.file.reads).map((name) => checkRead(declaration, tables, name));
  return { value: reads.flatMap(({ value }) => value ?? []), diagnostics: reads.flatMap(({ diagnostics }) => diagnostics) };
}

function checkRead(declaration: Declaration, tables: readonly EventTable[], name: string): Checked<ContractRead | null> {
  const read = declaration.file.reads[name];
  if (read === undefined) return { value: null, diagnostics: [] };
  const location = valueLocation(declaration, "reads", name, "call");
  const parsed = parseFunction(read.call);
  const columns = parsed.ok ? columnsOf(parsed.value, location) : { value: [], diagnostics: [] };
  const args = parsed.ok ? checkArguments(declaration, tables, name, parsed.value) : { value: [], diagnostics: [] };
  const diagnostics = [
    ...checkTableName(declaration, "reads", name),
    ...checkUniqueName(declaration, name),
    ...checkContractName(declaration, read.contract, "reads", name, "contract"),
    ...(parsed.ok ? [] : [signatureProblem(read.call, parsed.problem, location)]),
    ...args.diagnostics,
    ...columns.diagnostics,
    ...findRepeated(
      [
        ...args.value.flatMap((argument) => (typeof argument === "string" ? [] : argument.name)),
        ...columns.value.map((column) => column.name),
      ],
      location,
    ),
    ...checkTimes(declaration, name),
    ...checkTouchedContract(declaration, tables, name),
  ];
  if (!parsed.ok || diagnostics.length > 0) return { value: null, diagnostics };
  const { text, selector } = parsed.value;
  const value = {
    name,
    contract: read.contract,
    function: { text, selector },
    arguments: args.value,
    columns: columns.value,
    touchedBy: read.touchedBy,
    contractColumn: read.contractColumn ?? null,
    everyBlocks: read.everyBlocks ?? null,
    latest: read.latest,
  };
  return { value, diagnostics };
}

const signatureProblem = (text: string, problem: string, location: SourceLocation): Diagnostic =>
  diagnostic("signature-syntax", location, { text, problem, example });

function checkUniqueName(declaration: Declaration, name: string): Diagnostic[] {
  if (!Object.hasOwn(declaration.file.tables, name)) return [];
  return [
    diagnostic("duplicate-table", keyLocation(declaration, "reads", name), { name, first: keyLocation(declaration, "tables", name) }),
  ];
}

function checkTimes(declaration: Declaration, name: string): Diagnostic[] {
  const { contract = "", touchedBy = [], contractColumn, everyBlocks } = declaration.file.reads[name] ?? {};
  const { contracts, tables } = declaration.file;
  // An undeclared contract is reported at its name.
  const isSame = (other: string): boolean =>
    contractColumn !== undefined || other === contract || !Object.hasOwn(contracts, other) || !Object.hasOwn(contracts, contract);
  const expected = Object.keys(tables).filter((table) => isSame(tables[table]?.contract ?? ""));
  const unknown = touchedBy.flatMap((table, index) =>
    expected.includes(table)
      ? []
      : [diagnostic("unknown-table", valueLocation(declaration, "reads", name, "touchedBy", index), { name: table, expected })],
  );
  const isNeverDue = touchedBy.length === 0 && everyBlocks === undefined;
  return isNeverDue ? [diagnostic("never-due", keyLocation(declaration, "reads", name))] : unknown;
}

function checkTouchedContract(declaration: Declaration, tables: readonly EventTable[], name: string): Diagnostic[] {
  const { touchedBy = [], contractColumn } = declaration.file.reads[name] ?? {};
  if (contractColumn === undefined) return [];
  const location = valueLocation(declaration, "reads", name, "contractColumn");
  if (touchedBy.length === 0) return [diagnostic("missing-key", location, { key: "touchedBy", expected: "the tables of the column" })];
  return checkContractColumn(
    contractColumn,
    tables.filter((table) => touchedBy.includes(table.name)),
    location,
  );
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
      return { value: [], diagnostics: [diagnostic("unsupported-type", location, { subject, type, expected: storableTypesText })] };
    const reserved = checkSignatureName(name, "result", location);
    if (reserved.length > 0) return { value: [], diagnostics: reserved };
    return { value: [{ name, type: column }], diagnostics: [] };
  });
  return { value: checked.flatMap(({ value }) => value), diagnostics: checked.flatMap(({ diagnostics }) => diagnostics) };
}

function findRepeated(names: readonly string[], location: SourceLocation): Diagnostic[] {
  return names.filter((name, index) => names.indexOf(name) < index).map((name) => diagnostic("duplicate-column", location, { name }));
}
