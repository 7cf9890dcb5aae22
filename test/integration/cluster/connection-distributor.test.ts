import { once } from "node:events";
import { connect, Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ConnectionDistributor, openConnectionDistributor } from "../../../runtime/cluster/connection-distributor.ts";
import { type ConnectionWorker, isLate, type SentConnection } from "../../../runtime/cluster/sent-connections.ts";
import { until } from "../../support/until.ts";

/** A worker that records the connections it is sent, and reports them as taken when the test calls `take`. */
function createRecordingWorker() {
  const sent: { readonly socket: Socket; readonly connection: SentConnection }[] = [];
  const worker: ConnectionWorker = { send: (socket, connection) => void sent.push({ socket, connection }) };
  const take = (): void => connections.report(worker, { taken: sent.map(({ connection }) => connection.id), declined: [], closedCount: 0 });
  return { worker, sent, take };
}

const clock = { milliseconds: 0 };
const errors: Error[] = [];
let connections: ConnectionDistributor;
let clients: Socket[];
beforeEach(async () => {
  [clock.milliseconds, clients] = [0, []];
  errors.length = 0;
  connections = await openConnectionDistributor(
    { port: 0, host: "127.0.0.1" },
    { onError: (error) => void errors.push(error), now: () => clock.milliseconds },
  );
});
afterEach(() => {
  connections.close();
  for (const client of clients) client.destroy();
});

/** Connects, without waiting for a worker. */
async function open(): Promise<Socket> {
  const client = connect(connections.address.port, "127.0.0.1");
  client.on("error", () => undefined);
  clients.push(client);
  await once(client, "connect");
  return client;
}
async function openFor(worker: ReturnType<typeof createRecordingWorker>): Promise<void> {
  const before = worker.sent.length;
  await open();
  await until("the connection to be sent", () => worker.sent.length === before + 1);
}

describe("connections for several workers", () => {
  it("go to the worker with the fewest connections, unless that worker has not taken a connection for a second", async () => {
    const [hung, other] = [createRecordingWorker(), createRecordingWorker()];
    connections.add(hung.worker);
    connections.add(other.worker);
    await openFor(hung);
    await openFor(other);
    other.take();
    clock.milliseconds = 1_001;
    for (let count = 0; count < 3; count += 1) {
      await openFor(other);
      other.take();
    }
    expect(hung.sent).toHaveLength(1);
    hung.take();
    await openFor(hung);
  });

  it("go to another worker if they are not taken within ten seconds", async () => {
    const [hung, other] = [createRecordingWorker(), createRecordingWorker()];
    connections.add(hung.worker);
    await openFor(hung);
    connections.add(other.worker);
    clock.milliseconds = 10_001;
    await until("the connection to be sent again", () => other.sent.length === 1);
    expect(other.sent[0]?.socket).toBe(hung.sent[0]?.socket);
    // The first worker's report is too late: the connection stays open for the second one.
    hung.take();
    expect(other.sent[0]?.socket.destroyed).toBe(false);
    // A worker declines a connection that it receives more than five seconds after it was sent.
    const connection = hung.sent[0]?.connection ?? { id: 0, sentAt: 0 };
    expect([isLate(connection, 5_000), isLate(connection, 5_001)]).toEqual([false, true]);
  });

  it("go to another worker when one declines them", async () => {
    const [late, other] = [createRecordingWorker(), createRecordingWorker()];
    connections.add(late.worker);
    await openFor(late);
    connections.add(other.worker);
    clock.milliseconds = 6_000;
    connections.report(late.worker, { taken: [], declined: late.sent.map(({ connection }) => connection.id), closedCount: 0 });
    expect(other.sent.map(({ socket }) => socket)).toEqual(late.sent.map(({ socket }) => socket));
  });

  it("are closed if their worker exits after the server stopped listening", async () => {
    const { worker, sent } = createRecordingWorker();
    connections.add(worker);
    const client = await open();
    await until("the connection to be sent", () => sent.length === 1);
    connections.close();
    connections.remove(worker);
    await until("the connection to be closed", () => client.destroyed || client.readableEnded || sent[0]?.socket.destroyed === true);
  });

  it("are accepted after a failed accept", async () => {
    // Such errors are rare (EMFILE, ENOBUFS): the test finds the listening server among the process's handles and emits one on it.
    const handles: unknown = Reflect.get(process, "_getActiveHandles").call(process);
    const servers = Array.isArray(handles) ? handles.filter((handle): handle is Server => handle instanceof Server) : [];
    const listener = servers.find((server) => {
      const address = server.address();
      return typeof address === "object" && address?.port === connections.address.port;
    });
    listener?.emit("error", new Error("accept EMFILE"));
    expect(errors.map(({ message }) => message)).toEqual(["accept EMFILE"]);
    const recording = createRecordingWorker();
    connections.add(recording.worker);
    await openFor(recording);
  });
});
