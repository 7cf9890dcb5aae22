import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { activityPath, balancesPath, namesIn, statusesPath } from "../../support/shards/requests.ts";
import { indexUntil, type Server, type ShardedService, serve, startSharded } from "../../support/shards/sharded-service.ts";
import { until } from "../../support/until.ts";

let sharded: ShardedService;

beforeAll(async () => {
  sharded = await startSharded();
});
afterAll(() => sharded?.end());

/** Makes the shard unresponsive until the test ends; its connections stay open. */
function muteShard({ shard: { proxy } }: ShardedService): void {
  proxy.isMuted = true;
  onTestFinished(unmuteShard);
}
function unmuteShard(): void {
  sharded.shard.proxy.isMuted = false;
  // The connections are broken, because bytes were dropped.
  sharded.shard.proxy.disconnect();
}

/** The field `databases` of /readyz if all databases can be used. */
const allUsable = JSON.stringify([{ name: "b", problem: null, chains: ["two"] }]);

let requestNumber = 0;
/** A path with an uncached response. */
const uncachedPath = (name: "one" | "two") => {
  requestNumber += 1;
  return `${balancesPath(name, sharded[name])}?no-spam=true&nft=${requestNumber % 2 === 0}&quote-currency=${["USD", "CAD"][requestNumber % 2]}&page-size=${requestNumber}`;
};
const isServed = async (server: Server, name: "one" | "two") => (await server.get(uncachedPath(name))).status === 200;
const waitUntilServed = (server: Server) => until("the chain to be served", () => isServed(server, "two"));

/** Expects that chain one is served, and that all responses report chain two as unavailable. */
async function expectOnlyChainOne(server: Server): Promise<void> {
  expect(await server.get(uncachedPath("two"))).toMatchObject({
    status: 503,
    body: { error_message: expect.stringMatching(/temporarily unavailable/) },
  });
  expect((await server.get(uncachedPath("one"))).status).toBe(200);
  for (const path of [statusesPath, activityPath(sharded.one)]) {
    const { status, body } = await server.get(path);
    expect([path, status, body.data?.unavailable_chains, body.data?.items]).toEqual([
      path,
      200,
      ["two"],
      [expect.objectContaining({ name: "one" })],
    ]);
  }
  expect(namesIn(await server.get("/v1/chains/"))).toEqual(["one", "two"]);
  const ready = await server.get("/readyz");
  expect([ready.status, ready.body.data]).toEqual([
    200,
    expect.objectContaining({
      databases: [{ name: "b", problem: expect.stringMatching(/^Database b cannot be used: .*\.$/), chains: ["two"] }],
      chains: [expect.objectContaining({ name: "one" })],
    }),
  ]);
}

test("a database that no longer responds makes only its chains unavailable, until it responds again", async () => {
  const server = await serve(sharded.shardedConfig, sharded.key);
  expect([await isServed(server, "one"), await isServed(server, "two")]).toEqual([true, true]);
  let isStopped = false;
  const failures: string[] = [];
  const requests = (async () => {
    while (!isStopped) {
      const path = uncachedPath("one");
      const { status, body } = await server.get(path);
      if (status !== 200) failures.push(`${path}: ${status} ${body.error_message}`);
    }
  })();
  muteShard(sharded);
  // More concurrent requests than the server processes at once; they must not delay requests for the other chain.
  const lost = await Promise.all(Array.from({ length: 40 }, () => server.get(uncachedPath("two"))));
  expect(lost.map(({ status }) => status)).toEqual(lost.map(() => 503));
  await until("the loss to be detected", async () =>
    server.log.some((line) => /^Database b cannot be used: .* Its chains are not served meanwhile: two\.$/.test(line)),
  );
  await expectOnlyChainOne(server);
  const start = performance.now();
  await Promise.all(Array.from({ length: 20 }, () => server.get(uncachedPath("two"))));
  // No request waits for a database that is known to be lost.
  expect(performance.now() - start).toBeLessThan(scaleTimeLimit(1_000));
  unmuteShard();
  await waitUntilServed(server);
  isStopped = true;
  await requests;
  expect(failures).toEqual([]);
  expect(server.log).toContain("Database b can be used again; its chains are two.");
  // The cached result of the last check may be one second old.
  await until("the database to be ready", async () => JSON.stringify((await server.get("/readyz")).body.data?.databases) === allUsable);
});

test("a service starts without one of its databases, and serves and indexes its chains once it responds", async () => {
  muteShard(sharded);
  sharded.shard.proxy.disconnect();
  const server = await serve(sharded.shardedConfig, sharded.key);
  await expectOnlyChainOne(server);
  unmuteShard();
  await waitUntilServed(server);
  expect(server.log).toContain("Database b is prepared.");
});

test("chains of other databases are indexed while one is lost", async () => {
  muteShard(sharded);
  sharded.shard.proxy.disconnect();
  await sharded.one.mine();
  await sharded.two.mine();
  const [headOfOne, headOfTwo] = [await sharded.one.head(), await sharded.two.head()];
  const headIn = async (name: "one" | "two") => {
    const { query } = name === "one" ? sharded.control.database : sharded.shard.database;
    return (await query<{ head: number }>("SELECT max(number) AS head FROM blocks"))[0]?.head;
  };
  await indexUntil(sharded.shardedConfig, async () => {
    if ((await headIn("one")) !== headOfOne) return false;
    // The shard is indexed as soon as it responds.
    sharded.shard.proxy.isMuted = false;
    return (await headIn("two")) === headOfTwo;
  });
});

test("a database server that is killed makes only its chains unavailable", async () => {
  const server = await serve(sharded.shardedConfig, sharded.key);
  await waitUntilServed(server);
  const pidFile = join(sharded.shard.server.dataDirectory, "postgres", "postmaster.pid");
  process.kill(Number(readFileSync(pidFile, "utf8").split("\n")[0]), "SIGKILL");
  await until("the loss", async () => !(await isServed(server, "two")));
  await until("the loss to be detected", async () => server.log.some((line) => line.startsWith("Database b cannot be used")));
  await expectOnlyChainOne(server);
});
