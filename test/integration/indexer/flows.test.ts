import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../../runtime/database/database.ts";
import { addressActivityProjection } from "../../../runtime/domains/ledger/projection/activity.ts";
import { tokensProjection } from "../../../runtime/domains/tokens/projection/index.ts";
import { erc721Transfer } from "../../../runtime/events/transfers.ts";
import { defineProjection } from "../../../runtime/indexer/projection.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { dump } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { deadline } from "../../support/deadline.ts";
import { addRound, buildStory, type Story } from "../../support/indexer/story-builder.ts";
import { balanceHistory, chainOf, createTestIndexer, runUntil } from "../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";

type Accounts = readonly [`0x${string}`, `0x${string}`, `0x${string}`];

let chain: TestChain;
let proxy: RpcProxy;
let story: Story;
let accounts: Accounts;
let round = 2;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startRpcProxy(chain.url);
  story = await buildStory(chain, round);
  accounts = chain.accounts.slice(0, 3) as unknown as Accounts;
});
afterEach(async () => {
  proxy.tamper = null;
  proxy.intercept = null;
  await Promise.all(databases.splice(0).map((test) => test.drop()));
});
afterAll(async () => {
  await proxy?.close();
  await chain?.stop();
});

const newDatabase = async (): Promise<TestDatabase> => {
  const test = await createTestDatabase();
  databases.push(test);
  return test;
};
const chainSettings = () => chainOf({ wrappedNative: [story.weth] });

/** The rows of a new index of the current chain. */
const freshDump = async () => {
  const test = await newDatabase();
  const fresh = await createTestIndexer(chain.url, test.database, { chain: chainSettings() });
  await fresh.runToHead(await chain.head());
  await fresh.close();
  return dump(test.database);
};

const expectSame = (actual: Record<string, string[]>, expected: Record<string, string[]>) => {
  for (const table of Object.keys(expected)) expect(actual[table], table).toEqual(expected[table]);
};

describe("a reorganisation", () => {
  it.each([1, 3, 10])("leaves no rows of the replaced blocks at depth %i", async (depth) => {
    const test = await newDatabase();
    const testIndexer = await createTestIndexer(chain.url, test.database, { chain: chainSettings() });
    await addRound(chain, story, round++, accounts);
    await addRound(chain, story, round++, accounts);
    // No other block touches these two genesis accounts, so their base balances must be deleted with this block.
    await chain.send({ from: chain.accounts[7] as `0x${string}`, to: chain.accounts[8] as `0x${string}`, value: 1n, gas: 21_000n });
    await chain.mine();
    await testIndexer.runToHead(await chain.head());
    // Only the first of the new blocks has a transaction, so the other accounts and tokens of the replaced blocks are untouched now.
    const transactions = [[{ from: accounts[0], to: accounts[2], value: "0x5", gas: "0x5208" }, 0]];
    await chain.rpc("anvil_reorg", [depth, transactions]);
    await testIndexer.runToHead(await chain.head());
    expect(testIndexer.progress.filter(({ phase }) => phase === "reorganisation").map(({ blocks }) => blocks)).toEqual([depth]);
    await testIndexer.close();
    expectSame(await dump(test.database), await freshDump());
  });

  it("is detected by the parent hash if the new branch has further blocks", async () => {
    const test = await newDatabase();
    const testIndexer = await createTestIndexer(chain.url, test.database, { chain: chainSettings() });
    await testIndexer.runToHead(await chain.head());
    await chain.rpc("anvil_reorg", [2, []]);
    await addRound(chain, story, round++, accounts);
    await testIndexer.runToHead(await chain.head());
    expect(testIndexer.progress.filter(({ phase }) => phase === "reorganisation")).toHaveLength(1);
    await testIndexer.close();
    expectSame(await dump(test.database), await freshDump());
  });

  it("deletes anchors and queued reads above the ancestor, and no others", async () => {
    const test = await newDatabase();
    const testIndexer = await createTestIndexer(chain.url, test.database, { chain: chainSettings() });
    const head = await chain.head();
    await testIndexer.runToHead(head);
    await test.database.query(
      `INSERT INTO page_anchors (fingerprint, chain_id, block_number, expires_at) SELECT decode(lpad(n::text, 2, '0'), 'hex'), 31337, $1::int8 - n, now() FROM generate_series(0, 4) n`,
      [head],
    );
    await test.database.query("INSERT INTO node_reads (chain_id, kind, key, block_number) VALUES (31337, 'token-metadata', '\\x01', $1)", [
      head,
    ]);
    await chain.rpc("anvil_reorg", [2, []]);
    await testIndexer.runToHead(await chain.head());
    await testIndexer.close();
    const anchors = await test.database.query<{ block_number: number }>("SELECT block_number FROM page_anchors ORDER BY 1");
    expect(anchors.map(({ block_number }) => block_number)).toEqual([head - 4, head - 3, head - 2]);
    expect(await test.database.query("SELECT 1 FROM node_reads WHERE key = '\\x01'")).toEqual([]);
  });

  it("is not assumed if the node lags behind", async () => {
    const test = await newDatabase();
    const first = await createTestIndexer(chain.url, test.database, { chain: chainSettings() });
    await first.runToHead(await chain.head());
    await first.close();
    const before = await dump(test.database);
    const older = await chain.rpc<{ number: string }>("eth_getBlockByNumber", [`0x${((await chain.head()) - 3).toString(16)}`, false]);
    proxy.tamper = (method, reply, params) => {
      if (method === "eth_getBlockByNumber" && params[0] === "latest") reply.result = older;
    };
    const lagging = await createTestIndexer(proxy.url, test.database, { chain: chainSettings() });
    await runUntil(lagging.indexer, () => lagging.indexer.status().following && (proxy.counts.get("eth_getBlockByNumber") ?? 0) > 20);
    expect(lagging.progress).toEqual([]);
    await lagging.close();
    expectSame(await dump(test.database), before);
  });

  it("stops indexing and changes nothing if it replaces a finalized block", async () => {
    const test = await newDatabase();
    const testIndexer = await createTestIndexer(chain.url, test.database, { chain: chainSettings() });
    const head = await chain.head();
    await testIndexer.runToHead(head);
    await test.database.query("UPDATE chains SET finalized_block = $1", [head - 1]);
    const before = await dump(test.database);
    await chain.rpc("anvil_reorg", [3, []]);
    await expect(testIndexer.indexer.run(new AbortController().signal)).rejects.toThrow(
      /block \d+ with a different hash than the index, although block \d+ was finalized/,
    );
    await testIndexer.close();
    expectSame(await dump(test.database), before);
  });
});

