import type { AddressInfo } from "node:net";
import { type AppOptions, createApp } from "../app.ts";
import type { Config } from "../config/config.ts";
import { createServer, type ServerLimits } from "../http/server.ts";
import { CommandError } from "./command-error.ts";

/** A running server. */
export interface Serving {
  /** The server's URL on this machine. */
  readonly url: string;
  /** Whether /readyz reports that it is ready. */
  isReady(): Promise<boolean>;
  /** The number of requests in flight. */
  requests(): number;
  /** Waits for the requests in flight and stores the pending usage of keys. */
  stop(): Promise<void>;
}

/** Starts the HTTP server. @throws {CommandError} if it cannot listen on its address. */
export async function startServing({ config, ...rest }: AppOptions, limits?: ServerLimits): Promise<Serving> {
  const http = createApp({ config, ...rest });
  const server = createServer(http.app, limits);
  let requests = 0;
  server.server.on("request", (_request, response) => {
    requests += 1;
    response.once("close", () => {
      requests -= 1;
    });
  });
  const address = await server.listen(config.port, config.host).catch(async (error: NodeJS.ErrnoException) => {
    await http.close();
    throw new CommandError(listenProblem(error, config));
  });
  return {
    url: urlOf(address),
    isReady: async () => (await http.readiness()).reasons.length === 0,
    requests: () => requests,
    async stop() {
      http.announceStop();
      await server.stop();
      await http.close();
    },
  };
}

function listenProblem(error: NodeJS.ErrnoException, { host, port }: Config): string {
  if (error.code === "EADDRINUSE")
    return `Port ${port} of ${host} is in use; choose a different one with PORT=… or stop the process that uses it.`;
  if (error.code === "EACCES") return `Port ${port} of ${host} requires privileges; choose one above 1023 with PORT=….`;
  return `Cannot listen on ${host}:${port} (${error.code ?? "unknown reason"}); choose a different address with HOST=… and PORT=….`;
}

/** For a server that listens on all addresses, the loopback address to use in its URL: not every system can connect to 0.0.0.0. */
const localAddresses: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${localAddresses[address] ?? (family === "IPv6" ? `[${address}]` : address)}:${port}`;
