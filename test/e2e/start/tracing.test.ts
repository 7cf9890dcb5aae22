import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { startTraceCollector, type TraceCollector } from "../../support/trace-collector.ts";
import { prepareData, startService } from "./service-process.ts";

let chain: TestChain;
let collector: TraceCollector;
let folder: string;
beforeAll(prepareData);
beforeAll(async () => {
  [chain, collector, folder] = await Promise.all([startTestChain(), startTraceCollector(), mkdtemp(join(tmpdir(), "ashlar-tracing-"))]);
  await chain.mine();
  return async () => {
    await Promise.all([chain.stop(), collector.close(), rm(folder, { recursive: true })]);
  };
});

test("ashlar start traces its processes, which export their last spans before they exit", async () => {
  const settings = { tracing: { endpoint: "http://127.0.0.1:1/replaced", sampleRatio: 1 } };
  await writeFile(join(folder, "ashlar.yaml"), JSON.stringify(settings));
  const service = await startService(chain.url, { folder, environment: { TRACES_ENDPOINT: collector.endpoint } });
  service.child.kill("SIGTERM");
  expect(await service.exited).toBe(0);
  expect([...collector.processes].sort()).toEqual(["indexer", "server"]);
  // The spans for startService's readiness requests, and for blocks 0 and 1.
  expect(new Set(collector.spans.map(({ name }) => name))).toEqual(new Set(["GET", "index blocks", "fetch", "fold", "write"]));
});
