import pg from "pg";
import type { DatabaseClient } from "../database.ts";

/** Grants a role the rights to read all views of a schema. The views are read with the rights of their owner. */
export const grantSchema = async (client: DatabaseClient, schema: string, role: string): Promise<void> => {
  const [name, grantee] = [pg.escapeIdentifier(schema), pg.escapeIdentifier(role)];
  await client.query(`GRANT USAGE ON SCHEMA ${name} TO ${grantee}`);
  await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${name} TO ${grantee}`);
};
