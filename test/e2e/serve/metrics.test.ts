import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createKeys } from "../../../runtime/http/keys.ts";
import { metricDefinitions } from "../../../runtime/metrics/definitions.ts";
import { parseScrape, type Sample, scrape, sumOf, typesOf } from "../../support/scrape.ts";
import type { ServerProcess } from "../../support/server-process.ts";
import { until } from "../../support/until.ts";
import { blockPath, type IndexedBlock, indexBlock } from "./indexed-block.ts";
import { request, unlimited } from "./load.ts";
import { processesOf } from "./processes-of.ts";

const requestsMetric = "ashlar_http_request_duration_seconds_count";
let indexed: IndexedBlock;
let server: ServerProcess | undefined;
let key: string;

beforeAll(async () => {
  indexed = await indexBlock();
  ({ key } = await createKeys(indexed.testDatabase.database).create({ label: "metrics" }));
  return indexed.remove;
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

/** Starts a server with metrics, and returns it with its metrics URL. */
async function serve(workers: number): Promise<{ readonly running: ServerProcess; readonly metrics: string }> {
  const running = await indexed.serve({ limits: unlimited, metrics: { port: 0 } }, { args: ["--workers", String(workers)] });
  server = running;
  const metrics = /^Metrics: (\S+)$/m.exec(running.output())?.[1];
  if (metrics === undefined) throw new Error(`The server printed no metrics URL: ${running.output()}`);
  return { running, metrics };
}
const samplesOf = async (url: string): Promise<readonly Sample[]> => parseScrape(await scrape(url));

describe("a scrape of ashlar serve", () => {
  it("has each metric that is documented for one process, with its type", async () => {
    const { running, metrics } = await serve(1);
    expect(await request(running.url + blockPath, key)).toMatchObject({ status: 200 });
    expect((await fetch(`${running.url}/metrics`)).status).toBe(404);
    const text = await scrape(metrics);
    const types = [...typesOf(text)].filter(([name]) => name.startsWith("ashlar_")).sort();
    // Only indexers and the data directory have the other metrics.
    expect(types).toEqual(
      Object.entries(metricDefinitions)
        .filter(([name]) => !/^ashlar_(indexer|node|data_directory)_/.test(name))
        .map(([name, { type }]) => [name, type])
        .sort(),
    );
    const samples = parseScrape(text);
    expect(sumOf(samples, requestsMetric, { operation: "getBlock", status: "200" })).toBe(1);
    expect(sumOf(samples, "ashlar_index_block", { chain: "own" })).toBe(1);
    expect(sumOf(samples, "ashlar_index_checkpoint_block", { chain: "own", projection: "ledger" })).toBe(1);
    expect(sumOf(samples, "process_start_time_seconds", { process: "server" })).toBeGreaterThan(Date.now() / 1000 - 600);
    expect(samples.map(({ name }) => name)).toEqual(expect.arrayContaining(["process_open_fds", "nodejs_eventloop_lag_p99_seconds"]));
  });

  // The test finds the workers in /proc.
  it.skipIf(process.platform !== "linux")("adds up the requests of all workers, including a killed one", async () => {
    const { running, metrics } = await serve(2);
    const send = async (count: number): Promise<void> => {
      for (let sent = 0; sent < count; sent += 1) expect(await request(running.url + blockPath, key)).toMatchObject({ status: 200 });
    };
    await send(10);
    const countRequests = async (): Promise<number> =>
      sumOf(await samplesOf(metrics), requestsMetric, { operation: "getBlock", status: "200" });
    expect(await countRequests()).toBe(10);
    const worker = processesOf(running.child.pid ?? 0).get("worker 1");
    if (worker === undefined) throw new Error("Worker 1 was not found in /proc.");
    process.kill(worker, "SIGKILL");
    const up = { name: "ashlar_metrics_source_up", labels: { source: "worker 1" } };
    const isUp = async (value: number): Promise<boolean> => sumOf(await samplesOf(metrics), up.name, up.labels) === value;
    await until("the metrics to report the killed worker", () => isUp(0));
    expect(await countRequests()).toBe(10);
    await until("the worker to be restarted", () => isUp(1));
    await send(5);
    expect(await countRequests()).toBe(15);
  });
});
