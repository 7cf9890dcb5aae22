import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { markRead } from "../../../../runtime/domains/approvals/jobs/read-allowances/write-readings.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { call, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { type AllowanceIndex, deployMulticall, type ResponseData, readWords, startAllowanceIndex, viewCalls } from "./support.ts";

let chain: TestChain;
let test: TestDatabase;
let index: AllowanceIndex;
let [owner, spender, other]: [Address, Address, Address] = ["0x", "0x", "0x"];
let coin: Address;

const approve = (from: Address, to: Address, amount: bigint, token = coin) => ({
  from,
  ...call(contracts("Coin"), token, "approve", [to, amount]),
});
const transferFrom = (sender: Address, from: Address, to: Address, amount: bigint, token = coin) => ({
  from: sender,
  ...call(contracts("Coin"), token, "transferFrom", [from, to, amount]),
});
const callInconsistent = (from: Address, token: Address, name: string, args: readonly unknown[]) => ({
  from,
  ...call(contracts("Inconsistent"), token, name, args),
});
const mineAll = async (...transactions: readonly TestTransaction[]) => {
  await chain.send(...transactions);
  await chain.mine();
};

/** The served allowance of a token for a spender; undefined if it is not listed. */
const servedAllowance = async (token = coin, to = spender): Promise<string | null | undefined> => {
  const { items } = await index.get(`approvals/${owner}/`);
  const item = items.find((entry: ResponseData) => entry.token_address === token);
  return item?.spenders.find((spender: ResponseData) => spender.spender_address === to)?.allowance;
};
const nodeAllowance = async (token = coin, to = spender) =>
  (await readWords(chain, [viewCalls.allowance(token, owner, to)], await chain.head()))[0]?.toString();
const reads = () =>
  test.database.query<{ owner: Address; read_at_block: number | null; attempts: number }>(
    "SELECT owner, read_at_block, attempts FROM allowance_reads ORDER BY block_number",
  );

beforeEach(async () => {
  chain = await startTestChain();
  await deployMulticall(chain);
  [owner, spender, other] = chain.accounts.slice(1, 4) as [Address, Address, Address];
  coin = await chain.deploy(contracts("Coin"), ["NEW"]);
  await mineAll(call(contracts("Coin"), coin, "mint", [owner, 1_000n]));
  test = await createTestDatabase();
  index = await startAllowanceIndex(chain, test.database);
});
afterEach(async () => {
  await index?.end();
  await test?.drop();
  await chain?.stop();
});

