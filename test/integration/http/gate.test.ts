import { connect } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServer, type HttpServer, serverLimits } from "../../../runtime/http/server.ts";
import { until } from "../../support/until.ts";
import { type Harness, startHarness } from "./harness.ts";

const path = "/v1/demo/block_v2/1/";

describe("the gate", () => {
  let harness: Harness;
  let http: HttpServer;
  let port: number;
  let running: (() => void)[] = [];
  let started = 0;
  beforeAll(async () => {
    harness = await startHarness(
      {
        getBlock: () => {
          started += 1;
          return new Promise<object>((resolve) => running.push(() => resolve({ height: 1 })));
        },
        getAllChains: async () => ({ items: [] }),
      },
      { capacities: [1], limits: { concurrentRequests: 3 } },
    );
    harness.content = { id: "1", changedAt: new Date(0) };
    http = createServer(harness.listener, serverLimits);
    ({ port } = await http.listen(0, "127.0.0.1"));
  });
  afterAll(async () => {
    await http.stop();
    await harness.end();
  });
  const endAll = (): void => {
    for (const end of running) end();
    running = [];
  };

  it("does not count a request whose client disconnects while its key is looked up", async () => {
    const { key } = await harness.keys.create({ label: "gone" });
    await harness.testDatabase.database.transaction(async (client) => {
      // The lock blocks the lookup.
      await client.query("LOCK TABLE api_keys");
      const sockets = Array.from({ length: 5 }, () => {
        const socket = connect(port, "127.0.0.1");
        socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
        return socket;
      });
      await until("the lookup to wait for the lock", async () => {
        const [row] = await harness.testDatabase.database.query<{ waits: boolean }>(
          "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'api_keys'::regclass) AS waits",
        );
        return row?.waits === true;
      });
      for (const socket of sockets) socket.destroy();
      await until("the server to notice", async () => (await promisify(http.server.getConnections.bind(http.server))()) === 0);
    });
    const chains = () => harness.withoutKey().get("/v1/chains/").set("Authorization", `Bearer ${key}`);
    // The limit is 3: this request leaves 2.
    await until("the requests to end", async () => ((await chains()).headers.ratelimit ?? "").startsWith('"concurrentRequests";r=2'));
    expect(started).toBe(0);
  });

  it("serves cached responses while other requests wait for admission", async () => {
    // The test client uses a new port for each request; without a fixed host, responses would contain it in their URLs.
    const chains = () => harness.get("/v1/chains/").set("Host", "test.example");
    expect((await chains()).headers["x-cache"]).toBe("MISS");
    const { key } = await harness.keys.create({ label: "busy" });
    const busy = [1, 2].map((height) =>
      harness
        .withoutKey()
        .get(`/v1/demo/block_v2/${height}/`)
        .set("Authorization", `Bearer ${key}`)
        .then(({ status }) => status),
    );
    await until("one request to run", () => running.length === 1);
    const cached = await chains();
    expect([cached.status, cached.headers["x-cache"], running.length]).toEqual([200, "HIT", 1]);
    endAll();
    await until("the other request to run", () => running.length === 1);
    endAll();
    expect(await Promise.all(busy)).toEqual([200, 200]);
  });
});
