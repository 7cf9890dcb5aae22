import { createServer as createHttpServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { failureBody } from "./envelope.ts";
import { type FramingError, framingErrorOf } from "./message-framing.ts";
import { createSlowReaders, type ReadLimits } from "./slow-readers.ts";

/** Connection limits. */
export interface ServerLimits extends ReadLimits {
  /** Bytes of the request line and all headers. */
  readonly headerBytes: number;
  readonly headerMilliseconds: number;
  readonly requestMilliseconds: number;
  readonly keepAliveMilliseconds: number;
  /** How long a connection may be idle, including while the client has not read a response. */
  readonly idleMilliseconds: number;
  /** How long shutdown waits for requests in flight. */
  readonly stopMilliseconds: number;
}

/** Fixed limits; the keep-alive exceeds the 60 s of common proxies. */
export const serverLimits: ServerLimits = {
  headerBytes: 16 * 1024,
  headerMilliseconds: 10_000,
  requestMilliseconds: 30_000,
  keepAliveMilliseconds: 65_000,
  idleMilliseconds: 120_000,
  readBytesPerSecond: 16 * 1024,
  readWindowMilliseconds: 20_000,
  stopMilliseconds: 10_000,
};

const readCheckMilliseconds = 1_000;

/** An address, or a descriptor for a socket that already listens. */
type ListenAddress = { readonly port: number; readonly host: string } | { readonly fd: number };

export interface HttpServer {
  readonly server: Server;
  /** @throws {Error} if the port is in use or not permitted. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Listens on an address or an inherited socket. @throws {Error} like `listen` */
  listenOn(where: ListenAddress): Promise<AddressInfo>;
  /** Serves a connection that another process has accepted, instead of listening. */
  accept(connection: Socket): void;
  /** Stops accepting connections, closes idle ones and waits for requests in flight, up to a limit. */
  stop(): Promise<void>;
}

/** Responds to an error that node:http reports before there is a request. */
function rejectConnection(error: Error & { readonly code?: string }, socket: Socket, headerBytes: number): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, reason, message] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? [
          431,
          "Request Header Fields Too Large",
          `Request headers too large: the maximum is ${headerBytes} bytes, including the request line.`,
        ]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "Request Timeout", "Request timeout: the request was not received in time."]
        : [400, "Bad Request", "Malformed HTTP/1.1 request."];
  const body = failureBody(Number(status), String(message));
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Rejects a request with ambiguous framing and closes its connection. */
function rejectFraming(response: ServerResponse, { status, message }: FramingError): void {
  const body = failureBody(status, message);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "X-Content-Type-Options": "nosniff",
    Connection: "close",
  });
  response.end(body);
}

/** Creates an HTTP server with limits on every connection. */
export function createServer(app: RequestListener, limits: ServerLimits = serverLimits): HttpServer {
  /** Connections that are closed after a rejected request: later requests on them are ignored. */
  const rejected = new WeakSet<Socket>();
  const listener: RequestListener = (request, response) => {
    if (rejected.has(request.socket)) return;
    const framingError = framingErrorOf(request);
    if (framingError === null) return void app(request, response);
    rejected.add(request.socket);
    rejectFraming(response, framingError);
  };
  const server = createHttpServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headerMilliseconds,
      requestTimeout: limits.requestMilliseconds,
      keepAliveTimeout: limits.keepAliveMilliseconds,
      connectionsCheckingInterval: 1000,
      // The application rejects a missing Host itself, with an envelope.
      requireHostHeader: false,
    },
    listener,
  );
  server.setTimeout(limits.idleMilliseconds);
  server.on("clientError", (error, socket) => {
    if (!rejected.has(socket as Socket)) rejectConnection(error, socket as Socket, limits.headerBytes);
  });
  const slowReaders = createSlowReaders(limits);
  server.on("request", (_request, response) => slowReaders.watch(response));
  const readCheck = setInterval(slowReaders.check, readCheckMilliseconds);
  readCheck.unref();
  let stopping: Promise<void> | undefined;
  const accepted = createAccepted(server);

  const close = async (): Promise<void> => {
    // A connection becomes idle when its response ends, and keep-alive would keep it open.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const deadline = setTimeout(() => server.closeAllConnections(), limits.stopMilliseconds);
    try {
      await Promise.all([closeServer(server), accepted.drained()]);
    } finally {
      clearInterval(sweep);
      clearInterval(readCheck);
      clearTimeout(deadline);
    }
  };
  const listenOn = (where: ListenAddress): Promise<AddressInfo> =>
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(where, () => {
        server.off("error", reject);
        resolve(server.address() as AddressInfo);
      });
    });

  return {
    server,
    listen: (port, host) => listenOn({ port, host }),
    listenOn,
    accept: accepted.add,
    stop() {
      stopping ??= close();
      return stopping;
    },
  };
}

/** Stops listening and closes idle connections; resolves when the connections that the server itself has accepted are closed. */
const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => {
      if (error === undefined || ("code" in error && error.code === "ERR_SERVER_NOT_RUNNING")) resolve();
      else reject(error);
    });
    server.closeIdleConnections();
  });

/** The connections that another process has accepted for a server: node:http does not count them. */
function createAccepted(server: Server) {
  const open = new Set<Socket>();
  let onDrained: () => void = () => undefined;
  let isTracking = false;
  return {
    add(connection: Socket): void {
      // node:http enforces its timeouts, and finds idle connections, from this event on.
      if (!isTracking) server.emit("listening");
      isTracking = true;
      open.add(connection);
      connection.once("close", () => {
        open.delete(connection);
        if (open.size === 0) onDrained();
      });
      connection.allowHalfOpen = true;
      server.emit("connection", connection);
    },
    drained: (): Promise<void> =>
      new Promise((resolve) => {
        onDrained = resolve;
        if (open.size === 0) resolve();
      }),
  };
}
