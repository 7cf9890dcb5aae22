import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { probeCapabilities } from "../../../runtime/chain/capabilities.ts";
import { createRpc, type Rpc } from "../../../runtime/chain/rpc.ts";
import { createSource, type Source } from "../../../runtime/chain/source.ts";
import { audit } from "../../../runtime/commands/audit.ts";
import { createNativeBalanceMonitor } from "../../../runtime/commands/native-balance-monitor.ts";
import { configSchema } from "../../../runtime/config/config.ts";
import { readChain } from "../../../runtime/indexer/storage/chain-record.ts";
import type { Address } from "../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { chainOf, createTestIndexer } from "../../support/indexer/support.ts";
import { until } from "../../support/until.ts";

const account: Address = "0x7777777777777777777777777777777777777777";

let chain: TestChain;
let rpc: Rpc;
let source: Source;
let testDatabase: TestDatabase;

beforeAll(async () => {
  chain = await startTestChain();
  rpc = createRpc({ url: chain.url, retries: 1 });
  source = createSource(rpc, await probeCapabilities(rpc), { readsTraces: false });
});
beforeEach(async () => {
  testDatabase = await createTestDatabase();
  await chain.send({ to: account, value: 70n, gas: 21_000n });
  await chain.mine();
});
afterEach(() => testDatabase.drop());
afterAll(async () => {
  await rpc?.close();
  await chain?.stop();
});

const indexToHead = async (nativeAccounting: "traces" | "state") => {
  const testIndexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainOf({ nativeAccounting }) });
  await testIndexer.runToHead(await chain.head());
  await testIndexer.close();
};
/** Changes a balance without a transaction. */
const changeWithoutTransaction = async () => {
  await chain.rpc("anvil_setBalance", [account, "0x1388"]);
  await chain.mine();
};

const startMonitor = (node: Pick<Source, "balances" | "hashesOf"> = source) => {
  const messages: string[] = [];
  const stop = new AbortController();
  const monitor = createNativeBalanceMonitor({
    chain: { id: 31337, name: "test" },
    database: testDatabase.database,
    source: node,
    status: () => ({ isFollowing: true, isLeading: true, catchingUp: [] }),
    logger: { info: (message) => messages.push(message), warn: (message) => messages.push(message) },
    intervalMilliseconds: 10,
    confirmMilliseconds: 10,
  });
  const run = monitor.run(stop.signal);
  return {
    monitor,
    messages,
    end: async () => {
      stop.abort();
      await run;
    },
  };
};
/** A node that counts requests for block hashes; each comparison sends one. */
const createCountingNode = () => {
  let count = 0;
  const node: typeof source = {
    ...source,
    hashesOf: (heights) => {
      count += 1;
      return source.hashesOf(heights);
    },
  };
  return { node, comparisons: () => count };
};
const readMissing = async () => (await readChain(testDatabase.database, 31337))?.missing;

describe("the native balance comparison", () => {
  it("logs nothing if the balances equal the node's balances", async () => {
    await indexToHead("traces");
    const { node, comparisons } = createCountingNode();
    const { messages, end } = startMonitor(node);
    await until("some comparisons", () => comparisons() > 3);
    await end();
    expect([messages, await readMissing()]).toEqual([[], []]);
  });

  it("records that balances derived from traces differ from the node's, and stops", async () => {
    await changeWithoutTransaction();
    await chain.send({ to: account, value: 1n, gas: 21_000n });
    await chain.mine();
    await indexToHead("traces");
    const { messages, end } = startMonitor();
    await until("the difference to be recorded", async () => (await readMissing())?.includes("native-balances-differ") === true);
    await end();
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/set nativeAccounting to state .* has \d+ in the index and 5001 on the node\.$/);
    // The record survives an indexer restart.
    await indexToHead("traces");
    expect(await readMissing()).toEqual(["native-balances-differ"]);
  });

  it("returns the accounts whose balances changed without a transaction, if balances are read from the node", async () => {
    await indexToHead("state");
    await changeWithoutTransaction();
    await chain.mine();
    await indexToHead("state");
    const { monitor, end } = startMonitor();
    let changedAccounts: readonly Address[] = [];
    await until("the account to be found", () => {
      changedAccounts = monitor.takeChanged();
      return changedAccounts.length > 0;
    });
    await end();
    expect(changedAccounts).toEqual([account]);
    expect(await readMissing()).toEqual([]);
  });

  it("ignores differences if the node has replaced the indexed block", async () => {
    await changeWithoutTransaction();
    await indexToHead("traces");
    const { node, comparisons } = createCountingNode();
    const { messages, end } = startMonitor({
      ...node,
      hashesOf: async (heights) => [`0x${"5".repeat(64)}`, ...(await node.hashesOf(heights))],
    });
    await until("some comparisons", () => comparisons() > 3);
    await end();
    expect([messages, await readMissing()]).toEqual([[], []]);
  });
});

describe("ashlar audit", () => {
  it("prints which setting to change if native balances derived from traces differ", async () => {
    await changeWithoutTransaction();
    await chain.send({ to: account, value: 1n, gas: 21_000n });
    await chain.mine();
    await indexToHead("traces");
    const output: string[] = [];
    const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => output.push(String(text)) > 0);
    try {
      const settings = { databaseUrl: testDatabase.url, chains: [{ name: "test", id: 31337, rpc: chain.url }] };
      expect(await audit(configSchema.parse(settings), { sample: 100 })).toBe(false);
    } finally {
      write.mockRestore();
    }
    expect(output.join("")).toContain("set nativeAccounting to state and index into a new database");
  });
});
