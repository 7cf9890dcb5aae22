import { readFileSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";

const pem = (name: string): string => readFileSync(new URL(`./certificate/test-only-${name}.pem`, import.meta.url), "utf8");

/** The certificate of documents.example and of the names below it, which tests hand over as trusted. */
export const testCertificate = pem("certificate");

/** Something on this machine that counts who comes. */
export interface Listener {
  readonly port: number;
  /** Connections made so far. */
  connections: number;
  close(): Promise<void>;
}

/** A stranger's server. */
export interface TestHttpsServer extends Listener {
  readonly requests: IncomingMessage[];
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An https: server of documents.example on the loopback. */
export const startHttpsServer = (answer: Answer, port = 0, host = "127.0.0.1"): Promise<TestHttpsServer> => {
  const requests: IncomingMessage[] = [];
  const note: RequestListener = (request, response) => {
    requests.push(request);
    // What a hostile server writes may break off at any time.
    response.on("error", () => undefined);
    answer(request, response);
  };
  const server = createHttpsServer({ key: pem("key"), cert: testCertificate }, note);
  server.on("tlsClientError", () => undefined);
  return started(server, port, host).then((listener) => Object.assign(listener, { requests }));
};

/** Takes connections, counts them, and never says a word. */
export const startSilentServer = (port = 0, host = "127.0.0.1"): Promise<Listener> => started(createServer(), port, host);

const started = async (server: ReturnType<typeof createServer>, port: number, host: string): Promise<Listener> => {
  const sockets = new Set<Socket>();
  const listener: Listener = {
    port: 0,
    connections: 0,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  server.on("connection", (socket: Socket) => {
    listener.connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return Object.assign(listener, { port: (server.address() as AddressInfo).port });
};
