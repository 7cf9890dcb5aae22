import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createCommandRunner } from "../../support/commands/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/until.ts";

let folder: string;
let testDatabase: TestDatabase;
/** The connections to a node that never responds. */
const connections = new Set<Socket>();
const node = createServer((socket) => {
  connections.add(socket);
  socket
    .on("error", () => undefined)
    .on("close", () => connections.delete(socket))
    .resume();
});
const { run } = createCommandRunner(() => ({ folder, url: testDatabase.url }));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashlar-silent-node-"));
  testDatabase = await createTestDatabase();
  node.listen(0, "127.0.0.1");
  await once(node, "listening");
  const migrating = run(["migrate"]);
  expect(await migrating.exited, migrating.output()).toBe(0);
  return async () => {
    for (const socket of connections) socket.destroy();
    node.close();
    await testDatabase.drop();
    await rm(folder, { recursive: true });
  };
});

test.each([
  ["start", "fetches the chain id", ""],
  ["serve", "fetches the chain id", ""],
  ["index", "fetches the chain id", ""],
  ["start", "checks its chain", "id: 5, "],
  ["index", "probes the node", "id: 5, "],
])("ashlar %s stops on SIGTERM while it %s and the node does not respond", async (command, _, id) => {
  const { port } = node.address() as AddressInfo;
  await writeFile(join(folder, "ashlar.yaml"), `chains: [{ name: test, ${id}rpc: "http://127.0.0.1:${port}" }]\n`);
  const running = run([command]);
  await until("a request to the node", async () => connections.size > 0 || running.child.exitCode !== null);
  running.child.kill("SIGTERM");
  expect(await running.exited, running.output()).toBe(0);
  // The timeouts of these requests are 5 to 30 s.
  expect(Number(/Stopped after ([\d.]+) s\./.exec(running.output())?.[1]), running.output()).toBeLessThan(4);
  await until("the connections to close", async () => connections.size === 0);
});
