import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCommandRunner } from "../../support/commands/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/until.ts";

/** The number of rows in one table. They hardly compress, so copying them takes longer than killing a process. */
const rowCount = 400_000;

describe("killed backup and restore commands", () => {
  let folder: string;
  let source: TestDatabase;
  let target: TestDatabase;
  let url: string;
  const { run, runToExit } = createCommandRunner(() => ({ folder, url }));
  const backupFolder = () => join(folder, "backup");
  const hashOf = async ({ database }: TestDatabase) =>
    database.query("SELECT count(*) AS rows, md5(string_agg(b::text, ',' ORDER BY key)) AS hash FROM base_reads b WHERE chain_id = 1");
  const fillSource = (count: number) =>
    source.database.query(
      `INSERT INTO base_reads (chain_id, key, block_number, value, reverted)
       SELECT 1, sha256(i::text::bytea), i, sha256(('v' || i)::bytea) || sha256(('w' || i)::bytea), false FROM generate_series(1, ${count}) i`,
    );
  const isFilling = async () =>
    (
      await target.database.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY public.base_reads%'",
      )
    ).length > 0;
  const killWhileFilling = async (parameters: readonly string[]) => {
    const restore = run(parameters);
    await until("the table to be filled", isFilling);
    restore.child.kill("SIGKILL");
    expect(await restore.exited).toBe("SIGKILL");
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "ashlar-killed-"));
    [source, target] = [await createTestDatabase(), await createTestDatabase({ migrated: false })];
    url = source.url;
  });
  afterEach(async () => {
    await source.drop();
    await target.drop();
    await rm(folder, { recursive: true });
  });

  it("succeed when they are rerun, and a restore detects a flipped byte", async () => {
    await fillSource(rowCount);
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
    expect(await runToExit(["backup", backupFolder()])).toEqual([0, expect.stringContaining(`with ${rowCount} rows complete`)]);

    url = target.url;
    await killWhileFilling(["restore", "--jobs", "1", backupFolder()]);
    expect(await runToExit(["keys", "list"])).toEqual([1, expect.stringContaining("The database is not completely restored")]);
    await until("the server to end the killed process's transactions", async () => !(await isFilling()));
    expect(await runToExit(["restore", backupFolder()])).toEqual([0, expect.stringContaining("all checksums match")]);
    expect(await hashOf(target)).toEqual(await hashOf(source));
    expect((await runToExit(["keys", "list"]))[0]).toBe(0);

    expect(await runToExit(["restore", "--verify", backupFolder()])).toEqual([
      0,
      expect.stringContaining("all rows that were read back match the backup"),
    ]);
    expect(await target.database.query("SELECT count(*) FROM pg_database WHERE datname LIKE 'ashlar_verify%'")).toEqual([{ count: 0 }]);
    const file = join(backupFolder(), "base_reads.copy.gz");
    const bytes = await readFile(file);
    bytes[1_000_000] = (bytes[1_000_000] ?? 0) ^ 1;
    await writeFile(file, bytes);
    expect(await runToExit(["restore", "--verify", backupFolder()])).toEqual([1, expect.stringContaining("The backup is damaged")]);
  });

  it("succeed when they are rerun for a snapshot, without affecting other commands and chains", async () => {
    const insertChain = (testDatabase: TestDatabase, id: number, name: string) =>
      testDatabase.database.query("INSERT INTO chains (chain_id, name, genesis_hash, indexed_from) VALUES ($1, $2, sha256('genesis'), 0)", [
        id,
        name,
      ]);
    await writeFile(join(folder, "ashlar.yaml"), "chains:\n  - name: main\n    id: 1\n");
    await insertChain(source, 1, "test");
    // Fewer rows, because a restore adds them to an existing index.
    await fillSource(rowCount / 4);
    expect(await runToExit(["backup", "--chain", "test", backupFolder()])).toEqual([
      0,
      expect.stringContaining(`Snapshot of test up to block none: `),
    ]);
    url = target.url;
    expect((await runToExit(["migrate"]))[0]).toBe(0);
    await insertChain(target, 2, "other");

    const restore = ["restore", "--chain", "main", backupFolder()];
    await killWhileFilling([...restore, "--jobs", "1"]);
    expect(await runToExit(["chains", "status"])).toEqual([
      0,
      expect.stringMatching(/main {2}being restored since [\s\S]*other {2}no blocks/),
    ]);
    await until("the server to end the killed process's transactions", async () => !(await isFilling()));
    expect(await runToExit(restore)).toEqual([0, expect.stringContaining("all checksums match")]);
    expect(await hashOf(target)).toEqual(await hashOf(source));
    expect(await runToExit(["chains", "status"])).toEqual([0, expect.stringMatching(/main {2}no blocks[\s\S]*other {2}no blocks/)]);
    expect(await runToExit(["log"])).toEqual([0, expect.stringMatching(/chain\.restore +main/)]);
    expect(await runToExit(restore)).toEqual([1, expect.stringContaining("Chain main is already in the index")]);
    expect(await runToExit(["restore", "--chain", "base", backupFolder()])).toEqual([1, expect.stringContaining("base")]);
  });
});
