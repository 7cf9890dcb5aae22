import { createDatabase, type Database, type Queryable } from "../../../../runtime/database/database.ts";
import { setUpReaderRole } from "../../../../runtime/database/reader/reader-role.ts";
import { withAccount } from "../../../../runtime/database/with-account.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";

const settings = { statementTimeoutMilliseconds: 0, applicationName: "ashlar-test-reader" };
export const open = (url: string, poolSize = 1): Database => createDatabase({ url, poolSize, ...settings });

/** Cleanup functions for everything that the tests opened. */
export const cleanups: (() => Promise<void>)[] = [];

/** Creates a database that `closeAll` drops. */
export const newDatabase = async (): Promise<TestDatabase> => {
  const test = await createTestDatabase();
  cleanups.push(test.drop);
  return test;
};

/** The SQLSTATE of a failed statement, or "ok". */
export const outcome = async (database: Queryable, statement: string): Promise<string> => {
  try {
    await database.query(statement);
    return "ok";
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error);
  }
};

/** SQLSTATE insufficient_privilege. */
export const insufficientPrivilege = "42501";
/** SQLSTATE read_only_sql_transaction. */
export const readOnlySqlTransaction = "25006";

/** A database on Ashlar's own server. */
export let testDatabase: TestDatabase;
/** The reader role of `testDatabase`. */
export let reader: Database;
/** The reader role on a server that other applications use, where the default privileges for all roles are not revoked. */
export let sharedServerReader: Database;

const readerOf = async ({ url, database }: TestDatabase, isOwnServer: boolean): Promise<Database> => {
  const account = await setUpReaderRole(database, { isOwnServer });
  const opened = open(withAccount(url, account));
  cleanups.push(opened.close);
  return opened;
};

/** Closes and drops all databases. */
export const closeAll = async () => {
  for (const close of cleanups.splice(0).reverse()) await close();
};

/** Opens `testDatabase`, `reader` and `sharedServerReader`. */
export const openReaders = async () => {
  testDatabase = await newDatabase();
  reader = await readerOf(testDatabase, true);
  sharedServerReader = await readerOf(await newDatabase(), false);
};
