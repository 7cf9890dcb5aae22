import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { migrate } from "../../../runtime/database/migrate.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { query } from "../../support/database/embedded-fixture.ts";
import { type ReplicatedServer, startPrimary, startStandby } from "../../support/database/replication.ts";
import { createTestIndexer, isAtHead, runInBackground } from "../../support/indexer/support.ts";
import { until } from "../../support/until.ts";
import { connect, type Server, serveReplicas } from "./replicated-service.ts";

let chain: TestChain;
let primary: ReplicatedServer;
let standby: ReplicatedServer;
let key: string;
/** A key that no server has looked up. */
let otherKey: string;

beforeAll(async () => {
  [chain, primary] = await Promise.all([startTestChain(), startPrimary()]);
  const database = connect(primary.url);
  await migrate(database, migrations);
  const keys = createKeys(database);
  [{ key }, { key: otherKey }] = [await keys.create({ label: "outage" }), await keys.create({ label: "other" })];
  const stop = runInBackground(await createTestIndexer(chain.url, database));
  await chain.mine();
  await until("the block to be indexed", () => isAtHead(database, chain));
  await stop();
  await database.close();
  standby = await startStandby(primary);
});
afterAll(async () => {
  await standby?.remove();
  await primary?.remove();
  await chain?.stop();
});

const bothUrl = (): string => primary.url.replace(/:\d+\//, `:${primary.port},127.0.0.1:${standby.port}/`);
const serve = (primaryOutageSeconds: number): Promise<Server> =>
  serveReplicas({ databaseUrl: bothUrl(), readUrls: [primary.url, standby.url], chain, key, primaryOutageSeconds });
const statusOf = async ({ url }: Server, path: string, sent = key): Promise<number> => {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${sent}` } });
  await response.arrayBuffer();
  return response.status;
};
const listPath = (): string => `/v1/test/address/${chain.accounts[0]}/transactions_v3/`;

it("responds from a replica while there is no primary, for a limited time, and from the standby after its promotion", async () => {
  const [server, shortOutageServer] = [await serve(60), await serve(1)];
  for (const each of [server, shortOutageServer]) {
    await until("the replicas to be used", () => each.replicas.status().every(({ isUsed }) => isUsed));
    expect([await each.height(), await statusOf(each, "/readyz")]).toEqual([await chain.head(), 200]);
  }
  const statuses: number[] = [];
  let isStopped = false;
  const load = (async () => {
    while (!isStopped) for (const path of [listPath(), "/v1/test/block_v2/latest/", "/readyz"]) statuses.push(await statusOf(server, path));
  })();
  onTestFinished(async () => {
    isStopped = true;
    await load;
  });
  await primary.kill();
  await until("the primary to be lost", async () => (await statusOf(shortOutageServer, listPath())) === 503);
  await until("the server to be unready", async () => (await statusOf(shortOutageServer, "/readyz")) === 503);
  const before = statuses.length;
  await until("more responses", () => statuses.length > before + 50);
  // During an outage, a server accepts only keys that it has loaded before.
  expect(await statusOf(server, listPath(), otherKey)).toBe(503);
  await query(standby.url, "SELECT pg_promote()");
  await until("the new primary to be used", async () => (await statusOf(server, listPath(), otherKey)) === 200);
  await until("the new primary to be used", async () => (await statusOf(shortOutageServer, listPath())) === 200);
  expect([await server.height(), await shortOutageServer.height()]).toEqual([await chain.head(), await chain.head()]);
  isStopped = true;
  await load;
  expect(new Set(statuses)).toEqual(new Set([200]));
});
