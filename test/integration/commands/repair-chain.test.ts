import { afterAll, beforeAll, expect, test } from "vitest";
import { repairChain } from "../../../runtime/commands/repair-chain.ts";
import { chainConfigSchema } from "../../../runtime/config/config.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { dump } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createTestIndexer, runInBackground } from "../../support/indexer/support.ts";
import { until } from "../../support/until.ts";

let chain: TestChain;
let testDatabase: TestDatabase;
let fresh: TestDatabase;
const printed: string[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  testDatabase = await createTestDatabase();
  fresh = await createTestDatabase();
  for (let block = 0; block < 20; block += 1) await chain.mine();
  const indexer = await createTestIndexer(chain.url, testDatabase.database);
  await indexer.runToHead(20);
  await indexer.close();
});
afterAll(async () => {
  await testDatabase?.drop();
  await fresh?.drop();
  await chain?.stop();
});

const repair = (to: number, isConfirmed: boolean) => {
  const config = { ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: chain.url }), id: 31337 };
  return repairChain({
    database: testDatabase.database,
    chain: config,
    protocols: [],
    to,
    isConfirmed,
    actor: "operator@test",
    print: (line) => printed.push(line),
  });
};
const finalized = async () =>
  (await testDatabase.database.query<{ height: number | null }>("SELECT finalized_block AS height FROM chains"))[0]?.height;

test("a chain that stopped because of a wrong finalized block is indexed again only after a repair", async () => {
  // As if the node had reported its head as finalized.
  await testDatabase.database.query("UPDATE chains SET finalized_block = 20");
  await chain.rpc("anvil_reorg", [5, []]);
  const ended = await createTestIndexer(chain.url, testDatabase.database);
  await expect(ended.indexer.run(AbortSignal.timeout(20_000))).rejects.toThrow(
    /is correct; if the node is, run ashlar chains repair test --to 15\.$/,
  );
  await ended.close();

  const before = await dump(testDatabase.database);
  await repair(15, false);
  expect(await dump(testDatabase.database)).toEqual(before);
  expect(printed).toContain(
    "Nothing was changed. To repair the chain, pause it with ashlar chains pause test, and repeat this command with --yes.",
  );
  expect(printed[0]).toBe("test is indexed up to block 20; its finalized block is 20.");
  await expect(repair(16, true)).rejects.toThrow(/The node of test has a different block 16 \(0x[0-9a-f]{64}\) than the index/);
  await expect(repair(20, true)).rejects.toThrow('Invalid value "20" for --to: expected an indexed block below the head, from 0 to 19.');

  await repair(15, true);
  expect(await finalized()).toBe(15);
  const again = await createTestIndexer(chain.url, testDatabase.database);
  await again.runToHead(20);
  await again.close();
  const other = await createTestIndexer(chain.url, fresh.database);
  await other.runToHead(20);
  await other.close();
  expect(await dump(testDatabase.database)).toEqual(await dump(fresh.database));
});

test("a chain cannot be repaired while it is being indexed", async () => {
  const running = await createTestIndexer(chain.url, testDatabase.database);
  const stop = runInBackground(running);
  await until("the indexer to lead", () => running.indexer.status().isLeading);
  await expect(repair(15, true)).rejects.toThrow(
    "Another process is indexing test: pause it with ashlar chains pause test, and repeat this command. Nothing was changed.",
  );
  await stop();
});
