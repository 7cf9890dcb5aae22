import { setMaxListeners } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeys } from "../../runtime/http/keys.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { isAtHead } from "../support/indexer/support.ts";
import { type IndexerProcess, runAudit, startIndexer } from "../support/indexer-process.ts";
import { scaleTimeLimit } from "../support/scale-time-limit.ts";
import { type ServerProcess, startServer } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import type { LoadResult } from "./load/open-loop.ts";
import { createComparison } from "./support/compare-servers.ts";
import { type LoadProcess, startLoadProcess } from "./support/load-process.ts";
import { heapMegabytes, inspectorEnvironment, residentMegabytes } from "./support/memory.ts";
import { numberFromEnvironment, print } from "./support/settings.ts";
import { type SoakChain, startSoakChain } from "./support/soak-chain.ts";
import { findSustainableRate, summaryOf } from "./support/sustainable-rate.ts";

const seconds = numberFromEnvironment("LONG_SOAK_SECONDS", 3_600);
const stepSeconds = numberFromEnvironment("LONG_STEP_SECONDS", 5);
const seed = process.env.LONG_SEED ?? "soak";
const tenthCount = 10;
const keyCount = 64;
const loadShare = 0.7;
/** The share of requests that are compared: more than a tenth, because some comparisons are late or rejected. */
const comparedShare = 0.12;
/** Enough comparers for most of the rate, although a comparison may repeat its requests for a second, because a cached response may be that old. */
const comparerCount = 24;
/** The size of the cache: small enough for it to be full when the heap is first measured. */
const cacheMegabytes = 4;
const maxHeapGrowth = 1.1;
/** The pause between rounds of blocks. */
const pauseMilliseconds = 1_500;
/** How many rounds of blocks precede each reorganisation. */
const roundsPerReorganisation = 3;

let chain: SoakChain;
let testDatabase: TestDatabase;
let folder: string;
let load: LoadProcess;
let indexer: IndexerProcess;
let servers: ServerProcess[];
let keys: string[];
let churn: ReturnType<typeof startChurn> | undefined;

const isIndexed = () => isAtHead(testDatabase.database, chain.chain);

/** Starts a server for the same index; links in responses do not depend on its port. */
const serve = async (megabytes: number): Promise<ServerProcess> => {
  const file = join(folder, `serve-${megabytes}.yaml`);
  const settings = {
    chains: [chain.config],
    publicUrl: "http://soak.invalid",
    cache: { megabytes },
    limits: { requestsPerSecond: "unlimited", databaseSecondsPerMinute: "unlimited" },
  };
  await writeFile(file, JSON.stringify(settings));
  return startServer(file, testDatabase.url, { environment: inspectorEnvironment });
};

