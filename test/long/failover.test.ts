import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainConfigSchema } from "../../runtime/config/config.ts";
import { createDatabase, type Database } from "../../runtime/database/database.ts";
import { createKeys } from "../../runtime/http/keys.ts";
import { hashContents } from "../support/contents.ts";
import { createTestDatabase } from "../support/database.ts";
import { freePort } from "../support/free-port.ts";
import { startIndexer } from "../support/indexer-process.ts";
import { startTokenChain, type TokenChain } from "../support/token-chain.ts";
import { until } from "../support/until.ts";
import { type FailoverCluster, type PrimaryFailure, startPlainCluster } from "./support/failover-cluster.ts";
import { createClient, loadedLimits, renderStatuses, type ServiceProcess, startServiceIn } from "./support/loaded-service.ts";
import { missingPrograms, startPatroniCluster } from "./support/patroni-cluster.ts";
import { numberFromEnvironment, print } from "./support/settings.ts";

/** The time that an operator takes to promote a standby. */
const promotionSeconds = numberFromEnvironment("LONG_PROMOTION_SECONDS", 20);
/** The maximum time from the promotion until a new block is indexed and served (issue 15, section 6). */
const maxRecoverySeconds = 30;
/** How long the chain grows after the former primary has recovered. */
const recoveredSeconds = 10;

const connect = (url: string): Database =>
  createDatabase({ url, poolSize: 2, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });

/** Tests a service with two workers and an indexer that loses its primary several times while its chain grows and clients send requests. */
function testFailovers(
  start: () => Promise<FailoverCluster>,
  { failures, formerPrimaryRejoins }: { readonly failures: readonly PrimaryFailure[]; readonly formerPrimaryRejoins: boolean },
) {
  let folder: string;
  let tokens: TokenChain;
  let cluster: FailoverCluster;
  let service: ServiceProcess;
  let client: ReturnType<typeof createClient>;
  let requests: ReturnType<ReturnType<typeof createClient>["startRequests"]>;
  let database: Database;
  const rows: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ashlar-failover-"));
    [tokens, cluster] = await Promise.all([startTokenChain(), start()]);
    const port = await freePort();
    const chains = [{ name: "own", rpc: tokens.chain.url, pollMilliseconds: 200 }];
    await writeFile(join(folder, "ashlar.yaml"), JSON.stringify({ port, limits: loadedLimits, chains, ...cluster.settings }));
    service = startServiceIn(folder);
    database = connect(cluster.settings.databaseUrl);
    await until(
      "the service to be ready",
      async () => {
        if (service.child.exitCode !== null) throw new Error(`The service exited: ${service.output()}`);
        return (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true;
      },
      60_000,
    );
    const { key } = await createKeys(database).create({ label: "failover" });
    client = createClient({ port, key, tokens });
    requests = client.startRequests();
    // Each worker must have loaded the key before the first failover.
    await client.measureRecovery();
    await wait(1_000);
  });
  afterAll(async () => {
    await requests?.stop();
    print(
      ["| lost | until the promotion | until a new block | longest without a 200 | responses | closed connections |", ...rows].join("\n"),
    );
    service?.child.kill("SIGTERM");
    await service?.exited;
    await database?.close();
    await cluster?.stop();
    await tokens?.chain.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const grow = async (seconds: number): Promise<void> => {
    const end = performance.now() + seconds * 1_000;
    while (performance.now() < end) {
      await tokens.grow(1);
      await wait(500);
    }
  };
  const measureSeconds = async (work: () => Promise<unknown>): Promise<number> => {
    const from = performance.now();
    await work();
    return (performance.now() - from) / 1_000;
  };

  it("continues after a promotion", async () => {
    for (const failure of failures) {
      requests.count();
      await grow(2);
      await cluster.failPrimary(failure);
      let isPromoted = false;
      const growing = (async () => {
        while (!isPromoted) await grow(0.5);
      })();
      const promotion = await measureSeconds(cluster.waitForPromotion);
      isPromoted = true;
      await growing;
      const recovery = await client.measureRecovery();
      const counts = requests.count();
      const cells = [
        failure,
        `${promotion.toFixed(1)} s`,
        `${recovery.toFixed(1)} s`,
        `${(counts.silentMilliseconds / 1_000).toFixed(1)} s`,
      ];
      rows.push(`| ${[...cells, renderStatuses(counts), counts.failures].join(" | ")} |`);
      print(rows.at(-1) ?? "");
      expect([...counts.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(counts.failures).toBe(0);
      expect(recovery).toBeLessThan(maxRecoverySeconds);
      // The replica continues to serve reads, but some may wait until the promotion for a commit that it has not received.
      expect(counts.silentMilliseconds).toBeLessThan(5_000);

      const former = connect(await cluster.recoverPrimary());
      try {
        const before = await hashContents(former);
        await grow(recoveredSeconds);
        await client.measureRecovery();
        if (formerPrimaryRejoins)
          await until("the former primary to follow", async () =>
            isDeepStrictEqual(await hashContents(former), await hashContents(database)),
          );
        else expect(await hashContents(former)).toEqual(before);
      } finally {
        await former.close();
      }
      expect([...requests.count().statuses.keys()]).toEqual([200]);
    }
  });

  it("has the same index as a service without failovers", async () => {
    const undisturbed = await createTestDatabase();
    const scratch = await mkdtemp(join(tmpdir(), "ashlar-undisturbed-"));
    const config = { ...chainConfigSchema.parse({ name: "own", id: 31337, rpc: tokens.chain.url, pollMilliseconds: 100 }), id: 31337 };
    const other = await startIndexer(scratch, config, undisturbed.url);
    try {
      await until(
        "equal contents",
        async () => isDeepStrictEqual(await hashContents(database), await hashContents(undisturbed.database)),
        60_000,
      ).catch(() => undefined);
      expect(await hashContents(database)).toEqual(await hashContents(undisturbed.database));
    } finally {
      await other.kill();
      await undisturbed.drop();
      await rm(scratch, { recursive: true, force: true });
    }
  });
}

describe.skipIf(process.platform !== "linux").each(["machine", "network"] as const)(
  "two servers in one URL with manual promotion: failure of the %s",
  (failure) => testFailovers(() => startPlainCluster(promotionSeconds), { failures: [failure], formerPrimaryRejoins: false }),
);

const missing = missingPrograms();

describe.skipIf(missing.length > 0)(
  `Patroni and HAProxy${missing.length === 0 ? "" : ` (skipped: ${missing.join(", ")} not installed)`}`,
  () => testFailovers(startPatroniCluster, { failures: ["machine", "PostgreSQL", "machine"], formerPrimaryRejoins: true }),
);
