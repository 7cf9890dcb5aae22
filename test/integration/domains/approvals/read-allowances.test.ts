import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { markRead } from "../../../../runtime/domains/approvals/jobs/read-allowances/write-readings.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { call, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { type Answer, callsOf, type Following, startFollowing, withMulticall, wordsOf } from "./support.ts";

let chain: TestChain;
let test: TestDatabase;
let following: Following;
let [owner, spender, other]: [Address, Address, Address] = ["0x", "0x", "0x"];
let coin: Address;

const approve = (from: Address, to: Address, amount: bigint, token = coin) => ({
  from,
  ...call(contracts("Coin"), token, "approve", [to, amount]),
});
const take = (by: Address, from: Address, to: Address, amount: bigint, token = coin) => ({
  from: by,
  ...call(contracts("Coin"), token, "transferFrom", [from, to, amount]),
});
const liar = (from: Address, token: Address, name: string, args: readonly unknown[]) => ({
  from,
  ...call(contracts("Liar"), token, name, args),
});
const mineAll = async (...transactions: readonly TestTransaction[]) => {
  await chain.send(...transactions);
  await chain.mine();
};

/** The served allowance of a token for a spender; undefined where it is not listed. */
const served = async (token = coin, to = spender): Promise<string | null | undefined> => {
  const { items } = await following.get(`approvals/${owner}/`);
  const item = items.find((one: Answer) => one.token_address === token);
  return item?.spenders.find((one: Answer) => one.spender_address === to)?.allowance;
};
const nodeSays = async (token = coin, to = spender) =>
  (await wordsOf(chain, [callsOf.allowance(token, owner, to)], await chain.head()))[0]?.toString();
const reads = () =>
  test.database.query<{ owner: Address; read_at_block: number | null; attempts: number }>(
    "SELECT owner, read_at_block, attempts FROM allowance_reads ORDER BY block_number",
  );

beforeEach(async () => {
  chain = await startTestChain();
  await withMulticall(chain);
  [owner, spender, other] = chain.accounts.slice(1, 4) as [Address, Address, Address];
  coin = await chain.deploy(contracts("Coin"), ["NEW"]);
  await mineAll(call(contracts("Coin"), coin, "mint", [owner, 1_000n]));
  test = await createTestDatabase();
  following = await startFollowing(chain, test.database);
});
afterEach(async () => {
  await following?.end();
  await test?.drop();
  await chain?.stop();
});

