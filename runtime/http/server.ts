import { createServer as createHttpServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { failureBody } from "./envelope.ts";
import { type FramingFault, framingFault } from "./message-framing.ts";

/** What a connection may take. */
export interface ServerLimits {
  /** Bytes of the request line and all headers. */
  readonly headerBytes: number;
  readonly headerMilliseconds: number;
  readonly requestMilliseconds: number;
  readonly keepAliveMilliseconds: number;
  /** How long a connection may carry nothing, also while an answer waits to be read. */
  readonly silentMilliseconds: number;
  /** How long a stop waits for the answers in flight. */
  readonly stopMilliseconds: number;
}

/** Bounds that no deployment was seen to need changed; the keep-alive outlives the 60 s of common proxies. */
export const serverLimits: ServerLimits = {
  headerBytes: 16 * 1024,
  headerMilliseconds: 10_000,
  requestMilliseconds: 30_000,
  keepAliveMilliseconds: 65_000,
  silentMilliseconds: 120_000,
  stopMilliseconds: 10_000,
};

export interface HttpServer {
  readonly server: Server;
  /** @throws where the port is taken or may not be used. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Accepts nothing new, lets the requests in flight finish within their bound, closes idle connections. */
  stop(): Promise<void>;
}

/** What node:http refuses before there is a request to answer. */
function refuseConnection(error: Error & { readonly code?: string }, socket: Socket, headerBytes: number): void {
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

/** Answers a request of which nobody knows where it ends; node:http closes the connection behind such an answer. */
function refuseFraming(response: ServerResponse, { status, message }: FramingFault): void {
  const body = failureBody(status, message);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "X-Content-Type-Options": "nosniff",
    Connection: "close",
  });
  response.end(body);
}

/** An HTTP server whose every connection is bounded. */
export function createServer(app: RequestListener, limits: ServerLimits = serverLimits): HttpServer {
  /** Connections that end with the answer on its way: what else came on them is not looked at. */
  const refused = new WeakSet<Socket>();
  const listener: RequestListener = (request, response) => {
    if (refused.has(request.socket)) return;
    const fault = framingFault(request);
    if (fault === null) return void app(request, response);
    refused.add(request.socket);
    refuseFraming(response, fault);
  };
  const server = createHttpServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headerMilliseconds,
      requestTimeout: limits.requestMilliseconds,
      keepAliveTimeout: limits.keepAliveMilliseconds,
      connectionsCheckingInterval: 1000,
      // A missing Host is refused by the app, in its envelope.
      requireHostHeader: false,
    },
    listener,
  );
  server.setTimeout(limits.silentMilliseconds);
  server.on("clientError", (error, socket) => {
    if (!refused.has(socket as Socket)) refuseConnection(error, socket as Socket, limits.headerBytes);
  });
  let stopping: Promise<void> | undefined;

  const close = (): Promise<void> =>
    new Promise((resolve, reject) => {
      // A connection turns idle when its answer ends: keep-alive would hold it open until its time is over.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const bound = setTimeout(() => server.closeAllConnections(), limits.stopMilliseconds);
      server.close((error) => {
        clearInterval(sweep);
        clearTimeout(bound);
        if (error === undefined || ("code" in error && error.code === "ERR_SERVER_NOT_RUNNING")) resolve();
        else reject(error);
      });
      server.closeIdleConnections();
    });

  return {
    server,
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => {
          server.off("error", reject);
          resolve(server.address() as AddressInfo);
        });
      }),
    stop() {
      stopping ??= close();
      return stopping;
    },
  };
}
