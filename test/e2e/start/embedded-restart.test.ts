import { rename } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { until } from "../../support/until.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
  for (let block = 1; block <= 20; block += 1) await mineTransfer();
  return () => chain.stop();
});

async function mineTransfer(): Promise<void> {
  const [, to = "0x"] = chain.accounts;
  await chain.send({ to, value: 1n });
  await chain.mine();
}

interface Readiness {
  readonly status: number;
  readonly message: string | null;
  readonly block: number | null;
}

async function readReadiness(service: ServiceProcess): Promise<Readiness> {
  const response = await fetch(`${service.url()}/readyz`);
  const body = (await response.json()) as { data: { chains: { indexed_block: number }[] } | null; error_message: string | null };
  return { status: response.status, message: body.error_message, block: body.data?.chains[0]?.indexed_block ?? null };
}

describe("a killed embedded PostgreSQL", () => {
  it("is restarted; the server and the indexer then continue without data loss", async () => {
    const service = await startService(chain.url);
    expect((await readReadiness(service)).block).toBe(await chain.head());
    for (let restart = 1; restart <= 2; restart += 1) {
      process.kill(service.postmasterPid(), "SIGKILL");
      const seen: Readiness[] = [];
      await until("the service to be ready after the restart", async () => {
        seen.push(await readReadiness(service));
        const isRestarted = service.output().split("was restarted in").length > restart;
        return isRestarted && seen.at(-1)?.status === 200;
      });
      // The server reuses its last check for a second, and a restart may take less time.
      for (const { message } of seen.filter(({ status }) => status === 503))
        expect(message).toMatch(
          /^The embedded PostgreSQL cannot be used: (it exited and is being restarted \(attempt 1 of 6\)|.* \(\w+\))/,
        );
      await mineTransfer();
      const head = await chain.head();
      await until("the new block to be indexed", async () => (await readReadiness(service)).block === head);
    }
    expect(service.output()).toContain(join(service.dataDirectory, "postgres.log"));
    const restarts = [...service.output().matchAll(/The embedded PostgreSQL was restarted in ([\d.]+) s\./g)].map(([, seconds]) =>
      Number(seconds),
    );
    expect(restarts).toHaveLength(2);
    // Within 5 s on an idle machine; concurrent tests make it up to four times slower.
    expect(Math.max(...restarts)).toBeLessThanOrEqual(scaleTimeLimit(20));
    expect(service.output()).not.toContain("DATABASE_URL");
  });

  it("stops the service and reports its data and log paths if it cannot be restarted", async () => {
    const service = await startService(chain.url);
    const cluster = join(service.dataDirectory, "postgres");
    const postmaster = service.postmasterPid();
    await rename(cluster, `${cluster}.away`);
    process.kill(postmaster, "SIGKILL");
    expect(await service.exited).toBe(1);
    await until("the message", () => service.output().includes("could not be restarted"));
    expect(service.output()).toContain(
      `The embedded PostgreSQL exited and could not be restarted in 6 attempts: its data directory ${cluster} is gone; ` +
        `data directory ${service.dataDirectory}, log file ${join(service.dataDirectory, "postgres.log")}.`,
    );
    expect(service.output()).not.toContain("DATABASE_URL");
  });
});
