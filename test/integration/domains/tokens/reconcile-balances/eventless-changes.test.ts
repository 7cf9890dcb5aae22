import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { queueQuietCalls } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/quiet-calls/quiet-calls.ts";
import { createTokenQueries } from "../../../../../runtime/domains/tokens/queries/index.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { balancesOf, type Reconciliation, startReconciliation } from "./support.ts";
import { unusualSupplies } from "./unusual-supplies.ts";

let chain: TestChain;
let testDatabase: TestDatabase;
let reconciliation: Reconciliation;
let token: Address;
let alice: Address;
let bob: Address;
let carol: Address;

beforeAll(async () => {
  chain = await startTestChain();
  [alice, bob, carol] = chain.accounts.slice(1, 4) as [Address, Address, Address];
});
afterAll(() => chain?.stop());
beforeEach(async () => {
  testDatabase = await createTestDatabase();
});
afterEach(async () => {
  await reconciliation?.end();
  await testDatabase?.drop();
});

const mineEach = async (...transactions: readonly TestTransaction[]) => {
  for (const transaction of transactions) {
    await chain.send(transaction);
    await chain.mine();
  }
};
const mineUnrelated = (count: number) => mineEach(...Array.from({ length: count }, () => ({ to: alice, value: 1n, gas: 21_000n })));
const rebasing = (method: string, ...args: readonly unknown[]) => ({
  from: alice,
  ...encodeCall(unusualSupplies("Rebasing"), token, method, args),
});
const seizing = (method: string, ...args: readonly unknown[]) => ({
  from: alice,
  ...encodeCall(unusualSupplies("Seizing"), token, method, args),
});
const start = async () => {
  reconciliation = await startReconciliation(chain, chain.url, testDatabase.database);
};

/** Compares owners' stored balances with balanceOf(), at each block up to the head. */
const compareBalances = async (from: number, owners: readonly Address[]) => {
  const queries = createTokenQueries(testDatabase.database);
  for (let height = from; height <= (await chain.head()); height += 1) {
    const returned = await balancesOf(
      chain,
      owners.map((owner) => ({ token, owner, height })),
    );
    const stored = await Promise.all(
      owners.map(async (owner) => (await queries.balancesAt(31337, owner, height)).find((row) => row.token === token)?.balance ?? "0"),
    );
    expect(stored, `at ${height}`).toEqual(returned);
  }
};
/** Compares all owners' balances and the holder count. */
const compareAll = async (from: number) => {
  const owners = [alice, bob, carol];
  await compareBalances(from, owners);
  const queries = createTokenQueries(testDatabase.database);
  for (let height = from; height <= (await chain.head()); height += 1) {
    const returned = await balancesOf(
      chain,
      owners.map((owner) => ({ token, owner, height })),
    );
    const expected = returned.filter((balance) => balance !== "0").length;
    expect((await queries.tokenTotalsAt(31337, token, 1, height))?.holders, `holders at ${height}`).toBe(expected);
  }
};
const isNodeSourced = async () => (await testDatabase.database.query("SELECT 1 FROM node_sourced_tokens WHERE standard = 1")).length > 0;
const checkedAt = async () =>
  (await testDatabase.database.query<{ checked_at: Date | null }>("SELECT checked_at FROM token_checks")).map(
    ({ checked_at }) => checked_at,
  );

