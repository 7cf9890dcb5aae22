import { mkdirSync, readFileSync, rmSync } from "node:fs";
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
import { type RpcProxy, startRpcProxy } from "../support/rpc-proxy.ts";
import { until } from "../support/until.ts";
import { fakedClock, hasFakedClock, setClock } from "./support/faked-clock.ts";
import { createClient, loadedLimits, renderStatuses, type ServiceProcess, startServiceIn } from "./support/loaded-service.ts";
import { print, setting } from "./support/settings.ts";
import { canMount, fillDisk, mountDisk, unmountDisk } from "./support/small-disk.ts";
import { startTokenChain, type TokenChain } from "./support/token-chain.ts";

/** How long a fault lasts that does not end by itself. */
const faultSeconds = setting("LONG_FAULT_SECONDS", 30);
/** Recovery after the cause of a fault is gone. */
const maxRecoverySeconds = setting("LONG_RECOVERY_SECONDS", 10);
/** How long the indexer waits for a response of its node. */
const nodeTimeoutSeconds = 30;
/** The size of the file system of the data folder. */
const diskMegabytes = 700;

type Client = ReturnType<typeof createClient>;

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
  let clockFile: string;
  let tokens: TokenChain;
  let node: RpcProxy;
  let service: ServiceProcess;
  let port: number;
  let client: Client;
  let requests: ReturnType<Client["startRequests"]>;
  const recoveries: string[] = [];

  const start = (variables: NodeJS.ProcessEnv = {}): void => {
    service = startServiceIn(folder, variables);
  };
  const restart = async (variables: NodeJS.ProcessEnv = {}): Promise<void> => {
    service.child.kill("SIGTERM");
    await service.exited;
    start(variables);
    await client.recovery();
    // Requests that were sent before end as failures of their own.
    await until("requests without failures", async () => {
      requests.count();
      await wait(1_000);
      return requests.count().failures === 0;
    });
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
  /** Inflicts a fault while the chain grows, removes its cause, and measures the recovery. */
  const survive = async (
    name: string,
    fault: {
      readonly begin: () => Promise<void> | void;
      readonly seconds: number;
      readonly end: () => Promise<void> | void;
      readonly mines?: boolean;
    },
    { breaksConnections, withinSeconds = maxRecoverySeconds }: { readonly breaksConnections: boolean; readonly withinSeconds?: number },
  ): Promise<void> => {
    requests.count();
    await fault.begin();
    const end = performance.now() + fault.seconds * 1_000;
    while (performance.now() < end) {
      if (fault.mines !== false) await tokens.grow(1);
      await wait(500);
    }
    await fault.end();
    const seconds = await client.recovery();
    const counts = requests.count();
    recoveries.push(`| ${name} | ${seconds.toFixed(1)} s | ${renderStatuses(counts)} | ${counts.failures} |`);
    print(recoveries.at(-1) ?? "");
    expect([...counts.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    if (!breaksConnections) expect(counts.failures).toBe(0);
    expect(seconds).toBeLessThan(withinSeconds);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ashlar-faults-"));
    disk = join(folder, "disk");
    clockFile = join(folder, "clock");
    setClock(clockFile, 0);
    mkdirSync(disk);
    mountDisk(disk, diskMegabytes);
    tokens = await startTokenChain();
    node = await startRpcProxy(tokens.chain.url);
    port = await freePort();
    const settings = {
      port,
      dataDirectory: join(disk, "data"),
      minFreeDiskMegabytes: 150,
      limits: loadedLimits,
      chains: [{ name: "own", rpc: node.url, pollMilliseconds: 200 }],
    };
    await writeFile(join(folder, "ashlar.yaml"), JSON.stringify(settings));
    start();
    await until("the service to be ready", async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true);
    const { key } = await onDatabase((database) => createKeys(database).create({ label: "faults" }));
    client = createClient({ port, key, tokens });
    requests = client.startRequests();
  });
  afterAll(async () => {
    await requests?.stop();
    print(["| fault | recovery | responses | closed connections |", ...recoveries].join("\n"));
    service?.child.kill("SIGTERM");
    await service?.exited;
    await node?.close();
    await tokens?.chain.stop();
    unmountDisk(disk);
    await rm(folder, { recursive: true, force: true });
  });
  /** Runs work on the database of the service. */
  const onDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const { url } = await startEmbedded({ dataDirectory: join(disk, "data") });
    const database = createDatabase({ url, poolSize: 2, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
    return work(database).finally(database.close);
  };

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
        end: () => start(),
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
        begin: () => fillDisk(file),
        seconds: faultSeconds,
        end() {
          // Otherwise the disk was not full.
          expect(service.output()).toContain("Indexing is paused until there is more disk space");
          rmSync(file);
        },
      },
      { breaksConnections: false },
    );
  });
  it("a connection to the node without data", () =>
    survive(
      "black-holed node",
      {
        begin() {
          node.intercept = () => true;
        },
        seconds: faultSeconds,
        end() {
          node.intercept = null;
        },
      },
      { breaksConnections: false, withinSeconds: nodeTimeoutSeconds + maxRecoverySeconds },
    ));
  describe.skipIf(!hasFakedClock())("a clock", () => {
    beforeAll(() => restart(fakedClock(clockFile)));
    afterAll(() => restart());

    /** The age of the head by the clock of a server. */
    const secondsBehind = async (): Promise<number> => {
      const { data } = (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as {
        data: { chains: { seconds_behind: number }[] };
      };
      return data.chains[0]?.seconds_behind ?? 0;
    };
    it.each([
      ["forwards", 3_600, 3_600],
      ["back", 0, -3_600],
    ])("that jumps an hour %s", (name, offset, jump) => {
      let before = 0;
      return survive(
        `clock jump ${name}`,
        {
          async begin() {
            before = await secondsBehind();
            setClock(clockFile, offset);
          },
          seconds: faultSeconds,
          async end() {
            // Otherwise the clock did not jump; the head is some seconds older or newer.
            expect(Math.round(((await secondsBehind()) - before) / 600) * 600).toBe(jump);
          },
        },
        { breaksConnections: false },
      );
    });
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
    const config = { ...chainConfig.parse({ name: "own", id: 31337, rpc: tokens.chain.url, pollMilliseconds: 100 }), id: 31337 };
    const other = await startIndexer(scratch, config, undisturbed.url);
    try {
      await onDatabase(async (database) => {
        const equal = await poll(
          async () => {
            const [left, right] = await Promise.all([contents(database), contents(undisturbed.database)]);
            return isDeepStrictEqual(left, right) ? left : null;
          },
          { ...every(1_000), withinMilliseconds: 60_000 },
        );
        expect(equal ?? (await contents(database))).toEqual(await contents(undisturbed.database));
      });
    } finally {
      await other.kill();
      await undisturbed.drop();
      await rm(scratch, { recursive: true, force: true });
    }
  });
});
