import { describe, expect, it } from "vitest";
import { createBitcoinDemoStory } from "../../../demo/bitcoin/story.ts";
import { deriveWallets } from "../../../demo/bitcoin/wallets.ts";
import { replay, totalOf } from "../../support/bitcoin/replay.ts";

const genesisTime = Date.UTC(2026, 0, 1, 7, 30) / 1000;
const day = 86_400;
const hashesOf = (time: number): string[] => createBitcoinDemoStory(time).chain.blocks.map(({ hash }) => hash);

describe("the Bitcoin story", () => {
  const { chain, values } = createBitcoinDemoStory(genesisTime);
  const { blocks } = chain;

  it("has the same blocks for the same genesis time, and different ones for a different time", () => {
    expect(hashesOf(genesisTime)).toEqual(blocks.map(({ hash }) => hash));
    const others = hashesOf(genesisTime + 1);
    expect(others).toHaveLength(blocks.length);
    expect(others.filter((hash, height) => hash === blocks[height]?.hash)).toEqual([]);
  });

  it("has a hundred blocks on the first day, four on each other day, and one at the end of the sixtieth", () => {
    const days = blocks.map(({ block }) => Math.floor((block.timestamp - genesisTime) / day));
    expect(days.filter((number) => number === 0)).toHaveLength(1 + 100);
    for (let number = 1; number < 60; number += 1) expect(days.filter((other) => other === number)).toHaveLength(4);
    expect(blocks.at(-1)?.block.timestamp).toBe(genesisTime + 60 * day);
    const times = blocks.map(({ block }) => block.timestamp);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
  });

  it("spends only unspent coins, and coinbase coins only after a hundred blocks", () => {
    const { transactions } = replay(blocks);
    const fromCoinbases = transactions.flatMap(({ height, spent }) =>
      spent.filter((coin) => coin.isCoinbase).map((coin) => height - coin.height),
    );
    expect(fromCoinbases.length).toBeGreaterThan(100);
    expect(Math.min(...fromCoinbases)).toBe(100);
    expect(transactions.filter(({ spent }) => spent.length > 1).length).toBeGreaterThan(50);
    expect(transactions.filter(({ created }) => created.length > 2).length).toBeGreaterThan(50);
  });

  it("pays a block's subsidy and fees to its miner, and loses nothing", () => {
    const { transactions, unspent } = replay(blocks.slice(1));
    const fees = blocks.map(() => 0n);
    for (const { height, isCoinbase, spent, created } of transactions)
      if (!isCoinbase) fees[height] = (fees[height] ?? 0n) + totalOf(spent) - totalOf(created);
    expect(fees.filter((fee) => fee > 0n).length).toBeGreaterThan(100);
    // 50 bitcoins, halved every 150 blocks (the network regtest).
    for (const { height, created } of transactions.filter(({ isCoinbase }) => isCoinbase))
      expect(totalOf(created)).toBe(50_00000000n / 2n ** BigInt(Math.floor(height / 150)) + (fees[height] ?? 0n));
    // 149 blocks with 50 bitcoins, 150 with 25 and 38 with 12.5.
    expect(blocks).toHaveLength(1 + 149 + 150 + 38);
    expect(totalOf(unspent)).toBe(149n * 50_00000000n + 150n * 25_00000000n + 38n * 12_50000000n);
  });

  it("has addresses that do not depend on its time, one of them from BIP 173's example", () => {
    expect(createBitcoinDemoStory(genesisTime + day).values).toEqual(values);
    // BIP 173's P2WPKH example, with the regtest prefix.
    expect(values.bitcoinSaver).toBe("bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080");
    expect(Object.values(values).toSorted()).toEqual(
      [
        values.bitcoinSaver,
        deriveWallets(1).p2pkh.address,
        deriveWallets(2).p2tr.address,
        deriveWallets(3).p2wsh.address,
        deriveWallets(4).p2wpkh.address,
      ].toSorted(),
    );
  });
});
