import { describe, expect, it } from "vitest";
import { factsOf, generateBlocks } from "../../../bench/queries/story.ts";
import { zeroAddress } from "../../../runtime/lib/hex.ts";

const size = { seed: 7, transfers: 120_000 };
const blocks = [...generateBlocks(size)];
const facts = factsOf(size);
const transactions = blocks.flatMap((block) => block.transactions);
const movements = transactions.flatMap((transaction) =>
  transaction.logs.map((log) => ({
    token: log.address,
    from: `0x${log.topics[1]?.slice(26)}`,
    to: `0x${log.topics[2]?.slice(26)}`,
    amount: BigInt(log.data),
  })),
);

describe("the generated chain", () => {
  it("is identical for the same seed and differs between seeds", () => {
    expect([...generateBlocks(size)].slice(0, 50)).toEqual(blocks.slice(0, 50));
    expect([...generateBlocks({ ...size, seed: 8 })].slice(0, 50)).not.toEqual(blocks.slice(0, 50));
  });

  it("has the requested number of transfers in consecutive blocks", () => {
    expect(movements.length).toBe(120_000);
    expect(blocks.length).toBe(facts.blockCount);
    expect(blocks.slice(1).every((block, index) => block.parentHash === blocks[index]?.hash)).toBe(true);
    expect(new Set(transactions.map(({ hash }) => hash)).size).toBe(transactions.length);
  });

  it("never overdraws a balance", () => {
    const balances = new Map<string, bigint>();
    let overdrawn = 0;
    for (const { token, from, to, amount } of movements) {
      const remaining = (balances.get(token + from) ?? 0n) - amount;
      if (from !== zeroAddress && remaining < 0n) overdrawn += 1;
      balances.set(token + from, remaining);
      balances.set(token + to, (balances.get(token + to) ?? 0n) + amount);
    }
    expect(overdrawn).toBe(0);
  });

  it("has a busy sender, a popular token and a collector with many tokens", () => {
    const sent = transactions.filter(({ from }) => from === facts.busy).length;
    // Of the 40,000 transactions, four fifths of a sixth: 40,000 / 6 * 4 / 5 is 5,333.
    expect(sent).toBeGreaterThan(5_300);
    const holders = new Set(movements.filter(({ token }) => token === facts.popularToken).map(({ to }) => to));
    // The additional holder is the treasury, which received the minted tokens.
    expect(holders.size).toBe(facts.popularHolderCount + 1);
    const collected = new Set(movements.filter(({ to }) => to === facts.collector).map(({ token }) => token));
    expect(collected.size).toBe(30_000);
  });

  it("gives every ordinary wallet 30 tokens", () => {
    const counts = facts.ordinary.map((wallet) => new Set(movements.filter(({ to }) => to === wallet).map(({ token }) => token)).size);
    expect(counts.length).toBe(24);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(30);
  });
});
