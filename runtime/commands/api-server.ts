import type { Socket } from "node:net";
import { type App, type AppOptions, createApp } from "../app.ts";
import { createServer, type HttpServer, type ServerLimits } from "../http/server.ts";
import { limitHeapGrowth } from "../lib/heap-growth.ts";
import { CommandError } from "./command-error.ts";
import { listenOf, listenProblem, urlOf } from "./listening.ts";

/** A running server. */
export interface ApiServer {
  /** The server's URL on this machine. */
  readonly url: string;
  /** Whether /readyz reports that it is ready. */
  isReady(): Promise<boolean>;
  /** The number of requests in flight. */
  countRequestsInFlight(): Promise<number>;
  /** Waits for the requests in flight and stores the keys' pending usage. */
  stop(): Promise<void>;
}

/** A server for connections that are accepted elsewhere. */
export interface WorkerApiServer extends Omit<ApiServer, "url"> {
  accept(connection: Socket): void;
}

type ListeningApiServer = WorkerApiServer & Pick<HttpServer, "listenOn"> & Pick<App, "close">;

/** Starts the HTTP server. @throws {CommandError} if it cannot listen on its address. */
export async function startApiServer(options: AppOptions, limits?: ServerLimits): Promise<ApiServer> {
  const { close, listenOn, ...serving } = createApiServer(options, limits);
  const address = await listenOn(listenOf(options.config)).catch(async (error: NodeJS.ErrnoException) => {
    await close();
    throw new CommandError(listenProblem(error, options.config));
  });
  return { ...serving, url: urlOf(address) };
}

/** Creates a server that does not listen. */
export function createApiServer(options: AppOptions, limits?: ServerLimits): ListeningApiServer {
  limitHeapGrowth();
  const http = createApp(options);
  const server = createServer(http.listener, limits);
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
    countRequestsInFlight: async () => requests,
    async stop() {
      http.announceStop();
      await server.stop();
      await http.close();
    },
    close: http.close,
  };
}
