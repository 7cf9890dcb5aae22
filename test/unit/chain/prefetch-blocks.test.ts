import { describe, expect, it } from "vitest";
import { prefetchBlocks } from "../../../runtime/chain/prefetch-blocks.ts";
import type { ChainBlock } from "../../../runtime/chain/types.ts";

const block = (number: number, transactions = 0) => ({ number, transactions: Array(transactions).fill(null) }) as unknown as ChainBlock;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, offset) => block(from + offset));

describe("prefetched blocks", () => {
  it("are returned once and in order, even if later requests finish sooner, within the configured concurrency", async () => {
    let concurrent = 0;
    let maxConcurrent = 0;
    const fetch = async (from: number, to: number) => {
      concurrent += 1;
      maxConcurrent = Math.max(maxConcurrent, concurrent);
      await new Promise((resolve) => setTimeout(resolve, 10 - (from % 10)));
      concurrent -= 1;
      return range(from, to);
    };
    const numbers: number[] = [];
    for await (const fetched of prefetchBlocks(fetch, { from: 3, to: 100, maxInFlight: 4, maxBlocks: 7, targetTransactions: 100 }))
      numbers.push(...fetched.map(({ number }) => number));
    expect(numbers).toEqual(Array.from({ length: 98 }, (_, offset) => offset + 3));
    expect(maxConcurrent).toBe(4);
  });

  it("are requested in smaller ranges when they have many transactions", async () => {
    const sizes: number[] = [];
    const fetch = async (from: number, to: number) => {
      sizes.push(to - from + 1);
      return Array.from({ length: to - from + 1 }, (_, offset) => block(from + offset, 100));
    };
    for await (const _ of prefetchBlocks(fetch, { from: 0, to: 99, maxInFlight: 1, maxBlocks: 50, targetTransactions: 500 })) _.length;
    // The first range has 16 blocks; later ranges have 500 transactions, five blocks of 100.
    expect(sizes.slice(0, 4)).toEqual([16, 5, 5, 5]);
  });

  it("end with a request's error, after the preceding blocks", async () => {
    const fetch = async (from: number, to: number) => {
      if (from >= 20) throw new Error("gone");
      return range(from, to);
    };
    const numbers: number[] = [];
    const read = async () => {
      for await (const fetched of prefetchBlocks(fetch, { from: 0, to: 99, maxInFlight: 5, maxBlocks: 10, targetTransactions: 1_000 }))
        numbers.push(fetched.length);
    };
    await expect(read()).rejects.toThrow("gone");
    expect(numbers).toEqual([10, 10]);
  });

  it("end when the signal aborts", async () => {
    const stop = new AbortController();
    let requests = 0;
    const fetch = async (from: number, to: number) => {
      requests += 1;
      return range(from, to);
    };
    for await (const _ of prefetchBlocks(fetch, {
      from: 0,
      to: 10_000,
      maxInFlight: 2,
      maxBlocks: 10,
      targetTransactions: 100,
      signal: stop.signal,
    }))
      stop.abort();
    expect(requests).toBeLessThan(5);
  });
});
