import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import supertest from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemo } from "../../../demo/start-demo.ts";
import type { Demo } from "../../../demo/types.ts";
import { operations } from "../../../generated/operations.gen.ts";
import { projectionSubjects } from "../../../runtime/api/projection-reads.ts";
import { createApp } from "../../../runtime/app.ts";
import { createContractBackoff } from "../../../runtime/chain/contract-backoff.ts";
import { type ChainConfig, config } from "../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../runtime/config/key-limits.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { createStoredLedger } from "../../../runtime/domains/ledger/stored-blocks.ts";
import type { HttpApp } from "../../../runtime/http/app.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { createStopwatch } from "../../../runtime/indexer/ingest/stopwatch.ts";
import type { ChainFacts } from "../../../runtime/indexer/projection.ts";
import { clearProjection } from "../../../runtime/indexer/reorg/roll-back.ts";
import { catchUpOnce } from "../../../runtime/indexer/session/catch-up.ts";
import { readCheckpoints, resetCheckpoint } from "../../../runtime/indexer/storage/checkpoints.ts";
import { projections } from "../../../runtime/projections.ts";
import { contractsDirectory } from "../../support/cache.ts";
import { exampleOf, targetOf } from "../../support/contract/examples.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { chainOf, createTestIndexer, runUntil } from "../../support/indexer/support.ts";
import { type ProxiedReply, startRpcProxy } from "../../support/rpc-proxy.ts";
import { storyEndTime } from "../../support/story.ts";

// The demo's short story is indexed twice: up to its head, and up to the checkpoint of a projection that is being rebuilt. During the rebuild, every
// response of a live operation equals that of one of the two indexes (the first if the operation does not read the projection), or is 503.
interface TestResponse {
  readonly status: number;
  readonly text: string;
  readonly message: string;
  readonly retryAfter: string | undefined;
  readonly hasMore: boolean;
}
interface TestApi {
  request(target: string): Promise<TestResponse>;
  end(): Promise<void>;
}

const chainId = 31337;
const now = () => new Date(storyEndTime * 1000);
/** Without community endpoints: this index has no tables of declared protocols. */
const live = operations.filter(({ status, class: group }) => status === "live" && group !== "C");
/** Operations that report the progress of the index. */
const progressOperations: ReadonlySet<string> = new Set(["getAllChainStatus", "getHealthData"]);
/** Options that make an operation read more than its example does. */
const options: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  getTokenBalancesForWalletAddress: { nft: "true" },
  getHistoricalTokenBalancesForWalletAddress: { nft: "true" },
  getTransactionSummary: { "with-gas": "true" },
};

/** The story has no names; a configured registry is enough for names to be read. */
const nameRegistry = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e";

let folder: string;
let demo: Demo;
let full: TestDatabase;
let partial: TestDatabase;
/** The last block of the first batch of a catch-up. */
let middle: number;
let head: number;
const cleanups: (() => Promise<unknown>)[] = [];

const indexerOf = (url: string, database: Database) =>
  createTestIndexer(url, database, { chain: chainOf({ name: demo.chain.name, wrappedNative: demo.chain.wrappedNative }), projections });

const indexTo = async (url: string, database: Database, block: number): Promise<void> => {
  const running = await indexerOf(url, database);
  await runUntil(running.indexer, () => running.indexer.status().following && running.indexer.status().block === block, 120_000);
  await running.close();
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashlar-as-of-"));
  demo = await startDemo({ dataDirectory: folder, contractsDirectory, scale: 0.02, endTime: storyEndTime });
  [full, partial] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const proxy = await startRpcProxy(demo.rpcUrl);
  cleanups.push(proxy.close);
  const blockAt = async (tag: string) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: [tag, false] });
    const response = await fetch(demo.rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
    return ((await response.json()) as { result: { number: string } }).result;
  };
  head = Number((await blockAt("latest")).number);
  middle = Math.floor(head * 0.6);
  await indexTo(demo.rpcUrl, full.database, head);
  // Simulates a node whose head is the middle block.
  const last = await blockAt(`0x${middle.toString(16)}`);
  proxy.tamper = (method: string, reply: ProxiedReply, params: readonly unknown[]) => {
    if (method === "eth_blockNumber") reply.result = last.number;
    if (method === "eth_getBlockByNumber" && params[0] === "latest") reply.result = last;
  };
  await indexTo(proxy.url, partial.database, middle);
});
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await Promise.all([full?.drop(), partial?.drop()]);
  await demo?.stop();
  await rm(folder, { recursive: true, force: true });
});

