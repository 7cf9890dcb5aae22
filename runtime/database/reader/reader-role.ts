import type { Database, DatabaseClient, Queryable } from "../database.ts";
import { scramVerifier } from "../scram.ts";
import type { Account } from "../with-account.ts";
import { manualStatements, type RoleSetting, revokedFunctionPattern, roleGrants, roleSettings } from "./reader-statements.ts";

/** The role cannot be created or used. The message contains the statements that an administrator can run instead. */
export class ReaderRoleError extends Error {
  override readonly name = "ReaderRoleError";
}

export interface ReaderRoleOptions {
  /** Whether only Ashlar uses the server: privileges that all roles have by default are then revoked. */
  readonly isOwnServer: boolean;
  /** Whether to set the password again although the role exists: the server has rejected it. */
  readonly mustResetPassword?: boolean;
}

/** The advisory lock held by a process that sets up the role: "reader" in ASCII. */
const lock = 0x726561646572;
/** SQLSTATE insufficient_privilege. */
const insufficientPrivilege = "42501";

/**
 * Creates the role that runs declared protocols' SQL, or restores its privileges, and returns its account. It may log in and read the schema `api`;
 * installed protocols grant it their own schemas. Roles belong to the entire server, so each database has its own role, named after the
 * database's OID. Writes nothing if the role already has all of this, so that the database user then needs no privilege to create roles.
 * @throws {ReaderRoleError} if the database user may not create or change the role.
 */
export async function setUpReaderRole(database: Database, { isOwnServer, mustResetPassword = false }: ReaderRoleOptions): Promise<Account> {
  const names = await namesOf(database);
  try {
    return await database.transaction(async (client) => {
      await client.query("SELECT pg_advisory_xact_lock($1)", [lock]);
      const password = await passwordOf(client, names.role);
      if (mustResetPassword || !(await isSetUp(client, names.role))) await createRole(client, names, password);
      if (isOwnServer) await revokeDefaults(client, names);
      return { user: names.role, password, database: names.database };
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== insufficientPrivilege) throw error;
    throw await readerRoleError(database, `the database user may not create or change roles`);
  }
}

/** The error for a role that cannot be created or used, with the statements that an administrator can run. */
export async function readerRoleError(database: Queryable, reason: string): Promise<ReaderRoleError> {
  const names = await namesOf(database);
  const statements = manualStatements({ ...names, exists: await exists(database, names.role) });
  return new ReaderRoleError(
    `The database role ${names.role} of community endpoints cannot be set up: ${reason}. Run these statements in the database ${names.database} as an ` +
      `administrator, with a password of your choice, and set communityDatabaseUrl (or COMMUNITY_DATABASE_URL) to the URL of the database for that role:\n` +
      statements.map((statement) => `  ${statement};`).join("\n"),
  );
}

/** The names of a database and its role. */
interface Names {
  readonly role: string;
  readonly database: string;
}

const namesOf = async (database: Queryable): Promise<Names> => {
  const [row] = await database.query<Names>(
    "SELECT 'ashlar_reader_' || oid AS role, datname AS database FROM pg_database WHERE datname = current_database()",
  );
  if (row === undefined) throw new TypeError("pg_database does not list the current database.");
  return row;
};

const exists = async (database: Queryable, role: string): Promise<boolean> =>
  (await database.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role])).length > 0;

/**
 * The role's stored password, or a new one. The server generates it (two random UUIDs of 122 bits), so that it is not a statement parameter, which
 * `log_statement` would log. Rows of other roles are remnants of a copied database.
 */
const passwordOf = async (client: DatabaseClient, role: string): Promise<string> => {
  await client.query("DELETE FROM community_reader WHERE role <> $1", [role]);
  await client.query(
    `INSERT INTO community_reader (role, password) VALUES ($1, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''))
     ON CONFLICT (role) DO NOTHING`,
    [role],
  );
  const [row] = await client.query<{ password: string }>("SELECT password FROM community_reader WHERE role = $1", [role]);
  if (row === undefined) throw new TypeError("community_reader has no row for the role.");
  return row.password;
};

/** Whether the role exists with its settings and the privileges that it needs. */
const isSetUp = async (client: DatabaseClient, role: string): Promise<boolean> => {
  const settings = roleSettings.filter(({ isOptional }) => !isOptional).map(({ name, value }) => `${name}=${value}`);
  const [row] = await client.query<{ complete: boolean | null }>(
    `SELECT r.rolcanlogin AND coalesce(r.rolconfig, '{}') @> $2::text[] AND has_database_privilege(r.oid, current_database(), 'CONNECT')
       AND has_schema_privilege(r.oid, 'api', 'USAGE')
       AND NOT EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = 'api'::regnamespace AND c.relkind = 'v' AND NOT has_table_privilege(r.oid, c.oid, 'SELECT'))
       AS complete
     FROM pg_roles r WHERE r.rolname = $1`,
    [role, settings],
  );
  return row?.complete === true;
};

/** Neither the role's name nor a verifier contains a quote. Attributes are not named: NOSUPERUSER and the like are reserved to superusers even as defaults. */
const createRole = async (client: DatabaseClient, names: Names, password: string): Promise<void> => {
  const { role } = names;
  const verb = (await exists(client, role)) ? "ALTER" : "CREATE";
  await client.query(`${verb} ROLE ${role} LOGIN CONNECTION LIMIT 64 PASSWORD '${scramVerifier(password)}'`);
  for (const setting of roleSettings) await configure(client, role, setting);
  for (const statement of roleGrants(names)) await client.query(statement);
};

/** Some settings are reserved to superusers; the role works without them. */
const configure = async (client: DatabaseClient, role: string, { name, value, isOptional }: RoleSetting): Promise<void> => {
  const statement = `ALTER ROLE ${role} SET ${name} = '${value}'`;
  if (!isOptional) {
    await client.query(statement);
    return;
  }
  await client.query("SAVEPOINT optional_setting");
  try {
    await client.query(statement);
  } catch (error) {
    if ((error as { code?: unknown }).code !== insufficientPrivilege) throw error;
    await client.query("ROLLBACK TO SAVEPOINT optional_setting");
  }
};

/**
 * Revokes privileges that every role has by default: to create temporary tables, and to execute functions that have side effects or run SQL that they receive
 * as text. The database user keeps them, because it is a superuser. Does nothing if they are already revoked.
 */
const revokeDefaults = async (client: DatabaseClient, { role }: Names): Promise<void> => {
  const [row] = await client.query<{ database: string | null; functions: string | null }>(
    `SELECT
       (SELECT quote_ident(current_database()) WHERE has_database_privilege($1, current_database(), 'TEMPORARY')) AS database,
       (SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p
        WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ $2 AND has_function_privilege($1, p.oid, 'EXECUTE')) AS functions`,
    [role, revokedFunctionPattern],
  );
  if (row?.database) await client.query(`REVOKE TEMPORARY ON DATABASE ${row.database} FROM PUBLIC`);
  if (row?.functions) await client.query(`REVOKE EXECUTE ON FUNCTION ${row.functions} FROM PUBLIC`);
};
