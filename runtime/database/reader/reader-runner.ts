import pg from "pg";
import type { DatabaseClient } from "../database.ts";
import { roleSettings } from "./reader-statements.ts";

/** Runs one statement with the reader role's privileges. */
export type RunAsReader = <Result>(statement: () => Promise<Result>) => Promise<Result>;

/** SQLSTATE insufficient_privilege. */
const insufficientPrivilege = "42501";

/**
 * Creates a function that runs statements of a transaction as a role, read-only, and with the limits that the role's connections have: for tables that are not
 * committed, which other connections do not see. Null if the database user may not become the role. A superuser and the user that created the role may; the
 * membership that the creator needs is granted in this transaction, which the caller rolls back.
 */
export const createReaderRunner = async (
  client: DatabaseClient,
  role: string,
  statementMilliseconds: number,
): Promise<RunAsReader | null> => {
  const name = pg.escapeIdentifier(role);
  const isAccepted = async (...statements: readonly string[]): Promise<boolean> => {
    await client.query("SAVEPOINT become_reader");
    try {
      for (const statement of statements) await client.query(statement);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code !== insufficientPrivilege) throw error;
      await client.query("ROLLBACK TO become_reader");
      return false;
    }
  };
  const become = `SET LOCAL ROLE ${name}`;
  if (!(await isAccepted(become)) && !(await isAccepted(`GRANT ${name} TO CURRENT_USER`, become))) return null;
  await client.query("SET LOCAL ROLE NONE");
  return async (statement) => {
    await client.query("SAVEPOINT as_reader");
    try {
      await client.query(become);
      await client.query("SET LOCAL transaction_read_only = on");
      for (const setting of limits) await client.query(setting);
      await client.query(`SET LOCAL statement_timeout = ${statementMilliseconds}`);
      return await statement();
    } finally {
      // Transaction settings end with the savepoint.
      await client.query("ROLLBACK TO as_reader");
      await client.query("RELEASE as_reader");
    }
  };
};

/** Settings that any user may change: a statement's memory and time, and the schemas in which it finds names. */
const limits = roleSettings
  .filter(({ name, isOptional }) => isOptional !== true && name !== "default_transaction_read_only")
  .map(({ name, value }) => `SET LOCAL ${name} = '${value}'`);
