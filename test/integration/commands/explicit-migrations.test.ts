import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../../runtime/commands/open-database.ts";
import { configSchema } from "../../../runtime/config/config.ts";
import { migrate } from "../../../runtime/database/migrate.ts";
import { pendingMigrations } from "../../../runtime/database/schema-state.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const names = migrations.map(({ name }) => name);
const last = names.at(-1);

describe("a command that opens an external database", () => {
  let testDatabase: TestDatabase;
  beforeEach(async () => {
    testDatabase = await createTestDatabase({ migrated: false });
  });
  afterEach(() => testDatabase.drop());

  const open = async (settings: object): Promise<void> => {
    const database = await openDatabase(configSchema.parse({ databaseUrl: testDatabase.url, ...settings }));
    await database.close();
  };

  it("creates the schema in an empty database", async () => {
    await open({});
    expect(await pendingMigrations(testDatabase.database, migrations)).toEqual([]);
  });

  it("refuses an older schema, which only ashlar migrate upgrades", async () => {
    await migrate(testDatabase.database, migrations.slice(0, -1));
    await expect(open({})).rejects.toThrow(
      `The database schema is older than this server (pending migrations: ${last}): run ashlar migrate.`,
    );
    expect(await pendingMigrations(testDatabase.database, migrations)).toEqual([last]);
    await migrate(testDatabase.database, migrations);
    await open({});
  });

  it("migrates an older schema with migrate: auto", async () => {
    await migrate(testDatabase.database, migrations.slice(0, -1));
    await open({ migrate: "auto" });
    expect(await pendingMigrations(testDatabase.database, migrations)).toEqual([]);
  });
});
