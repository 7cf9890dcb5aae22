import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import { sql } from "../../../runtime/database/sql.ts";
import { type SupervisedEmbedded, superviseEmbedded } from "../../../runtime/database/supervise-embedded.ts";
import { holdElsewhere, postmasterOf, privateFolder, start } from "../../support/database/embedded-fixture.ts";
import { until } from "../../support/until.ts";

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function startSupervised(dataDirectory: string): Promise<SupervisedEmbedded & { readonly database: Database }> {
  const supervised = await superviseEmbedded({
    dataDirectory,
    settings: { fsync: "off" },
    logger: silent,
    onLost: (error) => expect.fail(error.message),
  });
  const database = createDatabase({
    url: supervised.url,
    description: supervised.description,
    poolSize: 2,
    statementTimeoutMilliseconds: 0,
    applicationName: "ashlar-test",
  });
  onTestFinished(async () => {
    await database.close();
    await supervised.stop();
  });
  return { ...supervised, database };
}

const isUp = (database: Database): Promise<boolean> =>
  database.query("SELECT 1").then(
    () => true,
    () => false,
  );
const portOf = (url: string): number => Number(new URL(url).port);

describe("a supervised embedded server", () => {
  it("restarts on the same port, despite the killed server's lock file", async () => {
    const folder = privateFolder();
    const { database, url } = await startSupervised(folder);
    await database.query("CREATE TABLE kept AS SELECT 42 AS n");
    // A named prepared statement: new connections prepare it again.
    const selectKept = sql`SELECT n FROM kept`;
    await database.query(selectKept);
    const port = portOf(url());
    process.kill(postmasterOf(folder), "SIGKILL");
    await until("the server to stop", async () => !(await isUp(database)));
    await until("the server to start", () => isUp(database));
    expect(portOf(url())).toBe(port);
    expect(await database.query(selectKept)).toEqual([{ n: 42 }]);
    // Migrations use a separate connection.
    expect((await database.knex.raw("SELECT 1 AS up")).rows).toEqual([{ up: 1 }]);
  });

  it("restarts on a different port if its port is in use, and its clients reconnect to that port", async () => {
    const folder = privateFolder();
    const { database, url } = await startSupervised(folder);
    await database.knex.raw("SELECT 1");
    const port = portOf(url());
    process.kill(postmasterOf(folder), "SIGKILL");
    const other = createServer((socket) => socket.destroy());
    // The port is free once the killed server's last child process has exited.
    await until("the port to be free", () => {
      other.listen(port, "127.0.0.1");
      return once(other, "listening").then(
        () => true,
        () => false,
      );
    });
    onTestFinished(() => void other.close());
    await until("the server to start", () => isUp(database));
    expect(portOf(url())).not.toBe(port);
    expect((await database.knex.raw("SELECT 1 AS up")).rows).toEqual([{ up: 1 }]);
  });

  it("kills the killed server's busy child process, because it holds the shared memory", async () => {
    const folder = privateFolder();
    const { database } = await startSupervised(folder);
    const busy = database.query("DO $$ BEGIN LOOP END LOOP; END $$").catch((error: Error) => error.message);
    await until(
      "the query to be active",
      async () => (await database.query("SELECT FROM pg_stat_activity WHERE query LIKE 'DO %' AND state = 'active'")).length === 1,
    );
    process.kill(postmasterOf(folder), "SIGKILL");
    await until("the server to start", () => isUp(database));
    expect(await busy).toMatch(/cannot be used/);
  });

  it("is restarted by a process that joined it, after its owner stops it", async () => {
    const folder = privateFolder();
    const owner = await start(folder);
    const { database } = await startSupervised(folder);
    await owner.stop();
    await until("the server to start", () => isUp(database));
  });

  it("is restarted after both its owner and the server are killed", async () => {
    const folder = privateFolder();
    const owner = await holdElsewhere(folder);
    const { database } = await startSupervised(folder);
    const postmaster = postmasterOf(folder);
    await owner.kill();
    process.kill(postmaster, "SIGKILL");
    await until("the server to stop", async () => !(await isUp(database)));
    await until("the server to start", () => isUp(database));
    expect(postmasterOf(folder)).not.toBe(postmaster);
  });

  it("reports a restart in progress with its data and log paths", async () => {
    const folder = privateFolder();
    const { database } = await startSupervised(folder);
    process.kill(postmasterOf(folder), "SIGKILL");
    const messages: string[] = [];
    await until("the server to start", () =>
      database.query("SELECT 1").then(
        () => messages.length > 0,
        (error: Error) => {
          messages.push(error.message);
          return false;
        },
      ),
    );
    for (const message of messages) {
      expect(message).toMatch(/^The embedded PostgreSQL cannot be used: /);
      expect(message).toContain(`; data directory ${folder}, log file ${folder}/postgres.log.`);
    }
    expect(messages.join("\n")).toContain("it exited and is being restarted (attempt 1 of 6)");
  });
});
