import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createTestIndexer, isAtHead, runInBackground } from "../../support/indexer/support.ts";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy.ts";
import { until } from "../../support/until.ts";

let chain: TestChain;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  return chain.stop;
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const connect = (url: string): Database => {
  const database = createDatabase({ url, poolSize: 4, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
  cleanUps.push(database.close);
  return database;
};
const proxyTo = async (url: string): Promise<{ readonly proxy: TcpProxy; readonly url: string }> => {
  const proxy = await startTcpProxy(url);
  cleanUps.push(proxy.close);
  const proxied = new URL(url);
  proxied.port = String(proxy.port);
  proxied.hostname = "127.0.0.1";
  return { proxy, url: proxied.href };
};
const start = async (nodeUrl: string, database: Database) => {
  const running = await createTestIndexer(nodeUrl, database, { silenceMilliseconds: 2_000 });
  cleanUps.push(runInBackground(running));
  return running;
};
const newDatabase = async (): Promise<TestDatabase> => {
  const testDatabase = await createTestDatabase();
  cleanUps.push(testDatabase.drop);
  return testDatabase;
};

describe("a leader whose connection no longer carries data", () => {
  it("lets another process take over within 15 s if the database is silent, and waits once the connection works", async () => {
    const testDatabase = await newDatabase();
    const { proxy, url } = await proxyTo(testDatabase.url);
    const first = await start(chain.url, connect(url));
    await until("the first indexer to lead", () => first.indexer.status().isFollowing);
    const second = await start(chain.url, connect(testDatabase.url));
    await until("the second indexer to wait", () => second.notes.length > 0);
    proxy.isMuted = true;
    // The write of a batch also waits for the server.
    await chain.mine();
    await until("the second indexer to index", () => isAtHead(testDatabase.database, chain));
    await until("the first indexer to give up", () => !first.indexer.status().isLeading);
    expect(second.indexer.status().isLeading).toBe(true);
    proxy.isMuted = false;
    proxy.disconnect();
    await until("the first indexer to wait", () => first.notes.some((note) => note.startsWith("Another process")));
  });

  it("indexes again within 15 s if the database is silent and there is no other process", async () => {
    const testDatabase = await newDatabase();
    const { proxy, url } = await proxyTo(testDatabase.url);
    const only = await start(chain.url, connect(url));
    await until("the indexer to lead", () => only.indexer.status().isFollowing);
    proxy.isMuted = true;
    await chain.mine();
    await until("the indexer to give up", () => !only.indexer.status().isLeading);
    // A connection attempt whose first bytes were lost still lasts until its 10 s timeout.
    proxy.isMuted = false;
    await until("the indexer to index", () => isAtHead(testDatabase.database, chain));
  });

  it("lets another process take over if the node is silent", async () => {
    const testDatabase = await newDatabase();
    const { proxy, url } = await proxyTo(chain.url);
    const first = await start(url, connect(testDatabase.url));
    await until("the first indexer to lead", () => first.indexer.status().isFollowing);
    const second = await start(chain.url, connect(testDatabase.url));
    await until("the second indexer to wait", () => second.notes.length > 0);
    proxy.isMuted = true;
    await chain.mine();
    await until("the second indexer to index", () => isAtHead(testDatabase.database, chain));
    expect([first.indexer.status().isLeading, second.indexer.status().isLeading]).toEqual([false, true]);
    expect(first.warnings).toContainEqual(
      expect.stringMatching(/^The node of test has not responded for \d+ s: another process may take over\.$/),
    );
    proxy.isMuted = false;
    proxy.disconnect();
  });
});
