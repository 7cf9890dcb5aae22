import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import express, { type Request } from "express";

/** Where a request comes from, and the server that it addresses. */
export interface ConnectionInfo {
  /** The client's address; undefined if the connection is closed. */
  readonly ip?: string | undefined;
  readonly host?: string | undefined;
  readonly protocol: string;
}

/** Creates a function that reads the connection of a request. Forwarded headers are used only if a trusted proxy sends them; Express reads them. */
export function createConnectionInfoReader(trustedProxies: readonly string[]): (request: IncomingMessage) => ConnectionInfo {
  if (trustedProxies.length === 0)
    return ({ socket, headers }) => ({
      ip: socket.remoteAddress,
      host: headers.host,
      protocol: socket instanceof TLSSocket ? "https" : "http",
    });
  const app = express();
  app.set("trust proxy", [...trustedProxies]);
  return ({ socket, headers }) => {
    const request: Request = Object.create(app.request);
    request.socket = socket;
    request.headers = headers;
    return request;
  };
}
