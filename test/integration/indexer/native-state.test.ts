import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tokensProjection } from "../../../runtime/domains/tokens/projection/index.ts";
import type { Address } from "../../../runtime/lib/hex.ts";
import type { TestChain } from "../../support/chain.ts";
import { hashContents } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { chainOf, createTestIndexer } from "../../support/indexer/support.ts";
import type { RpcProxy } from "../../support/rpc-proxy.ts";
import {
  type Indexed,
  minted,
  paid,
  paidInternally,
  paidInternallyThenTouched,
  quantity,
  refuse,
  startTouchedAccounts,
  type TouchedAccounts,
  withoutTraces,
} from "./native-state/touched-accounts.ts";

let accounts: TouchedAccounts;
let chain: TestChain;
let proxy: RpcProxy;
let head: number;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  accounts = await startTouchedAccounts();
  ({ chain, proxy, head } = accounts);
});
afterEach(async () => {
  proxy.tamper = null;
  await Promise.all(databases.splice(0).map((testDatabase) => testDatabase.drop()));
});
afterAll(() => accounts?.end());

const indexAll: TouchedAccounts["index"] = async (...parameters) => {
  const indexed = await accounts.index(...parameters);
  databases.push(indexed);
  return indexed;
};
const missingOf = async ({ database }: Indexed) => (await database.query<{ missing: string[] }>("SELECT missing FROM chains"))[0]?.missing;
const accountingIn = async ({ database }: Indexed) =>
  (await database.query<{ native_accounting: string }>("SELECT native_accounting FROM chains"))[0]?.native_accounting;

