import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { startEmbedded } from "../../../runtime/database/embedded.ts";
import { migrate } from "../../../runtime/database/migrate.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { createCommandRunner } from "../../support/commands/command-line.ts";
import { privateFolder, query, start } from "../../support/database/embedded-fixture.ts";
import { createOldCluster, hasOldPrograms, oldPrograms } from "../../support/database/old-cluster.ts";
import { until } from "../../support/until.ts";

const versionOf = (folder: string, cluster = "postgres"): string => readFileSync(join(folder, cluster, "PG_VERSION"), "utf8").trim();
const keyLabels = (url: string) => query(url, "SELECT label FROM api_keys ORDER BY id");
/** The cluster names in a data directory. */
const clusters = (folder: string): string[] => readdirSync(folder).filter((name) => /^postgres(?:[-.](?:\d+|upgrad\w+))?$/.test(name));

const skipNote = hasOldPrograms ? "" : " (skipped: its programs are not installed)";

describe.skipIf(!hasOldPrograms)(`the upgrade of the embedded server from PostgreSQL 15${skipNote}`, () => {
  const commandsIn = (folder: string) => {
    const environment = { ASHLAR_DATA_DIR: folder };
    const { run, runToExit } = createCommandRunner(() => ({ folder, url: "" }));
    const upgrade = ["database", "upgrade", "--programs", oldPrograms];
    return { runToExit: (args: readonly string[]) => runToExit(args, environment), upgrade, startUpgrade: () => run(upgrade, environment) };
  };
  const createOldDirectory = async (rows: number): Promise<string> => {
    const folder = privateFolder();
    await createOldCluster(folder, async (database) => {
      await migrate(database, migrations);
      await database.query("INSERT INTO api_keys (hash, label) VALUES (sha256('first'), 'first')");
      await database.query(
        `INSERT INTO base_reads (chain_id, key, block_number, value, reverted)
         SELECT 1, sha256(i::text::bytea), i, sha256(('v' || i)::bytea), false FROM generate_series(1, $1::int) i`,
        [rows],
      );
    });
    return folder;
  };

  it("requires the old programs, and keeps all rows and the old data directory", async () => {
    const folder = await createOldDirectory(10);
    const { runToExit, upgrade } = commandsIn(folder);
    const serve = ["serve", "--chain", "test", "--rpc", "http://127.0.0.1:1"];
    for (const command of [serve, ["keys", "list"]])
      expect(await runToExit(command)).toEqual([
        1,
        expect.stringMatching(/was created by PostgreSQL 15, and the installed version is 18: run ashlar database upgrade; /),
      ]);
    const empty = join(folder, "empty");
    mkdirSync(empty);
    expect(await runToExit(["database", "upgrade", "--programs", empty])).toEqual([
      1,
      expect.stringMatching(/needs the programs of PostgreSQL 15, but .*empty has no programs of PostgreSQL: pass --programs /),
    ]);
    mkdirSync(join(folder, "postgres-15"));
    expect(await runToExit(upgrade)).toEqual([
      1,
      expect.stringMatching(/postgres-15, where the upgrade keeps the old data, already exists: delete or move it/),
    ]);
    rmSync(join(folder, "postgres-15"), { recursive: true });
    expect(clusters(folder)).toEqual(["postgres"]);

    expect(await runToExit(upgrade)).toEqual([
      0,
      expect.stringMatching(/Upgraded from PostgreSQL 15 to 18; .* kept in .*postgres-15: delete it/),
    ]);
    expect([versionOf(folder), versionOf(folder, "postgres-15"), clusters(folder)]).toEqual(["18", "15", ["postgres", "postgres-15"]]);
    expect(await runToExit(["keys", "list"])).toEqual([0, expect.stringContaining("first")]);
    expect(await runToExit(upgrade)).toEqual([0, expect.stringContaining("Nothing to upgrade")]);
    const { url } = await start(folder);
    expect(await query(url, "SELECT count(*) FROM base_reads")).toEqual([{ count: 10 }]);
    expect(await query(url, "SHOW server_version_num")).toEqual([{ server_version_num: expect.stringMatching(/^18/) }]);
    // The upgraded server accepts writes.
    await query(url, "INSERT INTO api_keys (hash, label) VALUES (sha256('second'), 'second')");
    expect(await keyLabels(url)).toEqual([{ label: "first" }, { label: "second" }]);
  });

  it("is refused while a process uses the database, and succeeds when it is rerun after a kill", async () => {
    const folder = await createOldDirectory(100_000);
    const { runToExit, startUpgrade, upgrade } = commandsIn(folder);
    const backup = join(folder, "postgres.upgrade", "backup");
    const stages = [() => existsSync(backup), () => existsSync(join(backup, "manifest.json"))];
    for (const isReached of stages) {
      const killed = startUpgrade();
      await until("the upgrade to be in progress", isReached);
      killed.child.kill("SIGSTOP");
      expect(await runToExit(upgrade)).toEqual([1, expect.stringContaining("another process uses")]);
      killed.child.kill("SIGKILL");
      await killed.exited;
      expect([versionOf(folder), existsSync(join(folder, "postgres-15"))]).toEqual(["15", false]);
      // Stops the server that the killed process left behind, which rejects writes.
      await expect(startEmbedded({ dataDirectory: folder })).rejects.toThrow("run ashlar database upgrade");
      expect(existsSync(join(folder, "postgres", "postmaster.pid"))).toBe(false);
    }
    expect((await runToExit(upgrade))[0]).toBe(0);
    const { url, stop } = await start(folder);
    expect(await query(url, "SELECT count(*) FROM base_reads")).toEqual([{ count: 100_000 }]);
    await stop();

    // As if an upgrade had been killed between its two renames.
    renameSync(join(folder, "postgres"), join(folder, "postgres.upgraded"));
    expect(await runToExit(["keys", "list"])).toEqual([0, expect.stringContaining("first")]);
    expect(clusters(folder)).toEqual(["postgres", "postgres-15"]);
  });
});

test("an upgrade refuses an external database, a missing one, and one of a newer version", async () => {
  const folder = privateFolder();
  const { runToExit } = createCommandRunner(() => ({ folder, url: "postgresql://localhost/x" }));
  const upgrade = ["database", "upgrade"];
  expect(await runToExit(upgrade)).toEqual([
    1,
    expect.stringContaining("the configuration has another database (DATABASE_URL or databaseUrl)"),
  ]);
  const embedded = { DATABASE_URL: "", ASHLAR_DATA_DIR: folder };
  expect(await runToExit(upgrade, embedded)).toEqual([1, expect.stringContaining("No database found in")]);
  mkdirSync(join(folder, "postgres"));
  writeFileSync(join(folder, "postgres", "PG_VERSION"), "99\n");
  expect(await runToExit(upgrade, embedded)).toEqual([
    1,
    expect.stringMatching(/was created by PostgreSQL 99, which is newer than the installed version 18/),
  ]);
});
