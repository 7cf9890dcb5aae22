import { diagnostic, type SourceLocation } from "../diagnostics.ts";
import { functionOfRead } from "../names.ts";
import type { OperationQuery, QueryParameter } from "../protocol.ts";
import { queryPath } from "../query-files.ts";
import { checkQuery } from "../sql/check-query.ts";
import type { Checked, Declaration } from "./declaration.ts";

/** The requirements for a query. */
export interface QueryShape {
  readonly parameters: readonly QueryParameter[];
  /** The columns of its result; null if its response objects could not be read. */
  readonly columns: readonly string[] | null;
  /** The fields of the objects in the result's lists. */
  readonly elements?: readonly (readonly string[])[];
}

/** Checks a SQL file that the declaration names at a location. `queries` maps the names of the protocol's files to their texts. */
export function checkSqlFile(
  declaration: Declaration,
  location: SourceLocation,
  file: string,
  queries: ReadonlyMap<string, string>,
  shape: QueryShape,
): Checked<OperationQuery | null> {
  const text = queries.get(file);
  if (text === undefined)
    return { value: null, diagnostics: [diagnostic("missing-sql", location, { name: file, expected: [...queries.keys()] })] };
  const { reads } = declaration.file;
  const functions = Object.keys(reads).flatMap((name) => (reads[name]?.latest === true ? [functionOfRead(name)] : []));
  const scope = { schema: `cq_${declaration.file.protocol}`, tables: tableNames(declaration), functions, ...shape };
  const { query, diagnostics } = checkQuery(queryPath(declaration.source.file, file), text, scope);
  return { value: query === null ? null : { file, ...query }, diagnostics };
}

/** A protocol's tables and reads, by the names that its SQL uses. */
function tableNames({ file }: Declaration): string[] {
  const tables = Object.entries(file.tables).flatMap(([name, { latestBy }]) =>
    latestBy === undefined ? [name] : [name, `${name}_latest`, `${name}_periods`],
  );
  return [...tables, ...Object.keys(file.reads), "contracts"];
}
