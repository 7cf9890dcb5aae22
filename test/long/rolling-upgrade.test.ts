import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemo } from "../../demo/start-demo.ts";
import type { Demo } from "../../demo/types.ts";
import { operations } from "../../generated/operations.gen.ts";
import { pendingMigrations } from "../../runtime/database/schema-state.ts";
import { migrations } from "../../runtime/migrations.ts";
import { isResponse, request, unlimited } from "../e2e/serve/load.ts";
import { exampleOf, targetOf } from "../support/contract/examples.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type IndexerProcess, runAudit, startIndexer } from "../support/indexer-process.ts";
import { program } from "../support/program.ts";
import { scaleTimeLimit } from "../support/scale-time-limit.ts";
import { type ServerProcess, startServer } from "../support/server-process.ts";
import { headOf, isIndexed } from "../support/service.ts";
import { copyShortStory, shortScale, storyEndTime } from "../support/story.ts";
import { until } from "../support/until.ts";
import { createComparison } from "./support/compare-servers.ts";
import { type ConstantLoad, startConstantLoad, summaryOf } from "./support/constant-load.ts";
import { type LoadBalancer, startLoadBalancer } from "./support/load-balancer.ts";
import { checkOut, hasCommit, runCommand } from "./support/old-version.ts";
import { numberFromEnvironment, print } from "./support/settings.ts";

/** The commit from which the upgrade starts: the last one before migrations became explicit. */
const oldCommit = process.env.LONG_UPGRADE_FROM ?? "73e6d026";
/** How long the load runs on each combination of versions. */
const phaseSeconds = numberFromEnvironment("LONG_UPGRADE_PHASE_SECONDS", 10);
const requestsPerSecond = numberFromEnvironment("LONG_UPGRADE_RATE", 40);
const secondsPerBlock = 1;
/** The number of concurrent comparisons. */
const comparerCount = 2;

const hasHistory = await hasCommit(oldCommit);
if (!hasHistory) print(`Skipped: the repository's history does not contain ${oldCommit}; fetch it with: git fetch --unshallow`);