describe("a node that does not belong to the index", () => {
  it("is refused when its genesis block differs", async () => {
    const test = await newDatabase();
    const testIndexer = await createTestIndexer(chain.url, test.database, { chain: chainSettings() });
    await testIndexer.runToHead(await chain.head());
    await testIndexer.close();
    const other = await startTestChain({ args: ["--block-base-fee-per-gas", "7"] });
    const mismatched = await createTestIndexer(other.url, test.database, { chain: chainSettings() });
    await expect(mismatched.indexer.run(new AbortController().signal)).rejects.toThrow(
      /reports genesis block 0x[0-9a-f]{64}, expected 0x[0-9a-f]{64}, the genesis block of the index/,
    );
    await mismatched.close();
    await other.stop();
  });

  it("is refused when its chain id differs", async () => {
    const test = await newDatabase();
    const mismatched = await createTestIndexer(chain.url, test.database, { chain: chainOf({ id: 5 }) });
    await expect(mismatched.indexer.run(new AbortController().signal)).rejects.toThrow(
      "The node of test reports chain id 31337, expected 5: set rpc (--rpc) to a node of chain 5",
    );
    await mismatched.close();
  });
});

describe("a projection added or changed later", () => {
  it("has the rows of one that existed from the start, and requests only the head and contract standards from the node", async () => {
    const test = await newDatabase();
    const ledgerOnly = await createTestIndexer(chain.url, test.database, { chain: chainSettings(), projections: [] });
    const head = await chain.head();
    await ledgerOnly.runToHead(head);
    await ledgerOnly.close();
    proxy.counts.clear();
    const withProjections = await createTestIndexer(proxy.url, test.database, { chain: chainSettings(), tuning: { batchTransactions: 5 } });
    const probed = new Map(proxy.counts);
    await withProjections.runToHead(head);
    await withProjections.close();
    const methods = [...proxy.counts].filter(([method, count]) => count > (probed.get(method) ?? 0)).map(([method]) => method);
    // Requests for the chain id, the genesis block, the head and the finalized block, but not for the contents of blocks.
    expect(methods.sort()).toEqual(["eth_call", "eth_chainId", "eth_getBlockByNumber"]);
    // Two calls for each contract whose logs may belong to ERC-20 or ERC-721; none was called before, because no projection required it.
    const [{ contracts } = { contracts: 0 }] = await test.database.query<{ contracts: number }>(
      "SELECT count(DISTINCT address) AS contracts FROM logs WHERE topic0 = $1 AND topic3 IS NOT NULL",
      [Buffer.from(erc721Transfer.topic0.slice(2), "hex")],
    );
    expect((proxy.counts.get("eth_call") ?? 0) - (probed.get("eth_call") ?? 0)).toBe(2 * contracts);
    expect(withProjections.progress.filter(({ phase }) => phase === "catch-up").length).toBeGreaterThan(3);
    expectSame(await dump(test.database), await freshDump());
  });

  it("is rebuilt when its version changes, while indexing continues", async () => {
    const test = await newDatabase();
    const first = await createTestIndexer(chain.url, test.database, { chain: chainSettings() });
    await first.runToHead(await chain.head());
    await first.close();
    await addRound(chain, story, round++, accounts);
    const changed = defineProjection({ ...tokensProjection, version: tokensProjection.version + 1 });
    const second = await createTestIndexer(chain.url, test.database, {
      chain: chainSettings(),
      projections: [addressActivityProjection, changed],
      tuning: { batchTransactions: 4, requestTransactions: 2, requestBlocks: 1 },
    });
    await second.runToHead(await chain.head());
    await second.close();
    const [expected, actual] = [await freshDump(), await dump(test.database)];
    expect(actual.projection_checkpoints).toContain(`(31337,tokens,${changed.version},${await chain.head()},)`);
    expectSame({ ...actual, projection_checkpoints: [] }, { ...expected, projection_checkpoints: [] });
  });
});

