import { pino } from "pino";
import { afterAll, beforeAll, test } from "vitest";
import { runIndexers } from "../../../runtime/commands/index-chains.ts";
import { type ChainConfig, chainConfigSchema } from "../../../runtime/config/config.ts";
import { createBitcoinQueries } from "../../../runtime/domains/bitcoin/queries.ts";
import { createChainQueries } from "../../../runtime/domains/chains/queries/index.ts";
import { createLedgerQueries } from "../../../runtime/domains/ledger/queries/index.ts";
import { inspectDatabase, readinessOf } from "../../../runtime/readiness.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";
import { until } from "../../support/until.ts";

let chain: TestChain;
let proxy: RpcProxy;
let testDatabase: TestDatabase;
let config: ChainConfig;
const stop = new AbortController();
let indexing: Promise<void>;

beforeAll(async () => {
  chain = await startTestChain();
  for (let block = 0; block < 3; block += 1) await chain.mine();
  proxy = await startRpcProxy(chain.url);
  testDatabase = await createTestDatabase();
  config = { ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: proxy.url, pollMilliseconds: 50 }), id: 31337 };
});
afterAll(async () => {
  stop.abort();
  await indexing;
  await testDatabase?.drop();
  await proxy?.close();
  await chain?.stop();
});

const reasons = async (): Promise<readonly string[]> => {
  const queries = {
    ledger: createLedgerQueries(testDatabase.database),
    bitcoin: createBitcoinQueries(testDatabase.database),
    network: createChainQueries(testDatabase.database),
  };
  return readinessOf(await inspectDatabase([config], queries, testDatabase.database, { now: () => new Date(), maxSilentSeconds: 300 }))
    .reasons;
};
/** Moves the indexer's last progress into the past. */
const simulateSilence = (seconds: number) =>
  testDatabase.database.query("UPDATE indexer_heartbeats SET alive_at = now() - $1 * interval '1 second'", [seconds]);

test("an indexer that refuses its node is not ready, reports the reason, and is restarted until the node is valid", async () => {
  proxy.tamper = (method, reply) => {
    if (method === "eth_chainId") reply.result = "0x5";
  };
  const progress = { report: () => undefined, print: () => undefined, end: () => undefined };
  const options = {
    protocols: [],
    database: { indexing: testDatabase.database, readerRole: "" },
    logger: pino({ level: "silent" }),
    progress,
  };
  indexing = runIndexers({ ...options, chains: [config], endsOnFatalFailure: false }, stop.signal);
  const stopped = /^Indexer of test stopped: The node of test reports chain id 5, expected 31337/;
  await until("the reason", async () => (await reasons()).some((reason) => stopped.test(reason)));
  proxy.tamper = null;
  await until("the indexer to be ready", async () => (await reasons()).length === 0);
});

test("an indexer is ready if its chain has no new blocks, but not if it makes no progress", async () => {
  await simulateSilence(301);
  // The chain has had no new block, but its node responds.
  await until("the next heartbeat", async () => (await reasons()).length === 0);
  proxy.intercept = (_, response) => {
    response.writeHead(503).end();
    return true;
  };
  await until("a failure", async () => {
    await simulateSilence(301);
    return (await reasons()).some((reason) => /^Indexer of test stopped: .*HTTP status 503.* \(no progress for 30\d s\)$/.test(reason));
  });
  proxy.intercept = null;
  await until("the indexer to be ready", async () => (await reasons()).length === 0);
});
