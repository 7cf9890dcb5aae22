import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../../runtime/database/database.ts";
import { DatabaseUnavailable } from "../../../runtime/database/errors.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { until } from "../../support/until.ts";
import { descendantsOf, isGone, npmFolder, prepareData, type ServiceProcess, startService } from "./service-process.ts";

let chain: TestChain;
beforeAll(prepareData);
beforeAll(async () => {
  chain = await startTestChain();
  await chain.mine();
  return () => chain.stop();
});

const stopSeconds = (service: ServiceProcess): number => Number(/Stopped after ([\d.]+) s\./.exec(service.output())?.[1]);

// The tests find the descendants of npm in /proc.
describe.skipIf(process.platform !== "linux")("npm start", () => {
  const startWithNpm = (): Promise<ServiceProcess> =>
    startService(chain.url, { command: "npm", parameters: ["start", "--"], folder: npmFolder });

  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const)(
    "leaves no node or PostgreSQL process behind when npm receives %s",
    async (signal) => {
      const service = await startWithNpm();
      const descendants = [...descendantsOf(service.child.pid ?? 0), service.postmasterPid()];
      expect(descendants.length).toBeGreaterThan(1);
      service.child.kill(signal);
      await service.exited;
      // npm forwards these two signals and waits. The others end npm, and the service detects that.
      if (signal === "SIGTERM" || signal === "SIGINT") expect(descendants.filter((pid) => !isGone(pid))).toEqual([]);
      await until("every process to exit", async () => descendants.every(isGone));
    },
  );

  it("leaves no process behind when npx receives SIGTERM", async () => {
    const service = await startService(chain.url, { command: "npm", parameters: ["exec", "--", "ashlar", "start"], folder: npmFolder });
    const descendants = [...descendantsOf(service.child.pid ?? 0), service.postmasterPid()];
    service.child.kill("SIGTERM");
    await until("every process to exit", async () => descendants.every(isGone));
  });

  it("handles a Ctrl-C's two signals, from the terminal and from npm, as one", async () => {
    const service = await startWithNpm();
    const postmaster = service.postmasterPid();
    process.kill(-(service.child.pid ?? 0), "SIGINT");
    await service.exited;
    expect(service.output()).toContain("Stopping (SIGINT).");
    expect(service.output()).toMatch(/Stopped after/);
    expect(isGone(postmaster)).toBe(true);
  });
});

describe("ashlar start", () => {
  it.each(["SIGTERM", "SIGHUP"] as const)("stops immediately on %s, and logs it", async (signal) => {
    const service = await startService(chain.url);
    const postmaster = service.postmasterPid();
    service.child.kill(signal);
    expect(await service.exited).toBe(0);
    expect(isGone(postmaster)).toBe(true);
    expect(service.output()).toContain(`Stopping (${signal}).`);
    // 0.2 s on an idle machine; a leftover timer of 5 s would delay it.
    expect(stopSeconds(service)).toBeLessThan(scaleTimeLimit(4));
  });

  it("reports what it waits for, and exits immediately on a second signal", async () => {
    const service = await startService(chain.url);
    const postmaster = service.postmasterPid();
    const port = readFileSync(join(service.dataDirectory, "postgres", "postmaster.pid"), "utf8").split("\n")[3];
    const password = readFileSync(join(service.dataDirectory, "postgres-password"), "utf8");
    const database = createDatabase({
      url: `postgresql://ashlar:${password}@127.0.0.1:${port}/ashlar`,
      poolSize: 1,
      statementTimeoutMilliseconds: 0,
      applicationName: "ashlar-test",
    });
    await database
      .transaction(async (client) => {
        // Blocks both the lookup of keys and the indexer.
        await client.query("LOCK TABLE chains, api_keys");
        const authorization = `Bearer ckey_${"0".repeat(27)}`;
        const request = fetch(`${service.url()}/v1/chains/`, { headers: { authorization } }).catch(() => null);
        await chain.mine();
        // Jobs also wait for the lock, with statements that look like the batch's. The batch reaches the lock within this time.
        await sleep(scaleTimeLimit(2_000));
        service.child.kill("SIGTERM");
        for (const part of [/the indexer's current batch/, /Stopping: waiting for the server, with 1 request in flight, at most 12 s\./])
          await until(`the message about ${part.source}`, () => part.test(service.output()));
        const started = performance.now();
        service.child.kill("SIGTERM");
        // 128 plus the signal's number, the convention of shells.
        expect(await service.exited, service.output()).toBe(143);
        expect(performance.now() - started).toBeLessThan(scaleTimeLimit(2_000));
        await request;
      })
      .catch((error: unknown) => {
        // PostgreSQL stops too, before the transaction commits.
        if (!(error instanceof DatabaseUnavailable)) throw error;
      });
    await until("PostgreSQL to exit", async () => isGone(postmaster));
    await database.close();
  });
});
