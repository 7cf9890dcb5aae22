import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainConfig } from "../../runtime/config/config.ts";
import { createDatabase, type Database } from "../../runtime/database/database.ts";
import { startEmbedded } from "../../runtime/database/embedded.ts";
import { createKeys } from "../../runtime/http/keys.ts";
import { every, poll } from "../../runtime/lib/async.ts";
import { processesOf } from "../e2e/serve/workers-of.ts";
import { descendantsOf } from "../e2e/start/service-process.ts";
import { contents } from "../support/contents.ts";
import { postmasterOf } from "../support/database/embedded-fixture.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { freePort } from "../support/free-port.ts";
import { startIndexer } from "../support/indexer-process.ts";
import { program } from "../support/program.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpc-proxy.ts";
import { until } from "../support/until.ts";
import { print, setting } from "./support/settings.ts";
import { startTokenChain, type TokenChain } from "./support/token-chain.ts";

/** How long a fault lasts that does not end by itself. */
const faultSeconds = setting("LONG_FAULT_SECONDS", 30);
/** Recovery after the cause of a fault is gone. */
const maxRecoverySeconds = setting("LONG_RECOVERY_SECONDS", 10);
/** The size of the file system of the data folder. */
const diskMegabytes = 700;
const requestMilliseconds = 20;

interface Requests {
  readonly statuses: Map<number, number>;
  /** Requests whose connection was closed or refused. */
  failures: number;
}

/** Whether this process may mount file systems. */
const canMount = (): boolean => {
  const folder = join(tmpdir(), `ashlar-mount-${process.pid}`);
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) process.kill(pid, name);
};

/**
 * Faults of a service with two workers, an indexer and an embedded database, one after the other, while its chain grows and clients send requests. Only root
 * may mount the small file system.
 */
