import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { chainConfigSchema } from "../../../runtime/config/config.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { startTestChain } from "../../support/chain.ts";
import { createTestDatabase } from "../../support/database.ts";
import { startIndexer } from "../../support/indexer-process.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { startServer } from "../../support/server-process.ts";
import { until } from "../../support/until.ts";
import { isResponse, type Outcome, startLoad, unlimited } from "./load.ts";

const path = "/v1/own/block_v2/latest/";
const blockCount = 30;
const depths = [1, 3, 10];

/** The block in a response. */
const blockOf = (outcome: Outcome): { readonly block_hash: string; readonly height: number } => {
  if (!isResponse(outcome) || outcome.status !== 200) throw new Error(`Request ${path} failed: ${JSON.stringify(outcome)}`);
  const [block] = (JSON.parse(outcome.body) as { data: { items: { block_hash: string; height: number }[] } }).data.items;
  if (block === undefined) throw new Error(`The response to ${path} has no block: ${outcome.body}`);
  return block;
};

describe("four workers under load", () => {
  it("return no block from an abandoned branch more than a second after the index has left it", async () => {
    const [chain, testDatabase, folder] = await Promise.all([
      startTestChain(),
      createTestDatabase(),
      mkdtemp(join(tmpdir(), "ashlar-reorganisations-")),
    ]);
    for (let block = 0; block < blockCount; block += 1) await chain.mine();
    const { key } = await createKeys(testDatabase.database).create({ label: "reorganisations" });
    const settings = { ...chainConfigSchema.parse({ name: "own", id: 31337, rpc: chain.url, pollMilliseconds: 50 }), id: 31337 };
    const file = join(folder, "serve.yaml");
    await writeFile(file, JSON.stringify({ chains: [settings], limits: unlimited }));
    const indexer = await startIndexer(folder, settings, testDatabase.url);
    const server = await startServer(file, testDatabase.url, { args: ["--workers", "4"] });
    onTestFinished(async () => {
      await Promise.all([indexer.stop(), server.stop()]);
      await testDatabase.drop();
      await chain.stop();
      await rm(folder, { recursive: true });
    });
    const hashAt = async (height: number): Promise<string> =>
      (await chain.rpc<{ hash: string }>("eth_getBlockByNumber", [`0x${height.toString(16)}`, false])).hash;
    const waitForIndex = async (): Promise<void> => {
      const head = await chain.head();
      const hash = await hashAt(head);
      await until("the index to follow the branch", async () => {
        const rows = await testDatabase.database.query<{ hash: string }>("SELECT hash FROM blocks WHERE number = $1", [head]);
        return rows[0]?.hash === hash;
      });
    };
    await waitForIndex();
    const load = startLoad(server.url + path, key, 8, 10);
    onTestFinished(load.stop);
    for (const depth of depths) {
      await chain.rpc("anvil_reorg", [depth, []]);
      await chain.mine();
      await waitForIndex();
      const leftAt = performance.now();
      const head = await chain.head();
      const hash = await hashAt(head);
      const laterResponses = () => load.outcomes.filter(({ startedAt }) => startedAt > leftAt + scaleTimeLimit(1_000));
      await until("responses to later requests", () => laterResponses().length > 40);
      expect(new Set(laterResponses().map((outcome) => blockOf(outcome).height))).toEqual(new Set([head]));
      expect(new Set(laterResponses().map((outcome) => blockOf(outcome).block_hash))).toEqual(new Set([hash]));
    }
    await load.stop();
    // No response failed at any time.
    for (const outcome of load.outcomes) expect(outcome).toMatchObject({ status: 200 });
  });
});