describe("an allowance that may have been used", () => {
  it("is unknown until it is read from the contract; an unlimited one stays unlimited", async () => {
    await mineAll(approve(owner, spender, 100n), approve(owner, other, 2n ** 256n - 1n));
    await index.sync();
    expect(await servedAllowance()).toBe("100");
    await mineAll(transferFrom(spender, owner, spender, 30n), transferFrom(other, owner, other, 5n));
    await index.waitForHead();
    expect([await servedAllowance(), await servedAllowance(coin, other)]).toEqual([null, "UNLIMITED"]);
    const { items } = await index.get(`approvals/${owner}/`);
    // The unlimited allowance puts the whole balance at risk, regardless of the other one.
    expect([items[0].balance, items[0].value_at_risk]).toEqual(["965", "965"]);
    await index.runJobs();
    expect([await servedAllowance(), await servedAllowance(coin, other)]).toEqual(["70", "UNLIMITED"]);
    expect(await nodeAllowance()).toBe("70");
  });

  it("is unknown after its owner called a function of the token that uses it", async () => {
    const token = await chain.deploy(contracts("CallingCoin"));
    const router = await chain.deploy(contracts("Router"));
    await mineAll(call(contracts("Coin"), token, "mint", [owner, 1_000n]));
    await mineAll({ from: owner, gas: 500_000n, ...call(contracts("CallingCoin"), token, "approveAndCall", [router, 100n, other, 30n]) });
    await index.waitForHead();
    expect([await servedAllowance(token, router), await nodeAllowance(token, router)]).toEqual([null, "70"]);
    await index.runJobs();
    expect(await servedAllowance(token, router)).toBe("70");
  });

  it("is retried while the node cannot run contracts, and is read within an hour once it can", async () => {
    await mineAll(approve(owner, spender, 100n));
    await mineAll(transferFrom(spender, owner, spender, 30n));
    await index.waitForHead();
    index.setFailing(true);
    // One day is longer than ten attempts take.
    await index.runJobs(24 * 60);
    expect([await servedAllowance(), (await reads()).map(({ attempts }) => attempts)]).toEqual([null, [0]]);
    index.setFailing(false);
    await index.runJobs(61);
    expect(await servedAllowance()).toBe("70");
  });

  it("is not listed once it is used up", async () => {
    await mineAll(approve(owner, spender, 100n));
    await mineAll(transferFrom(spender, owner, spender, 100n));
    await index.sync();
    expect(await servedAllowance()).toBeUndefined();
  });

  it("is not read after a transfer by its owner", async () => {
    await mineAll(approve(owner, spender, 100n), approve(owner, other, 5n), approve(owner, other, 0n));
    await mineAll({ from: owner, ...call(contracts("Coin"), coin, "transfer", [other, 30n]) });
    await index.sync(1);
    expect(await reads()).toEqual([]);
  });

  it("is read again after reorganisations that drop its read, its use and its approval", async () => {
    await mineAll(approve(owner, spender, 100n));
    await mineAll(transferFrom(spender, owner, spender, 30n));
    for (let block = 0; block < 3; block += 1) await chain.mine();
    await index.sync();
    expect(await servedAllowance()).toBe("70");
    // Drops the blocks of the read, but not that of the use.
    await chain.rpc("anvil_reorg", [2, []]);
    await chain.mine();
    await index.waitForHead();
    expect(await servedAllowance()).toBeNull();
    await index.runJobs();
    expect([await servedAllowance(), await nodeAllowance()]).toEqual(["70", "70"]);
    // Drops the use.
    await chain.rpc("anvil_reorg", [5, []]);
    await chain.mine();
    await index.sync();
    expect([await servedAllowance(), await nodeAllowance()]).toEqual(["100", "100"]);
    // Drops the approval.
    await chain.rpc("anvil_reorg", [7, []]);
    await chain.mine();
    await index.sync();
    expect([await servedAllowance(), await nodeAllowance()]).toEqual([undefined, "0"]);
    expect(await test.database.query("SELECT 1 FROM allowances UNION ALL SELECT 1 FROM allowance_periods")).toEqual([]);
  });

  it("is not marked as read by a read at an earlier block", async () => {
    await mineAll(approve(owner, spender, 100n));
    await mineAll(transferFrom(spender, owner, spender, 30n));
    await index.waitForHead();
    // The index advances between the job's read and its write.
    const height = await chain.head();
    const { hash } = await chain.rpc<{ hash: Address }>("eth_getBlockByNumber", [`0x${height.toString(16)}`, false]);
    await mineAll(transferFrom(spender, owner, spender, 20n));
    await index.waitForHead();
    await test.database.transaction((client) => markRead(client, 31337, { number: height, hash }, [{ owner, token: coin }]));
    expect((await reads())[0]?.read_at_block).toBeNull();
    await index.runJobs();
    expect(await servedAllowance()).toBe("50");
  });

  it("is read by the next process, and its queue entry is deleted once the read is final", async () => {
    await mineAll(approve(owner, spender, 100n));
    await mineAll(transferFrom(spender, owner, spender, 30n));
    await index.waitForHead();
    await index.end();
    index = await startAllowanceIndex(chain, test.database);
    await index.sync();
    expect(await servedAllowance()).toBe("70");
    expect((await reads()).length).toBe(1);
    await test.database.query("UPDATE chains SET finalized_block = $1", [await chain.head()]);
    await mineAll(approve(spender, other, 5n), transferFrom(other, spender, other, 1n));
    await index.sync();
    // The run that read the new allowance deleted the row of the earlier one.
    expect(await reads()).toEqual([{ owner: spender, read_at_block: await chain.head(), attempts: 0 }]);
  });
});

