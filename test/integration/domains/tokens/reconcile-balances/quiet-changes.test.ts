import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { queueQuietCalls } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/quiet-calls/quiet-calls.ts";
import { createTokenQueries } from "../../../../../runtime/domains/tokens/queries/index.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { call, startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { balancesOf, type Settling, startSettling } from "./support.ts";
import { oddSupplies } from "./unusual-supplies.ts";

let chain: TestChain;
let test: TestDatabase;
let settling: Settling;
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
  test = await createTestDatabase();
});
afterEach(async () => {
  await settling?.end();
  await test?.drop();
});

const mineEach = async (...transactions: readonly TestTransaction[]) => {
  for (const transaction of transactions) {
    await chain.send(transaction);
    await chain.mine();
  }
};
const idle = (blocks: number) => mineEach(...Array.from({ length: blocks }, () => ({ to: alice, value: 1n, gas: 21_000n })));
const rebasing = (method: string, ...args: readonly unknown[]) => ({ from: alice, ...call(oddSupplies("Rebasing"), token, method, args) });
const seizing = (method: string, ...args: readonly unknown[]) => ({ from: alice, ...call(oddSupplies("Seizing"), token, method, args) });
const start = async () => {
  settling = await startSettling(chain, chain.url, test.database);
};

/** What is served of some owners is what balanceOf returns, at each block up to the head. */
const compareBalances = async (from: number, owners: readonly Address[]) => {
  const queries = createTokenQueries(test.database);
  for (let height = from; height <= (await chain.head()); height += 1) {
    const returned = await balancesOf(
      chain,
      owners.map((owner) => ({ token, owner, height })),
    );
    const served = await Promise.all(
      owners.map(async (owner) => (await queries.balancesAt(31337, owner, height)).find((row) => row.token === token)?.balance ?? "0"),
    );
    expect(served, `at ${height}`).toEqual(returned);
  }
};
/** The same of everybody who had the token, and how many they were. */
const compare = async (from: number) => {
  const owners = [alice, bob, carol];
  await compareBalances(from, owners);
  const queries = createTokenQueries(test.database);
  for (let height = from; height <= (await chain.head()); height += 1) {
    const returned = await balancesOf(
      chain,
      owners.map((owner) => ({ token, owner, height })),
    );
    const expected = returned.filter((balance) => balance !== "0").length;
    expect((await queries.tokenTotalsAt(31337, token, 1, height))?.holders, `holders at ${height}`).toBe(expected);
  }
};
const isSourced = async () => (await test.database.query("SELECT 1 FROM node_sourced_tokens WHERE standard = 1")).length > 0;
const checkedAt = async () =>
  (await test.database.query<{ checked_at: Date | null }>("SELECT checked_at FROM token_checks")).map(({ checked_at }) => checked_at);

