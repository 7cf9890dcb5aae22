import { createHash } from "node:crypto";
import { cp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareWithManifest } from "../../../runtime/backup/compare-with-manifest.ts";
import { openSnapshot } from "../../../runtime/backup/open-snapshot.ts";
import { migrate } from "../../../runtime/database/migrate.ts";
import { schemaProblem } from "../../../runtime/database/schema-state.ts";
import { markRestoreStarted } from "../../../runtime/database/unfinished-restore.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type IndexedSavings, indexSavings } from "../commands/indexed-savings.ts";
import { backUp, contentsOf, restoreInto, schemaOf, temporaryFolder } from "./support.ts";

describe("an index backup", () => {
  let index: IndexedSavings;
  let folder: string;
  let expected: Record<string, string>;
  const folders: string[] = [];
  const targets: TestDatabase[] = [];

  const newFolder = async (): Promise<string> => {
    const created = await temporaryFolder();
    folders.push(created);
    return created;
  };
  const createEmptyDatabase = async (): Promise<TestDatabase> => {
    const created = await createTestDatabase({ migrated: false });
    targets.push(created);
    return created;
  };
  const copyOfBackup = async (): Promise<string> => {
    const copy = await newFolder();
    await cp(folder, copy, { recursive: true });
    return copy;
  };
  const protocols = () => [index.addedProtocol().protocol];
  const tablesOf = async ({ database }: TestDatabase): Promise<unknown> =>
    database.query("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace");
  /** Forges a backup: changes the manifest and its checksum. */
  const forge = async (change: (text: string) => string): Promise<string> => {
    const copy = await copyOfBackup();
    const text = change(await readFile(join(copy, "manifest.json"), "utf8"));
    await writeFile(join(copy, "manifest.json"), text);
    await writeFile(join(copy, "manifest.json.sha256"), `${createHash("sha256").update(text).digest("hex")}  manifest.json\n`);
    return copy;
  };

  beforeAll(async () => {
    index = await indexSavings();
    await index.testDatabase.database.query(
      "INSERT INTO api_keys (hash, label) VALUES (sha256('first'), 'a\tb\\n''c'), (sha256('second'), 'second')",
    );
    await index.testDatabase.database.query(
      "INSERT INTO credit_usage (key_id, day, operation, calls, hundredths) VALUES (1, '2026-01-31', 'blocks', 7, 9007199254740993)",
    );
    folder = await newFolder();
    await backUp(index.testDatabase, folder);
    expected = await contentsOf(index.testDatabase.database);
  });
  afterAll(async () => {
    await index.end();
    for (const target of targets) await target.drop();
    for (const path of folders) await rm(path, { recursive: true, force: true });
  });

  it("is restored with the same rows, indexes, constraints, triggers and functions", async () => {
    const target = await createEmptyDatabase();
    const restored = await restoreInto(target, folder, protocols());
    expect(restored.omittedProtocols).toEqual([]);
    const contents = await contentsOf(target.database);
    expect(contents).toEqual(expected);
    // The indexed chain has 12 deposits.
    expect(contents.cq_savings_deposits).toMatch(/^12 /);
    expect(await schemaOf(target.database)).toEqual(await schemaOf(index.testDatabase.database));
    expect(await schemaProblem(target.database, migrations)).toBeNull();
    const inserted = await target.database.query("INSERT INTO api_keys (hash, label) VALUES (sha256('third'), 'third') RETURNING id");
    // The first two keys have the ids 1 and 2.
    expect(inserted).toEqual([{ id: 3 }]);
  });

  it("is verified by reading the restored tables back, and a changed value is detected", async () => {
    const target = await createEmptyDatabase();
    const { manifest } = await restoreInto(target, folder, protocols());
    const read = () => compareWithManifest({ url: target.url, applicationName: "ashlar-test" }, manifest.tables, () => undefined);
    await read();
    await target.database.query("UPDATE api_keys SET label = 'other' WHERE id = 2");
    await expect(read()).rejects.toThrow("The restored table api_keys differs from the backup.");
  });

  it("does not contain role passwords", async () => {
    expect((await readdir(folder)).filter((file) => /reader|migrations/.test(file))).toEqual([]);
  });

  it("is consistent if rows are written while it is taken", async () => {
    const [target, other] = [await createEmptyDatabase(), await newFolder()];
    const backup = backUp(index.testDatabase, other);
    let isDone = false;
    const writes = (async () => {
      while (!isDone)
        await index.testDatabase.database.transaction(async (client) => {
          await client.query("UPDATE credit_usage SET calls = calls + 1");
          await client.query("UPDATE api_keys SET label = (SELECT calls::text FROM credit_usage) WHERE id = 2");
        });
    })();
    await backup;
    isDone = true;
    await writes;
    await restoreInto(target, other, protocols());
    const [row] = await target.database.query<{ calls: number; label: string }>(
      "SELECT u.calls, k.label FROM credit_usage u, api_keys k WHERE k.id = 2",
    );
    // Each transaction sets both values, so they are equal in every snapshot except the one before the first transaction.
    expect([String(row?.calls), "second"]).toContain(row?.label);
    const after = await contentsOf(target.database);
    expect({ ...after, api_keys: "", credit_usage: "" }).toEqual({ ...expected, api_keys: "", credit_usage: "" });
  });

  it("is read by connections that share one snapshot, even if transactions commit while they open", async () => {
    let isDone = false;
    const writes = (async () => {
      while (!isDone) await index.testDatabase.database.query("UPDATE credit_usage SET calls = calls + 1");
    })();
    const snapshot = await openSnapshot({ url: index.testDatabase.url, applicationName: "ashlar-test" }, 4);
    try {
      const results = await Promise.all(snapshot.sessions.map((session) => session.query("SELECT calls FROM credit_usage")));
      expect(results).toEqual(Array.from({ length: 4 }, () => results[0]));
    } finally {
      isDone = true;
      await writes;
      await snapshot.close();
    }
  });

  it("is not restored into a database that has tables, and leaves it unchanged", async () => {
    const target = await createEmptyDatabase();
    await target.database.query("CREATE TABLE notes (text text)");
    await expect(restoreInto(target, folder)).rejects.toThrow("The database is not empty (it has public.notes)");
    expect(await tablesOf(target)).toEqual([{ relname: "notes" }]);
  });

  it("is refused before anything is changed if a byte of any file was flipped", async () => {
    const target = await createEmptyDatabase();
    const copy = await copyOfBackup();
    for (const file of await readdir(copy)) {
      const bytes = await readFile(join(copy, file));
      const flipped = Buffer.from(bytes);
      flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] ?? 0) ^ 1;
      await writeFile(join(copy, file), flipped);
      await expect(restoreInto(target, copy), file).rejects.toThrow("The backup is damaged");
      await writeFile(join(copy, file), bytes);
    }
    await rm(join(copy, "blocks.copy.gz"));
    await expect(restoreInto(target, copy)).rejects.toThrow("blocks.copy.gz cannot be opened (ENOENT)");
    expect(await tablesOf(target)).toEqual([]);
  });

  it("is refused if it has unknown tables or columns, paths as names, or links out of the folder", async () => {
    const attempt = async (copy: string) => restoreInto(await createEmptyDatabase(), copy, protocols());
    const renamed = (from: string, to: string) => forge((text) => text.replace(from, to));
    await expect(attempt(await renamed('"name": "blocks"', '"name": "../blocks"'))).rejects.toThrow("Invalid manifest.json");
    await expect(attempt(await renamed('"name": "blocks"', '"name": "pg_authid"'))).rejects.toThrow("pg_authid.copy.gz cannot be opened");
    await expect(attempt(await renamed('"name": "gas_used"', '"name": "gas_used2"'))).rejects.toThrow("table blocks has different columns");
    const linked = await copyOfBackup();
    await rm(join(linked, "blocks.copy.gz"));
    await symlink("/etc/passwd", join(linked, "blocks.copy.gz"));
    await expect(attempt(linked)).rejects.toThrow("blocks.copy.gz cannot be opened (ELOOP)");
    const extra = await renamed('"name": "blocks"', '"name": "notes"');
    await cp(join(extra, "blocks.copy.gz"), join(extra, "notes.copy.gz"));
    await expect(attempt(extra)).rejects.toThrow("unexpected table notes");
  });

  it("is refused if its schema is newer; with an older schema, it is restored and can be migrated", async () => {
    const target = await createEmptyDatabase();
    await expect(restoreInto(target, folder, protocols(), migrations.slice(0, -1))).rejects.toThrow(
      /newer than this program \(unknown migration: \d{4}-/,
    );
    const [old, other] = [await createEmptyDatabase(), await newFolder()];
    const last = migrations.at(-1)?.name;
    await migrate(old.database, migrations.slice(0, -1));
    await old.database.query("INSERT INTO api_keys (hash, label) VALUES (sha256('old'), 'old')");
    await backUp(old, other);
    await restoreInto(target, other);
    expect(await migrate(target.database, migrations)).toEqual([last]);
    expect(await target.database.query("SELECT label FROM api_keys")).toEqual([{ label: "old" }]);
  });

  it("is restored without the tables of a protocol that is declared differently, which are then rebuilt", async () => {
    const target = await createEmptyDatabase();
    const { omittedProtocols } = await restoreInto(target, folder, []);
    expect(omittedProtocols).toEqual(["savings"]);
    expect(await target.database.query("SELECT id FROM community_protocols")).toEqual([]);
    expect(await target.database.query("SELECT 1 FROM projection_checkpoints WHERE projection = 'community:savings'")).toEqual([]);
    expect((await contentsOf(target.database)).logs).toBe(expected.logs);
  });

  it("can be restored again after a failed restore, without copying complete tables again; until then, other commands refuse the database", async () => {
    const target = await createEmptyDatabase();
    // The restore fails at one table, after others are complete.
    const copy = await forge((text) => text.replace(/("name": "token_metadata"[\s\S]*?"rows": )\d+/, "$199"));
    await expect(restoreInto(target, copy, protocols())).rejects.toThrow("token_metadata.copy.gz has");
    expect(await schemaProblem(target.database, migrations)).toContain("not completely restored");
    await expect(migrate(target.database, migrations)).rejects.toThrow("run ashlar restore with the same backup again");
    await expect(restoreInto(target, folder, protocols())).rejects.toThrow("has part of another backup");
    await target.database.query("UPDATE ashlar_restore SET backup = $1", [
      createHash("sha256")
        .update(await readFile(join(folder, "manifest.json"), "utf8"))
        .digest("hex"),
    ]);
    const { resumedTableCount } = await restoreInto(target, folder, protocols());
    expect(resumedTableCount).toBeGreaterThan(0);
    expect(await contentsOf(target.database)).toEqual(expected);
    expect(await schemaProblem(target.database, migrations)).toBeNull();
  });

  it("cannot be taken of a database that is being restored", async () => {
    const target = await createTestDatabase();
    targets.push(target);
    await markRestoreStarted(target.database, "ab");
    await expect(backUp(target, await newFolder())).rejects.toThrow("not completely restored");
  });
});

describe("a backup folder", () => {
  it("is refused if it has other files, and reused if a backup into it was killed", async () => {
    const [testDatabase, folder] = [await createTestDatabase(), await temporaryFolder()];
    try {
      await writeFile(join(folder, "notes.txt"), "");
      await expect(backUp(testDatabase, folder)).rejects.toThrow("is not empty");
      await rm(join(folder, "notes.txt"));
      await writeFile(join(folder, "unfinished"), "");
      await writeFile(join(folder, "blocks.copy.gz"), "half");
      await expect(restoreInto(testDatabase, folder)).rejects.toThrow("is not complete: run ashlar backup again");
      await backUp(testDatabase, folder);
      expect(await readdir(folder)).not.toContain("unfinished");
      await expect(backUp(testDatabase, folder)).rejects.toThrow("is not empty");
    } finally {
      await rm(folder, { recursive: true });
      await testDatabase.drop();
    }
  });
});
