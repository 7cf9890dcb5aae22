import { randomBytes } from "node:crypto";
import { createDatabase, type DatabaseOptions } from "../database/database.ts";
import { identifier, sql } from "../database/sql.ts";
import { withDatabase } from "../database/with-account.ts";
import { CommandError } from "./command-error.ts";

/** Runs work with the URL of a new database on the same server, and then drops it. @throws {CommandError} if the URL cannot name another database. */
export async function inScratchDatabase<T>(
  { url, description }: Pick<DatabaseOptions, "url" | "description">,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const current = typeof url === "string" ? url : url();
  const name = `ashlar_verify_${randomBytes(6).toString("hex")}`;
  const scratch = withDatabase(current, name);
  if (scratch === null)
    throw new CommandError("A scratch database needs a database URL of the form postgresql://user:password@host:port/name.");
  const server = createDatabase({
    url,
    poolSize: 1,
    statementTimeoutMilliseconds: 0,
    applicationName: "ashlar-verify",
    ...(description === undefined ? {} : { description }),
  });
  try {
    await server.query(sql`CREATE DATABASE ${identifier(name)} TEMPLATE template0`);
    try {
      return await work(scratch);
    } finally {
      await server.query(sql`DROP DATABASE ${identifier(name)} WITH (FORCE)`);
    }
  } finally {
    await server.close();
  }
}
