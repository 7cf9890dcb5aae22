import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { probeCapabilities } from "../../../runtime/chain/capabilities.ts";
import { createRpc } from "../../../runtime/chain/rpc.ts";
import { createSource, type Source } from "../../../runtime/chain/source.ts";
import { tokenMetadataRead } from "../../../runtime/domains/tokens/projection/metadata-reads.ts";
import { createNodeReadScheduler, type NodeReadsDeps } from "../../../runtime/jobs/node-reads.ts";
import type { Scheduler } from "../../../runtime/jobs/scheduler.ts";
import type { Address } from "../../../runtime/lib/hex.ts";
import { artifacts, startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { multicallAddress, multicallCode } from "../../support/multicall.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";
import { addressOf, unusualTokens } from "./node-reads/unusual-tokens.ts";

let chain: TestChain;
let proxy: RpcProxy;
let source: Source;
let close: () => Promise<void>;
let testDatabase: TestDatabase;
let gold: Address;
let now: Date;

beforeAll(async () => {
  chain = await startTestChain();
  gold = await chain.deploy(artifacts.erc20(), ["Gold", "GLD"]);
  for (const [index, { code }] of Object.values(unusualTokens).entries()) await chain.rpc("anvil_setCode", [addressOf(index), code]);
  proxy = await startRpcProxy(chain.url);
  const rpc = createRpc({ url: proxy.url, retries: 0 });
  source = createSource(rpc, await probeCapabilities(rpc), { readsTraces: false });
  close = () => rpc.close();
});
beforeEach(async () => {
  testDatabase = await createTestDatabase();
  now = new Date(Date.now() + 60_000);
});
afterEach(async () => {
  proxy.tamper = null;
  proxy.intercept = null;
  proxy.counts.clear();
  await testDatabase.drop();
});
afterAll(async () => {
  await close?.();
  await proxy?.close();
  await chain?.stop();
});

const enqueue = (addresses: readonly Address[], blockNumber = 1) =>
  testDatabase.database.query(
    "INSERT INTO node_reads (chain_id, kind, key, block_number) SELECT 31337, 'token-metadata', decode(a, 'hex'), $2 FROM unnest($1::text[]) a",
    [addresses.map((address) => address.slice(2)), blockNumber],
  );
const deps = (): NodeReadsDeps => ({
  chainId: 31337,
  chainName: "test",
  database: testDatabase.database,
  source,
  reads: [tokenMetadataRead],
  multicallAddress,
  clock: () => now,
  logger: { warn: () => undefined },
});
const metadata = () =>
  testDatabase.database.query<{ address: Address; name: string | null; symbol: string | null; decimals: number | null }>(
    "SELECT address, name, symbol, decimals FROM token_metadata ORDER BY address",
  );
/** Runs all due reads, and returns for how many tokens they stored metadata. */
const runAllDue = async (reads: Scheduler): Promise<number> => {
  const before = (await metadata()).length;
  while (await reads.runDue());
  return (await metadata()).length - before;
};
const allTokens = () => [...Object.keys(unusualTokens).map((_, index) => addressOf(index)), gold];

const expectAllMetadata = async () => {
  const rows = await metadata();
  const rowByTitle = Object.fromEntries(
    Object.keys(unusualTokens).map((title, index) => [title, rows.find(({ address }) => address === addressOf(index))]),
  );
  for (const [title, { name, symbol, decimals }] of Object.entries(unusualTokens))
    expect(rowByTitle[title], title).toMatchObject({ name, symbol, decimals });
  expect(rows.find(({ address }) => address === gold)).toEqual({ address: gold, name: "Gold", symbol: "GLD", decimals: 18 });
  expect(await testDatabase.database.query("SELECT 1 FROM node_reads")).toEqual([]);
};

describe("token metadata reads", () => {
  it("use single calls on a chain without multicall, and accept any result from a token", async () => {
    await chain.rpc("anvil_setCode", [multicallAddress, "0x"]);
    await enqueue(allTokens());
    expect(await runAllDue(createNodeReadScheduler(deps()))).toBe(allTokens().length);
    await expectAllMetadata();
  });

  it("have the same results with multicall, in fewer requests", async () => {
    await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
    await enqueue(allTokens());
    expect(await runAllDue(createNodeReadScheduler(deps()))).toBe(allTokens().length);
    await expectAllMetadata();
    await testDatabase.database.query("DELETE FROM token_metadata");
    await enqueue([gold], 2);
    proxy.counts.clear();
    await runAllDue(createNodeReadScheduler(deps()));
    expect(proxy.counts.get("eth_call")).toBe(1);
  });

  it("are retried with exponential backoff while the node fails calls to a contract", async () => {
    await enqueue([gold]);
    proxy.tamper = (method, response, params) => {
      if (method !== "eth_call" || !JSON.stringify(params).includes(gold.slice(2))) return;
      delete response.result;
      response.error = { code: -32000, message: "header not found" };
    };
    const reads = createNodeReadScheduler(deps());
    const waits: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(await runAllDue(reads)).toBe(0);
      const [row] = await testDatabase.database.query<{ run_after: Date }>("SELECT run_after FROM node_reads");
      waits.push(((row?.run_after.getTime() ?? 0) - now.getTime()) / 1_000);
      now = row?.run_after ?? now;
    }
    expect(waits).toEqual([2, 4, 8]);
    expect(await metadata()).toEqual([]);
    proxy.tamper = null;
    expect(await runAllDue(reads)).toBe(1);
    expect(await metadata()).toMatchObject([{ name: "Gold" }]);
  });

  it("store the metadata as unknown after eight attempts", async () => {
    await enqueue([gold]);
    proxy.tamper = (method, response, params) => {
      if (method !== "eth_call" || !JSON.stringify(params).includes(gold.slice(2))) return;
      delete response.result;
      response.error = { code: -32000, message: "header not found" };
    };
    for (let attempt = 0; attempt < 8; attempt += 1) {
      await runAllDue(createNodeReadScheduler(deps()));
      now = new Date(now.getTime() + 7_200_000);
    }
    expect(await metadata()).toEqual([{ address: gold, name: null, symbol: null, decimals: null }]);
  });

  it("are retried after a node outage, without counting an attempt", async () => {
    await enqueue([gold]);
    proxy.intercept = (_body, response) => {
      response.destroy();
      return true;
    };
    const stop = new AbortController();
    const warnings: string[] = [];
    const run = createNodeReadScheduler({ ...deps(), logger: { warn: (message) => warnings.push(message) }, pauseMilliseconds: 5 }).run(
      stop.signal,
    );
    while (warnings.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const attempts = (await testDatabase.database.query<{ attempts: number }>("SELECT attempts FROM node_reads"))[0]?.attempts;
    proxy.intercept = null;
    now = new Date(now.getTime() + 60_000);
    while ((await metadata()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await run;
    expect(attempts).toBe(0);
    expect(warnings[0]).toMatch(/^test: job read-contracts failed, retrying in 1 s: The node at 127\.0\.0\.1:\d+ cannot be reached/);
  });

  it("are suspended while another process writes the chain's index", async () => {
    await enqueue([gold]);
    const stop = new AbortController();
    let isLeading = false;
    const run = createNodeReadScheduler({ ...deps(), isLeading: () => isLeading, pauseMilliseconds: 5 }).run(stop.signal);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await metadata()).toEqual([]);
    isLeading = true;
    while ((await metadata()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await run;
    expect(await metadata()).toMatchObject([{ name: "Gold" }]);
  });

  it("are not repeated if a batch that was folded before they were stored queues them again", async () => {
    await enqueue([gold], 5);
    expect(await runAllDue(createNodeReadScheduler(deps()))).toBe(1);
    await enqueue([gold], 9);
    expect(await runAllDue(createNodeReadScheduler(deps()))).toBe(0);
    expect(await testDatabase.database.query("SELECT block_number FROM token_metadata")).toEqual([{ block_number: 5 }]);
    expect(await testDatabase.database.query("SELECT FROM node_reads")).toEqual([]);
  });

  it("are not stored for a token that a reorganisation has removed in the meantime", async () => {
    await enqueue([gold], 9);
    const removingDeps: NodeReadsDeps = {
      ...deps(),
      source: {
        head: source.head,
        runCalls: async (calls, height) => {
          const outcomes = await source.runCalls(calls, height);
          await testDatabase.database.query("DELETE FROM node_reads WHERE block_number > 8");
          return outcomes;
        },
      },
    };
    await runAllDue(createNodeReadScheduler(removingDeps));
    expect(await metadata()).toEqual([]);
  });
});
