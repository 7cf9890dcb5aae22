import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tokensProjection } from "../../../runtime/domains/tokens/projection/index.ts";
import type { IndexedChain } from "../../../runtime/indexer/types.ts";
import { type Address, nativeTokenAddress } from "../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { contents } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startBranching } from "../../support/indexer/branches.ts";
import { buildStory } from "../../support/indexer/story-builder.ts";
import { balanceHistory, chainOf, createTestIndexer } from "../../support/indexer/support.ts";
import { type ProxiedReply, type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";

const quantity = (value: number) => `0x${value.toString(16)}`;
const addressOf = (index: number): Address => `0x${(0xbeef0000 + index).toString(16).padStart(40, "1")}`;
const forwarderCode = "0x600f600c600039600f6000f3600060006000600034600035" + "5af100";

/** Deploys a contract that forwards the value of a call to the address in its data, by an internal call. */
const deployForwarder = async (chain: TestChain): Promise<Address> => {
  const [hash] = await chain.send({ data: forwarderCode as Address });
  await chain.mine();
  return (await chain.rpc<{ contractAddress: Address }>("eth_getTransactionReceipt", [hash])).contractAddress.toLowerCase() as Address;
};
const forward = (forwarder: Address, to: Address, value: bigint) =>
  ({ to: forwarder, data: `0x${to.slice(2).padStart(64, "0")}` as Address, value }) as const;

let chain: TestChain;
let proxy: RpcProxy;
const databases: TestDatabase[] = [];
const heights = new Map<string, number>();
let forwarder: Address;
let head: number;

/** Accounts that are credited by a transaction, by an internal call, by an internal call and later a transaction, and without a transaction. */
const [paid, paidInternally, paidInternallyThenTouched, minted] = [1, 2, 3, 4].map(addressOf) as [Address, Address, Address, Address];

beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startRpcProxy(chain.url);
  await buildStory(chain, 2);
  forwarder = await deployForwarder(chain);
  for (let round = 0; round < 3; round += 1) {
    await chain.send({ to: paid, value: 11n, gas: 21_000n }, forward(forwarder, paidInternally, 5n), {
      from: chain.accounts[1] as Address,
      to: chain.accounts[2] as Address,
      value: 3n,
      gas: 21_000n,
    });
    await chain.mine();
    await chain.mine();
  }
  await chain.send(forward(forwarder, paidInternallyThenTouched, 40n));
  await chain.mine();
  await chain.mine();
  await chain.send({ to: paidInternallyThenTouched, value: 2n, gas: 21_000n });
  await chain.mine();
  head = await chain.head();
  for (let height = 0; height <= head; height += 1) {
    heights.set((await chain.rpc<{ hash: string }>("eth_getBlockByNumber", [quantity(height), false])).hash, height);
  }
});
afterEach(async () => {
  proxy.tamper = null;
  await Promise.all(databases.splice(0).map((test) => test.drop()));
});
afterAll(async () => {
  await proxy?.close();
  await chain?.stop();
});

const refuse = (reply: ProxiedReply, message: string) => {
  delete reply.result;
  reply.error = { code: -32601, message };
};
const withoutTraces = (method: string, reply: ProxiedReply) => {
  if (/^(debug|trace)_/.test(method)) refuse(reply, "the method does not exist");
};
/** The height of a block parameter, which is a number or the hash of a block (EIP-1898). */
const heightOf = (blockParameter: unknown): number =>
  typeof blockParameter === "string"
    ? Number(blockParameter)
    : (heights.get((blockParameter as { blockHash: string }).blockHash) ?? Number.POSITIVE_INFINITY);

const index = async (overrides: Partial<IndexedChain> = {}, options: Parameters<typeof createTestIndexer>[2] = {}) => {
  const test = await createTestDatabase();
  databases.push(test);
  const testIndexer = await createTestIndexer(proxy.url, test.database, {
    chain: chainOf({ nativeAccounting: "state", ...overrides }),
    ...options,
  });
  await testIndexer.runToHead(await chain.head());
  await testIndexer.close();
  return { ...test, warnings: testIndexer.warnings };
};

type Indexed = Awaited<ReturnType<typeof index>>;

/** The stored and the reported balance of each known account after each block: null if unknown. Accounts without a row are omitted. */
const compareBalances = async ({ database }: Indexed, from = 0) => {
  const history = await database.query<{ owner: Address; block_number: number; balance: string | null }>(
    `SELECT owner, block_number, balance FROM ${balanceHistory} WHERE standard = 0 ORDER BY owner, block_number`,
  );
  const latest = await chain.head();
  const owners = [...new Set(history.map(({ owner }) => owner))];
  const rows: { owner: Address; height: number; stored: bigint | null; reported: bigint }[] = [];
  for (const owner of owners) {
    const ownRows = history.filter((row) => row.owner === owner);
    const reported = await chain.batch<string>(
      Array.from({ length: latest - from + 1 }, (_, offset) => ({ method: "eth_getBalance", params: [owner, quantity(from + offset)] })),
    );
    for (const [offset, value] of reported.entries()) {
      const height = from + offset;
      const row = ownRows.filter(({ block_number }) => block_number <= height).at(-1);
      const stored = row === undefined ? 0n : row.balance === null ? null : BigInt(row.balance);
      rows.push({ owner, height, stored, reported: BigInt(value) });
    }
  }
  return { owners, rows };
};

