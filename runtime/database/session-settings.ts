import type pg from "pg";

/** How the server plans a session's prepared statements. */
export interface Plans {
  readonly mode: "force_custom_plan" | "force_generic_plan";
  readonly allowsSequentialScans: boolean;
}

/**
 * A prepared statement is planned for each execution's values. From the sixth execution on, the server may use one generic plan instead, which is slow if
 * values are skewed: among 500,000 logs, counting a busy contract's logs with a rare topic took 81 ms instead of 8.
 */
export const customPlans: Plans = { mode: "force_custom_plan", allowsSequentialScans: true };

/** For statements that are planned once. Without sequential scans, a plan from when a table is almost empty remains good as it grows. */
export const genericPlans: Plans = { mode: "force_generic_plan", allowsSequentialScans: false };

const direct = new WeakSet<pg.ClientBase>();

/** Whether a connection leads to the server itself, so that its session keeps settings and prepared statements. */
export const isDirect = (client: pg.ClientBase): boolean => direct.has(client);

/**
 * Configures a new connection's session. A pooler in transaction mode may give each transaction a different session, shared with other clients, so
 * nothing may be set or prepared there; the process id that it reports when the client connects is not the server's. The settings are not sent as
 * startup parameters, because poolers reject these (pgbouncer: 08P01).
 */
export async function configureSession(
  client: pg.ClientBase,
  { mode, allowsSequentialScans }: Plans,
  timeoutMilliseconds: number,
): Promise<void> {
  const processId = "processID" in client && typeof client.processID === "number" ? client.processID : null;
  const { rows } = await client.query<{ is_direct: boolean }>("SELECT pg_backend_pid() = $1::int4 AS is_direct", [processId]);
  if (rows[0]?.is_direct !== true) return;
  // SET instead of set_config, which the reader role may not execute.
  const settings = [`plan_cache_mode = ${mode}`, `enable_seqscan = ${allowsSequentialScans ? "on" : "off"}`];
  // If the pool sets no limit, the role's or the database's applies.
  if (timeoutMilliseconds > 0) settings.push(`statement_timeout = ${timeoutMilliseconds}`);
  await client.query(settings.map((setting) => `SET ${setting}`).join("; "));
  direct.add(client);
}