describe("an allowance that may have been used", () => {
  it("is not known until it is read, and then is what the contract says; one without bounds stays so", async () => {
    await mineAll(approve(owner, spender, 100n), approve(owner, other, 2n ** 256n - 1n));
    await following.settle();
    expect(await served()).toBe("100");
    await mineAll(take(spender, owner, spender, 30n), take(other, owner, other, 5n));
    await following.level();
    expect([await served(), await served(coin, other)]).toEqual([null, "UNLIMITED"]);
    const { items } = await following.get(`approvals/${owner}/`);
    // The one without bounds alone can take all: what else there is does not matter.
    expect([items[0].balance, items[0].value_at_risk]).toEqual(["965", "965"]);
    await following.look();
    expect([await served(), await served(coin, other)]).toEqual(["70", "UNLIMITED"]);
    expect(await nodeSays()).toBe("70");
  });

  it("by a function of the token that its owner called is not known either", async () => {
    const token = await chain.deploy(contracts("CallingCoin"));
    const router = await chain.deploy(contracts("Router"));
    await mineAll(call(contracts("Coin"), token, "mint", [owner, 1_000n]));
    await mineAll({ from: owner, gas: 500_000n, ...call(contracts("CallingCoin"), token, "approveAndCall", [router, 100n, other, 30n]) });
    await following.level();
    expect([await served(token, router), await nodeSays(token, router)]).toEqual([null, "70"]);
    await following.look();
    expect(await served(token, router)).toBe("70");
  });

  it("waits for a node that runs no contracts, however long, and is read within the hour once it does", async () => {
    await mineAll(approve(owner, spender, 100n));
    await mineAll(take(spender, owner, spender, 30n));
    await following.level();
    following.fail(true);
    // A day: longer than ten looks take.
    await following.look(24 * 60);
    expect([await served(), (await reads()).map(({ attempts }) => attempts)]).toEqual([null, [0]]);
    following.fail(false);
    await following.look(61);
    expect(await served()).toBe("70");
  });

  it("that was used up is gone", async () => {
    await mineAll(approve(owner, spender, 100n));
    await mineAll(take(spender, owner, spender, 100n));
    await following.settle();
    expect(await served()).toBeUndefined();
  });

  it("asks nobody for what was moved by its owner, or of a token of which the owner allows nothing", async () => {
    await mineAll(approve(owner, spender, 100n), approve(owner, other, 5n), approve(owner, other, 0n));
    await mineAll({ from: owner, ...call(contracts("Coin"), coin, "transfer", [other, 30n]) });
    await following.settle(1);
    expect(await reads()).toEqual([]);
  });

  it("is read again after a reorganisation, of the used and of the read, and goes back to what the node then says", async () => {
    await mineAll(approve(owner, spender, 100n));
    await mineAll(take(spender, owner, spender, 30n));
    for (let block = 0; block < 3; block += 1) await chain.mine();
    await following.settle();
    expect(await served()).toBe("70");
    // The blocks since the use are others now: what was read of the old ones is taken back, and the use still stands.
    await chain.rpc("anvil_reorg", [2, []]);
    await chain.mine();
    await following.level();
    expect(await served()).toBeNull();
    await following.look();
    expect([await served(), await nodeSays()]).toEqual(["70", "70"]);
    // Now the use is gone as well.
    await chain.rpc("anvil_reorg", [5, []]);
    await chain.mine();
    await following.settle();
    expect([await served(), await nodeSays()]).toEqual(["100", "100"]);
    // And the approval.
    await chain.rpc("anvil_reorg", [7, []]);
    await chain.mine();
    await following.settle();
    expect([await served(), await nodeSays()]).toEqual([undefined, "0"]);
    expect(await test.database.query("SELECT 1 FROM allowances UNION ALL SELECT 1 FROM allowance_periods")).toEqual([]);
  });

  it("is not taken for read by who asked about an earlier block", async () => {
    await mineAll(approve(owner, spender, 100n));
    await mineAll(take(spender, owner, spender, 30n));
    await following.level();
    // Between the job's look and its writing the index goes on.
    const height = await chain.head();
    const { hash } = await chain.rpc<{ hash: Address }>("eth_getBlockByNumber", [`0x${height.toString(16)}`, false]);
    await mineAll(take(spender, owner, spender, 20n));
    await following.level();
    await test.database.transaction((client) => markRead(client, 31337, { number: height, hash }, [{ owner, token: coin }]));
    expect((await reads())[0]?.read_at_block).toBeNull();
    await following.look();
    expect(await served()).toBe("50");
  });

  it("is found again by the next process, and forgotten once it is final", async () => {
    await mineAll(approve(owner, spender, 100n));
    await mineAll(take(spender, owner, spender, 30n));
    await following.level();
    await following.end();
    following = await startFollowing(chain, test.database);
    await following.settle();
    expect(await served()).toBe("70");
    expect((await reads()).length).toBe(1);
    await test.database.query("UPDATE chains SET finalized_block = $1", [await chain.head()]);
    await mineAll(approve(spender, other, 5n), take(other, spender, other, 1n));
    await following.settle();
    // The row of before went with the look that read the new one.
    expect(await reads()).toEqual([{ owner: spender, read_at_block: await chain.head(), attempts: 0 }]);
  });
});

