import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../free-port.ts";
import { until } from "../until.ts";

/** A running pgbouncer in transaction mode. */
export interface Pooler {
  /** The URL of the same database through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Whether pgbouncer is installed. It is an operating system package; npm cannot install it. */
export const hasPgbouncer = (): boolean => spawnSync("pgbouncer", ["--version"]).status === 0;

/** Starts pgbouncer in front of a database, with two server connections that all clients share. */
export async function startPooler(databaseUrl: string): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), "ashlar-pgbouncer-"));
  const listenPort = await freePort();
  const file = join(folder, "pgbouncer.ini");
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${port || "5432"} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
`,
  );
  // pgbouncer refuses to run as root, so it runs as nobody, who must be able to read the file.
  await chmod(folder, 0o755);
  const user = process.getuid?.() === 0 ? ["--user", "nobody"] : [];
  const child = spawn("pgbouncer", [...user, file], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    output += part;
  });
  const url = `postgresql://any@127.0.0.1:${listenPort}${pathname}`;
  await until("pgbouncer to accept connections", () => accepts(child, url, () => output));
  return {
    url,
    async stop() {
      child.kill("SIGINT");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

async function accepts(child: ChildProcess, connectionString: string, output: () => string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`pgbouncer exited with code ${child.exitCode}: ${output()}`);
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
