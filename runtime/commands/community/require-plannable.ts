import type { Database } from "../../database/database.ts";
import { readerStatementMilliseconds } from "../../database/reader/reader-statements.ts";
import type { AddedProtocol } from "../../declarations/added-protocol.ts";
import { type Diagnostic, diagnostic } from "../../declarations/diagnostics.ts";
import { isStatementRefused } from "../../domains/community/queries/query-problems.ts";
import { directoryError } from "../../protocols.ts";
import { diagnoseQuery, queriesOf } from "./plan-queries.ts";
import { inRolledBackTransaction } from "./rolled-back-transaction.ts";
import { createScratchTables, withDeclaredId } from "./scratch-tables.ts";

/** A process's database and its protocols directory. */
export interface Planning {
  readonly database: Database;
  readonly readerRole: string;
  /** The protocols directory; undefined if there is none. */
  readonly directory: string | undefined;
}

/**
 * Plans the statements of the operator's protocols before anything is served: with the reader role if the database user may assume it, and on
 * tables that are rolled back, so that the index's tables need not exist yet. Tests plan the statements of built-in protocols.
 * @throws {ConfigError} with all diagnostics.
 */
export async function requirePlannable(added: readonly AddedProtocol[], { database, readerRole, directory }: Planning): Promise<void> {
  if (added.length === 0 || directory === undefined) return;
  const diagnostics = await inRolledBackTransaction(database, async (transaction) => {
    const reader = (await transaction.asReader(readerRole, readerStatementMilliseconds)) ?? transaction;
    const found: Diagnostic[] = [];
    for (const protocol of added) found.push(...(await problemsOf(protocol, { transaction, reader, readerRole })));
    return found;
  });
  if (diagnostics.length > 0) throw directoryError(directory, diagnostics);
}

interface PlanningTransaction {
  readonly transaction: Database;
  readonly reader: Database;
  readonly readerRole: string;
}

const problemsOf = async (protocol: AddedProtocol, { transaction, reader, readerRole }: PlanningTransaction): Promise<Diagnostic[]> => {
  const found: Diagnostic[] = [];
  try {
    const scratch = await createScratchTables(transaction, protocol, readerRole);
    for (const [name, query] of queriesOf(scratch)) {
      const problems = await diagnoseQuery(reader, scratch, name, query);
      found.push(...problems.map((problem) => ({ ...problem, message: withDeclaredId(problem.message, scratch, protocol) })));
    }
  } catch (error) {
    // Planning operations' statements reports problems without throwing.
    if (!isStatementRefused(error)) throw error;
    found.push(diagnostic("uncreatable-tables", protocol.location, { problem: error.message }));
  }
  return found;
};
