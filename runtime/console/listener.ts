import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A listener that serves the console and nothing else. */
export interface ConsoleListener {
  readonly address: AddressInfo;
  close(): void;
}

/** Enough for a service's operators; prevents a client from using up the server's file descriptors. */
const maxConnections = 64;
const requestMilliseconds = 15_000;

/** Starts listening. @throws {Error} like `server.listen`. */
export async function openConsoleListener(
  app: RequestListener,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<ConsoleListener> {
  const server = createServer(
    {
      headersTimeout: requestMilliseconds,
      requestTimeout: requestMilliseconds,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16 * 1024,
    },
    app,
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
