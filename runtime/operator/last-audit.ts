import type { Database, Queryable } from "../database/database.ts";
import { recordAction } from "./actions.ts";

/** An audit result. */
export interface AuditResult {
  /** The block at which values were compared. */
  readonly block: number;
  readonly compared: number;
  readonly differences: number;
}

/** Records a chain audit's result as an action. */
export const recordAudit = (database: Pick<Database, "transaction">, chain: string, result: AuditResult, actor: string): Promise<void> =>
  database.transaction((client) => recordAction(client, { actor, action: "chain.audit", subject: chain, details: { ...result } }));

/** A recorded audit. */
export interface RecordedAudit {
  readonly time: Date;
  readonly details: AuditResult;
}

/** The result and time of a chain's last audit; null if none is recorded. Served by operator_actions_audits. */
export async function lastAudit(database: Pick<Queryable, "query">, chain: string): Promise<RecordedAudit | null> {
  const rows = await database.query<RecordedAudit>(
    "SELECT time, details FROM operator_actions WHERE action = 'chain.audit' AND subject = $1 ORDER BY id DESC LIMIT 1",
    [chain],
  );
  return rows[0] ?? null;
}

/** The last audit of each given chain that has one. Served by operator_actions_audits. */
export const lastAudits = (
  { query }: Pick<Queryable, "query">,
  chains: readonly string[],
): Promise<(RecordedAudit & { readonly name: string })[]> =>
  query(
    `SELECT c.name, a.time, a.details FROM unnest($1::text[]) AS c(name) CROSS JOIN LATERAL (
       SELECT time, details FROM operator_actions WHERE action = 'chain.audit' AND subject = c.name ORDER BY id DESC LIMIT 1) a`,
    [chains],
  );