describe("contracts with incorrect allowances or events", () => {
  it.each([
    ["revert", 1n],
    ["return less than a word", 2n],
  ])("leave the allowance unknown, are retried with backoff at most ten times, and do not delay others if they %s", async (_, mode) => {
    const token = await chain.deploy(contracts("Inconsistent"));
    await mineAll(
      callInconsistent(owner, token, "emitApproval", [spender, 100n]),
      callInconsistent(owner, token, "setAllowance", [owner, spender, 100n]),
      callInconsistent(owner, token, "setMode", [mode]),
      approve(owner, spender, 100n),
    );
    await mineAll(callInconsistent(other, token, "emitTransfer", [owner, other, 1n]), transferFrom(spender, owner, spender, 30n));
    await index.sync(1);
    expect([await servedAllowance(token), await servedAllowance()]).toEqual([null, "70"]);
    const { calls } = index;
    await index.runJobs(60);
    const callsInFirstHour = calls.flat().filter(({ to }) => to === token).length;
    await index.runJobs(24 * 60);
    const rows = await reads();
    expect(rows.map(({ attempts }) => attempts).sort()).toEqual([0, 10]);
    // Ten attempts make one call each; the sweep backs off in the same way.
    expect(callsInFirstHour).toBeLessThan(25);
    expect(await servedAllowance(token)).toBeNull();
    // A transfer starts another series of attempts; without one, the sweep reads the allowance.
    const transfers = mode === 1n ? [callInconsistent(other, token, "emitTransfer", [owner, other, 1n])] : [];
    await mineAll(callInconsistent(owner, token, "setMode", [0n]), ...transfers);
    await index.sync(120);
    expect(await servedAllowance(token)).toBe("100");
  });

  it("are found by comparison if they emit an Approval without effect or lower an allowance without an event", async () => {
    const token = await chain.deploy(contracts("Inconsistent"));
    await index.sync(1);
    await mineAll(
      callInconsistent(owner, token, "emitApproval", [spender, 100n]),
      callInconsistent(owner, token, "emitApproval", [other, 50n]),
      callInconsistent(owner, token, "setAllowance", [owner, other, 20n]),
    );
    await index.waitForHead();
    expect([await servedAllowance(token), await servedAllowance(token, other)]).toEqual(["100", "50"]);
    await index.runJobs();
    expect([await servedAllowance(token), await servedAllowance(token, other)]).toEqual([undefined, "20"]);
    // No event reports the change: the sweep finds it.
    await mineAll(callInconsistent(other, token, "setAllowance", [owner, other, 7n]));
    await index.sync(4);
    expect(await servedAllowance(token, other)).toBe("7");
  });
});

describe("a backlog of reads", () => {
  it("is read in bounded portions", async () => {
    const token = await chain.deploy(contracts("Inconsistent"));
    await index.waitForHead();
    // 400 owners of one token, and one owner with 250 spenders of another token, all in doubt.
    const owners = Array.from({ length: 400 }, (_, index): Address => `0xa${index.toString(16).padStart(39, "0")}`);
    const spenders = Array.from({ length: 250 }, (_, index): Address => `0xb${index.toString(16).padStart(39, "0")}`);
    const pairs = [...owners.map((account) => [account, token, spender]), ...spenders.map((account) => [owner, coin, account])] as [
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
    await index.runJobs(1);
    const sizes = index.calls.map((calls) => calls.length);
    // A multicall contains at most 90 calls: one for each of 90 owners of a token, or of 90 spenders of a pair.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    expect(await test.database.query("SELECT count(*)::int4 AS left FROM allowance_reads WHERE read_at_block IS NULL")).toEqual([
      { left: 0 },
    ]);
    expect(await test.database.query("SELECT count(*)::int4 AS remaining FROM allowances WHERE amount > 0")).toEqual([{ remaining: 0 }]);
    expect(index.warnings).toEqual([]);
  });
});
