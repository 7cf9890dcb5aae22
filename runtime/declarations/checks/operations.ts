import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { OperationQuery, QueryParameter } from "../protocol.ts";
import { queryPath } from "../query-files.ts";
import { checkQuery } from "../sql/check-query.ts";
import { type Checked, type Declaration, keyAt, valueAt } from "./declaration.ts";

/** What the template requires of the SQL of an operation. */
export interface OperationShape {
  readonly parameters: readonly QueryParameter[];
  /** The columns of its result; null if the objects of its response could not be read. */
  readonly columns: readonly string[] | null;
}

/** What the declaration is checked against. */
export interface OperationScope {
  /** The SQL files that the declaration may name: name -> text; see `queriesFor`. */
  readonly queries: ReadonlyMap<string, string>;
  /** The operations of the template, by name. */
  readonly operations: ReadonlyMap<string, OperationShape>;
}

/** Checks the operations and their SQL. */
export function checkOperations(declaration: Declaration, scope: OperationScope): Checked<Record<string, OperationQuery>> {
  const tables = tableNames(declaration);
  const checked = Object.keys(declaration.file.operations).map((name) => ({ name, ...checkOperation(declaration, name, tables, scope) }));
  return {
    value: Object.fromEntries(checked.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]))),
    diagnostics: [...checked.flatMap(({ diagnostics }) => diagnostics), ...findUnusedFiles(declaration, scope)],
  };
}

/** The tables and reads of a protocol, by the names that its SQL uses. */
function tableNames({ file }: Declaration): string[] {
  const tables = Object.entries(file.tables).flatMap(([name, { latestBy }]) =>
    latestBy === undefined ? [name] : [name, `${name}_latest`, `${name}_periods`],
  );
  return [...tables, ...Object.keys(file.reads), "contracts"];
}

function checkOperation(
  declaration: Declaration,
  name: string,
  tables: readonly string[],
  { queries, operations }: OperationScope,
): Checked<OperationQuery | null> {
  const shape = operations.get(name);
  if (shape === undefined) {
    const data = { name, expected: [...operations.keys()] };
    return { value: null, diagnostics: [diagnostic("unknown-operation", keyAt(declaration, "operations", name), data)] };
  }
  const file = declaration.file.operations[name]?.sql;
  if (file === undefined) return { value: null, diagnostics: [] };
  const text = queries.get(file);
  if (text === undefined) {
    const data = { name: file, expected: [...queries.keys()] };
    return { value: null, diagnostics: [diagnostic("missing-sql", valueAt(declaration, "operations", name, "sql"), data)] };
  }
  const { query, diagnostics } = checkQuery(queryPath(declaration.source.file, file), text, {
    schema: `cq_${declaration.file.protocol}`,
    tables,
    ...shape,
  });
  return { value: query === null ? null : { file, ...query }, diagnostics };
}

/** Shared files are used by any protocol: `findUnusedSharedFiles`. */
function findUnusedFiles({ file, source }: Declaration, { queries }: OperationScope): Diagnostic[] {
  const expected = Object.values(file.operations).flatMap((operation) => operation?.sql ?? []);
  return [...queries.keys()]
    .filter((name) => !name.startsWith("../") && !expected.includes(name))
    .map((name) => diagnostic("unused-sql", { file: queryPath(source.file, name), line: 1, column: 1 }, { expected }));
}
