import type { Database } from "../../database/database.ts";
import { identifier, joinSql, sql } from "../../database/sql.ts";
import type { AddedProtocol } from "../../declarations/added-protocol.ts";
import { renderDiagnostic } from "../../declarations/diagnostics.ts";
import { lendingEventOf } from "../../domains/community/queries/lending-event.ts";
import { createOperationQueries } from "../../domains/community/queries/operation-queries.ts";
import { tableOf } from "../../domains/community/relations.ts";
import { diagnoseQuery } from "./plan-queries.ts";
import type { TestConnections } from "./rolled-back-transaction.ts";

/** The result of testing a protocol's lending SQL. */
export interface LendingResult {
  /** Events in all transactions. */
  readonly eventCount: number;
  readonly transactionCount: number;
  readonly problems: readonly string[];
}

interface Position {
  readonly block: number;
  readonly transaction_index: number;
}

/** Max rows per table; the statement runs for their transactions. */
const maxRows = 3;
/** A position without rows, so that the statement runs even if the tables are empty. */
const emptyPosition: Position = { block: -1, transaction_index: -1 };

/** Plans the lending statement, compares its column types, and runs it for each table's newest transactions. Null if there is none. */
export async function tryLending(
  { rolledBackTransaction, reader }: TestConnections,
  chain: number,
  added: AddedProtocol,
): Promise<LendingResult | null> {
  const { id, tables, lending } = added.protocol;
  if (lending === null) return null;
  const planned = (await diagnoseQuery(reader, added, "lending", lending)).map(renderDiagnostic);
  if (planned.length > 0) return { eventCount: 0, transactionCount: 0, problems: planned };
  const { lendingRowsOf } = createOperationQueries(reader);
  const positions = await positionsOf(
    rolledBackTransaction,
    chain,
    tables.map(({ name }) => tableOf(id, name)),
  );
  let eventCount = 0;
  const problems = new Set<string>();
  for (const position of [...positions, emptyPosition]) {
    try {
      eventCount += (await lendingRowsOf(lending, { chain, ...position })).map(lendingEventOf).length;
    } catch (error) {
      problems.add(messageOf(error));
    }
  }
  return { eventCount, transactionCount: positions.length, problems: [...problems] };
}

/** The transactions of the tables' newest rows. */
const positionsOf = async ({ query }: Pick<Database, "query">, chain: number, tables: readonly string[]): Promise<Position[]> => {
  const newest = tables.map(
    (table) =>
      sql`(SELECT block_number AS block, transaction_index FROM ${identifier(table)} WHERE chain_id = $1 ORDER BY block_number DESC, log_index DESC LIMIT ${maxRows})`,
  );
  return newest.length === 0 ? [] : query<Position>(joinSql(newest, sql` UNION `), [chain]);
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
