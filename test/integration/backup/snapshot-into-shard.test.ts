import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { restore } from "../../../runtime/commands/restore.ts";
import { configSchema } from "../../../runtime/config/config.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type IndexedSavings, indexSavings } from "../commands/indexed-savings.ts";
import { takeSnapshot, temporaryFolder } from "./support.ts";

let index: IndexedSavings;
let control: TestDatabase;
let shard: TestDatabase;
let folder: string;

beforeAll(async () => {
  [index, control, shard, folder] = await Promise.all([indexSavings(), createTestDatabase(), createTestDatabase(), temporaryFolder()]);
  await takeSnapshot(index.testDatabase, folder);
});
afterAll(async () => {
  await Promise.all([index.end(), control.drop(), shard.drop(), rm(folder, { recursive: true, force: true })]);
});

test("a snapshot is restored into its chain's database, and the action is logged in the control database", async () => {
  const configured = configSchema.parse({
    databaseUrl: control.url,
    databases: { archive: { url: shard.url } },
    communityDirectory: index.directory.path,
    chains: [{ name: "test", id: 31337, rpc: index.chain.url, database: "archive" }],
  });
  await restore(configured, folder, { chain: "test" });
  const blocks = "SELECT count(*) AS count, max(number) AS head FROM blocks";
  expect(await shard.database.query(blocks)).toEqual(await index.testDatabase.database.query(blocks));
  expect(await shard.database.query("SELECT action FROM operator_actions")).toEqual([]);
  expect(await control.database.query("SELECT number FROM blocks")).toEqual([]);
  expect(await control.database.query("SELECT action, subject FROM operator_actions")).toEqual([
    { action: "chain.restore", subject: "test" },
  ]);
});
