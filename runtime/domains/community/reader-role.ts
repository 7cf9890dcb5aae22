import { randomBytes } from "node:crypto";
import type { Database, DatabaseClient } from "../../database/database.ts";

/** How the reader role connects. The URL contains its password. */
export interface Reader {
  readonly role: string;
  readonly url: string;
}

/** The role cannot be created or used. The message contains the statements that a superuser can run instead. */
export class ReaderRoleError extends Error {
  override readonly name = "ReaderRoleError";
}

/** SQLSTATE insufficient_privilege. */
const insufficientPrivilege = "42501";
/** The advisory lock of a process that sets up the role: "reader" in ASCII. */
const lock = 0x726561646572;

/** Limits of each statement that the role runs; the checker has refused what could exceed them on purpose. */
const roleSettings = [
  "default_transaction_read_only = on",
  "statement_timeout = '5s'",
  "idle_in_transaction_session_timeout = '10s'",
  "work_mem = '16MB'",
  "max_parallel_workers_per_gather = 0",
  "search_path = api",
] as const;

/**
 * Creates the role that runs the SQL of community protocols, or updates its rights, and returns how it connects. It may log in and read the schema `api`;
 * installed protocols grant it their own schemas. Roles belong to the whole server, so each database has a role of its own, named after the database's id.
 * @throws {ReaderRoleError} if the user of the database may not create roles.
 */
export async function setUpReaderRole(database: Database, databaseUrl: string): Promise<Reader> {
  try {
    return await database.transaction(async (client) => {
      await client.query("SELECT pg_advisory_xact_lock($1)", [lock]);
      const role = await roleOfDatabase(client);
      const password = await passwordOf(client, role);
      await createRole(client, role, password);
      for (const statement of grantStatements(role)) await client.query(statement);
      await revokeTemporaryTables(client);
      return { role, url: urlOf(databaseUrl, role, password) };
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== insufficientPrivilege) throw error;
    throw new ReaderRoleError(
      `Role for community endpoints could not be created: permission denied. Run as a superuser: ${manualStatements("ashlar_reader").join("; ")}; then set communityDatabaseUrl (or COMMUNITY_DATABASE_URL) to the URL of that role.`,
    );
  }
}

/** The statements that prepare a role which an operator creates. */
export const manualStatements = (role: string): readonly string[] => [
  `CREATE ROLE ${role} LOGIN PASSWORD '…'`,
  ...roleSettings.map((setting) => `ALTER ROLE ${role} SET ${setting}`),
  ...grantStatements(role),
];

/** The rights of the role to the schema `api`. Its functions are executable by all roles, and useless without rights to the views. */
export const grantStatements = (role: string): readonly string[] => [
  `GRANT USAGE ON SCHEMA api TO ${role}`,
  `GRANT SELECT ON ALL TABLES IN SCHEMA api TO ${role}`,
];

const roleOfDatabase = async (client: DatabaseClient): Promise<string> => {
  const [row] = await client.query<{ oid: number }>("SELECT oid::int8 AS oid FROM pg_database WHERE datname = current_database()");
  return `ashlar_reader_${row?.oid}`;
};

/** The stored password of the role, or a new one. */
const passwordOf = async (client: DatabaseClient, role: string): Promise<string> => {
  const [row] = await client.query<{ password: string }>(
    `INSERT INTO community_reader (role, password) VALUES ($1, $2)
     ON CONFLICT (role) DO UPDATE SET role = excluded.role RETURNING password`,
    [role, randomBytes(24).toString("base64url")],
  );
  if (row === undefined) throw new TypeError("community_reader returned no row.");
  return row.password;
};

/** The password is base64url text and the role a name of this file, so both may be part of the statement. */
const createRole = async (client: DatabaseClient, role: string, password: string): Promise<void> => {
  const [existing] = await client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
  const verb = existing === undefined ? "CREATE" : "ALTER";
  await client.query(
    `${verb} ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION CONNECTION LIMIT 64 PASSWORD '${password}'`,
  );
  for (const setting of roleSettings) await client.query(`ALTER ROLE ${role} SET ${setting}`);
};

/** Temporary tables are a right of every role by default. Only the owner of the database may revoke it, which PostgreSQL reports as a warning otherwise. */
const revokeTemporaryTables = async (client: DatabaseClient): Promise<void> => {
  const [row] = await client.query<{ name: string }>("SELECT quote_ident(current_database()) AS name");
  await client.query(`REVOKE TEMPORARY ON DATABASE ${row?.name} FROM PUBLIC`);
};

const urlOf = (databaseUrl: string, role: string, password: string): string => {
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = password;
  return url.href;
};
