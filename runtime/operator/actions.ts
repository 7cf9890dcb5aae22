import type { Queryable } from "../database/database.ts";

/** A change made by an operator. */
export interface OperatorAction {
  /** The user who made it: `user@host` for a command, followed by ` (console)` for the console. */
  readonly actor: string;
  readonly action:
    | "chain.pause"
    | "chain.resume"
    | "chain.repair"
    | "chain.remove"
    | "chain.restore"
    | "chain.retry-jobs"
    | "chain.refresh-metadata"
    | "chain.audit"
    | "key.create"
    | "key.update"
    | "key.revoke"
    | "console.sign-in"
    | "console.sign-out";
  /** The subject of the change: a chain name, key id or session number. */
  readonly subject: string;
  /** The details of the change, without secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A recorded change. */
export interface RecordedAction extends Required<Omit<OperatorAction, "action">> {
  readonly id: number;
  readonly time: Date;
  /** A newer version may have recorded actions that are unknown to this one. */
  readonly action: string;
}

/** Records a change in the transaction that makes it, so that no change goes unrecorded. */
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

/** The newest changes, or those before one of them, newest first. Served by the primary key. */
export const listActions = (
  database: Pick<Queryable, "query">,
  limit: number,
  before: number = Number.MAX_SAFE_INTEGER,
): Promise<RecordedAction[]> =>
  database.query<RecordedAction>(
    "SELECT id, time, actor, action, subject, details FROM operator_actions WHERE id < $2 ORDER BY id DESC LIMIT $1",
    [limit, before],
  );