describe("a token that changes balances without an event", () => {
  it("is not taken for compared where only zeros were compared", async () => {
    token = await chain.deploy(oddSupplies("Rebasing"));
    await mineEach(rebasing("transfer", bob, 0n));
    await start();
    await settling.settle(10);
    expect(await checkedAt()).toEqual([null]);
    // It is compared after two minutes each time, not ever more rarely.
    expect(await test.database.query("SELECT wait_seconds FROM token_checks")).toEqual([{ wait_seconds: 120 }]);
    await mineEach(rebasing("mint", alice, 5n));
    await settling.settle(3);
    expect(await checkedAt()).not.toContain(null);
  });

  it("is found within minutes of the call that rebased it, and every past height is right", async () => {
    token = await chain.deploy(oddSupplies("Rebasing"));
    const first = (await chain.head()) + 1;
    await mineEach(rebasing("mint", alice, 1_000n), rebasing("transfer", bob, 300n));
    await start();
    // It agrees for hours, so that it is compared ever more rarely.
    await settling.settle(300);
    await mineEach(rebasing("rebase", 150n));
    await settling.settle(4);
    expect(await isSourced()).toBe(true);
    await mineEach(rebasing("transfer", carol, 90n), rebasing("rebase", 50n), rebasing("rebase", 200n));
    await idle(2);
    await mineEach(rebasing("rebase", 100n), rebasing("rebase", 300n));
    await idle(1);
    await settling.settle(4);
    await compare(first);
    expect(settling.warnings).toEqual([]);
  });

  it("has its past read where it was called long before it was found", async () => {
    token = await chain.deploy(oddSupplies("Rebasing"));
    const first = (await chain.head()) + 1;
    await mineEach(rebasing("mint", alice, 1_000n), rebasing("rebase", 150n), rebasing("transfer", bob, 300n), rebasing("rebase", 70n));
    await idle(3);
    await mineEach(rebasing("rebase", 200n), rebasing("transfer", carol, 10n), rebasing("rebase", 90n));
    await idle(3);
    await start();
    await settling.settle(5);
    await compare(first);
  });

  it("is found when a call names whom it took from or gave to, though nobody else differs", async () => {
    token = await chain.deploy(oddSupplies("Seizing"));
    const first = (await chain.head()) + 1;
    const owners = [alice, ...Array.from({ length: 30 }, (_, place): Address => `0x${(place + 4096).toString(16).padStart(40, "9")}`)];
    await mineEach(seizing("mint", alice, 10_000n));
    await chain.send(...owners.slice(1).map((owner, place) => seizing("transfer", owner, BigInt(100 + place))));
    await chain.mine();
    await start();
    await settling.settle(200);
    const heir: Address = `0x${"7".repeat(40)}`;
    await mineEach(seizing("seize", owners[17] as Address, heir, 50n));
    await idle(2);
    await settling.settle(4);
    expect(await isSourced()).toBe(true);
    await compareBalances(first, [alice, owners[16], owners[17], heir] as Address[]);
    const totals = await createTokenQueries(test.database).tokenTotalsAt(31337, token, 1, await chain.head());
    // Alice, thirty others and the heir.
    expect(totals?.holders).toBe(32);
  });

  it("is found within an hour where requests ask for it, whoever of its holders differs, with the block of the change", async () => {
    token = await chain.deploy(oddSupplies("Seizing"));
    const first = (await chain.head()) + 1;
    const crowd = Array.from({ length: 60 }, (_, place): Address => `0x${(place + 4096).toString(16).padStart(40, "8")}`);
    await mineEach(seizing("mint", alice, 100_000n));
    await chain.send(...crowd.map((owner, place) => seizing("transfer", owner, BigInt(100 + place))));
    await chain.mine();
    const [victim, other] = [crowd[29] as Address, crowd[35] as Address];
    const sheriff = await chain.deploy(oddSupplies("Sheriff"), [token, victim, other]);
    await start();
    await settling.settle(120);
    await mineEach({ from: alice, ...call(oddSupplies("Sheriff"), sheriff, "act") });
    await idle(5);
    await test.database.query("INSERT INTO token_requests (chain_id, token, asked_at) VALUES (31337, $1, $2)", [
      Buffer.from(token.slice(2), "hex"),
      new Date(Date.UTC(2026, 0, 1, 2)),
    ]);
    await settling.settle(60);
    expect(await isSourced()).toBe(true);
    await compareBalances(first, [victim, other, crowd[3] as Address]);
  });

  it("is found in time beside another token that is called without end", async () => {
    const noisy = await chain.deploy(oddSupplies("Seizing"));
    token = await chain.deploy(oddSupplies("Seizing"));
    await mineEach(seizing("mint", alice, 100n), { from: alice, ...call(oddSupplies("Seizing"), noisy, "mint", [alice, 100n]) });
    await start();
    await settling.settle(60);
    const noise = Array.from({ length: 45 }, (_, place) => ({
      from: alice,
      ...call(oddSupplies("Seizing"), noisy, "seize", [`0x${(place + 1).toString(16).padStart(40, "6")}`, bob, 0n]),
    }));
    const before = noise.splice(0, 22);
    await chain.send(...before);
    await chain.send(seizing("seize", alice, carol, 60n));
    await chain.send(...noise);
    await chain.mine();
    await settling.settle(3);
    const found = (await test.database.query<{ token: Address }>("SELECT token FROM node_sourced_tokens")).map((row) => row.token);
    expect(found).toContain(token);
    expect(found).not.toContain(noisy);
  });

  it("is read as of calls that moved nothing although one owner's balance is never answered", async () => {
    token = await chain.deploy(oddSupplies("Barring"));
    const first = (await chain.head()) + 1;
    const barring = (method: string, ...args: readonly unknown[]) => ({
      from: alice,
      ...call(oddSupplies("Barring"), token, method, args),
    });
    await mineEach(barring("mint", alice, 1_000n), barring("transfer", bob, 300n), barring("transfer", carol, 10n), barring("bar", carol));
    await start();
    await settling.settle(5);
    await mineEach(barring("rebase", 150n));
    await settling.settle(4);
    expect(await isSourced()).toBe(true);
    // Carol's balance after this block is never answered: every call that reads it reverts.
    await mineEach(barring("transfer", carol, 10n));
    await settling.settle(2);
    await mineEach(barring("rebase", 200n), barring("rebase", 300n));
    await idle(2);
    await settling.settle(4);
    await compareBalances(first, [alice, bob]);
    expect(await test.database.query("SELECT 1 FROM quiet_calls WHERE NOT is_read")).toEqual([]);
  });

  it("has no more blocks waiting to be read than the newest 500", async () => {
    await start();
    const calls = Array.from({ length: 700 }, (_, place) => ({ token: alice, block: place + 1, owners: [], isSourced: true }));
    for (const some of [calls.slice(0, 400), calls.slice(400)]) {
      await test.database.transaction((client) => queueQuietCalls(client, 31337, some));
    }
    // 201 to 700.
    expect(
      await test.database.query("SELECT count(*)::int AS count, min(block_number)::int AS first FROM quiet_calls WHERE NOT is_read"),
    ).toEqual([{ count: 500, first: 201 }]);
  });
});
