import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { renderJson } from "./json.ts";

const maxConnections = 64;
const maxBodyBytes = 1_000_000;
const requestMilliseconds = 10_000;

/** A Bitcoin Core error, with the codes from its src/rpc/protocol.h. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the result of a method. @throws {RpcError} if the method fails. */
export type RpcHandler = (method: string, params: readonly unknown[]) => unknown;

export interface RpcServerOptions {
  readonly handler: RpcHandler;
  /** Whether JSON-RPC 2.0 requests receive JSON-RPC 2.0 responses, as in Bitcoin Core 28 and later. */
  readonly supportsJsonRpc2: boolean;
  /** The user and password that requests must contain, as `user:password`; none are required by default. */
  readonly credentials?: string;
}

/** A JSON-RPC server over HTTP. */
export interface RpcServer {
  readonly port: number;
  stop(): Promise<void>;
}

interface Call {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** Starts a server that responds like Bitcoin Core, to single calls and to batches, on a free port of the loopback interface. */
export async function startRpcServer({ handler, supportsJsonRpc2, credentials }: RpcServerOptions): Promise<RpcServer> {
  const failureOf = (error: unknown): { code: number; message: string } =>
    error instanceof RpcError
      ? { code: error.code, message: error.message }
      : { code: -32603, message: `Internal error: ${String(error)}` };

  const respondToCall = (call: Call) => {
    const { jsonrpc, id = null, method, params = [] } = call;
    const isJsonRpc2 = jsonrpc === "2.0" && supportsJsonRpc2;
    try {
      if (typeof method !== "string" || !Array.isArray(params)) throw new RpcError(-32600, "Invalid Request object");
      const result = handler(method, params);
      return { isHttpError: false, body: isJsonRpc2 ? { jsonrpc, result, id } : { result, error: null, id } };
    } catch (error) {
      const failure = failureOf(error);
      return { isHttpError: !isJsonRpc2, body: isJsonRpc2 ? { jsonrpc, error: failure, id } : { result: null, error: failure, id } };
    }
  };

  const authorization = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end();
    if (authorization !== undefined && request.headers.authorization !== authorization) return void response.writeHead(401).end();
    const text = await bodyOf(request);
    if (text === null) return void response.writeHead(413, { connection: "close" }).end();
    const body = parseOrNull(text);
    const callResponses = (Array.isArray(body) ? body : [body]).map((call: unknown) => respondToCall(isCall(call) ? call : {}));
    response.writeHead(!Array.isArray(body) && callResponses[0]?.isHttpError === true ? 500 : 200, { "content-type": "application/json" });
    response.end(renderJson(Array.isArray(body) ? callResponses.map(({ body: result }) => result) : callResponses[0]?.body));
  };

  const server = createServer({ requestTimeout: requestMilliseconds, headersTimeout: requestMilliseconds }, (request, response) => {
    // Reading fails if the client has disconnected.
    serve(request, response).catch(() => response.destroy());
  });
  server.maxConnections = maxConnections;
  server.listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const isCall = (value: unknown): value is Call => typeof value === "object" && value !== null;

const parseOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** The body of a request; null if it is too large. */
const bodyOf = async (request: IncomingMessage): Promise<string | null> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = chunk as Buffer;
    bytes += part.length;
    if (bytes > maxBodyBytes) return null;
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString();
};
