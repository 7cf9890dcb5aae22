import { lendingColumns } from "../lending-columns.ts";
import type { LendingQuery } from "../protocol.ts";
import { type Checked, type Declaration, valueLocation } from "./declaration.ts";
import { checkSqlFile } from "./sql-file.ts";

/** Checks the query for lending events and its SQL. `queries` maps the names of the protocol's files to their texts. */
export function checkLending(declaration: Declaration, queries: ReadonlyMap<string, string>): Checked<LendingQuery | null> {
  const { lending } = declaration.file;
  if (lending === undefined) return { value: null, diagnostics: [] };
  const { sql, label, version = null, fork = null, forkVersion = null } = lending;
  const { value, diagnostics } = checkSqlFile(declaration, valueLocation(declaration, "lending", "sql"), sql, queries, {
    parameters: ["chain", "block", "transaction_index"],
    columns: lendingColumns,
  });
  return { value: value === null ? null : { ...value, label, version, fork, forkVersion }, diagnostics };
}