describe("contracts that do not tell the truth", () => {
  it.each([
    ["revert", 1n],
    ["answer with less than a word", 2n],
  ])("that %s leave the allowance unknown, are asked ever less often, and no more after ten times; others do not wait", async (_, mood) => {
    const token = await chain.deploy(contracts("Liar"));
    await mineAll(
      liar(owner, token, "say", [spender, 100n]),
      liar(owner, token, "set", [owner, spender, 100n]),
      liar(owner, token, "setMood", [mood]),
      approve(owner, spender, 100n),
    );
    await mineAll(liar(other, token, "move", [owner, other, 1n]), take(spender, owner, spender, 30n));
    await following.settle(1);
    expect([await served(token), await served()]).toEqual([null, "70"]);
    const { asked } = following;
    await following.look(60);
    const hour = asked.flat().filter(({ to }) => to === token).length;
    await following.look(24 * 60);
    const rows = await reads();
    expect(rows.map(({ attempts }) => attempts).sort()).toEqual([0, 10]);
    // Each of ten looks asks once; the sweep asks as well, and leaves it alone as long.
    expect(hour).toBeLessThan(25);
    expect(await served(token)).toBeNull();
    // Once tokens move, the contract has another chance; and where they don't, the round comes to it.
    const moves = mood === 1n ? [liar(other, token, "move", [owner, other, 1n])] : [];
    await mineAll(liar(owner, token, "setMood", [0n]), ...moves);
    await following.settle(120);
    expect(await served(token)).toBe("100");
  });

  it("that set nothing by an Approval, or lower unseen, are found by comparing", async () => {
    const token = await chain.deploy(contracts("Liar"));
    await following.settle(1);
    await mineAll(
      liar(owner, token, "say", [spender, 100n]),
      liar(owner, token, "say", [other, 50n]),
      liar(owner, token, "set", [owner, other, 20n]),
    );
    await following.level();
    expect([await served(token), await served(token, other)]).toEqual(["100", "50"]);
    await following.look();
    expect([await served(token), await served(token, other)]).toEqual([undefined, "20"]);
    // Nothing says so: the round comes to it.
    await mineAll(liar(other, token, "set", [owner, other, 7n]));
    await following.settle(4);
    expect(await served(token, other)).toBe("7");
  });
});

describe("a backlog", () => {
  it("is read in portions that are bounded, whatever one look finds", async () => {
    const token = await chain.deploy(contracts("Liar"));
    await following.level();
    // 400 owners of one token, and one with 250 spenders of another, which are in doubt at once.
    const owners = Array.from({ length: 400 }, (_, index): Address => `0xa${index.toString(16).padStart(39, "0")}`);
    const spenders = Array.from({ length: 250 }, (_, index): Address => `0xb${index.toString(16).padStart(39, "0")}`);
    const pairs = [...owners.map((one) => [one, token, spender]), ...spenders.map((one) => [owner, coin, one])] as [
      Address,
      Address,
      Address,
    ][];
    const columns = [0, 1, 2].map((column) => `{${pairs.map((pair) => `"\\\\x${pair[column]?.slice(2)}"`).join(",")}}`);
    const head = await chain.head();
    await test.database.query(
      "INSERT INTO allowances SELECT 31337, o, t, s, $4, $4, 0, 0, 9 FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS k(o, t, s)",
      [...columns, head],
    );
    await test.database.query(
      "INSERT INTO allowance_reads SELECT DISTINCT 31337, owner, token, since_block, NULL::int8, NULL::bytea, 0 FROM allowances",
    );
    await following.look(1);
    const sizes = following.asked.map((calls) => calls.length);
    // Aggregates of 90: a look takes 90 owners of a token, and 90 spenders of a pair at a time.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    expect(await test.database.query("SELECT count(*)::int4 AS left FROM allowance_reads WHERE read_at_block IS NULL")).toEqual([
      { left: 0 },
    ]);
    expect(await test.database.query("SELECT count(*)::int4 AS standing FROM allowances WHERE amount > 0")).toEqual([{ standing: 0 }]);
    expect(following.warnings).toEqual([]);
  });
});
