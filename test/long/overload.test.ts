import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeys } from "../../runtime/http/keys.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { measureSlowness } from "../support/machine-speed.ts";
import { scaleTimeLimit } from "../support/scale-time-limit.ts";
import { startServer } from "../support/server-process.ts";
import { indexUntilHead } from "../support/service.ts";
import { goodputOf, type LoadProcess, startLoadProcess } from "./support/load-process.ts";
import { residentMegabytes } from "./support/memory.ts";
import { numberFromEnvironment, print } from "./support/settings.ts";
import { type SoakChain, startSoakChain } from "./support/soak-chain.ts";
import { findSustainableRate, summaryOf } from "./support/sustainable-rate.ts";

const seconds = numberFromEnvironment("LONG_OVERLOAD_SECONDS", 300);
const stepSeconds = numberFromEnvironment("LONG_STEP_SECONDS", 5);
const workerCount = numberFromEnvironment("LONG_WORKERS", 1);
const keyCount = 64;
const minGoodputShare = 0.8;
const p99Milliseconds = 1_000;
/** The maximum ratio of resident memory (including uncollected garbage) in the last fifth of the load to that in the second fifth. */
const maxGrowth = 1.2;

let chain: SoakChain;
let testDatabase: TestDatabase;
let folder: string;
let load: LoadProcess;
let keys: string[];

beforeAll(async () => {
  [chain, testDatabase, folder] = await Promise.all([
    startSoakChain("overload"),
    createTestDatabase(),
    mkdtemp(join(tmpdir(), "ashlar-overload-")),
  ]);
  await (await indexUntilHead(chain.config, testDatabase.url)).stop();
  const { create } = createKeys(testDatabase.database);
  keys = await Promise.all(Array.from({ length: keyCount }, async (_, index) => (await create({ label: `load ${index}` })).key));
  load = startLoadProcess();
});
afterAll(async () => {
  await load?.stop();
  await testDatabase?.drop();
  await chain?.chain.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The median of the samples between two fractions of the list. */
const medianOf = (samples: readonly number[], from: number, to: number): number => {
  const part = samples.slice(Math.floor(from * samples.length), Math.ceil(to * samples.length)).sort((a, b) => a - b);
  return part[Math.floor(part.length / 2)] ?? Number.NaN;
};

describe(`ashlar serve --workers ${workerCount} under twice its sustainable load`, () => {
  it(`serves at least ${minGoodputShare * 100} % of its peak for ${seconds} s`, {
    timeout: scaleTimeLimit((seconds + 600) * 1000),
  }, async () => {
    const file = join(folder, "serve.yaml");
    // Without a cache, each response is computed. All limits except the keys' rate limit have their defaults.
    const settings = { chains: [chain.config], cache: { megabytes: 0 }, limits: { requestsPerSecond: "unlimited" } };
    await writeFile(file, JSON.stringify(settings));
    const server = await startServer(file, testDatabase.url, { args: ["--workers", String(workerCount)] });
    const memory: number[] = [];
    const sampling = setInterval(() => memory.push(residentMegabytes(server.child.pid ?? 0)), 1_000);
    try {
      const target = { port: Number(new URL(server.url).port), paths: chain.paths(), keys };
      const slownessBefore = measureSlowness();
      const { rate, goodput: peak } = await findSustainableRate(
        (step, milliseconds) => load.run({ ...target, rate: step, milliseconds }),
        stepSeconds,
      );
      memory.length = 0;
      const result = await load.run({ ...target, rate: 2 * rate, milliseconds: seconds * 1000 });
      const slower = Math.max(1, measureSlowness() / slownessBefore);
      const growth = medianOf(memory, 0.8, 1) / medianOf(memory, 0.2, 0.4);
      print(`workers ${workerCount}: peak ${Math.round(peak)}/s, sent ${Math.round(2 * rate)}/s: ${summaryOf(result)}`);
      print(`workers ${workerCount}: memory ${memory.map(Math.round).join(" ")} MB; machine ${slower.toFixed(2)} times slower at the end`);
      expect(result.errors).toEqual({});
      expect(
        Object.keys(result.statuses).filter((status) => !["200", "429", "503"].includes(status)),
        JSON.stringify(result.examples),
      ).toEqual([]);
      expect(result.withoutRetryAfter).toBe(0);
      expect(result.requests).toBeGreaterThan(result.statuses[200] ?? 0);
      expect(goodputOf(result)).toBeGreaterThan((minGoodputShare * peak) / slower);
      expect(result.p99).toBeLessThan(scaleTimeLimit(p99Milliseconds) * slower);
      expect(growth).toBeLessThan(maxGrowth);
      // After the overload, the server still handles a load that it can sustain.
      const after = await load.run({ ...target, rate: 0.5 * rate, milliseconds: stepSeconds * 1000 });
      expect(after.statuses).toEqual({ 200: after.requests });
    } finally {
      clearInterval(sampling);
      await server.stop();
    }
  });
});
