import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGatewayHandler } from "./gateway-responses.ts";

const maxConnections = 64;
const maxHeaderBytes = 8_192;
const requestMilliseconds = 10_000;

/** The IPFS gateway that serves the documents of the demo's collections. */
export interface IpfsGateway {
  /** The gateway's base URL. */
  readonly origin: string;
  /** The number of connections to the local address to which the gateway redirects; a client must not follow such redirects. */
  forbiddenConnectionCount(): number;
  stop(): Promise<void>;
}

const listen = async (listener: RequestListener): Promise<{ server: Server; origin: string }> => {
  const server = createServer(
    { maxHeaderSize: maxHeaderBytes, requestTimeout: requestMilliseconds, headersTimeout: requestMilliseconds },
    listener,
  );
  server.maxConnections = maxConnections;
  server.listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const close = async (server: Server): Promise<void> => {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
};

/** Starts the gateway on a free port of the loopback interface. It serves only the story's documents and limits connections, headers and times. */
export const startIpfsGateway = async (): Promise<IpfsGateway> => {
  let connectionCount = 0;
  const trap = await listen((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"name":"Private"}');
  });
  // Connections are counted even without a request.
  trap.server.on("connection", () => {
    connectionCount += 1;
  });
  const responseFor = createGatewayHandler(trap.origin);
  const gateway = await listen((request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
      return;
    }
    const path = (request.url ?? "").split("?")[0] ?? "";
    const send = async (): Promise<void> => {
      const { status, headers, body } = await responseFor(path);
      response.writeHead(status, headers);
      if (request.method === "HEAD") response.end();
      else if (typeof body === "string" || body instanceof Uint8Array) response.end(body);
      else await pipeline(Readable.from(body), response);
    };
    // Sending fails if the client has disconnected.
    send().catch(() => response.destroy());
  });
  return {
    origin: gateway.origin,
    forbiddenConnectionCount: () => connectionCount,
    stop: async () => {
      await Promise.all([close(gateway.server), close(trap.server)]);
    },
  };
};
