import type { AddressInfo, Socket } from "node:net";
import process from "node:process";
import { type App, type AppOptions, createApp } from "../app.ts";
import type { Listen } from "../cluster/connections.ts";
import { inheritedSocket } from "../cluster/inherited-socket.ts";
import type { Config } from "../config/config.ts";
import { createServer, type HttpServer, type ServerLimits } from "../http/server.ts";
import { CommandError } from "./command-error.ts";

/** A running server. */
export interface Serving {
  /** The server's URL on this machine. */
  readonly url: string;
  /** Whether /readyz reports that it is ready. */
  isReady(): Promise<boolean>;
  /** The number of requests in flight. */
  requests(): Promise<number>;
  /** Waits for the requests in flight and stores the pending usage of keys. */
  stop(): Promise<void>;
}

/** A server of connections that something else accepts. */
export interface AcceptedServing extends Omit<Serving, "url"> {
  accept(connection: Socket): void;
}

type ListeningServing = AcceptedServing & Pick<HttpServer, "listenOn"> & Pick<App, "close">;

/** Starts the HTTP server. @throws {CommandError} if it cannot listen on its address. */
export async function startServing(options: AppOptions, limits?: ServerLimits): Promise<Serving> {
  const { close, listenOn, ...serving } = createServing(options, limits);
  const address = await listenOn(listenOf(options.config)).catch(async (error: NodeJS.ErrnoException) => {
    await close();
    throw new CommandError(listenProblem(error, options.config));
  });
  return { ...serving, url: urlOf(address) };
}

/** Creates a server that does not listen. */
export function createServing(options: AppOptions, limits?: ServerLimits): ListeningServing {
  const http = createApp(options);
  const server = createServer(http.app, limits);
  let requests = 0;
  server.server.on("request", (_request, response) => {
    requests += 1;
    response.once("close", () => {
      requests -= 1;
    });
  });
  return {
    accept: server.accept,
    listenOn: server.listenOn,
    isReady: async () => (await http.readiness()).reasons.length === 0,
    requests: async () => requests,
    async stop() {
      http.announceStop();
      await server.stop();
      await http.close();
    },
    close: http.close,
  };
}

/** Where a server listens: on a socket of systemd, otherwise on its configured address. */
export const listenOf = ({ port, host }: Config): Listen => inheritedSocket(process.env, process.pid) ?? { port, host };

/** The message for a server that cannot listen. */
export function listenProblem(error: NodeJS.ErrnoException, { host, port }: Config): string {
  if (error.code === "EADDRINUSE")
    return `Port ${port} of ${host} is in use; choose a different one with PORT=… or stop the process that uses it.`;
  if (error.code === "EACCES") return `Port ${port} of ${host} requires privileges; choose one above 1023 with PORT=….`;
  return `Cannot listen on ${host}:${port} (${error.code ?? "unknown reason"}); choose a different address with HOST=… and PORT=….`;
}

/** For a server that listens on all addresses, the loopback address to use in its URL: not every system can connect to 0.0.0.0. */
const localAddresses: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/** The URL of a listening server on this machine. */
export const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${localAddresses[address] ?? (family === "IPv6" ? `[${address}]` : address)}:${port}`;
