import { keccak256 } from "viem";
import type { Hex } from "../lib/hex.ts";

const maxCached = 200_000;

/** Computes the 2048-bit bloom filter for logs (Yellow Paper, section 4.4.3); caches the bits of each value, because addresses and topics repeat. */
export const createBloom = () => {
  const cache = new Map<string, readonly [number, number, number]>();
  const bitsOf = (value: Hex): readonly [number, number, number] => {
    const cached = cache.get(value);
    if (cached !== undefined) return cached;
    const digest = keccak256(value);
    // Three bit positions: the low 11 bits of each of the first three byte pairs.
    const bit = (start: number) => Number.parseInt(digest.slice(start, start + 4), 16) & 2047;
    const bits = [bit(2), bit(6), bit(10)] as const;
    if (cache.size >= maxCached) cache.clear();
    cache.set(value, bits);
    return bits;
  };
  return (logs: Iterable<{ readonly address: Hex; readonly topics: readonly Hex[] }>): Hex => {
    const filter = Buffer.alloc(256);
    const add = (value: Hex) => {
      for (const bit of bitsOf(value)) {
        const index = 255 - (bit >> 3);
        filter[index] = (filter[index] ?? 0) | (1 << (bit & 7));
      }
    };
    for (const { address, topics } of logs) {
      add(address);
      for (const topic of topics) add(topic);
    }
    return `0x${filter.toString("hex")}`;
  };
};

export type Bloom = ReturnType<typeof createBloom>;
