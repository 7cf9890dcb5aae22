import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { createDatabase } from "../../../runtime/database/database.ts";
import { type EmbeddedOptions, startEmbedded } from "../../../runtime/database/embedded.ts";

/** Creates a folder with mode 0700 (the default of mkdtemp) that is removed after the test. */
export function privateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ashlar-embedded-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts an embedded server without fsync that is stopped after the test. */
export async function start(dataDirectory: string, overrides: Partial<EmbeddedOptions> = {}): ReturnType<typeof startEmbedded> {
  const server = await startEmbedded({ dataDirectory, settings: { fsync: "off" }, ...overrides });
  onTestFinished(() => server.stop());
  return server;
}

/** Runs a statement over a separate connection and returns its rows. */
export async function query(url: string, sql: string): Promise<object[]> {
  const database = createDatabase({ url, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
  try {
    return await database.query(sql);
  } finally {
    await database.close();
  }
}

/** The server's process id, from its lock file. */
export function postmasterOf(dataDirectory: string): number {
  return Number(readFileSync(join(dataDirectory, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);
}

export interface Holder {
  readonly process: ChildProcess;
  readonly result: { readonly url: string; readonly isOwner: boolean; readonly error?: string };
  /** Stops the process cleanly. */
  end(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

/** Starts another process that owns or joins the server of a data directory. */
export async function holdElsewhere(
  dataDirectory: string,
  { uid, environment = {} }: { uid?: number; environment?: NodeJS.ProcessEnv } = {},
): Promise<Holder> {
  const script = fileURLToPath(new URL("hold-server.ts", import.meta.url));
  const parameters = ["--import", "tsx", script, dataDirectory, ...(uid === undefined ? [] : [String(uid)])];
  const child = spawn(process.execPath, parameters, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...environment } });
  const exited = once(child, "exit");
  const end = async (): Promise<void> => {
    child.stdin.end();
    await exited;
  };
  onTestFinished(end);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  return { process: child, result: JSON.parse(line) as Holder["result"], end, kill };
}