const serve = async (database: Database): Promise<TestApi> => {
  const chain: ChainConfig = { ...demo.chain, nameRegistry };
  const http: HttpApp = createApp({
    config: config.parse({ publicUrl: "https://data.example", limits: { requestsPerSecond: 100_000, ...noKeyLimits } }),
    chains: [chain],
    database,
    logger: pino({ level: "silent" }),
    validate: "strict",
    now,
  });
  const { key } = await createKeys(database).create({ label: "test" });
  return {
    request: async (target) => {
      const response = await supertest(http.app).get(target).set("Authorization", `Bearer ${key}`);
      const { data, error_message: message } = response.body;
      return {
        status: response.status,
        text: JSON.stringify(data),
        message: String(message),
        retryAfter: response.headers["retry-after"],
        hasMore: data?.pagination?.has_more === true,
      };
    },
    end: () => http.close(),
  };
};

/** Catches projections up to a block; with `fromStart` from the first block, as after a change of their version. */
const catchUp = async (
  database: Database,
  ids: readonly string[],
  to: number,
  { fromStart }: { readonly fromStart: boolean },
): Promise<void> => {
  const running = await indexerOf(demo.rpcUrl, database);
  const facts: ChainFacts = { from: 0, baseBlock: 0, nativeAccounting: "traces", wrappedNative: new Set(demo.chain.wrappedNative) };
  const guard = async () => undefined;
  const onUnanswered = () => undefined;
  const deps = {
    database,
    source: running.source,
    chainId,
    facts,
    allocation: undefined,
    ledger: createStoredLedger(database, chainId),
    stopwatch: createStopwatch(),
    guard,
    onUnanswered,
    unresponsive: createContractBackoff(1_000),
    clock: () => new Date(),
  };
  for (const projection of projections.filter(({ id }) => ids.includes(id))) {
    if (fromStart) {
      await database.transaction(async (client) => {
        await clearProjection(client, chainId, projection);
        await resetCheckpoint(client, chainId, projection.id, projection.version, -1);
      });
    }
    const done = (await readCheckpoints(database, chainId)).get(projection.id)?.block ?? -1;
    const size = { transactions: Number.MAX_SAFE_INTEGER, blocks: to - done };
    if (to > done) await catchUpOnce(deps, projection, size, new AbortController().signal);
    expect((await readCheckpoints(database, chainId)).get(projection.id)?.block).toBe(to);
  }
  await running.close();
};

/** Returns the requests of an operation: its documented example, and one with the options that make it read more. */
const targetsOf = (operation: (typeof live)[number]): string[] => {
  const example = exampleOf(operation, demo.story.values);
  const extraOptions = options[operation.id];
  return [targetOf(operation, example), ...(extraOptions === undefined ? [] : [targetOf(operation, { ...example, ...extraOptions })])];
};
const allTargets = () =>
  live
    .filter(({ id }) => !progressOperations.has(id))
    .flatMap((operation) => targetsOf(operation).map((target) => ({ operation, target })));

