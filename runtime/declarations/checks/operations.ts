import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { OperationQuery } from "../protocol.ts";
import { queryPath } from "../query-files.ts";
import { type Checked, type Declaration, keyLocation, valueLocation } from "./declaration.ts";
import { checkSqlFile, type QueryShape } from "./sql-file.ts";

/** The files and operations that a declaration is checked against. */
export interface OperationScope {
  /** The SQL files that the declaration may name: name -> text; see `queriesFor`. */
  readonly queries: ReadonlyMap<string, string>;
  /** The template's operations, by name. */
  readonly operations: ReadonlyMap<string, QueryShape>;
  /** Whether an operator adds the protocol; it may then have its own operations. */
  readonly isAdded: boolean;
}

/** Checks the operations and their SQL. */
export function checkOperations(declaration: Declaration, scope: OperationScope): Checked<Record<string, OperationQuery>> {
  const checked = Object.keys(declaration.file.operations).map((name) => ({ name, ...checkOperation(declaration, name, scope) }));
  return {
    value: Object.fromEntries(checked.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]))),
    diagnostics: [...checked.flatMap(({ diagnostics }) => diagnostics), ...findUnusedFiles(declaration, scope)],
  };
}

function checkOperation(
  declaration: Declaration,
  name: string,
  { queries, operations, isAdded }: OperationScope,
): Checked<OperationQuery | null> {
  const shape = operations.get(name);
  if (shape === undefined) {
    const data = { name, expected: [...operations.keys()], isAdded };
    return { value: null, diagnostics: [diagnostic("unknown-operation", keyLocation(declaration, "operations", name), data)] };
  }
  const { sql: file, genericPlan } = declaration.file.operations[name] ?? {};
  if (file === undefined) return { value: null, diagnostics: [] };
  const { value, diagnostics } = checkSqlFile(declaration, valueLocation(declaration, "operations", name, "sql"), file, queries, shape);
  return { value: value === null || genericPlan !== true ? value : { ...value, isPlannedOnce: true }, diagnostics };
}

/** Reports the protocol's unused files; `findUnusedSharedFiles` checks shared files. */
function findUnusedFiles({ file, source }: Declaration, { queries }: OperationScope): Diagnostic[] {
  const expected = [...Object.values(file.operations), file.lending].flatMap((use) => use?.sql ?? []);
  return [...queries.keys()]
    .filter((name) => !name.startsWith("../") && !expected.includes(name))
    .map((name) => diagnostic("unused-sql", { file: queryPath(source.file, name), line: 1, column: 1 }, { expected }));
}
