import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ServerProcess, startServer } from "../../support/server-process.ts";
import { balancesPath, namesIn, statusesPath } from "../../support/shards/requests.ts";
import { type JsonResponse, type ShardedService, startSharded } from "../../support/shards/sharded-service.ts";
import { until } from "../../support/until.ts";

let sharded: ShardedService;
let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  sharded = await startSharded();
  folder = await mkdtemp(join(tmpdir(), "ashlar-shards-"));
  const url = new URL(sharded.shard.server.url);
  url.port = `${sharded.shard.proxy.port}`;
  await writeFile(join(folder, "url"), `${url.href}\n`);
  const chains = sharded.shardedConfig.chains.map(({ name, id, database }) => ({
    name,
    id,
    ...(database === undefined ? {} : { database }),
  }));
  const file = join(folder, "ashlar.yaml");
  await writeFile(file, JSON.stringify({ chains, databases: { b: null }, workers: 2, metrics: { port: 0 } }));
  server = await startServer(file, sharded.control.url, { environment: { DATABASE_B_URL_FILE: join(folder, "url") } });
});
afterAll(async () => {
  await server?.stop();
  await sharded?.end();
  await rm(folder, { recursive: true });
});

const get = async (path: string): Promise<JsonResponse> => {
  const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${sharded.key}`, connection: "close" } });
  return { status: response.status, body: (await response.json()) as JsonResponse["body"] };
};
const readStatuses = async () =>
  [await get(balancesPath("one", sharded.one)), await get(balancesPath("two", sharded.two))].map(({ status }) => status);

test("workers serve the remaining chains while a database is lost, and all chains once it is back", async () => {
  expect(await readStatuses()).toEqual([200, 200]);
  expect(namesIn(await get(statusesPath))).toEqual(["one", "two"]);
  expect(server.output()).not.toContain(new URL(sharded.shard.server.url).password);
  sharded.shard.proxy.isMuted = true;
  // Each connection may be accepted by the other worker.
  let lost = 0;
  await until("all workers to detect the loss", async () => {
    const [one, two] = await readStatuses();
    expect(one).toBe(200);
    lost = two === 503 ? lost + 1 : 0;
    return lost === 6;
  });
  sharded.shard.proxy.isMuted = false;
  sharded.shard.proxy.disconnect();
  let served = 0;
  await until("all workers to serve", async () => {
    served = (await readStatuses()).every((status) => status === 200) ? served + 1 : 0;
    return served === 6;
  });
  const metrics = /Metrics: (http:\S+)/.exec(server.output())?.[1] ?? "";
  const scraped = await (await fetch(metrics)).text();
  expect(scraped).toMatch(/^ashlar_index_block\{chain="one"\} /m);
  expect(scraped).toMatch(/^ashlar_index_block\{chain="two"\} /m);
  expect(scraped).toMatch(/^ashlar_database_connections\{process="worker 1",pool="serving of b",state="idle"\} /m);
});
