import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createDatabase } from "../../../runtime/database/database.ts";
import { startEmbedded } from "../../../runtime/database/embedded.ts";
import { migrate } from "../../../runtime/database/migrate.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { program } from "../../support/program.ts";
import { until } from "../../support/until.ts";

/** A folder in which `npm start` runs the compiled program. In a clone, it compiles the sources, which takes seconds of CPU time for each process. */
export const npmFolder = dirname(dirname(program));

/** A running `ashlar start` process with its own data directory. */
export interface ServiceProcess {
  /** The spawned process: the program, or a wrapper such as npm. */
  readonly child: ChildProcess;
  readonly dataDirectory: string;
  output(): string;
  /** The server's address, once it is printed. */
  url(): string;
  /** Resolves with the exit code, or the signal that killed the process. */
  readonly exited: Promise<number | NodeJS.Signals | null>;
  /** The PostgreSQL server's process. */
  postmasterPid(): number;
}

export interface ServiceOptions {
  readonly command?: string;
  readonly parameters?: readonly string[];
  readonly folder?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

/** A data directory with a migrated, empty database. */
let preparedData: string | undefined;

/**
 * Prepares a data directory for a file's tests, with `beforeAll(prepareData)`: each of their services starts with a copy of it instead of creating a
 * PostgreSQL cluster.
 */
export async function prepareData(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "ashlar-prepared-"));
  const dataDirectory = join(folder, "data");
  const server = await startEmbedded({ dataDirectory, settings: { fsync: "off" } });
  const database = createDatabase({ url: server.url, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
  await migrate(database, migrations);
  await database.close();
  await server.stop();
  preparedData = dataDirectory;
  return async () => {
    preparedData = undefined;
    await rm(folder, { recursive: true, force: true });
  };
}

/** Spawns the service and waits until it is ready. The service and its PostgreSQL are killed after the test. */
export async function startService(rpcUrl: string, options: ServiceOptions = {}): Promise<ServiceProcess> {
  const scratch = await mkdtemp(join(tmpdir(), "ashlar-service-"));
  const dataDirectory = join(scratch, "data");
  if (preparedData !== undefined) await cp(preparedData, dataDirectory, { recursive: true });
  const { command = process.execPath, parameters = [program, "start"], folder = scratch, environment = {} } = options;
  const { DATABASE_URL: _, NO_COLOR: __, ...environmentOfTest } = process.env;
  const child = spawn(command, [...parameters, "--chain", "own", "--rpc", rpcUrl], {
    cwd: folder,
    env: { ...environmentOfTest, PORT: "0", ASHLAR_DATA_DIR: dataDirectory, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
    // A separate process group: a signal reaches only the process that it is sent to.
    detached: true,
  });
  let text = "";
  child.stdout.on("data", (part: Buffer) => (text += part.toString()));
  child.stderr.on("data", (part: Buffer) => (text += part.toString()));
  const exited = once(child, "exit").then(([code, signal]) => (code as number | null) ?? (signal as NodeJS.Signals | null));
  const service: ServiceProcess = {
    child,
    dataDirectory,
    output: () => text,
    url: () => /Ashlar is listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1] ?? "",
    exited,
    postmasterPid: () => Number(readFileSync(join(dataDirectory, "postgres", "postmaster.pid"), "utf8").split("\n")[0]),
  };
  const pids = new Set<number>();
  onTestFinished(async () => {
    for (const pid of [...pids, ...descendantsOf(child.pid ?? 0)]) kill(pid);
    kill(child.pid ?? 0);
    await exited;
    await until("the service to exit", async () => [...pids].every(isGone));
    await rm(scratch, { recursive: true, force: true });
  });
  await until("the service to be ready", async () => {
    const ending = child.exitCode ?? child.signalCode;
    if (ending !== null) throw new Error(`The service exited with ${ending}: ${text}`);
    if (service.url() === "") return false;
    return (await fetch(`${service.url()}/readyz`).catch(() => null))?.ok === true;
  });
  for (const pid of [...descendantsOf(child.pid ?? 0), service.postmasterPid()]) pids.add(pid);
  return service;
}

const kill = (pid: number): void => {
  try {
    if (pid > 1) process.kill(pid, "SIGKILL");
  } catch {
    // The process has exited.
  }
};

/** Whether a process has exited or is a zombie. */
export const isGone = (pid: number): boolean => !existsSync(`/proc/${pid}/exe`) || !isReadable(pid);

const isReadable = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

/** A process's descendants, from the parent ids in /proc. */
export function descendantsOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      parents.set(Number(name), Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1]));
    } catch {
      // The process has exited.
    }
  }
  const descendants = new Set([root]);
  for (let size = 0; size !== descendants.size; ) {
    size = descendants.size;
    for (const [pid, parent] of parents) if (descendants.has(parent)) descendants.add(pid);
  }
  descendants.delete(root);
  return [...descendants];
}
