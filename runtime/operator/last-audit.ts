import type { Database, Queryable } from "../database/database.ts";
import { recordAction } from "./actions.ts";

/** The result of an audit. */
export interface AuditResult {
  /** The block whose state was compared. */
  readonly block: number;
  readonly compared: number;
  readonly differences: number;
}

/** Records the result of an audit of a chain as an action. */
export const recordAudit = (database: Pick<Database, "transaction">, chain: string, result: AuditResult, actor: string): Promise<void> =>
  database.transaction((client) => recordAction(client, { actor, action: "chain.audit", subject: chain, details: { ...result } }));

/** The result and time of the last audit of a chain; null if none is recorded. Reads the actions since then, by the primary key. */
export async function lastAudit(
  database: Pick<Queryable, "query">,
  chain: string,
): Promise<{ readonly time: Date; readonly details: AuditResult } | null> {
  const rows = await database.query<{ time: Date; details: AuditResult }>(
    "SELECT time, details FROM operator_actions WHERE action = 'chain.audit' AND subject = $1 ORDER BY id DESC LIMIT 1",
    [chain],
  );
  return rows[0] ?? null;
}