/** Removes labels and standards of contracts, which are read as of the checkpoint even in responses that read nothing else of a projection. */
const withoutLabels = (text: string): string =>
  text.replace(/"(?:\w+_label|supports_erc|sender_factory_address)":(?:"[^"]*"|\[[^\]]*\]|\w+)/g, "");

describe("a projection that is being rebuilt", () => {
  const ids = Object.keys(projectionSubjects);
  let atHead: TestApi;
  let atMiddle: TestApi;
  const responses = new Map<string, { readonly full: TestResponse; readonly partial: TestResponse }>();
  beforeAll(async () => {
    [atHead, atMiddle] = await Promise.all([serve(full.database), serve(partial.database)]);
    cleanups.push(atHead.end, atMiddle.end);
    for (const { target } of allTargets()) {
      responses.set(target, { full: await atHead.request(target), partial: await atMiddle.request(target) });
    }
  });

  it("is compared with two indexes that differ", () => {
    const differing = [...responses.values()].filter(({ full, partial: part }) => full.text !== part.text);
    // No documents are read here, so the collections have no traits.
    expect([...responses].filter(([target, { full }]) => full.status !== 200 && !target.includes("/traits/"))).toEqual([]);
    expect(differing.length).toBeGreaterThan(25);
    expect(ids.filter((id) => !projections.some((projection) => projection.id === id))).toEqual([]);
  });

  it.each([...ids.map((id) => [id]), ids])(
    "lets every live operation respond as of the checkpoint, as without the rebuild, or with 503 (%s)",
    async (...rebuilt) => {
      await catchUp(full.database, rebuilt, middle, { fromStart: true });
      const deviations: string[] = [];
      const counts = { refused: 0, capped: 0 };
      for (const { operation, target } of allTargets()) {
        const response = await atHead.request(target);
        const known = responses.get(target);
        if (known === undefined) throw new Error(`No response was recorded for ${target}`);
        if (response.status === 503) {
          counts.refused += 1;
          expect(response.message, target).toMatch(
            new RegExp(`^[A-Z].* are being rebuilt: at block ${middle} of ${head}\\. Retry later\\.$`),
          );
          expect(response.retryAfter, target).toBe("30");
        } else if (response.text === known.partial.text && known.partial.text !== known.full.text) counts.capped += 1;
        else if (response.status !== known.full.status || withoutLabels(response.text) !== withoutLabels(known.full.text))
          deviations.push(`${operation.id} ${target}`);
      }
      expect(deviations).toEqual([]);
      expect(counts.refused + counts.capped).toBeGreaterThan(0);
      await catchUp(full.database, rebuilt, head, { fromStart: false });
    },
  );

  it("keeps the pages of a list pinned to the block of the first page while it continues", async () => {
    const paged = live.filter(({ style }) => style === "page" || style === "path-page");
    const pageOf = (operation: (typeof live)[number], number: number) => {
      const values = exampleOf(operation, demo.story.values);
      const page: Record<string, string> = operation.style === "page" ? { "page-number": String(number) } : { page: String(number) };
      return targetOf(operation, { ...values, "page-size": operation.id === "getTokenHolders" ? "100" : "1", ...page });
    };
    await catchUp(full.database, ids, middle, { fromStart: true });
    const started: (typeof live)[number][] = [];
    for (const operation of paged) {
      const [first, expected] = [await atHead.request(pageOf(operation, 0)), await atMiddle.request(pageOf(operation, 0))];
      if (first.status !== 200 || !first.hasMore || first.text !== expected.text) continue;
      started.push(operation);
    }
    expect(started.length).toBeGreaterThan(5);
    await catchUp(full.database, ids, middle + 20, { fromStart: false });
    for (const operation of started) {
      expect((await atHead.request(pageOf(operation, 1))).text, operation.id).toBe((await atMiddle.request(pageOf(operation, 1))).text);
    }
    await catchUp(full.database, ids, head, { fromStart: false });
    for (const operation of started) {
      expect((await atHead.request(pageOf(operation, 1))).text, operation.id).toBe((await atMiddle.request(pageOf(operation, 1))).text);
    }
  });

  it("refuses pages of a list that is pinned above its checkpoint", async () => {
    const path = `/v1/${demo.chain.name}/address/${demo.story.values.trader}/transfers_v2/?page-size=1&page-number=`;
    expect((await atHead.request(`${path}0`)).hasMore).toBe(true);
    await catchUp(full.database, ["tokens"], middle, { fromStart: true });
    expect(await atHead.request(`${path}1`)).toMatchObject({ status: 503 });
    await catchUp(full.database, ["tokens"], head, { fromStart: false });
    expect((await atHead.request(`${path}1`)).status).toBe(200);
  });

  it("refuses blocks and days above its checkpoint, and all requests before its first block", async () => {
    const path = `/v1/${demo.chain.name}/address/${demo.story.values.trader}/historical_balances/`;
    const holders = `/v1/${demo.chain.name}/tokens/${demo.story.values.usdToken}/token_holders_v2/`;
    await catchUp(full.database, ["tokens"], middle, { fromStart: true });
    expect(await atHead.request(`${path}?block-height=${middle + 1}`)).toMatchObject({ status: 503 });
    const transfers = `/v1/${demo.chain.name}/address/${demo.story.values.trader}/transfers_v2/`;
    for (const range of [`starting-block=${middle + 1}`, `ending-block=${middle + 1}`]) {
      expect(await atHead.request(`${transfers}?${range}`), range).toMatchObject({ status: 503 });
    }
    expect((await atHead.request(`${transfers}?ending-block=${middle}`)).text).toBe(
      (await atMiddle.request(`${transfers}?ending-block=${middle}`)).text,
    );
    const day = new Date(storyEndTime * 1000).toISOString().slice(0, 10);
    expect(await atHead.request(`${path}?date=${day}`)).toMatchObject({ status: 503 });
    expect((await atHead.request(`${path}?block-height=${middle}`)).text).toBe(
      (await atMiddle.request(`${path}?block-height=${middle}`)).text,
    );
    // A contract without transfers by that block may have some later.
    expect(await atHead.request(holders.replace(String(demo.story.values.usdToken), `0x${"12".repeat(20)}`))).toMatchObject({
      status: 503,
    });
    await catchUp(full.database, ["tokens"], -1, { fromStart: true });
    expect(await atHead.request(path)).toMatchObject({
      status: 503,
      message: `Token balances are being rebuilt: no block of ${head} yet. Retry later.`,
    });
    await catchUp(full.database, ["tokens"], head, { fromStart: false });
  });

  it("refuses names instead of reporting them as unknown", async () => {
    const path = `/v1/${demo.chain.name}/address/nobody.eth/transactions_v3/`;
    expect((await atHead.request(path)).status).toBe(400);
    await catchUp(full.database, ["names"], middle, { fromStart: true });
    expect(await atHead.request(path)).toMatchObject({
      status: 503,
      message: `Names are being rebuilt: at block ${middle} of ${head}. Retry later.`,
    });
    expect(await atHead.request("/v1/address/nobody.eth/activity/")).toMatchObject({ status: 503 });
    await catchUp(full.database, ["names"], head, { fromStart: false });
    expect((await atHead.request(path)).status).toBe(400);
  });
});