describe("native balances from the node's state", () => {
  it("are exact for every known account after every block, if traces contain all touched accounts", async () => {
    const indexed = await indexAll();
    const { owners, rows } = await accounts.compareBalances(indexed);
    expect(rows.filter(({ stored, reported }) => stored !== reported)).toEqual([]);
    expect(owners).toEqual(expect.arrayContaining([paid, paidInternally, paidInternallyThenTouched]));
    expect(owners.length).toBeGreaterThan(12);
    // Three internal payments of 5 and one of 40, in addition to the story's payments.
    const internal = await indexed.database.query<{ amount: string }>(
      "SELECT amount FROM transfers WHERE standard = 0 AND from_address = decode($1, 'hex') ORDER BY block_number",
      [accounts.forwarder.slice(2)],
    );
    expect(internal.map(({ amount }) => amount)).toEqual(["5", "5", "5", "40"]);
    expect(
      await indexed.database.query(
        "SELECT 1 FROM transfers WHERE standard = 0 AND (from_balance, to_balance) IS DISTINCT FROM (NULL, NULL)",
      ),
    ).toEqual([]);
    expect([await accountingIn(indexed), await missingOf(indexed)]).toEqual(["state", []]);
  });

  it("have the same rows without state by hash, and with small batches and requests", async () => {
    const [defaults, smallBatches] = [await indexAll(), await indexAll({}, { tuning: { batchBlocks: 2, requestBlocks: 1 } })];
    proxy.tamper = (method, response, params) => {
      if (method === "eth_getBalance" && typeof params[1] === "object") refuse(response, "invalid argument 1: hex string expected");
    };
    const byHeight = await indexAll();
    const stored = await hashContents(defaults.database);
    expect(await hashContents(smallBatches.database)).toEqual(stored);
    expect(await hashContents(byHeight.database)).toEqual(stored);
  });

  it("are never wrong without traces, but unknown in blocks where internal calls may have changed them", async () => {
    proxy.tamper = withoutTraces;
    const indexed = await indexAll();
    const { owners, rows } = await accounts.compareBalances(indexed);
    expect(owners).not.toContain(paidInternally);
    const storedOf = (owner: Address) => rows.filter((row) => row.owner === owner).map(({ stored }) => stored);
    // The last block touches the account: the node returns 40 before this block and 42 after it. Since which block the balance was 40 is unknown.
    expect(storedOf(paidInternallyThenTouched).slice(-2)).toEqual([40n, 42n]);
    expect(
      storedOf(paidInternallyThenTouched)
        .slice(1, -2)
        .every((stored) => stored === null),
    ).toBe(true);
    expect(rows.filter(({ stored, reported }) => stored !== null && stored !== reported)).toEqual([]);
    expect(await missingOf(indexed)).toEqual(["traces"]);
  });

  it("are never wrong if a block has inconsistent traces and is indexed without them", async () => {
    // The node returns no traces for the block with the first internal payment. Each round has two blocks, and three blocks follow the last round.
    const inconsistentBlock = head - 8;
    proxy.tamper = (method, response, params) => {
      if (/^(debug_traceBlock|trace_block)/.test(method) && Number(params[0]) === inconsistentBlock) response.result = [];
    };
    const indexed = await indexAll();
    const { rows } = await accounts.compareBalances(indexed);
    expect(rows.filter(({ stored, reported }) => stored !== null && stored !== reported)).toEqual([]);
    expect(rows.filter(({ height, stored, reported }) => height > inconsistentBlock + 2 && stored !== reported)).toEqual([]);
    // Two internal payments of 5 and one of 40 remain.
    const internal = "SELECT amount FROM transfers WHERE standard = 0 AND from_address = decode($1, 'hex')";
    expect(await indexed.database.query(internal, [accounts.forwarder.slice(2)])).toHaveLength(3);
  });

  it("are read from the state, with a warning, if traces are configured but the node has none", async () => {
    proxy.tamper = withoutTraces;
    const indexed = await indexAll({ nativeAccounting: "traces" });
    expect(await accountingIn(indexed)).toBe("state");
    expect(indexed.warnings).toContain(
      "Native balances of test are read from the node's state instead of being derived from traces: the node has no traces.",
    );
  });

  it("are unknown rather than wrong, with a warning, if the node has pruned the state", async () => {
    proxy.tamper = (method, response, params) => {
      withoutTraces(method, response);
      if (method === "eth_getBalance" && accounts.heightOf(params[1]) < head - 2)
        refuse(response, "missing trie node 5f3a (path ) state is not available");
    };
    const indexed = await indexAll();
    const { rows } = await accounts.compareBalances(indexed);
    expect(rows.filter(({ height, stored }) => height < head - 3 && height > 0 && stored !== null && stored !== 0n)).toEqual([]);
    expect(rows.filter(({ stored, reported }) => stored !== null && stored !== reported)).toEqual([]);
    // Balances of accounts that the last block touched are known.
    expect(rows.filter(({ owner, height }) => height === head && owner === paidInternallyThenTouched).map(({ stored }) => stored)).toEqual([
      42n,
    ]);
    expect(await missingOf(indexed)).toEqual(["native-history", "traces", "archive-state"]);
    expect(indexed.warnings).toContain("The index of test only has native balances of recent blocks: the node has no state of older ones.");
  });

  it("can be rebuilt from the stored ledger without the node's state", async () => {
    const indexed = await indexAll();
    const stored = await hashContents(indexed.database);
    await indexed.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection = 'tokens'");
    proxy.tamper = (method, response) => {
      if (method === "eth_getBalance") refuse(response, "missing trie node");
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
    expect(await hashContents(indexed.database)).toEqual(stored);
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

  it("makes the balance unknown between two touches of the account, but exact at both", async () => {
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
    const { rows } = await accounts.compareBalances(await indexAll());
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

  it("is found by reading the account at a later block, even if that block does not touch it", async () => {
    await chain.send({ to: minted, value: 100n, gas: 21_000n });
    await chain.mine();
    const testDatabase = await createTestDatabase();
    databases.push(testDatabase);
    const settings = chainOf({ nativeAccounting: "state" });
    const firstRun = await createTestIndexer(proxy.url, testDatabase.database, { chain: settings });
    await firstRun.runToHead(await chain.head());
    await firstRun.close();
    await chain.rpc("anvil_setBalance", [minted, quantity(9_000)]);
    await chain.mine();
    await chain.mine();
    const secondRun = await createTestIndexer(proxy.url, testDatabase.database, { chain: settings, takeExtraAccounts: () => [minted] });
    await secondRun.runToHead(await chain.head());
    await secondRun.close();
    const rows = await testDatabase.database.query("SELECT balance FROM balances WHERE owner = decode($1, 'hex')", [minted.slice(2)]);
    expect(rows).toEqual([{ balance: "9000" }]);
  });
});
