import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface MetricsListenerOptions {
  readonly host: string;
  readonly port: number;
  /** The token that a scrape must send; if undefined, no token is required. */
  readonly bearerToken: string | undefined;
  /** Renders the response to a scrape. */
  readonly render: () => Promise<string>;
}

/** A listener that serves /metrics and nothing else. */
export interface MetricsListener {
  readonly address: AddressInfo;
  close(): void;
}

const path = "/metrics";
const contentType = "text/plain; version=0.0.4; charset=utf-8";
/** Enough for several scrapers; limited, so that a client cannot use up the process's connections. */
const maxConnections = 32;
const requestMilliseconds = 10_000;

/** Starts listening. @throws {Error} like `server.listen` */
export async function openMetricsListener({ host, port, bearerToken, render }: MetricsListenerOptions): Promise<MetricsListener> {
  const isAllowed = bearerToken === undefined ? () => true : createTokenCheck(bearerToken);
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader("Content-Type", "text/plain; charset=utf-8");
    response.setHeader("X-Content-Type-Options", "nosniff");
    if (!isAllowed(request.headers.authorization)) {
      response.setHeader("WWW-Authenticate", 'Bearer realm="ashlar metrics"');
      return end(response, 401, "Missing or invalid bearer token.\n");
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", "GET, HEAD");
      return end(response, 405, "Only GET and HEAD are allowed.\n");
    }
    if (request.url?.split("?")[0] !== path) return end(response, 404, `Not found; the metrics are at ${path}.\n`);
    const text = await render();
    response.setHeader("Content-Type", contentType);
    end(response, 200, text);
  };
  const server = createServer(
    { headersTimeout: requestMilliseconds, requestTimeout: requestMilliseconds, connectionsCheckingInterval: 1_000 },
    (request, response) => {
      respond(request, response).catch(() => end(response, 500, "Collecting the metrics failed.\n"));
    },
  );
  server.maxConnections = maxConnections;
  const listening = once(server, "listening");
  server.listen(port, host);
  await listening;
  return {
    address: server.address() as AddressInfo,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function end(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.end(text);
}

/** Creates a check of the bearer token: compares hashes, which have the same length, in constant time. */
function createTokenCheck(token: string): (authorization: string | undefined) => boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  const expected = hash(token);
  return (authorization = "") => {
    const sent = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    return sent !== undefined && timingSafeEqual(hash(sent), expected);
  };
}
