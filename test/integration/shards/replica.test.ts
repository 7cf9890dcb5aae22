import { afterAll, beforeAll, expect, test } from "vitest";
import type { Config } from "../../../runtime/config/config.ts";
import { type ReplicatedServer, startStandby } from "../../support/database/replication.ts";
import { balancesPath } from "../../support/shards/requests.ts";
import { type Server, type ShardedService, serve, startSharded } from "../../support/shards/sharded-service.ts";
import { until } from "../../support/until.ts";

let sharded: ShardedService;
let standby: ReplicatedServer;
let config: Config;

beforeAll(async () => {
  sharded = await startSharded();
  standby = await startStandby(sharded.shard.server);
  const b = sharded.shardedConfig.databases.b;
  if (b === undefined) throw new Error("Expected a database b in the configuration.");
  // Without the cache, each request runs its statements.
  config = {
    ...sharded.shardedConfig,
    cache: { ...sharded.shardedConfig.cache, megabytes: 0 },
    databases: { b: { ...b, readUrls: [standby.url] } },
  };
});
afterAll(async () => {
  await standby?.remove();
  await sharded?.end();
});

/** The number of statements that ran on the replica of b. */
const statementCountOf = ({ replicas }: Server): number =>
  replicas.b?.pools["replica 1"]?.usage().statements.counts.reduce((sum, count) => sum + count, 0) ?? 0;
const isUsed = ({ replicas }: Server) => replicas.b?.status()[0]?.isUsed === true;
/** Sends a request, and returns its status and the number of statements that it ran on the replica. */
async function request(server: Server, name: "one" | "two"): Promise<readonly [status: number, onReplica: number]> {
  const before = statementCountOf(server);
  const { status } = await server.get(balancesPath(name, sharded[name]));
  return [status, statementCountOf(server) - before];
}

test("a shard's replica runs only statements for requests for its chains", async () => {
  const server = await serve(config, sharded.key);
  await until("the replica to be used", () => isUsed(server));
  await until("a statement on the replica", async () => (await request(server, "two"))[1] > 0);
  expect(await request(server, "one")).toEqual([200, 0]);
});

test("the loss of a shard's replica does not fail requests, and the replica is used again once it responds", async () => {
  const server = await serve(config, sharded.key);
  await until("a statement on the replica", async () => (await request(server, "two"))[1] > 0);
  await standby.kill();
  await until("the replica to be lost", async () => {
    expect((await request(server, "two"))[0]).toBe(200);
    return !isUsed(server);
  });
  expect(await request(server, "two")).toEqual([200, 0]);
  await standby.restart();
  await until("a statement on the replica", async () => {
    const [status, onReplica] = await request(server, "two");
    expect(status).toBe(200);
    return onReplica > 0;
  });
});
