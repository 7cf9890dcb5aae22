import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { markRead } from "../../../../runtime/domains/approvals/jobs/read-allowances/write-readings.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall, type TestChain } from "../../../support/chain.ts";
import type { TestDatabase } from "../../../support/database.ts";
import { type AllowanceChain, approve, openAllowanceChain, transferFrom } from "./allowance-chain.ts";
import { contracts } from "./contracts.ts";
import { startAllowanceIndex } from "./support.ts";

let opened: AllowanceChain;
let chain: TestChain;
let testDatabase: TestDatabase;
let owner: Address;
let spender: Address;
let other: Address;
let coin: Address;

beforeEach(async () => {
  opened = await openAllowanceChain();
  ({ chain, testDatabase, owner, spender, other, coin } = opened);
});
afterEach(() => opened?.end());

describe("an allowance that may have been used", () => {
  it("is unknown until it is read from the contract; an unlimited one stays unlimited", async () => {
    await opened.mineAll(approve(owner, coin, spender, 100n), approve(owner, coin, other, 2n ** 256n - 1n));
    await opened.index.sync();
    expect(await opened.servedAllowance()).toBe("100");
    await opened.mineAll(transferFrom(spender, coin, owner, spender, 30n), transferFrom(other, coin, owner, other, 5n));
    await opened.index.waitForHead();
    expect([await opened.servedAllowance(), await opened.servedAllowance(coin, other)]).toEqual([null, "UNLIMITED"]);
    const { items } = await opened.index.get(`approvals/${owner}/`);
    // The unlimited allowance puts the entire balance at risk, regardless of the other one.
    expect([items[0].balance, items[0].value_at_risk]).toEqual(["965", "965"]);
    await opened.index.runJobs();
    expect([await opened.servedAllowance(), await opened.servedAllowance(coin, other)]).toEqual(["70", "UNLIMITED"]);
    expect(await opened.nodeAllowance()).toBe("70");
  });

  it("is unknown after its owner called a token function that uses it", async () => {
    const token = await chain.deploy(contracts("CallingCoin"));
    const router = await chain.deploy(contracts("Router"));
    await opened.mineAll(encodeCall(contracts("Coin"), token, "mint", [owner, 1_000n]));
    await opened.mineAll({
      from: owner,
      gas: 500_000n,
      ...encodeCall(contracts("CallingCoin"), token, "approveAndCall", [router, 100n, other, 30n]),
    });
    await opened.index.waitForHead();
    expect([await opened.servedAllowance(token, router), await opened.nodeAllowance(token, router)]).toEqual([null, "70"]);
    await opened.index.runJobs();
    expect(await opened.servedAllowance(token, router)).toBe("70");
  });

  it("is read within an hour after the node can run contracts again", async () => {
    await opened.mineAll(approve(owner, coin, spender, 100n));
    await opened.mineAll(transferFrom(spender, coin, owner, spender, 30n));
    await opened.index.waitForHead();
    opened.index.setFailing(true);
    // One day is longer than ten attempts take.
    await opened.index.runJobs(24 * 60);
    expect([await opened.servedAllowance(), (await opened.reads()).map(({ attempts }) => attempts)]).toEqual([null, [0]]);
    opened.index.setFailing(false);
    await opened.index.runJobs(61);
    expect(await opened.servedAllowance()).toBe("70");
  });

  it("is not listed once it is used up", async () => {
    await opened.mineAll(approve(owner, coin, spender, 100n));
    await opened.mineAll(transferFrom(spender, coin, owner, spender, 100n));
    await opened.index.sync();
    expect(await opened.servedAllowance()).toBeUndefined();
  });

  it("is not read after a transfer by its owner", async () => {
    await opened.mineAll(approve(owner, coin, spender, 100n), approve(owner, coin, other, 5n), approve(owner, coin, other, 0n));
    await opened.mineAll({ from: owner, ...encodeCall(contracts("Coin"), coin, "transfer", [other, 30n]) });
    await opened.index.sync(1);
    expect(await opened.reads()).toEqual([]);
  });

  it("is read again after reorganisations that drop its read, its use and its approval", async () => {
    await opened.mineAll(approve(owner, coin, spender, 100n));
    await opened.mineAll(transferFrom(spender, coin, owner, spender, 30n));
    for (let block = 0; block < 3; block += 1) await chain.mine();
    await opened.index.sync();
    expect(await opened.servedAllowance()).toBe("70");
    // Drops the read, but not the use.
    await chain.rpc("anvil_reorg", [2, []]);
    await chain.mine();
    await opened.index.waitForHead();
    expect(await opened.servedAllowance()).toBeNull();
    await opened.index.runJobs();
    expect([await opened.servedAllowance(), await opened.nodeAllowance()]).toEqual(["70", "70"]);
    // Drops the use.
    await chain.rpc("anvil_reorg", [5, []]);
    await chain.mine();
    await opened.index.sync();
    expect([await opened.servedAllowance(), await opened.nodeAllowance()]).toEqual(["100", "100"]);
    // Drops the approval.
    await chain.rpc("anvil_reorg", [7, []]);
    await chain.mine();
    await opened.index.sync();
    expect([await opened.servedAllowance(), await opened.nodeAllowance()]).toEqual([undefined, "0"]);
    expect(await testDatabase.database.query("SELECT 1 FROM allowances UNION ALL SELECT 1 FROM allowance_periods")).toEqual([]);
  });

  it("is not marked as read by a read at an earlier block", async () => {
    await opened.mineAll(approve(owner, coin, spender, 100n));
    await opened.mineAll(transferFrom(spender, coin, owner, spender, 30n));
    await opened.index.waitForHead();
    // The index advances between the job's read and its write.
    const height = await chain.head();
    const { hash } = await chain.rpc<{ hash: Address }>("eth_getBlockByNumber", [`0x${height.toString(16)}`, false]);
    await opened.mineAll(transferFrom(spender, coin, owner, spender, 20n));
    await opened.index.waitForHead();
    await testDatabase.database.transaction((client) => markRead(client, 31337, { number: height, hash }, [{ owner, token: coin }]));
    expect((await opened.reads())[0]?.read_at_block).toBeNull();
    await opened.index.runJobs();
    expect(await opened.servedAllowance()).toBe("50");
  });

  it("is read after a restart, and its queue entry is deleted once the read is final", async () => {
    await opened.mineAll(approve(owner, coin, spender, 100n));
    await opened.mineAll(transferFrom(spender, coin, owner, spender, 30n));
    await opened.index.waitForHead();
    await opened.index.end();
    opened.index = await startAllowanceIndex(chain, testDatabase.database);
    await opened.index.sync();
    expect(await opened.servedAllowance()).toBe("70");
    expect((await opened.reads()).length).toBe(1);
    await testDatabase.database.query("UPDATE chains SET finalized_block = $1", [await chain.head()]);
    await opened.mineAll(approve(spender, coin, other, 5n), transferFrom(other, coin, spender, other, 1n));
    await opened.index.sync();
    // The run that read the new allowance deleted the row of the earlier one.
    expect(await opened.reads()).toEqual([{ owner: spender, read_at_block: await chain.head(), attempts: 0 }]);
  });
});
