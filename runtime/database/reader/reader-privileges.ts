import type { Queryable } from "../database.ts";

/** The privileges that a role lacks or has in excess. */
interface Privileges {
  readonly role: string;
  readonly read_only: string;
  readonly attributes: string | null;
  readonly member_of: string | null;
  readonly has_api: boolean;
  readonly unreadable: string | null;
  readonly writable: string | null;
  readonly readable: string | null;
}

/**
 * The current user's attributes, memberships and privileges, from the system catalogs; the access privilege inquiry functions include memberships and grants
 * to PUBLIC. Relations with other owners, such as those of extensions, are ignored. One sequential scan of pg_class, when a process starts.
 */
const privilegesStatement = `
  WITH relation AS (
    SELECT c.oid, c.relkind, c.relnamespace, n.nspname, c.relname, format('%I.%I', n.nspname, c.relname) AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relowner = (
      SELECT v.relowner FROM pg_class v JOIN pg_namespace s ON s.oid = v.relnamespace WHERE s.nspname = 'api' AND v.relname = 'blocks')
      AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  )
  SELECT quote_ident(current_user) AS role, current_setting('default_transaction_read_only') AS read_only,
    (SELECT nullif(concat_ws(', ', CASE WHEN rolsuper THEN 'SUPERUSER' END, CASE WHEN rolcreatedb THEN 'CREATEDB' END,
       CASE WHEN rolcreaterole THEN 'CREATEROLE' END, CASE WHEN rolreplication THEN 'REPLICATION' END, CASE WHEN rolbypassrls THEN 'BYPASSRLS' END), '')
     FROM pg_roles WHERE rolname = current_user) AS attributes,
    (SELECT min(rolname) FROM pg_roles WHERE rolname <> current_user AND pg_has_role(current_user, oid, 'MEMBER')) AS member_of,
    EXISTS (SELECT 1 FROM relation WHERE nspname = 'api' AND relname = 'blocks') AS has_api,
    (SELECT min(name) FROM relation WHERE nspname = 'api' AND relkind = 'v'
       AND NOT (has_schema_privilege(relnamespace, 'USAGE') AND has_table_privilege(oid, 'SELECT'))) AS unreadable,
    (SELECT min(name) FROM relation WHERE has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
       OR has_any_column_privilege(oid, 'INSERT, UPDATE')) AS writable,
    (SELECT min(name) FROM relation WHERE nspname = 'public' AND has_any_column_privilege(oid, 'SELECT')) AS readable`;

/** Why a connection's user must not run declared protocols' SQL, and the remedy; null if it may. */
export async function readerPrivilegeProblem(reader: Queryable): Promise<string | null> {
  const [privileges] = await reader.query<Privileges>(privilegesStatement);
  if (privileges === undefined) throw new TypeError("The statement that reads a role's privileges returned no row.");
  const { role, attributes, member_of: memberOf, unreadable, writable, readable } = privileges;
  const name = `role ${role}`;
  if (attributes !== null) return `${name} has ${attributes}: expected a role that can only read the schema api`;
  if (memberOf !== null) return `${name} is a member of role ${memberOf}: expected a role without memberships`;
  if (!privileges.has_api) return "its database has no schema api: expected the database that Ashlar uses";
  if (unreadable !== null) return `${name} cannot read ${unreadable}: grant it USAGE on the schema api and SELECT on all its views`;
  if (writable !== null) return `${name} can write ${writable}: revoke this privilege`;
  if (readable !== null)
    return `${name} can read ${readable}: revoke this privilege; the role may only read the views of the schema api and of protocols`;
  if (privileges.read_only !== "on")
    return `transactions of ${name} are not read-only by default: run ALTER ROLE ${role} SET default_transaction_read_only = on`;
  return null;
}

/** Whether two connections use the same database in the same cluster, or in a physical replica of it. */
export async function isSameDatabase(left: Queryable, right: Queryable): Promise<boolean> {
  const identityOf = async (database: Queryable): Promise<string> =>
    JSON.stringify(
      await database.query(
        `SELECT (SELECT system_identifier::text FROM pg_control_system()) AS cluster, oid::text AS database
         FROM pg_database WHERE datname = current_database()`,
      ),
    );
  const [first, second] = await Promise.all([identityOf(left), identityOf(right)]);
  return first === second;
}
