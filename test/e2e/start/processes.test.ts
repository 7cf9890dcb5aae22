import { beforeAll, describe, expect, it } from "vitest";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { isResponse, request, startLoad } from "../serve/load.ts";
import { processesOf } from "../serve/processes-of.ts";
import { isGone, prepareData, type ServiceProcess, startService } from "./service-process.ts";

let chain: TestChain;
beforeAll(prepareData);
beforeAll(async () => {
  chain = await startTestChain();
  await mineTransfer();
  return () => chain.stop();
});

async function mineTransfer(): Promise<void> {
  const [, to = "0x"] = chain.accounts;
  await chain.send({ to, value: 1n });
  await chain.mine();
}

/** The indexed block, requested on a new connection; null if the server is not ready or was killed during the request. */
const indexedBlock = async (service: ServiceProcess): Promise<number | null> => {
  const outcome = await request(`${service.url()}/readyz`, "");
  if (!isResponse(outcome)) {
    expect(outcome.error).not.toContain("ECONNREFUSED");
    return null;
  }
  const { data } = JSON.parse(outcome.body) as { data: { chains: { indexed_block: number }[] } | null };
  return data?.chains[0]?.indexed_block ?? null;
};
const processIds = (service: ServiceProcess) => processesOf(service.child.pid ?? 0);

// The tests find the processes in /proc.
describe.skipIf(process.platform !== "linux")("the supervisor of ashlar start", () => {
  const start = async (): Promise<ServiceProcess> => {
    const service = await startService(chain.url, { parameters: [program, "start", "--workers", "1"] });
    expect([...processIds(service).keys()].sort()).toEqual(["indexer", "server"]);
    return service;
  };
  const killAndWait = async (service: ServiceProcess, name: string): Promise<void> => {
    const pid = processIds(service).get(name) ?? 0;
    process.kill(pid, "SIGKILL");
    await until(`the ${name} to be restarted`, () => ![undefined, pid].includes(processIds(service).get(name)));
    expect(service.output()).toContain(`Process ${name} exited unexpectedly (SIGKILL). Restarting it now.`);
  };

  it("restarts a killed indexer, and responds while the indexer continues", async () => {
    const service = await start();
    const server = processIds(service).get("server");
    const head = await chain.head();
    const load = startLoad(`${service.url()}/readyz`, "", 1, 20);
    await killAndWait(service, "indexer").finally(load.stop);
    expect(load.outcomes.length).toBeGreaterThan(0);
    for (const outcome of load.outcomes) expect(outcome).toMatchObject({ status: 200 });
    await mineTransfer();
    await until("the new block to be indexed", async () => (await indexedBlock(service)) === head + 1);
    expect(processIds(service).get("server")).toBe(server);
  });

  it("restarts a killed server while connections wait and the indexer continues", async () => {
    const service = await start();
    const indexer = processIds(service).get("indexer");
    const mineAndWait = async (): Promise<void> => {
      await mineTransfer();
      const head = await chain.head();
      await until("the server to report the new block", async () => (await indexedBlock(service)) === head);
    };
    await Promise.all([killAndWait(service, "server"), mineAndWait()]);
    expect(processIds(service).get("indexer")).toBe(indexer);
  });

  it("leaves no processes behind when it is killed", async () => {
    const service = await start();
    const pids = [...processIds(service).values()];
    service.child.kill("SIGKILL");
    await service.exited;
    await until("the processes to exit", () => pids.every(isGone));
  });
});
