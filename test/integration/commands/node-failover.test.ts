import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIndexers } from "../../../runtime/commands/index-chains.ts";
import { type ChainConfig, chainConfigSchema } from "../../../runtime/config/config.ts";
import { createLedgerQueries } from "../../../runtime/domains/ledger/queries/index.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";
import { until } from "../../support/until.ts";

let chain: TestChain;
let proxies: RpcProxy[];
let testDatabase: TestDatabase;
const lines: string[] = [];
const stop = new AbortController();
let indexing: Promise<void>;

beforeAll(async () => {
  chain = await startTestChain();
  for (let block = 0; block < 3; block += 1) await chain.mine();
  proxies = await Promise.all([startRpcProxy(chain.url), startRpcProxy(chain.url), startRpcProxy(chain.url)]);
  testDatabase = await createTestDatabase();
});
afterAll(async () => {
  stop.abort();
  await indexing;
  await testDatabase?.drop();
  await Promise.all((proxies ?? []).map((proxy) => proxy.close()));
  await chain?.stop();
});

/** Closes all connections without a response, like a node that was killed. */
const kill = (position: number): void => {
  (proxies[position] as RpcProxy).intercept = (_, response) => {
    response.destroy();
    return true;
  };
};
const isIndexed = async (height: number): Promise<boolean> =>
  (await createLedgerQueries(testDatabase.database).head(31337))?.number === height;
const failovers = (): string[] => lines.filter((line) => line.includes("continues with"));

test("an indexer starts with the second node if the first one is down", async () => {
  kill(0);
  const settings = { name: "test", id: 31337, rpc: proxies.map(({ url }) => url), pollMilliseconds: 50 };
  const config: ChainConfig = { ...chainConfigSchema.parse(settings), id: 31337 };
  const progress = { report: () => undefined, print: () => undefined, end: () => undefined };
  const logger = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
  indexing = runIndexers(
    {
      protocols: [],
      database: { indexing: testDatabase.database, readerRole: "" },
      logger,
      progress,
      chains: [config],
      endsOnFatalFailure: false,
    },
    stop.signal,
  );
  await until("the chain to be indexed", () => isIndexed(3));
  expect(failovers()).toEqual([expect.stringMatching(/Indexing test continues with node 2 .* instead of node 1 .*: its requests fail/)]);
});

test("the indexer continues with the third node when the second one goes down, and does not return to the first one", async () => {
  kill(1);
  for (let block = 0; block < 3; block += 1) await chain.mine();
  await until("the new blocks to be indexed", () => isIndexed(6));
  expect(failovers()).toHaveLength(2);
  expect(failovers()[1]).toMatch(/Indexing test continues with node 3 .* instead of node 2 /);
});

test("the indexer continues with the recovered first node when the third one reports another chain", async () => {
  const [first, , third] = proxies as [RpcProxy, RpcProxy, RpcProxy];
  first.intercept = null;
  third.tamper = (method, reply) => {
    if (method === "eth_chainId") reply.result = "0x5";
  };
  await chain.mine();
  await until("the failover", () => failovers().length === 3);
  await chain.mine();
  await until("the new blocks to be indexed", () => isIndexed(8));
  expect(failovers()[2]).toMatch(/Indexing test continues with node 1 .* instead of node 3 /);
});
