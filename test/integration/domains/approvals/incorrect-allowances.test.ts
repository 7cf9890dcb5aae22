import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Address } from "../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../support/chain.ts";
import type { TestDatabase } from "../../../support/database.ts";
import { type AllowanceChain, approve, callInconsistent, openAllowanceChain, transferFrom } from "./allowance-chain.ts";
import { contracts } from "./contracts.ts";

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

describe("contracts with incorrect allowances or events", () => {
  it.each([
    ["revert", 1n],
    ["return less than a word", 2n],
  ])("leave the allowance unknown, are retried with backoff up to ten times, and do not delay other reads if they %s", async (_, mode) => {
    const token = await chain.deploy(contracts("Inconsistent"));
    await opened.mineAll(
      callInconsistent(owner, token, "emitApproval", [spender, 100n]),
      callInconsistent(owner, token, "setAllowance", [owner, spender, 100n]),
      callInconsistent(owner, token, "setMode", [mode]),
      approve(owner, coin, spender, 100n),
    );
    await opened.mineAll(
      callInconsistent(other, token, "emitTransfer", [owner, other, 1n]),
      transferFrom(spender, coin, owner, spender, 30n),
    );
    await opened.index.sync(1);
    expect([await opened.servedAllowance(token), await opened.servedAllowance()]).toEqual([null, "70"]);
    const { calls } = opened.index;
    await opened.index.runJobs(60);
    const callsInFirstHour = calls.flat().filter(({ to }) => to === token).length;
    await opened.index.runJobs(24 * 60);
    const rows = await opened.reads();
    expect(rows.map(({ attempts }) => attempts).sort()).toEqual([0, 10]);
    // Ten attempts make one call each; the sweep backs off in the same way.
    expect(callsInFirstHour).toBeLessThan(25);
    expect(await opened.servedAllowance(token)).toBeNull();
    // A transfer starts another series of attempts; without one, the sweep reads the allowance.
    const transfers = mode === 1n ? [callInconsistent(other, token, "emitTransfer", [owner, other, 1n])] : [];
    await opened.mineAll(callInconsistent(owner, token, "setMode", [0n]), ...transfers);
    await opened.index.sync(120);
    expect(await opened.servedAllowance(token)).toBe("100");
  });

  it("are detected by comparison if they emit an Approval without effect or lower an allowance without an event", async () => {
    const token = await chain.deploy(contracts("Inconsistent"));
    await opened.index.sync(1);
    await opened.mineAll(
      callInconsistent(owner, token, "emitApproval", [spender, 100n]),
      callInconsistent(owner, token, "emitApproval", [other, 50n]),
      callInconsistent(owner, token, "setAllowance", [owner, other, 20n]),
    );
    await opened.index.waitForHead();
    expect([await opened.servedAllowance(token), await opened.servedAllowance(token, other)]).toEqual(["100", "50"]);
    await opened.index.runJobs();
    expect([await opened.servedAllowance(token), await opened.servedAllowance(token, other)]).toEqual([undefined, "20"]);
    // No event reports the change; the sweep finds it.
    await opened.mineAll(callInconsistent(other, token, "setAllowance", [owner, other, 7n]));
    await opened.index.sync(4);
    expect(await opened.servedAllowance(token, other)).toBe("7");
  });
});

describe("a backlog of reads", () => {
  it("is processed in bounded portions", async () => {
    const token = await chain.deploy(contracts("Inconsistent"));
    await opened.index.waitForHead();
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
    await testDatabase.database.query(
      "INSERT INTO allowances SELECT 31337, o, t, s, $4, $4, 0, 0, 9 FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS k(o, t, s)",
      [...columns, head],
    );
    await testDatabase.database.query(
      "INSERT INTO allowance_reads SELECT DISTINCT 31337, owner, token, since_block, NULL::int8, NULL::bytea, 0 FROM allowances",
    );
    await opened.index.runJobs(1);
    const sizes = opened.index.calls.map((calls) => calls.length);
    // A multicall contains at most 90 calls: for 90 owners of a token, or for 90 spenders of one owner's token.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    expect(await testDatabase.database.query("SELECT count(*)::int4 AS left FROM allowance_reads WHERE read_at_block IS NULL")).toEqual([
      { left: 0 },
    ]);
    expect(await testDatabase.database.query("SELECT count(*)::int4 AS remaining FROM allowances WHERE amount > 0")).toEqual([
      { remaining: 0 },
    ]);
    expect(opened.index.warnings).toEqual([]);
  });
});
