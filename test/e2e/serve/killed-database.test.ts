import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { chainConfigSchema } from "../../../runtime/config/config.ts";
import { createDatabase } from "../../../runtime/database/database.ts";
import { startEmbedded } from "../../../runtime/database/embedded.ts";
import { migrate } from "../../../runtime/database/migrate.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { startTestChain } from "../../support/chain.ts";
import { postmasterOf } from "../../support/database/embedded-fixture.ts";
import { startServer } from "../../support/server-process.ts";
import { indexUntilHead } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { isGone } from "../start/service-process.ts";
import { isResponse, startLoad, unlimited } from "./load.ts";
import { processesOf } from "./processes-of.ts";

const path = "/v1/own/block_v2/1/";

/** Starts a PostgreSQL server that Ashlar does not manage: the service has only its URL. */
async function startDatabase() {
  const dataDirectory = await mkdtemp(join(tmpdir(), "ashlar-database-"));
  const settings = { fsync: "off" };
  let server = await startEmbedded({ dataDirectory, settings });
  onTestFinished(async () => {
    await server.stop();
    await rm(dataDirectory, { recursive: true });
  });
  return {
    url: server.url,
    async kill() {
      const postmaster = postmasterOf(dataDirectory);
      process.kill(postmaster, "SIGKILL");
      await until("the database to exit", () => isGone(postmaster));
    },
    async restart() {
      await server.stop();
      server = await startEmbedded({ dataDirectory, settings, port: server.port });
    },
  };
}

// The test finds the workers in /proc.
describe.skipIf(process.platform !== "linux")("a killed database", () => {
  it("causes 503 until it restarts, without exited workers, wrong responses or lost charges", async () => {
    const server = await startDatabase();
    const database = createDatabase({ url: server.url, poolSize: 4, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
    await migrate(database, migrations);
    const { id, key } = await createKeys(database).create({ label: "kill" });
    const chain = await startTestChain();
    await chain.mine();
    const { stop } = await indexUntilHead(
      { ...chainConfigSchema.parse({ name: "own", id: 31337, rpc: chain.url }), id: 31337 },
      server.url,
    );
    await stop();
    await chain.stop();
    const folder = await mkdtemp(join(tmpdir(), "ashlar-kill-"));
    const file = join(folder, "ashlar.yaml");
    await writeFile(file, JSON.stringify({ chains: [{ name: "own", id: 31337 }], limits: unlimited }));
    const running = await startServer(file, server.url, { args: ["--workers", "2"] });
    const load = startLoad(running.url + path, key, 4);
    onTestFinished(async () => {
      await load.stop();
      await running.stop();
      await rm(folder, { recursive: true });
    });
    const workers = processesOf(running.child.pid ?? 0);
    expect(workers.size).toBe(2);
    const countOf = (status: number): number => load.outcomes.filter((outcome) => isResponse(outcome) && outcome.status === status).length;
    await until("responses before the kill", () => countOf(200) > 20);
    await server.kill();
    await until("responses with status 503", () => countOf(503) > 8);
    await server.restart();
    const served = countOf(200);
    await until("responses after the restart", () => countOf(200) > served + 20);
    await load.stop();
    expect(processesOf(running.child.pid ?? 0)).toEqual(workers);
    const itemsOf = (body: string): unknown => (JSON.parse(body) as { data: { items: unknown } }).data.items;
    const responses = load.outcomes.filter(isResponse);
    expect(responses).toHaveLength(load.outcomes.length);
    const [first] = responses;
    for (const { status, body } of responses) {
      if (status === 200) expect(itemsOf(body)).toEqual(itemsOf(first?.body ?? ""));
      else expect([status, JSON.parse(body)]).toEqual([503, expect.objectContaining({ data: null, error: true, error_code: 503 })]);
    }
    await running.stop();
    const [usage] = await database.query<{ calls: number }>("SELECT sum(calls)::int8 AS calls FROM credit_usage WHERE key_id = $1", [id]);
    await database.close();
    // If a flush was committed but its confirmation lost, it would be written again: at most those charges count twice.
    expect(usage?.calls).toBeGreaterThanOrEqual(countOf(200));
  });
});
