import { readFileSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";

const pem = (name: string): string => readFileSync(new URL(`./certificate/test-only-${name}.pem`, import.meta.url), "utf8");

/** The certificate for documents.example and its subdomains, which tests pass as a trusted certificate. */
export const testCertificate = pem("certificate");

/** A listener on the loopback interface that counts connections. */
export interface Listener {
  readonly port: number;
  /** The number of connections so far. */
  connections: number;
  close(): Promise<void>;
}

/** An HTTPS server that records requests. */
export interface TestHttpsServer extends Listener {
  readonly requests: IncomingMessage[];
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts an HTTPS server for documents.example on the loopback interface. */
export const startHttpsServer = (handle: Handler, port = 0, host = "127.0.0.1"): Promise<TestHttpsServer> => {
  const requests: IncomingMessage[] = [];
  const record: RequestListener = (request, response) => {
    requests.push(request);
    // Clients may close the connection at any time.
    response.on("error", () => undefined);
    handle(request, response);
  };
  const server = createHttpsServer({ key: pem("key"), cert: testCertificate }, record);
  server.on("tlsClientError", () => undefined);
  return startListening(server, port, host).then((listener) => Object.assign(listener, { requests }));
};

/** Starts a server that accepts connections and never responds. */
export const startSilentServer = (port = 0, host = "127.0.0.1"): Promise<Listener> => startListening(createServer(), port, host);

const startListening = async (server: ReturnType<typeof createServer>, port: number, host: string): Promise<Listener> => {
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
