import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createNotifications, type Notifications } from "../../../runtime/database/notifications.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";
import { until } from "../../support/until.ts";

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  return testDatabase.drop;
});

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

const applicationName = "ashlar-notifications-test";

/** Subscribes to notifications, and records the payloads of the listener's calls. */
function subscribe(url: string): { readonly notifications: Notifications; readonly calls: (string | null)[] } {
  const notifications = createNotifications({ url: () => url, channel: "ashlar_index", applicationName, recheckMilliseconds: 20 });
  opened.push(notifications);
  const calls: (string | null)[] = [];
  notifications.subscribe((payload) => calls.push(payload));
  return { notifications, calls };
}

/** A proxy that replaces the process ids that the server reports, as a pooler does. */
async function startPooler(): Promise<string> {
  const target = new URL(testDatabase.url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    client.pipe(upstream);
    upstream.on("data", (part) => {
      // The message BackendKeyData: its type, its length (12 bytes), the process id and the secret.
      const start = part.indexOf(Buffer.from("4b0000000c", "hex"));
      if (start >= 0) part.writeUInt32BE(1, start + 5);
      client.write(part);
    });
    upstream.on("end", () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push({
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  });
  return proxiedUrl((server.address() as AddressInfo).port);
}

function proxiedUrl(port: number): string {
  const url = new URL(testDatabase.url);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return url.href;
}

const untilConnected = ({ state }: Notifications) => until("the connection", () => state() === "connected");

describe("notifications", () => {
  it("name each changed index table once per transaction, after its commit", async () => {
    const { notifications, calls } = subscribe(testDatabase.url);
    await untilConnected(notifications);
    expect(calls).toEqual([null]);
    await testDatabase.database.transaction(async (client) => {
      await client.query("DELETE FROM blocks WHERE chain_id = 9");
      await client.query("DELETE FROM blocks WHERE chain_id = 9");
      await client.query("DELETE FROM projection_checkpoints WHERE chain_id = 9");
      await client.query("UPDATE chains SET seen_at = now() WHERE chain_id = 9");
    });
    await testDatabase.database.query("UPDATE chains SET missing = '{}' WHERE chain_id = 9");
    await until("three notifications", () => calls.length === 4);
    expect(calls).toEqual([null, "blocks", "projection_checkpoints", "chains"]);
  });

  it("are not sent for a transaction that is rolled back", async () => {
    const { notifications, calls } = subscribe(testDatabase.url);
    await untilConnected(notifications);
    const failed = testDatabase.database.transaction(async (client) => {
      await client.query("DELETE FROM blocks WHERE chain_id = 9");
      throw new Error("expected");
    });
    await expect(failed).rejects.toThrow("expected");
    await testDatabase.database.query("DELETE FROM bitcoin_blocks WHERE chain_id = 9");
    await until("a notification", () => calls.length === 2);
    expect(calls).toEqual([null, "bitcoin_blocks"]);
  });

  it("continue after the connection was lost", async () => {
    const { notifications, calls } = subscribe(testDatabase.url);
    await untilConnected(notifications);
    await testDatabase.database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [
      applicationName,
    ]);
    await until("the end of the connection", () => notifications.state() === "disconnected");
    await untilConnected(notifications);
    expect(calls).toEqual([null, null]);
    await testDatabase.database.query("DELETE FROM price_progress WHERE chain_id = 9");
    await until("a notification", () => calls.length === 3);
    expect(calls.at(-1)).toBe("price_progress");
  });

  it("are considered lost once the connection is silent for more than a second", async () => {
    const proxy = await startTcpProxy(testDatabase.url);
    opened.push(proxy);
    const { notifications } = subscribe(proxiedUrl(proxy.port));
    await untilConnected(notifications);
    proxy.isMuted = true;
    await until("the silence to be detected", () => notifications.state() === "disconnected");
    proxy.isMuted = false;
    proxy.disconnect();
    await untilConnected(notifications);
  });

  it("close promptly if the server does not respond, even while they connect", async () => {
    const proxy = await startTcpProxy(testDatabase.url);
    opened.push(proxy);
    const { notifications } = subscribe(proxiedUrl(proxy.port));
    await untilConnected(notifications);
    proxy.isMuted = true;
    await until("a heartbeat without a response", () => notifications.state() === "disconnected");
    const connecting = subscribe(proxiedUrl(proxy.port));
    await until("the second connection", () => proxy.connections === 2);
    const startedAt = performance.now();
    await Promise.all([notifications.close(), connecting.notifications.close()]);
    // Statement and connection timeouts are 10 s.
    expect(performance.now() - startedAt).toBeLessThan(scaleTimeLimit(3_000));
  });

  it("leave no listeners behind when they reconnect", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const { notifications, calls } = subscribe(testDatabase.url);
    // Node.js warns about an eleventh listener of an event.
    for (let count = 1; count <= 12; count += 1) {
      await until("the connection", () => calls.length === count && notifications.state() === "connected");
      await testDatabase.database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [
        applicationName,
      ]);
    }
    process.off("warning", onWarning);
    expect(warnings.map(({ message }) => message)).toEqual([]);
  });

  it("are unsupported behind a pooler, and disconnected when it stops", async () => {
    const url = await startPooler();
    const pooler = opened.at(-1);
    const { notifications, calls } = subscribe(url);
    await until("a state other than disconnected", () => notifications.state() !== "disconnected");
    expect(notifications.state()).toBe("unsupported");
    expect(calls).toEqual([null]);
    await pooler?.close();
    await until("the failed connection", () => notifications.state() === "disconnected");
  });
});
