import type { Address, Hash } from "../lib/hex.ts";
import { type RawObject, readAddress, readHash } from "./quantities.ts";

/** Max cached texts; a full cache is cleared. */
const maxCached = 100_000;

/** Readers for fields whose values repeat. */
export interface CachedFields {
  readonly address: (raw: RawObject, field: string) => Address;
  readonly hash: (raw: RawObject, field: string) => Hash;
}

/**
 * Reads addresses and hashes as `quantities` does, but returns the same string object for the same value: each value is checked once, and lookups by
 * that string are faster.
 */
export const createCachedFields = (): CachedFields => ({ address: withCache(readAddress), hash: withCache(readHash) });

const withCache = <T extends string>(read: (raw: RawObject, field: string) => T): ((raw: RawObject, field: string) => T) => {
  const cache = new Map<unknown, T>();
  return (raw, field) => {
    const hit = cache.get(raw[field]);
    if (hit !== undefined) return hit;
    const value = read(raw, field);
    if (cache.size >= maxCached) cache.clear();
    // Cached in lower case, which most nodes return; mixed-case values are checked each time.
    cache.set(value, value);
    return value;
  };
};