const missingOf = async ({ database }: Indexed) => (await database.query<{ missing: string[] }>("SELECT missing FROM chains"))[0]?.missing;
const accountingIn = async ({ database }: Indexed) =>
  (await database.query<{ native_accounting: string }>("SELECT native_accounting FROM chains"))[0]?.native_accounting;

describe("native balances from the node's state", () => {
  it("are exact for every known account after every block, if traces contain all touched accounts", async () => {
    const indexed = await index();
    const { owners, rows } = await compareBalances(indexed);
    expect(rows.filter(({ stored, reported }) => stored !== reported)).toEqual([]);
    expect(owners).toEqual(expect.arrayContaining([paid, paidInternally, paidInternallyThenTouched]));
    expect(owners.length).toBeGreaterThan(12);
    // Three internal payments of 5 and one of 40, in addition to those of the story.
    const internal = await indexed.database.query<{ amount: string }>(
      "SELECT amount FROM transfers WHERE standard = 0 AND from_address = decode($1, 'hex') ORDER BY block_number",
      [forwarder.slice(2)],
    );
    expect(internal.map(({ amount }) => amount)).toEqual(["5", "5", "5", "40"]);
    expect(
      await indexed.database.query(
        "SELECT 1 FROM transfers WHERE standard = 0 AND (from_balance, to_balance) IS DISTINCT FROM (NULL, NULL)",
      ),
    ).toEqual([]);
    expect([await accountingIn(indexed), await missingOf(indexed)]).toEqual(["state", []]);
  });

  it("have the same rows without state by hash, and with small batches of few blocks per request", async () => {
    const [defaults, smallBatches] = [await index(), await index({}, { tuning: { batchBlocks: 2, requestBlocks: 1 } })];
    proxy.tamper = (method, reply, params) => {
      if (method === "eth_getBalance" && typeof params[1] === "object") refuse(reply, "invalid argument 1: hex string expected");
    };
    const byHeight = await index();
    const stored = await contents(defaults.database);
    expect(await contents(smallBatches.database)).toEqual(stored);
    expect(await contents(byHeight.database)).toEqual(stored);
  });

  it("are never wrong without traces, and unknown in blocks in which internal calls may have changed them", async () => {
    proxy.tamper = withoutTraces;
    const indexed = await index();
    const { owners, rows } = await compareBalances(indexed);
    expect(owners).not.toContain(paidInternally);
    const storedOf = (owner: Address) => rows.filter((row) => row.owner === owner).map(({ stored }) => stored);
    // Touched by the very last block: the node returns 40 for the block before it and 42 after it. The block since which the balance was 40 is unknown.
    expect(storedOf(paidInternallyThenTouched).slice(-2)).toEqual([40n, 42n]);
    expect(
      storedOf(paidInternallyThenTouched)
        .slice(1, -2)
        .every((stored) => stored === null),
    ).toBe(true);
    expect(rows.filter(({ stored, reported }) => stored !== null && stored !== reported)).toEqual([]);
    expect(await missingOf(indexed)).toEqual(["traces"]);
  });

  it("do not require traces: a block with inconsistent traces is indexed without them, and no balance is wrong", async () => {
    // The node returns no traces for the block of the first internal payment: each round has two blocks, and three blocks follow the last round.
    const inconsistentBlock = head - 8;
    proxy.tamper = (method, reply, params) => {
      if (/^(debug_traceBlock|trace_block)/.test(method) && Number(params[0]) === inconsistentBlock) reply.result = [];
    };
    const indexed = await index();
    const { rows } = await compareBalances(indexed);
    expect(rows.filter(({ stored, reported }) => stored !== null && stored !== reported)).toEqual([]);
    expect(rows.filter(({ height, stored, reported }) => height > inconsistentBlock + 2 && stored !== reported)).toEqual([]);
    // Two internal payments of 5 and one of 40 remain.
    const internal = "SELECT amount FROM transfers WHERE standard = 0 AND from_address = decode($1, 'hex')";
    expect(await indexed.database.query(internal, [forwarder.slice(2)])).toHaveLength(3);
  });

  it("are read from the state, with a warning, if traces are configured but the node has none", async () => {
    proxy.tamper = withoutTraces;
    const indexed = await index({ nativeAccounting: "traces" });
    expect(await accountingIn(indexed)).toBe("state");
    expect(indexed.warnings).toContain(
      "Native balances of test are read from the node's state instead of being derived from traces: the node has no traces.",
    );
  });

  it("are unknown rather than wrong, with a warning, if the node has pruned the state", async () => {
    proxy.tamper = (method, reply, params) => {
      withoutTraces(method, reply);
      if (method === "eth_getBalance" && heightOf(params[1]) < head - 2)
        refuse(reply, "missing trie node 5f3a (path ) state is not available");
    };
    const indexed = await index();
    const { rows } = await compareBalances(indexed);
    expect(rows.filter(({ height, stored }) => height < head - 3 && height > 0 && stored !== null && stored !== 0n)).toEqual([]);
    expect(rows.filter(({ stored, reported }) => stored !== null && stored !== reported)).toEqual([]);
    // Balances that the last block touched are known.
    expect(rows.filter(({ owner, height }) => height === head && owner === paidInternallyThenTouched).map(({ stored }) => stored)).toEqual([
      42n,
    ]);
    expect(await missingOf(indexed)).toEqual(["native-history", "traces", "archive-state"]);
    expect(indexed.warnings).toContain("The index of test only has native balances of recent blocks: the node has no state of older ones.");
  });

  it("can be rebuilt from the stored ledger without the node's state", async () => {
    const indexed = await index();
    const stored = await contents(indexed.database);
    await indexed.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection = 'tokens'");
    proxy.tamper = (method, reply) => {
      if (method === "eth_getBalance") refuse(reply, "missing trie node");
    };
    const rebuilt = await createTestIndexer(proxy.url, indexed.database, { chain: chainOf({ nativeAccounting: "state" }) });
    const reads = proxy.counts.get("eth_getBalance") ?? 0;
    await rebuilt.runToHead(head);
    expect(rebuilt.progress.filter(({ phase }) => phase === "catch-up").at(-1)).toMatchObject({
      projection: tokensProjection.id,
      block: head,
    });
    await rebuilt.close();
    expect(proxy.counts.get("eth_getBalance") ?? 0).toBe(reads);
    expect(await contents(indexed.database)).toEqual(stored);
  });
});

