import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { headOf } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const run = promisify(execFile);
const commandLine = fileURLToPath(new URL("../../../bin/ashlar.js", import.meta.url));
const key = "ckey_0123456789abcdef0123456789a";

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<unknown>;
}

/** Runs the command as users do, except for the environment, in consecutive processes on the same data. */
describe("ashlar start without configuration", () => {
  let folder: string;
  let port: number;
  let rpcPort: number;
  let current: Started | undefined;

  const start = (): Started => {
    const { DATABASE_URL: _, ...environment } = process.env;
    const child = spawn(process.execPath, [commandLine, "start"], {
      // A folder without ashlar.yaml.
      cwd: folder,
      env: {
        ...environment,
        PORT: String(port),
        ASHLAR_DATA_DIR: join(folder, "data"),
        ASHLAR_API_KEY: key,
        ASHLAR_DEMO_RPC_PORT: String(rpcPort),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    child.stdout?.on("data", (part: Buffer) => (text += part.toString()));
    child.stderr?.on("data", (part: Buffer) => (text += part.toString()));
    current = { child, output: () => text, exited: once(child, "exit") };
    return current;
  };
  const waitUntilReady = async (started: Started): Promise<void> =>
    until("the demo to be ready", async () => {
      if (started.child.exitCode !== null) throw new Error(`ashlar start exited with code ${started.child.exitCode}: ${started.output()}`);
      return started.output().includes("Ashlar is ready.");
    });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const started = current;
    if (started === undefined) return null;
    if (started.child.exitCode === null && started.child.signalCode === null) started.child.kill(signal);
    await started.exited;
    current = undefined;
    return started.child.exitCode;
  };
  /** The saver's transactions on the Bitcoin chain. */
  const bitcoinPayments = async (): Promise<readonly unknown[]> => {
    const [path = ""] = /\/v1\/cq\/[^&']+/.exec(current?.output() ?? "") ?? [];
    const response = await fetch(`http://127.0.0.1:${port}${path}&page-size=100&key=${key}`);
    return ((await response.json()) as { data: { items: unknown[] } }).data.items;
  };
  const curlLines = (text: string): string[] => text.split("\n").flatMap((line) => /^\s*curl (.*)$/.exec(line)?.[1] ?? []);

  beforeAll(async () => {
    [folder, port, rpcPort] = await Promise.all([mkdtemp(join(tmpdir(), "ashlar-start-")), freePort(), freePort()]);
  });
  afterAll(async () => {
    await end("SIGTERM");
    await rm(folder, { recursive: true, force: true });
  });

  // 30 s on an idle machine.
  it("builds and indexes the story, and prints six requests that return rows", { timeout: scaleTimeLimit(300_000) }, async () => {
    const started = start();
    await waitUntilReady(started);
    expect(started.output()).toContain(`http://127.0.0.1:${port}/docs/`);
    expect(started.output()).toContain(`http://127.0.0.1:${rpcPort}`);
    const lines = curlLines(started.output());
    expect(lines).toHaveLength(6);
    for (const line of lines) {
      const [, header = "", url = ""] = /^-H '([^']+)' '([^']+)'$/.exec(line) ?? [];
      expect(header).toBe(`Authorization: Bearer ${key}`);
      const { stdout } = await run("curl", ["-sS", "-H", header, url]);
      const body = JSON.parse(stdout) as { error: boolean; data: { items: unknown[] } };
      expect(body.error).toBe(false);
      expect(body.data.items.length, url).toBeGreaterThan(0);
    }
  });

  it("serves new blocks", async () => {
    const height = async (): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/demo/block_v2/latest/?key=${key}`);
      return ((await response.json()) as { data: { items: { height: number }[] } }).data.items[0]?.height ?? -1;
    };
    const before = await height();
    await until("a new block to be indexed", async () => (await height()) > before);
    expect(await headOf(`http://127.0.0.1:${rpcPort}`)).toBeGreaterThanOrEqual(await height());
  });

  it("has a Bitcoin node that ashlar doctor accepts", async () => {
    const [, url = ""] = /Bitcoin node\s+(http:\/\/127\.0\.0\.1:\d+)/.exec(current?.output() ?? "") ?? [];
    const { stdout } = await run(process.execPath, [commandLine, "doctor", "--rpc", url], { cwd: folder });
    expect(stdout).toContain("serves the Bitcoin network regtest (/Ashlar Demo:28.0.0/)");
  });

  it("does not store a demo key from the environment in the data directory", async () => {
    await expect(readFile(join(folder, "data", "demo-key"), "utf8")).rejects.toThrow("ENOENT");
  });

  it("rejects a second start on the same data with a one-line message", async () => {
    const first = current;
    const second = start();
    await second.exited;
    current = first;
    expect(second.child.exitCode).toBe(1);
    const output = second.output().replace(/^Database: .*\n/m, "");
    expect(output.trim().split("\n")).toHaveLength(1);
    expect(second.output()).toContain(`Process ${first?.child.pid}`);
  });

  it("stops on SIGTERM without leftover processes, and starts again from stored state", { timeout: scaleTimeLimit(150_000) }, async () => {
    const payments = await bitcoinPayments();
    const output = current?.output;
    expect(await end("SIGTERM"), output?.()).toBe(0);
    await expect(headOf(`http://127.0.0.1:${rpcPort}`)).rejects.toThrow();
    const before = Date.now();
    const started = start();
    await waitUntilReady(started);
    // 10 s on an idle machine. The limit only has to distinguish a reload from rebuilding the story.
    expect(started.output()).not.toContain("build the story");
    expect(Date.now() - before).toBeLessThan(scaleTimeLimit(60_000));
    // Nor is the Bitcoin chain indexed again, although its node stores nothing.
    expect(started.output()).not.toContain("index btc-regtest");
    expect(await bitcoinPayments()).toEqual(payments);
  });

  it("finds its node and database again after SIGKILL", async () => {
    await end("SIGKILL");
    const started = start();
    await waitUntilReady(started);
    expect(started.output()).not.toContain("build the story");
    expect((await fetch(`http://127.0.0.1:${port}/v1/chains/?key=${key}`)).status).toBe(200);
  });
});