/** Removes expected differences between two servers with one index: when the last change was detected, and fields that the old version lacks. */
const normalise = (body: string): string =>
  body
    .replaceAll(/"updated_at":("[^"]*"|\d+)/g, '"updated_at":null')
    .replaceAll(/"paused_since":null,/g, "")
    .replaceAll(/,"unavailable_chains":\[\]/g, "");

describe.skipIf(!hasHistory)(`a rolling upgrade from ${oldCommit}`, () => {
  let demo: Demo;
  let testDatabase: TestDatabase;
  let folder: string;
  let oldEntry: string;
  let serveFile: string;
  let key: string;
  /** The key for all other requests: the calls recorded for the load's key must equal the load's requests. */
  let otherKey: string;
  let paths: string[];
  let balancer: LoadBalancer;
  let load: ConstantLoad;
  let mining: { stop(): Promise<void> } | undefined;
  const servers: ServerProcess[] = [];
  const indexers: IndexerProcess[] = [];

  const serve = async (entry: string): Promise<ServerProcess> => {
    const server = await startServer(serveFile, testDatabase.url, { entry });
    servers.push(server);
    return server;
  };
  const index = async (entry: string): Promise<IndexerProcess> => {
    const indexer = await startIndexer(folder, demo.chain, testDatabase.url, entry);
    indexers.push(indexer);
    return indexer;
  };
  /** Creates a key with the old version, because its key table has fewer columns. */
  const createKey = async (label: string): Promise<string> => {
    const output = await runCommand(oldEntry, ["keys", "create", "--label", label, "--config", serveFile], testDatabase.url);
    return /^Key \d+ .*: (\S+)$/m.exec(output)?.[1] ?? "";
  };
  const recordedCalls = async (label: string): Promise<number> => {
    const [row] = await testDatabase.database.query<{ calls: number }>(
      "SELECT coalesce(sum(calls), 0)::int4 AS calls FROM credit_usage JOIN api_keys ON id = key_id WHERE label = $1",
      [label],
    );
    return row?.calls ?? 0;
  };
  const isAtHead = async (): Promise<boolean> => isIndexed(testDatabase.database, demo.chain.id, await headOf(demo.rpcUrl));
  const indexedBlock = async (): Promise<number> => {
    const [row] = await testDatabase.database.query<{ number: number }>(
      "SELECT max(number)::int4 AS number FROM blocks WHERE chain_id = $1",
      [demo.chain.id],
    );
    return row?.number ?? -1;
  };
  const startMining = (): { stop(): Promise<void> } => {
    const controller = new AbortController();
    const running = demo.keepMining(controller.signal, secondsPerBlock);
    return {
      async stop() {
        controller.abort();
        await running;
      },
    };
  };
  /** Compares all of two servers' responses as of the same block, for which mining stops; returns the number of equal responses. */
  const expectEqual = async (server: ServerProcess, reference: ServerProcess): Promise<number> => {
    await mining?.stop();
    await until("the index to reach the head", isAtHead);
    const { counts, compare, isSettled, close } = createComparison(testDatabase.database, server.url, reference.url, [otherKey], normalise);
    await until("the jobs to finish", isSettled);
    const remaining = [...paths];
    const compareNext = async (): Promise<void> => {
      for (let path = remaining.pop(); path !== undefined; path = remaining.pop()) await compare(path);
    };
    await Promise.all(Array.from({ length: comparerCount }, compareNext));
    close();
    expect(counts).toEqual({ equal: paths.length, superseded: 0, others: {}, wrong: [] });
    mining = startMining();
    return counts.equal;
  };

  beforeAll(async () => {
    [folder, testDatabase] = await Promise.all([mkdtemp(join(tmpdir(), "ashlar-upgrade-")), createTestDatabase({ migrated: false })]);
    oldEntry = await checkOut(oldCommit, join(folder, "old"));
    const dataDirectory = join(folder, "data");
    await copyShortStory(dataDirectory);
    demo = await startDemo({ dataDirectory, endTime: storyEndTime, scale: shortScale });
    serveFile = join(folder, "serve.yaml");
    // With a public URL, links in responses do not depend on a server's port.
    await writeFile(serveFile, JSON.stringify({ chains: [demo.chain], publicUrl: "http://upgrade.invalid", limits: unlimited }));
    await runCommand(oldEntry, ["migrate", "--config", serveFile], testDatabase.url);
    [key, otherKey] = [await createKey("load"), await createKey("other")];
    await index(oldEntry);
    await until("the old indexer to reach the head", isAtHead);
    const oldServers = await Promise.all([serve(oldEntry), serve(oldEntry)]);
    balancer = await startLoadBalancer(oldServers.map(({ url }) => url));
    const examples = operations
      .filter(({ status }) => status === "live")
      .map((operation) => targetOf(operation, exampleOf(operation, demo.story.values)));
    const outcomes = await Promise.all(examples.map((path) => request(balancer.url + path, otherKey)));
    paths = examples.filter((_, position) => {
      const outcome = outcomes[position];
      return outcome !== undefined && isResponse(outcome) && outcome.status === 200;
    });
    print(
      `${paths.length} of ${examples.length} examples return 200 before the upgrade; others: ${examples.filter((path) => !paths.includes(path)).join(" ")}`,
    );
  }, scaleTimeLimit(300_000));

  afterAll(async () => {
    await load?.stop();
    await mining?.stop();
    await balancer?.close();
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all(indexers.map((indexer) => indexer.stop()));
    await testDatabase?.drop();
    await demo?.discardState();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }, scaleTimeLimit(120_000));

  it("serves every request, with equal responses from both versions", { timeout: scaleTimeLimit(600_000) }, async () => {
    const [first, second] = servers as [ServerProcess, ServerProcess];
    const [oldIndexer] = indexers as [IndexerProcess];
    const phase = async (name: string): Promise<void> => {
      load.enter(name);
      await wait(phaseSeconds * 1_000);
    };
    const replace = async (old: ServerProcess): Promise<ServerProcess> => {
      const server = await serve(program);
      await until("the new server to be ready", async () => (await fetch(`${server.url}/readyz`)).status === 200, 30_000);
      await balancer.replace(old.url, server.url);
      return server;
    };
    load = startConstantLoad(balancer.url, paths, key, requestsPerSecond, "old version");
    mining = startMining();
    await wait(phaseSeconds * 1_000);

    load.enter("ashlar migrate of the new version");
    const start = performance.now();
    await runCommand(program, ["migrate", "--config", serveFile], testDatabase.url);
    print(`ashlar migrate: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
    expect(await pendingMigrations(testDatabase.database, migrations)).toEqual([]);
    await phase("old version, new schema");
    for (const { url } of [first, second]) expect((await fetch(`${url}/readyz`)).status).toBe(200);

    load.enter("first server replaced");
    const newFirst = await replace(first);
    await first.stop();
    expect(await first.exited).toBe(0);
    await phase("one server of each version, old indexer");
    load.enter("compared: old indexer");
    print(`old indexer: ${await expectEqual(newFirst, second)} equal responses`);

    load.enter("second server replaced");
    // The old server keeps running for comparisons, without client requests.
    const newSecond = await replace(second);
    await phase("new servers, old indexer");

    load.enter("indexer replaced");
    await index(program);
    const stoppedAt = performance.now();
    expect(await oldIndexer.stop()).toBe(0);
    const before = await indexedBlock();
    await until("the new indexer to write blocks", async () => (await indexedBlock()) > before, 60_000);
    print(`indexing continued ${((performance.now() - stoppedAt) / 1_000).toFixed(1)} s after the old indexer was stopped`);
    await phase("new version");
    load.enter("compared: new indexer");
    for (const server of [newFirst, newSecond]) print(`new indexer: ${await expectEqual(server, second)} equal responses`);
    await second.stop();
    expect(await second.exited).toBe(0);

    await load.stop();
    print(load.phases.map(summaryOf).join("\n"));
    expect(load.phases.flatMap(({ failures }) => failures)).toEqual([]);
    expect((await fetch(`${newFirst.url}/readyz`)).status).toBe(200);
    // Both versions store key usage in the same rows.
    await Promise.all([newFirst.stop(), newSecond.stop()]);
    expect(await recordedCalls("load")).toBe(load.phases.reduce((sum, { milliseconds }) => sum + milliseconds.length, 0));
  });

  it("leaves an index that equals the node", { timeout: scaleTimeLimit(600_000) }, async () => {
    await mining?.stop();
    mining = undefined;
    await until("the index to reach the head", isAtHead);
    let output = "";
    const isEqual = async (): Promise<boolean> => {
      const audit = await runAudit(folder, testDatabase.url);
      output = audit.output;
      return audit.code === 0;
    };
    // Within minutes, a job finds the tokens with balances that are not the sum of their transfers.
    await until("an audit without a difference", isEqual, 180_000).catch((error: Error) => expect(output).toBe(error.message));
    expect(output).toContain("No differences.");
  });
});