describe("a token whose balances change without an event", () => {
  it("is not recorded as compared while only zero balances were compared", async () => {
    token = await chain.deploy(unusualSupplies("Rebasing"));
    await mineEach(rebasing("transfer", bob, 0n));
    await start();
    await reconciliation.runFor(10);
    expect(await checkedAt()).toEqual([null]);
    // The wait stays at two minutes and is not doubled.
    expect(await testDatabase.database.query("SELECT wait_seconds FROM token_checks")).toEqual([{ wait_seconds: 120 }]);
    await mineEach(rebasing("mint", alice, 5n));
    await reconciliation.runFor(3);
    expect(await checkedAt()).not.toContain(null);
  });

  it("is found within minutes of the call that rebased it, and is exact at every past height", async () => {
    token = await chain.deploy(unusualSupplies("Rebasing"));
    const first = (await chain.head()) + 1;
    await mineEach(rebasing("mint", alice, 1_000n), rebasing("transfer", bob, 300n));
    await start();
    // The token agrees for hours, so the wait between comparisons grows.
    await reconciliation.runFor(300);
    await mineEach(rebasing("rebase", 150n));
    await reconciliation.runFor(4);
    expect(await isNodeSourced()).toBe(true);
    await mineEach(rebasing("transfer", carol, 90n), rebasing("rebase", 50n), rebasing("rebase", 200n));
    await mineUnrelated(2);
    await mineEach(rebasing("rebase", 100n), rebasing("rebase", 300n));
    await mineUnrelated(1);
    await reconciliation.runFor(4);
    await compareAll(first);
    expect(reconciliation.warnings).toEqual([]);
  });

  it("is read at past blocks whose calls changed it long before it was found", async () => {
    token = await chain.deploy(unusualSupplies("Rebasing"));
    const first = (await chain.head()) + 1;
    await mineEach(rebasing("mint", alice, 1_000n), rebasing("rebase", 150n), rebasing("transfer", bob, 300n), rebasing("rebase", 70n));
    await mineUnrelated(3);
    await mineEach(rebasing("rebase", 200n), rebasing("transfer", carol, 10n), rebasing("rebase", 90n));
    await mineUnrelated(3);
    await start();
    await reconciliation.runFor(5);
    await compareAll(first);
  });

  it("is found through a call that names the affected owners even if no other account differs", async () => {
    token = await chain.deploy(unusualSupplies("Seizing"));
    const first = (await chain.head()) + 1;
    const owners = [
      alice,
      ...Array.from({ length: 30 }, (_, position): Address => `0x${(position + 4096).toString(16).padStart(40, "9")}`),
    ];
    await mineEach(seizing("mint", alice, 10_000n));
    await chain.send(...owners.slice(1).map((owner, position) => seizing("transfer", owner, BigInt(100 + position))));
    await chain.mine();
    await start();
    await reconciliation.runFor(200);
    const recipient: Address = `0x${"7".repeat(40)}`;
    await mineEach(seizing("seize", owners[17] as Address, recipient, 50n));
    await mineUnrelated(2);
    await reconciliation.runFor(4);
    expect(await isNodeSourced()).toBe(true);
    await compareBalances(first, [alice, owners[16], owners[17], recipient] as Address[]);
    const totals = await createTokenQueries(testDatabase.database).tokenTotalsAt(31337, token, 1, await chain.head());
    // The holders are Alice, thirty others and the recipient.
    expect(totals?.holders).toBe(32);
  });

  it("is found within an hour of a request, whichever holder differs, with the block of the change", async () => {
    token = await chain.deploy(unusualSupplies("Seizing"));
    const first = (await chain.head()) + 1;
    const holders = Array.from({ length: 60 }, (_, position): Address => `0x${(position + 4096).toString(16).padStart(40, "8")}`);
    await mineEach(seizing("mint", alice, 100_000n));
    await chain.send(...holders.map((owner, position) => seizing("transfer", owner, BigInt(100 + position))));
    await chain.mine();
    const [victim, other] = [holders[29] as Address, holders[35] as Address];
    const sheriff = await chain.deploy(unusualSupplies("Sheriff"), [token, victim, other]);
    await start();
    await reconciliation.runFor(120);
    await mineEach({ from: alice, ...encodeCall(unusualSupplies("Sheriff"), sheriff, "act") });
    await mineUnrelated(5);
    await testDatabase.database.query("INSERT INTO token_requests (chain_id, token, asked_at) VALUES (31337, $1, $2)", [
      Buffer.from(token.slice(2), "hex"),
      new Date(Date.UTC(2026, 0, 1, 2)),
    ]);
    await reconciliation.runFor(60);
    expect(await isNodeSourced()).toBe(true);
    await compareBalances(first, [victim, other, holders[3] as Address]);
  });

  it("is found in time despite constant calls to another token", async () => {
    const noisy = await chain.deploy(unusualSupplies("Seizing"));
    token = await chain.deploy(unusualSupplies("Seizing"));
    await mineEach(seizing("mint", alice, 100n), { from: alice, ...encodeCall(unusualSupplies("Seizing"), noisy, "mint", [alice, 100n]) });
    await start();
    await reconciliation.runFor(60);
    const noise = Array.from({ length: 45 }, (_, position) => ({
      from: alice,
      ...encodeCall(unusualSupplies("Seizing"), noisy, "seize", [`0x${(position + 1).toString(16).padStart(40, "6")}`, bob, 0n]),
    }));
    const before = noise.splice(0, 22);
    await chain.send(...before);
    await chain.send(seizing("seize", alice, carol, 60n));
    await chain.send(...noise);
    await chain.mine();
    await reconciliation.runFor(3);
    const marked = (await testDatabase.database.query<{ token: Address }>("SELECT token FROM node_sourced_tokens")).map((row) => row.token);
    expect(marked).toContain(token);
    expect(marked).not.toContain(noisy);
  });

  it("is read at the blocks of calls without events even if balanceOf() reverts for one owner", async () => {
    token = await chain.deploy(unusualSupplies("Barring"));
    const first = (await chain.head()) + 1;
    const barring = (method: string, ...args: readonly unknown[]) => ({
      from: alice,
      ...encodeCall(unusualSupplies("Barring"), token, method, args),
    });
    await mineEach(barring("mint", alice, 1_000n), barring("transfer", bob, 300n), barring("transfer", carol, 10n), barring("bar", carol));
    await start();
    await reconciliation.runFor(5);
    await mineEach(barring("rebase", 150n));
    await reconciliation.runFor(4);
    expect(await isNodeSourced()).toBe(true);
    // balanceOf(carol) reverts after this block.
    await mineEach(barring("transfer", carol, 10n));
    await reconciliation.runFor(2);
    await mineEach(barring("rebase", 200n), barring("rebase", 300n));
    await mineUnrelated(2);
    await reconciliation.runFor(4);
    await compareBalances(first, [alice, bob]);
    expect(await testDatabase.database.query("SELECT 1 FROM quiet_calls WHERE NOT is_read")).toEqual([]);
  });

  it("has only the newest 500 blocks queued to be read", async () => {
    await start();
    const calls = Array.from({ length: 700 }, (_, position) => ({ token: alice, block: position + 1, owners: [], isNodeSourced: true }));
    for (const portion of [calls.slice(0, 400), calls.slice(400)]) {
      await testDatabase.database.transaction((client) => queueQuietCalls(client, 31337, portion));
    }
    // Blocks 201 to 700.
    expect(
      await testDatabase.database.query(
        "SELECT count(*)::int AS count, min(block_number)::int AS first FROM quiet_calls WHERE NOT is_read",
      ),
    ).toEqual([{ count: 500, first: 201 }]);
  });
});
