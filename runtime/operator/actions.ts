import type { Queryable } from "../database/database.ts";

/** A change by an operator. */
export interface OperatorAction {
  /** Who made it: `user@host` for a command. */
  readonly actor: string;
  readonly action:
    | "chain.pause"
    | "chain.resume"
    | "chain.repair"
    | "chain.remove"
    | "chain.retry-jobs"
    | "chain.refresh-metadata"
    | "chain.audit"
    | "key.create"
    | "key.update"
    | "key.revoke";
  /** What was changed: the name of a chain, or the id of a key. */
  readonly subject: string;
  /** What the change consists of, without secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A recorded change. */
export interface RecordedAction extends Required<Omit<OperatorAction, "action">> {
  readonly time: Date;
  /** A newer version may have recorded actions that this one does not know. */
  readonly action: string;
}

/** Records a change in the transaction that makes it, so that there is no change without a record. */
export async function recordAction(
  client: Pick<Queryable, "query">,
  { actor, action, subject, details = {} }: OperatorAction,
): Promise<void> {
  await client.query("INSERT INTO operator_actions (time, actor, action, subject, details) VALUES (clock_timestamp(), $1, $2, $3, $4)", [
    actor,
    action,
    subject,
    JSON.stringify(details),
  ]);
}

/** The newest changes, newest first. Served by the primary key. */
export const listActions = (database: Pick<Queryable, "query">, limit: number): Promise<RecordedAction[]> =>
  database.query<RecordedAction>("SELECT time, actor, action, subject, details FROM operator_actions ORDER BY id DESC LIMIT $1", [limit]);
