import type { AddressInfo } from "node:net";
import process from "node:process";
import type { ListenAddress } from "../cluster/connection-distributor.ts";
import { inheritedSocket } from "../cluster/inherited-socket.ts";
import type { Config } from "../config/config.ts";

/** Where a server listens: on a socket that systemd passes to it, otherwise on its configured address. */
export const listenOf = ({ port, host }: Config): ListenAddress => inheritedSocket(process.env, process.pid) ?? { port, host };

/** Explains why a server cannot listen. */
export function listenProblem(error: NodeJS.ErrnoException, { host, port }: Config): string {
  if (error.code === "EADDRINUSE")
    return `Port ${port} of ${host} is in use; choose a different one with PORT=… or stop the process that uses it.`;
  if (error.code === "EACCES") return `Port ${port} of ${host} requires privileges; choose one above 1023 with PORT=….`;
  return `Cannot listen on ${host}:${port} (${error.code ?? "unknown reason"}); choose a different address with HOST=… and PORT=….`;
}

/** The loopback address for the URL of a server that listens on all addresses: not every system can connect to 0.0.0.0. */
const localAddresses: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/** The URL of a listening server on this machine. */
export const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${localAddresses[address] ?? (family === "IPv6" ? `[${address}]` : address)}:${port}`;
