import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compose } from "../../../runtime/database/compose.ts";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import { createNotifications } from "../../../runtime/database/notifications.ts";
import { plannedOnce, sql } from "../../../runtime/database/sql.ts";
import { hasPgbouncer, type Pooler, startPooler } from "../../support/database/pgbouncer.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/until.ts";

const isInstalled = hasPgbouncer();

const blocksOf = compose<{ number: number }, { chain: number }>(({ from, value }) =>
  from("blocks").select("number").where("chain_id", value("chain")).orderBy("number"),
);

describe.skipIf(!isInstalled)(`pgbouncer in transaction mode${isInstalled ? "" : " (skipped: the program is not installed)"}`, () => {
  let testDatabase: TestDatabase;
  let pooler: Pooler;
  let pooled: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase({ migrated: false });
    await testDatabase.database.query("CREATE TABLE blocks (chain_id int8, number int8); INSERT INTO blocks VALUES (1, 7), (1, 8), (2, 9)");
    pooler = await startPooler(testDatabase.url);
    pooled = createDatabase({ url: pooler.url, poolSize: 6, statementTimeoutMilliseconds: 5_000, applicationName: "ashlar-pooled" });
  });
  afterAll(async () => {
    await pooled?.close();
    await pooler?.stop();
    await testDatabase?.drop();
  });

  it("runs all kinds of statements concurrently, without prepared statements or settings on the shared connections", async () => {
    const settings = () =>
      pooled.query(
        "SELECT name, setting FROM pg_settings WHERE name IN ('plan_cache_mode', 'enable_seqscan', 'statement_timeout') ORDER BY name",
      );
    const rounds = Array.from({ length: 50 }, async () => {
      expect(await pooled.run(blocksOf({ chain: 1 }))).toEqual([{ number: 7 }, { number: 8 }]);
      expect(await pooled.query("SELECT number FROM blocks WHERE chain_id = $1", [2])).toEqual([{ number: 9 }]);
      expect(await pooled.query(plannedOnce(sql`SELECT max(number) AS number FROM blocks WHERE chain_id = $1`), [1])).toEqual([
        { number: 8 },
      ]);
      const inTransaction = await pooled.transaction(async (client) => {
        await client.copy("blocks", ["chain_id", "number"], [[3, 1]], ["int8", "int8"]);
        return client.query("SELECT count(*) AS count FROM blocks WHERE chain_id = $1", [3]);
      });
      expect(inTransaction).toHaveLength(1);
    });
    await Promise.all(rounds);
    expect(await pooled.query("SELECT count(*) AS count FROM blocks WHERE chain_id = $1", [3])).toEqual([{ count: 50 }]);
    expect(await pooled.query("SELECT name FROM pg_prepared_statements")).toEqual([]);
    expect(await settings()).toEqual([
      { name: "enable_seqscan", setting: "on" },
      { name: "plan_cache_mode", setting: "auto" },
      { name: "statement_timeout", setting: "0" },
    ]);
    const [connections] = await testDatabase.database.query<{ count: number }>(
      "SELECT count(*)::int4 AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'ashlar-pooled'",
    );
    expect(connections?.count).toBeLessThanOrEqual(2);
  });

  it("reports that notifications are unsupported, without LISTEN", async () => {
    const notifications = createNotifications({ url: () => pooler.url, channel: "test", applicationName: "ashlar-notifications" });
    notifications.subscribe(() => undefined);
    await until("the connection to be checked", () => notifications.state() === "unsupported");
    await notifications.close();
    expect(await pooled.query("SELECT pg_listening_channels() AS channel")).toEqual([]);
  });
});