describe("an interrupted batch", () => {
  it("leaves a checkpoint that matches the rows, and the next run produces the rows of an uninterrupted one", async () => {
    const test = await newDatabase();
    const databaseName = new URL(test.url).pathname.slice(1);
    let terminated = 0;
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const database = createDatabase({ url: test.url, poolSize: 4, statementTimeoutMilliseconds: 0, applicationName: "crashing" });
      const testIndexer = await createTestIndexer(chain.url, database, {
        chain: chainSettings(),
        tuning: { batchTransactions: 1, requestTransactions: 1, requestBlocks: 1 },
      });
      const stop = new AbortController();
      const run = testIndexer.indexer.run(stop.signal).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 15 + 12 * attempt));
      stop.abort();
      const connections = await test.database.query<{ is_terminated: boolean }>(
        "SELECT pg_terminate_backend(pid) AS is_terminated FROM pg_stat_activity WHERE application_name = 'crashing' AND datname = $1",
        [databaseName],
      );
      terminated += connections.length;
      await run;
      await database.close().catch(() => undefined);
      await testIndexer.close();
      const inconsistentCheckpoints = await test.database.query(
        `SELECT c.projection FROM projection_checkpoints c WHERE c.block_number <> coalesce((SELECT max(number) FROM blocks), -1)
         OR c.block_number < (SELECT max(block_number) FROM transfers)`,
      );
      expect(inconsistentCheckpoints).toEqual([]);
    }
    expect(terminated).toBeGreaterThan(0);
    const last = await createTestIndexer(chain.url, test.database, { chain: chainSettings() });
    await last.runToHead(await chain.head());
    await last.close();
    expectSame(await dump(test.database), await freshDump());
  });

  it("is retried by a running indexer when the connection is restored", async () => {
    const test = await newDatabase();
    const testIndexer = await createTestIndexer(chain.url, test.database, {
      chain: chainSettings(),
      tuning: { batchTransactions: 1, requestBlocks: 1 },
    });
    const terminating = setInterval(() => {
      void test.database
        .query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%' AND datname = current_database() AND pid <> pg_backend_pid()",
        )
        .catch(() => undefined);
    }, 8);
    setTimeout(() => clearInterval(terminating), 400);
    await testIndexer.runToHead(await chain.head());
    await testIndexer.close();
    expectSame(await dump(test.database), await freshDump());
  });
});

