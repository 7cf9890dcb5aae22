import pg from "pg";

/** A reader role setting. */
export interface RoleSetting {
  readonly name: string;
  readonly value: string;
  /** Whether the role may lack it, because only superusers can set it. */
  readonly isOptional?: boolean;
}

/** Max duration of the role's statements. */
export const readerStatementMilliseconds = 5_000;

/** Limits on each of the role's statements, in the format of pg_roles.rolconfig. */
export const roleSettings: readonly RoleSetting[] = [
  { name: "default_transaction_read_only", value: "on" },
  { name: "statement_timeout", value: `${readerStatementMilliseconds}ms` },
  { name: "idle_in_transaction_session_timeout", value: "10s" },
  { name: "work_mem", value: "16MB" },
  { name: "max_parallel_workers_per_gather", value: "0" },
  { name: "search_path", value: "api" },
  { name: "temp_file_limit", value: "256MB", isOptional: true },
];

/**
 * Functions of pg_catalog, as a regular expression, that any role may execute by default and that do more than compute: they change the session, wait, lock,
 * notify, write large objects or the write-ahead log, run SQL that they receive as text, or act on the role's other sessions.
 */
export const revokedFunctionPattern =
  "^(set_config|pg_sleep.*|pg_notify|pg_(try_)?advisory_.*|lo_.*|lo(read|write)|.*_to_xml.*|ts_stat|ts_rewrite|pg_(cancel|terminate)_backend|pg_logical_emit_message" +
  "|pg_export_snapshot|(txid_current|pg_current_xact_id))$";

/** Statements that grant the role its privileges. All roles can execute the functions of `api`, which read its views with the caller's privileges. */
export const roleGrants = ({ role, database }: { readonly role: string; readonly database: string }): readonly string[] => [
  `GRANT CONNECT ON DATABASE ${pg.escapeIdentifier(database)} TO ${role}`,
  `GRANT USAGE ON SCHEMA api TO ${role}`,
  `GRANT SELECT ON ALL TABLES IN SCHEMA api TO ${role}`,
];

/** The statements that an administrator runs if Ashlar may not create the role. PASSWORD is a placeholder. */
export const manualStatements = (names: {
  readonly role: string;
  readonly database: string;
  readonly exists: boolean;
}): readonly string[] => [
  `${names.exists ? "ALTER" : "CREATE"} ROLE ${names.role} LOGIN PASSWORD 'PASSWORD'`,
  ...roleSettings.map(({ name, value }) => `ALTER ROLE ${names.role} SET ${name} = '${value}'`),
  ...roleGrants(names),
];
