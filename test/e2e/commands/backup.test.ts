import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCommandRunner } from "../../support/commands/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/until.ts";

/** Rows of one table, with texts that do not compress well, so that copying them takes longer than killing a process. */
const rows = 400_000;

describe("killed commands", () => {
  let folder: string;
  let source: TestDatabase;
  let target: TestDatabase;
  let url: string;
  const { run, runToExit } = createCommandRunner(() => ({ folder, url }));
  const backupFolder = () => join(folder, "backup");
  const hashOf = async ({ database }: TestDatabase) =>
    database.query("SELECT count(*) AS rows, md5(string_agg(b::text, ',' ORDER BY key)) AS hash FROM base_reads b");

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "ashlar-killed-"));
    [source, target] = [await createTestDatabase(), await createTestDatabase({ migrated: false })];
    await source.database.query(
      `INSERT INTO base_reads (chain_id, key, block_number, value, reverted)
       SELECT 1, sha256(i::text::bytea), i, sha256(('v' || i)::bytea) || sha256(('w' || i)::bytea), false FROM generate_series(1, ${rows}) i`,
    );
    url = source.url;
  });
  afterEach(async () => {
    await source.drop();
    await target.drop();
    await rm(folder, { recursive: true });
  });

  it("are run again: a backup starts over, a restore is completed, and a flipped byte is found", async () => {
    const backup = run(["backup", backupFolder()]);
    await until(
      "rows to be written",
      async () => (await readFile(join(backupFolder(), "base_reads.copy.gz")).catch(() => "")).length > 100_000,
    );
    backup.child.kill("SIGKILL");
    expect(await backup.exited).toBe("SIGKILL");
    url = target.url;
    expect(await runToExit(["restore", backupFolder()])).toEqual([1, expect.stringContaining("is not complete: run ashlar backup again")]);
    url = source.url;
    expect(await runToExit(["backup", backupFolder()])).toEqual([0, expect.stringContaining(`with ${rows} rows complete`)]);

    url = target.url;
    const restore = run(["restore", "--jobs", "1", backupFolder()]);
    const isFilling = async () =>
      (
        await target.database.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY public.base_reads%'",
        )
      ).length > 0;
    await until("the table to be filled", isFilling);
    restore.child.kill("SIGKILL");
    expect(await restore.exited).toBe("SIGKILL");
    expect(await runToExit(["keys", "list"])).toEqual([1, expect.stringContaining("The database is not completely restored")]);
    await until("the server to end the killed process's transactions", async () => !(await isFilling()));
    expect(await runToExit(["restore", backupFolder()])).toEqual([0, expect.stringContaining("all checksums are equal")]);
    expect(await hashOf(target)).toEqual(await hashOf(source));
    expect((await runToExit(["keys", "list"]))[0]).toBe(0);

    expect(await runToExit(["restore", "--verify", backupFolder()])).toEqual([
      0,
      expect.stringContaining("all rows that were read back are equal"),
    ]);
    expect(await target.database.query("SELECT count(*) FROM pg_database WHERE datname LIKE 'ashlar_verify%'")).toEqual([{ count: 0 }]);
    const file = join(backupFolder(), "base_reads.copy.gz");
    const bytes = await readFile(file);
    bytes[1_000_000] = (bytes[1_000_000] ?? 0) ^ 1;
    await writeFile(file, bytes);
    expect(await runToExit(["restore", "--verify", backupFolder()])).toEqual([1, expect.stringContaining("The backup is damaged")]);
  });
});