describe.skipIf(process.platform !== "linux" || !canMount())("faults", () => {
  let folder: string;
  let disk: string;
  let tokens: TokenChain;
  let node: RpcProxy;
  let service: { readonly child: ChildProcess; readonly exited: Promise<unknown>; output: string };
  let port: number;
  let key: string;
  let isEnding = false;
  let load: Promise<void>;
  let requests: Requests = { statuses: new Map(), failures: 0 };
  const recoveries: string[] = [];

  const start = (): void => {
    const { DATABASE_URL: _, ...environment } = process.env;
    const child = spawn(process.execPath, [program, "start", "--workers", "2"], {
      cwd: folder,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const started = { child, exited: once(child, "exit"), output: "" };
    const collect = (part: Buffer): void => {
      // Without the lines of requests, of which there are 50 per second.
      const lines = part
        .toString()
        .split("\n")
        .filter((line) => !line.includes('"msg":"Request"'));
      started.output = `${started.output}${lines.join("\n")}`.slice(-100_000);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    service = started;
  };
  const get = async (path: string): Promise<{ status: number; height: number | undefined }> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, signal: AbortSignal.timeout(20_000) });
    const { data } = (await response.json()) as { data?: { items?: { height?: number }[] } | null };
    return { status: response.status, height: data?.items?.[0]?.height };
  };
  const sendOne = async (path: string): Promise<void> => {
    try {
      const { status } = await get(path);
      requests.statuses.set(status, (requests.statuses.get(status) ?? 0) + 1);
    } catch {
      requests.failures += 1;
    }
  };
  const sendRequests = async (): Promise<void> => {
    const paths = [
      "/v1/own/block_v2/latest/",
      `/v1/own/address/${tokens.trader}/balances_v2/`,
      `/v1/own/tokens/${tokens.token}/token_holders_v2/`,
    ];
    for (let sent = 0; !isEnding; sent += 1, await wait(requestMilliseconds)) void sendOne(paths[sent % paths.length] ?? "");
  };
  const child = (name: string): number => {
    const pid = processesOf(service.child.pid ?? 0).get(name);
    if (pid === undefined) throw new Error(`The service has no process ${name}.`);
    return pid;
  };
  const databaseProcesses = (): number[] => {
    const postmaster = postmasterOf(join(disk, "data"));
    return [postmaster, ...descendantsOf(postmaster)];
  };
  const nodeProcess = (): number => {
    const pid = descendantsOf(process.pid).find((candidate) => /anvil/.test(readFileSync(`/proc/${candidate}/cmdline`, "utf8")));
    if (pid === undefined) throw new Error("The node is no child of this process.");
    return pid;
  };
  /** Seconds until a new block is indexed and served, and the service is ready. */
  const recovery = async (): Promise<number> => {
    const from = performance.now();
    await tokens.grow(1);
    const height = await tokens.chain.head();
    await until(
      "the service to recover",
      async () => {
        const ready = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
        return ready?.ok === true && ((await get("/v1/own/block_v2/latest/").catch(() => null))?.height ?? -1) >= height;
      },
      60_000,
    );
    return (performance.now() - from) / 1_000;
  };
  /** Inflicts a fault while the chain grows, removes its cause, and measures the recovery. */
  const survive = async (
    name: string,
    fault: {
      readonly begin: () => Promise<void> | void;
      readonly seconds: number;
      readonly end: () => Promise<void> | void;
      readonly mines?: boolean;
    },
    { breaksConnections }: { readonly breaksConnections: boolean },
  ): Promise<void> => {
    requests = { statuses: new Map(), failures: 0 };
    await fault.begin();
    const end = performance.now() + fault.seconds * 1_000;
    while (performance.now() < end) {
      if (fault.mines !== false) await tokens.grow(1);
      await wait(500);
    }
    await fault.end();
    const seconds = await recovery();
    const statuses = [...requests.statuses].sort(([left], [right]) => left - right);
    recoveries.push(
      `| ${name} | ${seconds.toFixed(1)} s | ${statuses.map(([status, count]) => `${count} × ${status}`).join(", ")} | ${requests.failures} |`,
    );
    print(recoveries.at(-1) ?? "");
    expect(statuses.map(([status]) => status).filter((status) => status !== 200 && status !== 503)).toEqual([]);
    if (!breaksConnections) expect(requests.failures).toBe(0);
    expect(seconds).toBeLessThan(maxRecoverySeconds);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ashlar-faults-"));
    disk = join(folder, "disk");
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m,mode=0755`, "tmpfs", disk]);
    tokens = await startTokenChain();
    node = await startRpcProxy(tokens.chain.url);
    port = await freePort();
    const settings = {
      port,
      dataDirectory: join(disk, "data"),
      minFreeDiskMegabytes: 150,
      limits: {
        requestsPerSecond: "unlimited",
        concurrentRequests: "unlimited",
        databaseSecondsPerMinute: "unlimited",
        bytesInFlight: "unlimited",
      },
      chains: [{ name: "own", rpc: node.url, pollMilliseconds: 200 }],
    };
    await writeFile(join(folder, "ashlar.yaml"), JSON.stringify(settings));
    start();
    await until("the service to be ready", async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true);
    const { url } = await startEmbedded({ dataDirectory: join(disk, "data") });
    const database = connect(url);
    ({ key } = await createKeys(database).create({ label: "faults" }));
    await database.close();
    load = sendRequests();
  });
  afterAll(async () => {
    isEnding = true;
    await load;
    print(["| fault | recovery | responses | closed connections |", ...recoveries].join("\n"));
    service?.child.kill("SIGTERM");
    await service?.exited;
    await node?.close();
    await tokens?.chain.stop();
    execFileSync("umount", ["-l", disk]);
    await rm(folder, { recursive: true, force: true });
  });
  const connect = (url: string): Database =>
    createDatabase({ url, poolSize: 2, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });

  it.each(["worker 1", "indexer"])("SIGKILL of %s", async (name) =>
    survive(
      `SIGKILL of ${name}`,
      { begin: () => signal([child(name)], "SIGKILL"), seconds: 0, end: () => undefined },
      { breaksConnections: true },
    ),
  );
  it("SIGKILL of the database", () =>
    survive(
      "SIGKILL of the database",
      { begin: () => signal([postmasterOf(join(disk, "data"))], "SIGKILL"), seconds: 0, end: () => undefined },
      { breaksConnections: false },
    ));
  it("SIGKILL of the supervisor, which a service manager restarts", () =>
    survive(
      "SIGKILL of the supervisor",
      {
        async begin() {
          service.child.kill("SIGKILL");
          await service.exited;
        },
        seconds: 0,
        end: start,
      },
      { breaksConnections: true },
    ));
  it("SIGSTOP of the node", () =>
    survive(
      "SIGSTOP of the node",
      {
        begin: () => signal([nodeProcess()], "SIGSTOP"),
        seconds: faultSeconds,
        end: () => signal([nodeProcess()], "SIGCONT"),
        mines: false,
      },
      { breaksConnections: false },
    ));
  it("SIGSTOP of the database", () => {
    let stopped: number[] = [];
    return survive(
      "SIGSTOP of the database",
      {
        begin() {
          stopped = databaseProcesses();
          signal(stopped, "SIGSTOP");
        },
        seconds: faultSeconds,
        end: () => signal(stopped, "SIGCONT"),
      },
      { breaksConnections: false },
    );
  });
  it("a full disk", () => {
    const file = join(disk, "filler");
    return survive(
      "full disk",
      {
        begin: () => fill(file),
        seconds: faultSeconds,
        end() {
          // Otherwise the disk was not full.
          expect(service.output).toContain("Indexing is paused until there is more disk space");
          rmSync(file);
        },
      },
      { breaksConnections: false },
    );
  });
  it("a node whose blocks differ from their hashes", () =>
    survive(
      "two-faced node",
      {
        begin() {
          node.tamper = (method, reply) => {
            const block = reply.result as { hash?: string } | null;
            if (method === "eth_getBlockByNumber" && block?.hash !== undefined && Math.random() < 0.5) block.hash = `0x${"ab".repeat(32)}`;
          };
        },
        seconds: faultSeconds,
        end() {
          node.tamper = null;
        },
      },
      { breaksConnections: false },
    ));
  it("a finalized block that is not final", () =>
    survive(
      "wrong finalized block",
      {
        async begin() {
          const head = await tokens.chain.rpc<{ number: string; hash: string }>("eth_getBlockByNumber", ["latest", false]);
          let answers = 0;
          node.tamper = (method, reply, [tag]) => {
            // Once: the next responses contradict it.
            if (method === "eth_getBlockByNumber" && tag === "finalized" && answers++ === 0) reply.result = head;
          };
          await wait(2_000);
          await tokens.reorganise(5);
        },
        seconds: 2,
        end() {
          node.tamper = null;
        },
      },
      { breaksConnections: false },
    ));

  it("has lost nothing: the index equals one that had no faults", async () => {
    const undisturbed: TestDatabase = await createTestDatabase();
    const scratch = await mkdtemp(join(tmpdir(), "ashlar-undisturbed-"));
    const { url } = await startEmbedded({ dataDirectory: join(disk, "data") });
    const database = connect(url);
    const config = { ...chainConfig.parse({ name: "own", id: 31337, rpc: tokens.chain.url, pollMilliseconds: 100 }), id: 31337 };
    const other = await startIndexer(scratch, config, undisturbed.url);
    try {
      const equal = await poll(
        async () => {
          const [left, right] = await Promise.all([contents(database), contents(undisturbed.database)]);
          return isDeepStrictEqual(left, right) ? left : null;
        },
        { ...every(1_000), withinMilliseconds: 60_000 },
      );
      expect(equal ?? (await contents(database))).toEqual(await contents(undisturbed.database));
    } finally {
      await other.kill();
      await database.close();
      await undisturbed.drop();
      await rm(scratch, { recursive: true, force: true });
    }
  });
});

const chunkBytes = 1024 * 1024;

/** Writes a file until no space is left. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const chunk of [Buffer.alloc(chunkBytes), Buffer.alloc(4_096)]) {
      try {
        for (;;) writeSync(file, chunk);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}
