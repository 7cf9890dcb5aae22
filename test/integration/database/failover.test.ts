import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import type { DatabaseUnavailable } from "../../../runtime/database/errors.ts";
import { createNotifications } from "../../../runtime/database/notifications.ts";
import { openSession } from "../../../runtime/database/session.ts";
import { runForRequest } from "../../../runtime/lib/active-request.ts";
import { query } from "../../support/database/embedded-fixture.ts";
import { type ReplicatedServer, startPrimary, startStandby } from "../../support/database/replication.ts";
import { freePort } from "../../support/free-port.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";
import { until } from "../../support/until.ts";

let first: ReplicatedServer;
let second: ReplicatedServer;

beforeAll(async () => {
  first = await startPrimary();
  await query(first.url, "CREATE TABLE written (at text)");
  second = await startStandby(first);
});
afterAll(async () => {
  await first?.remove();
  await second?.remove();
});

const hostOf = ({ port }: Pick<ReplicatedServer, "port">) => `127.0.0.1:${port}`;
/** One URL that lists several servers, with the credentials of `first`. */
const urlOf = (...servers: readonly Pick<ReplicatedServer, "port">[]): string =>
  `${first.url.replace(hostOf(first), servers.map(hostOf).join(","))}?target_session_attrs=read-write`;
const connect = (url: string): Database => {
  const database = createDatabase({ url, poolSize: 3, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
  onTestFinished(database.close);
  return database;
};
const portOf = async (database: Pick<Database, "query">) =>
  (await database.query<{ port: number }>("SELECT current_setting('port')::int4 AS port"))[0]?.port;
const write = (database: Database, at: string) => database.query("INSERT INTO written VALUES ($1)", [at]);
const writtenTo = async ({ url }: ReplicatedServer) =>
  ((await query(url, "SELECT at FROM written ORDER BY at")) as { at: string }[]).map(({ at }) => at);

it("directs every kind of connection to the primary, regardless of the order of the servers in the URL", async () => {
  const url = urlOf({ port: await freePort() }, second, first);
  const database = connect(url);
  expect(await portOf(database)).toBe(first.port);
  expect((await database.knex.raw<{ rows: unknown[] }>("SELECT current_setting('port')::int4 AS port")).rows).toEqual([
    { port: first.port },
  ]);
  const session = await openSession({ url, applicationName: "ashlar-test" });
  expect(await portOf(session)).toBe(first.port);
  await session.close();
  // A standby does not support LISTEN.
  const notifications = createNotifications({ url: () => url, channel: "failover", applicationName: "ashlar-test" });
  onTestFinished(notifications.close);
  const received: (string | null)[] = [];
  notifications.subscribe((payload) => received.push(payload));
  await until("the connection to listen", () => notifications.state() === "connected");
  await database.query("SELECT pg_notify('failover', 'hello')");
  await until("the notification", () => received.includes("hello"));
});

it("cancels a statement on the server that runs it", async () => {
  const database = connect(urlOf(second, first));
  const request = new AbortController();
  const sleeping = () => query(first.url, "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND state = 'active'");
  const result = runForRequest({ signal: request.signal, keyId: 1, startStatement: () => () => undefined }, () =>
    database.query("SELECT pg_sleep(60)"),
  );
  result.catch(() => undefined);
  await until("the statement to run", async () => (await sleeping()).length === 1);
  request.abort();
  await until("the statement to be cancelled", async () => (await sleeping()).length === 0);
  await expect(result).rejects.toThrow();
});

it("reports that no server is the primary and which setting to check, without addresses", async () => {
  await expect(connect(urlOf(second, { port: await freePort() })).query("SELECT 1")).rejects.toThrow(
    "The database cannot be used: none of its servers is the primary (25006); check DATABASE_URL.",
  );
  // A single host, such as a load balancer, is also checked.
  await expect(connect(urlOf(second)).query("SELECT 1")).rejects.toMatchObject({ name: "DatabaseUnavailable", code: "25006" });
  await expect(connect(urlOf({ port: await freePort() }, { port: await freePort() })).query("SELECT 1")).rejects.toMatchObject({
    code: "ECONNREFUSED",
  });
});

it("does not wait for an unresponsive server once another one is found to be the primary", async () => {
  const proxy = await startTcpProxy(second.url);
  onTestFinished(proxy.close);
  proxy.isMuted = true;
  const start = performance.now();
  expect(await portOf(connect(urlOf(proxy, first)))).toBe(first.port);
  // The timeout for the unresponsive server is 3 s.
  expect(performance.now() - start).toBeLessThan(2_500);
});

it("follows a promotion, and never writes to the former primary after its restart", async () => {
  const database = connect(urlOf(first, second));
  await write(database, "before");
  await until("the standby to replay the row", async () => (await writtenTo(second)).length === 1);
  await first.kill();
  await expect(write(database, "meanwhile")).rejects.toMatchObject({ name: "DatabaseUnavailable" });
  await query(second.url, "SELECT pg_promote()");
  await until("a write to the new primary", () =>
    write(database, "after").then(
      () => true,
      () => false,
    ),
  );
  // The former primary does not know that it was replaced.
  await first.restart();
  expect(await query(first.url, "SELECT pg_is_in_recovery() AS standby")).toEqual([{ standby: false }]);
  for (const url of [urlOf(first, second), urlOf(second, first)]) {
    const other = connect(url);
    await write(other, "with both");
    expect(await portOf(other)).toBe(second.port);
  }
  // While its successor is down as well, nothing is written, because the former primary has old data.
  await second.kill();
  // The first errors are from connections that were open and from the last search's cached result.
  await until("no server to be the primary", async () => {
    const outcome = await write(database, "lost").catch((error: unknown) => error);
    expect(outcome).toMatchObject({ name: "DatabaseUnavailable" });
    return (outcome as DatabaseUnavailable).code === "25006";
  });
  await second.restart();
  await until("a write to the new primary again", () =>
    write(database, "again").then(
      () => true,
      () => false,
    ),
  );
  expect(await writtenTo(first)).toEqual(["before"]);
  expect(await writtenTo(second)).toEqual(["after", "again", "before", "with both", "with both"]);
});