describe("a balance change without a transaction", () => {
  let snapshot: string;
  beforeEach(async () => {
    snapshot = await chain.rpc<string>("evm_snapshot");
  });
  afterEach(async () => {
    await chain.rpc("evm_revert", [snapshot]);
  });

  it("is unknown between the account's last touch and its next one, and exact at both", async () => {
    const touched: number[] = [];
    const touch = async (value: bigint) => {
      await chain.send({ to: minted, value, gas: 21_000n });
      await chain.mine();
      touched.push(await chain.head());
    };
    await touch(100n);
    for (let count = 0; count < 3; count += 1) await chain.mine();
    await chain.rpc("anvil_setBalance", [minted, quantity(5_000)]);
    for (let count = 0; count < 3; count += 1) await chain.mine();
    await touch(1n);
    const { rows } = await compareBalances(await index());
    const [first, second] = touched as [number, number];
    const ownRows = rows.filter(({ owner }) => owner === minted);
    expect(ownRows.slice(first - 1).map(({ stored }) => stored)).toEqual([
      0n,
      100n,
      ...Array(second - first - 2).fill(null),
      5_000n,
      5_001n,
    ]);
    expect(second - first).toBe(7);
    expect(ownRows.at(-1)?.reported).toBe(5_001n);
  });

  it("is found by reading the account at the next block, even if the block does not touch it", async () => {
    await chain.send({ to: minted, value: 100n, gas: 21_000n });
    await chain.mine();
    const test = await createTestDatabase();
    databases.push(test);
    const settings = chainOf({ nativeAccounting: "state" });
    const firstRun = await createTestIndexer(proxy.url, test.database, { chain: settings });
    await firstRun.runToHead(await chain.head());
    await firstRun.close();
    await chain.rpc("anvil_setBalance", [minted, quantity(9_000)]);
    await chain.mine();
    await chain.mine();
    const secondRun = await createTestIndexer(proxy.url, test.database, { chain: settings, extraAccounts: () => [minted] });
    await secondRun.runToHead(await chain.head());
    await secondRun.close();
    const rows = await test.database.query("SELECT balance FROM balances WHERE owner = decode($1, 'hex')", [minted.slice(2)]);
    expect(rows).toEqual([{ balance: "9000" }]);
  });
});

describe("native balances from the node's state after a reorganisation", () => {
  it.each([1, 7, 20])("equal those of a new index (depth %i)", async (depth) => {
    const branching = await startBranching({ nativeAccounting: "state" });
    try {
      await branching.addBlocks();
      await branching.waitForHead();
      await branching.branch(depth, `state ${depth}`, 1);
      await branching.waitForHead();
      expect(await contents(branching.test.database)).toEqual(await branching.fresh());
      const balances = await branching.test.database.query<{ owner: Address; balance: string }>(
        `SELECT owner, balance FROM balances WHERE standard = 0 AND token = decode('${nativeTokenAddress.slice(2)}', 'hex')`,
      );
      const reported = await branching.chain.batch<string>(
        balances.map(({ owner }) => ({ method: "eth_getBalance", params: [owner, "latest"] })),
      );
      expect(balances.map(({ balance }) => BigInt(balance))).toEqual(reported.map(BigInt));
    } finally {
      await branching.end();
    }
  });
});