describe("an index that starts at a later block", () => {
  it("reads base balances from the node's state, and is exact from its first block", async () => {
    const test = await newDatabase();
    const head = await chain.head();
    const from = head - 5;
    const testIndexer = await createTestIndexer(chain.url, test.database, { chain: { ...chainSettings(), from } });
    await testIndexer.runToHead(head);
    await testIndexer.close();
    const lateBalances = await test.database.query<{ owner: string; token: string; standard: number; balance: string | null }>(
      "SELECT owner, token, standard, balance FROM balances WHERE standard < 3 ORDER BY owner, token, standard",
    );
    const fresh = await newDatabase();
    const complete = await createTestIndexer(chain.url, fresh.database, { chain: chainSettings() });
    await complete.runToHead(head);
    await complete.close();
    const completeBalances = await fresh.database.query<{ owner: string; token: string; standard: number; balance: string | null }>(
      "SELECT owner, token, standard, balance FROM balances ORDER BY owner, token, standard",
    );
    const byKey = new Map(completeBalances.map((row) => [`${row.owner}${row.token}${row.standard}`, row.balance]));
    expect(lateBalances.length).toBeGreaterThan(8);
    expect(lateBalances.map((row) => row.balance)).toEqual(lateBalances.map((row) => byKey.get(`${row.owner}${row.token}${row.standard}`)));
    const ids = "SELECT owner, token, token_id, standard, balance FROM nft_balances";
    const lateIds = await test.database.query<{ owner: string; token: string; token_id: string; balance: string }>(ids);
    const fullIds = await fresh.database.query<{ owner: string; token: string; token_id: string; balance: string }>(ids);
    for (const row of lateIds) expect(fullIds).toContainEqual(row);
    const bases = await test.database.query<{ blocks: number[] }>(
      `SELECT array_agg(DISTINCT block_number) AS blocks FROM ${balanceHistory} WHERE block_number < $1`,
      [from],
    );
    expect(bases[0]?.blocks).toEqual([from - 1]);
  });

  it("has unknown balances, and no negative ones, if the node lacks that state", async () => {
    const test = await newDatabase();
    const head = await chain.head();
    const old = new Set(["eth_getBalance", "eth_call"]);
    proxy.tamper = (method, reply, params) => {
      if (!old.has(method) || Number(params[1]) >= head - 1) return;
      delete reply.result;
      reply.error = { code: -32000, message: "missing trie node 5f3a (path ) state is not available" };
    };
    const testIndexer = await createTestIndexer(proxy.url, test.database, { chain: { ...chainSettings(), from: head - 4 } });
    await testIndexer.runToHead(head);
    await testIndexer.close();
    const known = await test.database.query(
      `SELECT 1 FROM ${balanceHistory} WHERE balance IS NOT NULL AND block_number BETWEEN $1 - 4 AND $1 - 1`,
      [head],
    );
    expect(known).toEqual([]);
    // Accounts first touched by the last block have known balances, because the node still has the state of the previous block.
    const last = await test.database.query<{ owner: string; balance: string }>(
      `SELECT owner, balance FROM ${balanceHistory} WHERE standard = 0 AND balance IS NOT NULL AND block_number = $1`,
      [head],
    );
    expect(last.length).toBeGreaterThan(0);
    for (const { owner, balance } of last) {
      expect(BigInt(balance)).toBe(BigInt(await chain.rpc<string>("eth_getBalance", [owner, "latest"])));
    }
    expect(await test.database.query("SELECT missing FROM chains")).toEqual([{ missing: ["archive-state"] }]);
  });
});

describe("a node without archive state", () => {
  it("provides exact native balances if the genesis allocation is known", async () => {
    const prunedNode = await startTestChain({ args: ["--prune-history", "2"] });
    const sender = prunedNode.accounts[0] as `0x${string}`;
    for (let number = 0; number < 40; number += 1) {
      await prunedNode.send({ to: `0x${(0xdd00 + number).toString(16).padStart(40, "0")}`, value: 5n, gas: 21_000n });
      await prunedNode.mine();
    }
    const test = await newDatabase();
    // Anvil's genesis block allocates 10,000 ether to each of its accounts.
    const genesisAllocation = new Map(prunedNode.accounts.map((address) => [address, 10_000n * 10n ** 18n]));
    const testIndexer = await createTestIndexer(prunedNode.url, test.database, { genesisAllocation });
    await testIndexer.runToHead(40);
    await testIndexer.close();
    const balances = await test.database.query<{ owner: `0x${string}`; balance: string }>(
      "SELECT owner, balance FROM balances WHERE standard = 0",
    );
    expect(balances.map(({ owner }) => owner)).toContain(sender);
    expect(balances).toHaveLength(42);
    for (const { owner, balance } of balances)
      expect(BigInt(balance)).toBe(BigInt(await prunedNode.rpc<string>("eth_getBalance", [owner, "latest"])));
    await prunedNode.stop();
  });
});

describe("an indexer that is stopped", () => {
  it("stops immediately even if the node hangs, and leaves complete batches", async () => {
    const test = await newDatabase();
    const first = await createTestIndexer(proxy.url, test.database, {
      chain: chainSettings(),
      tuning: { batchTransactions: 1, requestBlocks: 1 },
    });
    const stop = new AbortController();
    const run = first.indexer.run(stop.signal);
    while (first.progress.length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
    proxy.intercept = () => true;
    await new Promise((resolve) => setTimeout(resolve, 50));
    const stoppedAt = performance.now();
    stop.abort();
    await run;
    expect(performance.now() - stoppedAt).toBeLessThan(deadline(1_000));
    const [checkpoint] = await test.database.query<{ block_number: number }>(
      "SELECT block_number FROM projection_checkpoints WHERE projection = 'tokens'",
    );
    expect(checkpoint?.block_number).toBe(first.indexer.status().block);
    await first.close();
  });
});
