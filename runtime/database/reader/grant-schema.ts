import pg from "pg";
import type { DatabaseClient } from "../database.ts";

/** Grants a role the privilege to read all of a schema's views. The views are read with their owner's privileges. */
export const grantSchema = async (client: DatabaseClient, schema: string, role: string): Promise<void> => {
  const [name, grantee] = [pg.escapeIdentifier(schema), pg.escapeIdentifier(role)];
  await client.query(`GRANT USAGE ON SCHEMA ${name} TO ${grantee}`);
  await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${name} TO ${grantee}`);
};
