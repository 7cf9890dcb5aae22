import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeClient } from "../../../demo/node/client.ts";
import { createRandom } from "../../../demo/story/random.ts";
import type { Demo } from "../../../demo/types.ts";
import { compareBalances, unaccountedTokens } from "../../support/compare-balances.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type IndexerProcess, runAudit, startIndexer } from "../../support/indexer-process.ts";
import { headOf, isIndexed, serveStory } from "../../support/service.ts";
import { startStory } from "../../support/story.ts";
import { until } from "../../support/until.ts";

const killCount = 10;

describe("an index under kills and reorganisations", () => {
  let demo: Demo;
  let testDatabase: TestDatabase;
  let folder: string;
  let indexer: IndexerProcess | undefined;
  let service: Awaited<ReturnType<typeof serveStory>> | undefined;

  const isHeadIndexed = async (): Promise<boolean> => isIndexed(testDatabase.database, demo.chain.id, await headOf(demo.rpcUrl));
  const blockHash = async (height: number): Promise<string | undefined> =>
    (
      await testDatabase.database.query<{ hash: string }>("SELECT hash FROM blocks WHERE chain_id = $1 AND number = $2", [
        demo.chain.id,
        height,
      ])
    )[0]?.hash;

  beforeAll(async () => {
    [demo, testDatabase, folder] = await Promise.all([startStory(), createTestDatabase(), mkdtemp(join(tmpdir(), "ashlar-kills-"))]);
    service = await serveStory(demo, testDatabase.database);
  });
  afterAll(async () => {
    await indexer?.stop();
    await service?.stop();
    await testDatabase?.drop();
    await demo?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it(`serves the node's balances after ${killCount} SIGKILLs at random times during the backfill and at the head`, async () => {
    // The seed reproduces a failed run's kill times.
    const seed = `kills ${Date.now()}`;
    const random = createRandom(seed);
    let killedRunning = 0;
    for (let count = 0; count < killCount; count++) {
      const running = await startIndexer(folder, demo.chain, testDatabase.url);
      // Start-up takes about a second; later kills hit running batches.
      await wait(random.between(900, 2_400));
      if (count >= killCount / 2) await demo.mineLiveBlock();
      if (running.child.exitCode === null) killedRunning += 1;
      await running.kill();
    }
    expect(killedRunning, seed).toBe(killCount);
    indexer = await startIndexer(folder, demo.chain, testDatabase.url);
    await until("the backfill to finish", isHeadIndexed);
    const result = await compareBalances(service ?? { url: "", key: "" }, demo.rpcUrl, unaccountedTokens(demo.story.values));
    expect(result, seed).toMatchObject({ differences: [], read: 0 });
    expect(result.erc20).toBeGreaterThan(1_000);
  });

  it("serves the node's balances after a reorganisation", async () => {
    for (let block = 0; block < 12; block++) await demo.mineLiveBlock();
    await until("the index to reach the new head", isHeadIndexed);
    const head = await headOf(demo.rpcUrl);
    const before = await blockHash(head - 5);
    const client = createNodeClient(demo.rpcUrl);
    try {
      // Ten blocks on the new branch; in the first one the trader sends ether to the newcomer.
      const { trader, newcomer } = demo.story.values;
      await client.request("anvil_reorg", [10, [[{ from: trader, to: newcomer, value: "0x2386f26fc10000", gas: "0x5208" }, 0]]]);
    } finally {
      await client.close();
    }
    await demo.mineLiveBlock();
    await until("the new branch to be indexed", isHeadIndexed);
    expect(await blockHash(head - 5)).not.toBe(before);
    expect(await compareBalances(service ?? { url: "", key: "" }, demo.rpcUrl, unaccountedTokens(demo.story.values))).toMatchObject({
      differences: [],
      read: 0,
    });
  });

  it("fails the comparison and the audit after a row is changed", async () => {
    const { trader, goldToken } = demo.story.values;
    const changeBalance =
      "UPDATE balances SET balance = balance + $1 WHERE chain_id = $2 AND owner = decode($3, 'hex') AND token = decode($4, 'hex')";
    const key = [demo.chain.id, trader?.slice(2), goldToken?.slice(2)];
    const auditCommand = () => runAudit(folder, testDatabase.url);
    expect(await auditCommand()).toMatchObject({ code: 0, output: expect.stringContaining("No differences.") });
    await testDatabase.database.query(changeBalance, [1, ...key]);
    expect(await auditCommand()).toMatchObject({ code: 1, output: expect.stringContaining(`1 difference:\n${goldToken} of ${trader}`) });
    const { differences } = await compareBalances(service ?? { url: "", key: "" }, demo.rpcUrl, unaccountedTokens(demo.story.values));
    await testDatabase.database.query(changeBalance, [-1, ...key]);
    expect(differences).toHaveLength(1);
    expect(differences[0]).toContain(trader);
  });
});
