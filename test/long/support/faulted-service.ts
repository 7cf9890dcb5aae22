import { mkdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import { startEmbedded } from "../../../runtime/database/embedded.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { processesOf } from "../../e2e/serve/processes-of.ts";
import { descendantsOf } from "../../e2e/start/service-process.ts";
import { postmasterOf } from "../../support/database/embedded-fixture.ts";
import { freePort } from "../../support/free-port.ts";
import { startRpcProxy } from "../../support/rpc-proxy.ts";
import { startTokenChain } from "../../support/token-chain.ts";
import { until } from "../../support/until.ts";
import { setClock } from "./fake-clock.ts";
import { createClient, loadedLimits, renderStatuses, type ServiceProcess, startServiceIn } from "./loaded-service.ts";
import { numberFromEnvironment, print } from "./settings.ts";
import { mountDisk, unmountDisk } from "./small-disk.ts";

/** The maximum recovery time after a fault ends. */
export const maxRecoverySeconds = numberFromEnvironment("LONG_RECOVERY_SECONDS", 10);
/** The size of the data directory's file system. */
const diskMegabytes = 700;

/** A fault: how it begins and ends, how long it lasts, and whether the chain can grow in the meantime. */
export interface Fault {
  readonly begin: () => Promise<void> | void;
  readonly seconds: number;
  readonly end: () => Promise<void> | void;
  readonly canMine?: boolean;
}

/** A fault's permitted effects: connections closed without a response, and the recovery time. */
export interface Tolerance {
  readonly breaksConnections: boolean;
  readonly withinSeconds?: number;
}

export type FaultedService = Awaited<ReturnType<typeof startFaultedService>>;

/**
 * Starts a service with two workers, an indexer and an embedded database on a small file system, a node behind a proxy, and a client that sends
 * requests continuously.
 */
export async function startFaultedService() {
  const folder = await mkdtemp(join(tmpdir(), "ashlar-faults-"));
  const disk = join(folder, "disk");
  const dataDirectory = join(disk, "data");
  const clockFile = join(folder, "clock");
  setClock(clockFile, 0);
  mkdirSync(disk);
  mountDisk(disk, diskMegabytes);
  const tokens = await startTokenChain();
  const node = await startRpcProxy(tokens.chain.url);
  const port = await freePort();
  const settings = {
    port,
    dataDirectory,
    minFreeDiskMegabytes: 150,
    limits: loadedLimits,
    chains: [{ name: "own", rpc: node.url, pollMilliseconds: 200 }],
  };
  await writeFile(join(folder, "ashlar.yaml"), JSON.stringify(settings));
  let service: ServiceProcess = startServiceIn(folder, {});
  await until("the service to be ready", async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true);

  /** Runs work on the service's database. */
  const onDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const { url } = await startEmbedded({ dataDirectory });
    const database = createDatabase({ url, poolSize: 2, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
    return work(database).finally(database.close);
  };
  const { key } = await onDatabase((database) => createKeys(database).create({ label: "faults" }));
  const client = createClient({ port, key, tokens });
  const requests = client.startRequests();
  const recoveries: string[] = [];

  const start = (variables: NodeJS.ProcessEnv = {}): void => {
    service = startServiceIn(folder, variables);
  };
  const postmaster = (): number => postmasterOf(dataDirectory);

  return {
    disk,
    clockFile,
    tokens,
    node,
    port,
    onDatabase,
    start,
    service: () => service,
    postmaster,
    databaseProcesses: (): number[] => [postmaster(), ...descendantsOf(postmaster())],
    /** The process id of a worker or the indexer. */
    child(name: string): number {
      const pid = processesOf(service.child.pid ?? 0).get(name);
      if (pid === undefined) throw new Error(`The service has no process ${name}.`);
      return pid;
    },
    nodeProcess(): number {
      const pid = descendantsOf(process.pid).find((candidate) => /anvil/.test(readFileSync(`/proc/${candidate}/cmdline`, "utf8")));
      if (pid === undefined) throw new Error("The node is not a child of this process.");
      return pid;
    },
    /** Restarts the service with other environment variables. */
    async restart(variables: NodeJS.ProcessEnv = {}): Promise<void> {
      service.child.kill("SIGTERM");
      await service.exited;
      start(variables);
      await client.measureRecovery();
      // Requests that were sent before the restart may still fail.
      await until("requests without failures", async () => {
        requests.count();
        await wait(1_000);
        return requests.count().failures === 0;
      });
    },
    /** Begins a fault while the chain grows, ends it, and measures the recovery. */
    async survive(name: string, fault: Fault, { breaksConnections, withinSeconds = maxRecoverySeconds }: Tolerance): Promise<void> {
      requests.count();
      await fault.begin();
      const end = performance.now() + fault.seconds * 1_000;
      while (performance.now() < end) {
        if (fault.canMine !== false) await tokens.grow(1);
        await wait(500);
      }
      await fault.end();
      const seconds = await client.measureRecovery();
      const counts = requests.count();
      recoveries.push(`| ${name} | ${seconds.toFixed(1)} s | ${renderStatuses(counts)} | ${counts.failures} |`);
      print(recoveries.at(-1) ?? "");
      expect([...counts.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      if (!breaksConnections) expect(counts.failures).toBe(0);
      expect(seconds).toBeLessThan(withinSeconds);
    },
    async stop(): Promise<void> {
      await requests.stop();
      print(["| fault | recovery | responses | closed connections |", ...recoveries].join("\n"));
      service.child.kill("SIGTERM");
      await service.exited;
      await node.close();
      await tokens.chain.stop();
      unmountDisk(disk);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
