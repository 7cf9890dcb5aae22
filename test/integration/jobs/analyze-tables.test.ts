import { beforeAll, describe, expect, it } from "vitest";
import { createAnalyzeTables } from "../../../runtime/jobs/analyze-tables.ts";
import type { JobContext } from "../../../runtime/jobs/job.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrated: false, poolSize: 1 });
  // Autovacuum is disabled, because it could analyze these tables first.
  for (const name of ["large", "larger", "small"])
    await testDatabase.database.query(`CREATE TABLE ${name} (n int8) WITH (autovacuum_enabled = false)`);
  await testDatabase.database.query("INSERT INTO large SELECT generate_series(1, 11000)");
  await testDatabase.database.query("INSERT INTO larger SELECT generate_series(1, 12000)");
  await testDatabase.database.query("INSERT INTO small SELECT generate_series(1, 100)");
  return testDatabase.drop;
});

/** The estimated number of rows in each table; -1 before its first ANALYZE (pg_class, reltuples). */
const readEstimates = async (): Promise<Record<string, number>> => {
  const rows = await testDatabase.database.query<{ name: string; rows: number }>(
    "SELECT relname::text AS name, reltuples::int8 AS rows FROM pg_class WHERE relname IN ('large', 'larger', 'small')",
  );
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]));
};

describe("the job analyze-tables", () => {
  it("analyzes one large table without statistics per run, the largest first", async () => {
    const job = createAnalyzeTables();
    const run = async () => {
      // A session reports its row counts only while it is idle or on request.
      await testDatabase.database.query("SELECT pg_stat_force_next_flush()");
      return job.run({ database: testDatabase.database } as unknown as JobContext);
    };
    expect(await readEstimates()).toEqual({ large: -1, larger: -1, small: -1 });
    expect(await run()).toBe(true);
    expect(await readEstimates()).toEqual({ large: -1, larger: 12_000, small: -1 });
    expect(await run()).toBe(false);
    expect(await readEstimates()).toEqual({ large: 11_000, larger: 12_000, small: -1 });
    await testDatabase.database.query("INSERT INTO small SELECT generate_series(1, 1000)");
    expect(await run()).toBe(false);
    expect(await readEstimates()).toEqual({ large: 11_000, larger: 12_000, small: -1 });
  });
});