beforeAll(async () => {
  [chain, testDatabase, folder] = await Promise.all([
    startSoakChain(seed),
    createTestDatabase({ poolSize: 8 }),
    mkdtemp(join(tmpdir(), "ashlar-soak-")),
  ]);
  indexer = await startIndexer(folder, chain.config, testDatabase.url);
  await until("the index to reach the head", isIndexed);
  const { create } = createKeys(testDatabase.database);
  keys = await Promise.all(Array.from({ length: keyCount }, async (_, index) => (await create({ label: `load ${index}` })).key));
  servers = await Promise.all([cacheMegabytes, 0].map(serve));
  load = startLoadProcess();
});
afterAll(async () => {
  await churn?.stop();
  await load?.stop();
  await Promise.all((servers ?? []).map((server) => server.stop()));
  await indexer?.stop();
  await testDatabase?.drop();
  await chain?.chain.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Adds blocks and replaces some until stopped. */
function startChurn(): { readonly counts: { rounds: number; reorganisations: number }; stop(): Promise<void> } {
  const counts = { rounds: 0, reorganisations: 0 };
  let isRunning = true;
  const run = async (): Promise<void> => {
    while (isRunning) {
      await chain.grow();
      counts.rounds += 1;
      if (counts.rounds % roundsPerReorganisation === 0) {
        await chain.reorganise();
        counts.reorganisations += 1;
      }
      await wait(pauseMilliseconds);
    }
  };
  const running = run();
  running.catch(() => undefined);
  return {
    counts,
    async stop() {
      isRunning = false;
      await running;
    },
  };
}

/** Starts comparing responses at a rate in requests per second; returns a function that stops the comparisons. */
function startComparing(comparison: ReturnType<typeof createComparison>, rate: number): () => Promise<void> {
  const paths = chain.paths();
  const stopping = new AbortController();
  const { signal } = stopping;
  setMaxListeners(comparerCount, signal);
  const pause = (milliseconds: number) => wait(milliseconds, undefined, { signal }).catch(() => undefined);
  const running = Array.from({ length: comparerCount }, async (_, comparer) => {
    // The comparers take turns, because simultaneous requests would be a burst.
    await pause((comparer * 1000) / rate);
    for (let number = comparer; !signal.aborted; number += comparerCount) {
      const next = pause((comparerCount * 1000) / rate);
      await comparison.compare(paths[number % paths.length] ?? "");
      await next;
    }
  });
  return async () => {
    stopping.abort();
    await Promise.all(running);
  };
}

describe(`a server with a changing index (seed ${seed})`, () => {
  it(`does not grow its heap and serves no wrong response for ${seconds} s at ${loadShare * 100} % of its sustainable load`, {
    timeout: scaleTimeLimit((seconds + 900) * 1000),
  }, async () => {
    const [server, uncached] = servers;
    if (server === undefined || uncached === undefined) throw new Error("Expected two servers.");
    churn = startChurn();
    const { counts } = churn;
    const target = { port: Number(new URL(server.url).port), paths: chain.paths(), keys };
    const comparison = createComparison(testDatabase.database, server.url, uncached.url, keys);
    // Comparisons are part of each step's load, because a compared request takes much more CPU time than others.
    const runLoad = async (rate: number, milliseconds: number): Promise<LoadResult> => {
      const stopComparing = startComparing(comparison, comparedShare * rate);
      const result = await load.run({ ...target, rate: (1 - comparedShare) * rate, milliseconds });
      await stopComparing();
      return result;
    };
    const sustainable = await findSustainableRate(runLoad, stepSeconds);
    const rate = loadShare * sustainable.rate;
    const comparedBefore = comparison.counts.equal;
    const heap: number[] = [];
    const results: LoadResult[] = [];
    for (let tenth = 1; tenth <= tenthCount; tenth += 1) {
      const result = await runLoad(rate, (seconds * 1000) / tenthCount);
      heap.push(await heapMegabytes(server.output()));
      results.push(result);
      print(
        `tenth ${tenth}: heap ${heap.at(-1)?.toFixed(1)} MB, resident ${Math.round(residentMegabytes(server.child.pid ?? 0))} MB, ` +
          `${counts.rounds} rounds, ${counts.reorganisations} reorganisations, ${JSON.stringify({ ...comparison.counts, wrong: comparison.counts.wrong.length })}, ${summaryOf(result)}`,
      );
    }
    comparison.close();
    await churn.stop();
    const { equal, others, wrong } = comparison.counts;
    expect(wrong).toEqual([]);
    // Enough requests were compared while the index did not change.
    expect(equal - comparedBefore).toBeGreaterThan((comparedShare * rate * seconds) / 2);
    const statuses = [...results.flatMap((result) => Object.keys({ ...result.statuses, ...result.errors })), ...Object.keys(others)];
    expect(
      statuses.filter((status) => !["200", "429", "503"].includes(status)),
      JSON.stringify(results.map(({ examples }) => examples)),
    ).toEqual([]);
    expect(results.reduce((sum, { withoutRetryAfter }) => sum + withoutRetryAfter, 0)).toBe(0);
    expect((heap.at(-1) ?? Number.NaN) / (heap[0] ?? Number.NaN), heap.join(" ")).toBeLessThan(maxHeapGrowth);
    expect(counts.reorganisations).toBeGreaterThan(0);
  });

  it("leaves an index that equals the node", { timeout: scaleTimeLimit(1_200_000) }, async () => {
    // The churn is still running if the first test failed.
    await churn?.stop();
    await until("the index to reach the head", isIndexed);
    const { code, output } = await runAudit(folder, testDatabase.url);
    print(output);
    expect(output).toContain("No differences.");
    expect(code).toBe(0);
  });
});
