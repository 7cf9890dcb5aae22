import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../../runtime/database/database.ts";
import { migrate } from "../../../runtime/database/migrate.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { postmasterOf, query } from "../../support/database/embedded-fixture.ts";
import { type ReplicatedServer, startPrimary, startStandby } from "../../support/database/replication.ts";
import { createTestDatabase } from "../../support/database.ts";
import { createTestIndexer, isAtHead, runInBackground } from "../../support/indexer/support.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";
import { until } from "../../support/until.ts";
import { connect, type Server, serveReplicas } from "./replicated-service.ts";

let chain: TestChain;
let primary: ReplicatedServer;
let standby: ReplicatedServer;
let database: Database;
let key: string;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  cleanUps.push(chain.stop);
  primary = await startPrimary();
  cleanUps.push(primary.remove);
  database = connect(primary.url);
  cleanUps.push(database.close);
  await migrate(database, migrations);
  ({ key } = await createKeys(database).create({ label: "replicas" }));
  cleanUps.push(runInBackground(await createTestIndexer(chain.url, database)));
  await mineAndIndex();
  standby = await startStandby(primary);
  cleanUps.push(() => standby.remove());
});
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

const mineAndIndex = async (): Promise<void> => {
  await chain.mine();
  await until("the block to be indexed", () => isAtHead(database, chain));
};

const serve = (readUrls: readonly string[]): Promise<Server> => serveReplicas({ databaseUrl: primary.url, readUrls, chain, key });

const isUsed = ({ replicas }: Server) => replicas.status()[0]?.isUsed === true;
/** The number of statements that ran on the replica. */
const statementsOf = ({ replicas }: Server): number =>
  replicas.pools["replica 1"]?.usage().statements.counts.reduce((sum, count) => sum + count, 0) ?? 0;
/** Sends requests until the replica runs one of their statements. */
const untilReplicaIsRead = (server: Server) =>
  until("the replica to be read", async () => {
    const before = statementsOf(server);
    await get(server);
    return statementsOf(server) > before;
  });
/** Sends a request whose statements are not cached. */
const get = async ({ url }: Server): Promise<void> => {
  const response = await fetch(`${url}/v1/test/address/${chain.accounts[0]}/transactions_v3/?key=${key}`);
  const body = await response.text();
  if (response.status !== 200) throw new Error(`The request for transactions returned ${response.status}: ${body}`);
};
/** Keeps four requests in flight until stopped. */
function startRequests(server: Server) {
  let isStopped = false;
  const milliseconds: number[] = [];
  const loop = async (): Promise<void> => {
    while (!isStopped) {
      const start = performance.now();
      await get(server);
      milliseconds.push(performance.now() - start);
    }
  };
  const loops = Promise.all([loop(), loop(), loop(), loop()]);
  loops.catch(() => undefined);
  return {
    milliseconds,
    /** @throws {Error} if a request failed */
    async stop() {
      isStopped = true;
      await loops;
    },
  };
}

describe("a server with a streaming replica", () => {
  it("reads the replica, and never returns an older block than before while replay is paused", async () => {
    const server = await serve([standby.url]);
    await untilReplicaIsRead(server);
    await query(standby.url, "SELECT pg_wal_replay_pause()");
    onTestFinished(() => query(standby.url, "SELECT pg_wal_replay_resume()").then(() => undefined));
    let last = await server.height();
    for (let block = 0; block < 5; block += 1) {
      await mineAndIndex();
      const indexed = await chain.head();
      await until("the block to be served", async () => {
        const served = await server.height();
        expect(served).toBeGreaterThanOrEqual(last);
        last = served;
        return served === indexed;
      });
    }
    const before = statementsOf(server);
    for (let request = 0; request < 20; request += 1) await get(server);
    expect(statementsOf(server)).toBe(before);
    await query(standby.url, "SELECT pg_wal_replay_resume()");
    await untilReplicaIsRead(server);
    expect(await server.height()).toBe(last);
  });

  it("responds in time while the replica does not respond, and reads it again afterwards", async () => {
    const proxy = await startTcpProxy(standby.url);
    onTestFinished(proxy.close);
    const server = await serve([standby.url.replace(/:\d+\//, `:${proxy.port}/`)]);
    await untilReplicaIsRead(server);
    const requests = startRequests(server);
    proxy.isMuted = true;
    await until("the replica to be lost", () => !isUsed(server));
    await until("more responses", () => requests.milliseconds.length > 50);
    await requests.stop();
    expect(Math.max(...requests.milliseconds)).toBeLessThan(scaleTimeLimit(5_000));
    expect(server.log).toEqual(["Replica 1 is not used: it did not report its state within 2 s."]);
    proxy.isMuted = false;
    proxy.disconnect();
    // Abandoned statements are counted when their connections break, so a higher count alone does not prove that the replica is used.
    await until("the replica to be used", () => isUsed(server));
    await untilReplicaIsRead(server);
    expect(server.log.at(-1)).toBe("Replica 1 is used again.");
  });

  it("does not read a server that is not a replica of its database", async () => {
    const other = await createTestDatabase();
    onTestFinished(other.drop);
    const server = await serve([other.url]);
    await until("the server to be refused", () => server.log.length > 0);
    await get(server);
    expect(server.log).toEqual(["Replica 1 is not used: it is not a replica of the database at databaseUrl."]);
    expect(statementsOf(server)).toBe(0);
  });

  it("responds to every request while one of two replicas is killed, and then the other", async () => {
    const second = await startStandby(primary);
    onTestFinished(second.remove);
    const server = await serve([standby.url, second.url]);
    await untilReplicaIsRead(server);
    await until("both replicas to be used", () => server.replicas.status().every((replica) => replica.isUsed));
    const requests = startRequests(server);
    for (const { dataDirectory } of [standby, second]) {
      const responses = requests.milliseconds.length;
      await until("responses before the kill", () => requests.milliseconds.length > responses + 50);
      process.kill(postmasterOf(dataDirectory), "SIGKILL");
      const killedAt = requests.milliseconds.length;
      await until("responses after the kill", () => requests.milliseconds.length > killedAt + 50);
    }
    await mineAndIndex();
    await until("the new block", async () => (await server.height()) === (await chain.head()));
    await requests.stop();
    await until("both replicas to be lost", () => server.replicas.status().every((replica) => !replica.isUsed));
  });
});
