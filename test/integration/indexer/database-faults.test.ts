import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDatabase } from "../../../runtime/database/database.ts";
import { identifier, sql } from "../../../runtime/database/sql.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createTestIndexer, isAtHead, runInBackground, type TestIndexer } from "../../support/indexer/support.ts";
import { until } from "../../support/until.ts";

let chain: TestChain;
let testDatabase: TestDatabase;
let running: TestIndexer;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  return chain.stop;
});
beforeEach(async () => {
  testDatabase = await createTestDatabase();
  cleanUps.push(testDatabase.drop);
  const database = createDatabase({ url: testDatabase.url, poolSize: 4, statementTimeoutMilliseconds: 0, applicationName: "faulty" });
  cleanUps.push(database.close);
  running = await createTestIndexer(chain.url, database);
  cleanUps.push(runInBackground(running));
  await until("the index to reach the head", atHead);
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const atHead = () => isAtHead(testDatabase.database, chain);
const databaseName = async () => (await testDatabase.database.query<{ name: string }>("SELECT current_database() AS name"))[0]?.name ?? "";
/** Terminates all of the indexer's connections with SQLSTATE 57P01, as a failover does. */
const terminate = () =>
  testDatabase.database.query(
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'faulty' AND datname = current_database()",
  );
/** Waits for a failure, removes its cause, and waits until new blocks are indexed. */
const expectRecovery = async (failure: RegExp, removeCause: () => Promise<unknown>) => {
  const before = running.warnings.length;
  await chain.mine();
  await until(`a failure ${failure}`, () => running.warnings.slice(before).some((warning) => failure.test(warning)));
  await removeCause();
  await until("the index to reach the head", atHead);
};

describe("indexing continues", () => {
  it("after a read-only server accepts writes again, although existing sessions remain read-only", async () => {
    const name = identifier(await databaseName());
    // Sessions read the setting when they start, so sessions that started while it was on remain read-only.
    await testDatabase.database.query(sql`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await terminate();
    const reset = sql`BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`;
    await expectRecovery(/read-only transaction/, () => testDatabase.database.query(reset.text));
    expect(running.indexer.status().isLeading).toBe(true);
  });

  it.each([
    ["58030", "I/O error"],
    ["58P01", "file is missing"],
    ["53100", "No space left on device"],
    ["53200", "out of memory"],
    ["55P03", "lock not available"],
  ])("after the server returns SQLSTATE %s", async (state, message) => {
    await testDatabase.database.query(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${state}'; END $$;
       CREATE TRIGGER fail BEFORE INSERT ON blocks EXECUTE FUNCTION fail()`,
    );
    await expectRecovery(new RegExp(message), () => testDatabase.database.query("DROP TRIGGER fail ON blocks"));
  });

  it("after all its connections are terminated several times", async () => {
    for (let round = 0; round < 5; round += 1) {
      await terminate();
      await chain.mine();
      await until("the index to reach the head", atHead);
    }
  });
});
