import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll } from "vitest";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { createCommandRunner } from "./command-line.ts";

/** Creates a working folder and a database before a file's tests, runs commands with them, and removes both afterwards. */
export function setUpCommands() {
  let folder: string;
  let testDatabase: TestDatabase;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ashlar-commands-"));
    testDatabase = await createTestDatabase();
    return async () => {
      await testDatabase.drop();
      await rm(folder, { recursive: true });
    };
  });
  return {
    ...createCommandRunner(() => ({ folder, url: testDatabase.url })),
    inFolder: (name: string): string => join(folder, name),
    database: (): TestDatabase["database"] => testDatabase.database,
    url: (): string => testDatabase.url,
  };
}
