import { createHash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedUnavailable, reasonOf } from "./unavailable.ts";

/** The right to start and stop one data directory's server; it ends with release() or when this process exits. */
export interface Ownership {
  release(): Promise<void>;
}

/**
 * Claims a data directory; undefined while another process has claimed it. The claim is a listening local socket: the system binds its name to one process
 * at a time and releases it when that process exits, so there are no stale claims and no races.
 */
export async function claim(root: string): Promise<Ownership | undefined> {
  const name = socketName(root);
  const server =
    (await listen(name)) ?? (process.platform === "darwin" && !(await accepts(name)) ? await removeAndListen(name) : undefined);
  if (server === undefined) return undefined;
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** The name is derived from the folder's inode, so that it is the same for every path to the folder. */
function socketName(root: string): string {
  const { dev, ino } = statSync(root, { bigint: true });
  const name = `ashlar-${createHash("sha256").update(`${dev}:${ino}`).digest("hex").slice(0, 24)}`;
  if (process.platform === "linux") return `\0${name}`; // An abstract socket (unix(7)): no file.
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
}

function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(new EmbeddedUnavailable(`the data directory cannot be claimed (${reasonOf(error)})`));
    });
    server.listen(name, () => resolve(server));
  });
}

/** Removes a socket file that a killed process left behind, and listens. */
function removeAndListen(name: string): Promise<Server | undefined> {
  rmSync(name, { force: true });
  return listen(name);
}

function accepts(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name, () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
  });
}
