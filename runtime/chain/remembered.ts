import type { Address, Hash } from "../lib/hex.ts";
import { address, hash, type Raw } from "./quantities.ts";

/** Cached texts; the cache is emptied when it is full. */
const limit = 100_000;

/** Readers of fields whose values repeat. */
export interface RememberedFields {
  readonly address: (raw: Raw, field: string) => Address;
  readonly hash: (raw: Raw, field: string) => Hash;
}

/**
 * Reads addresses and hashes as `quantities` does, but returns the same string object for the same value: each value is checked once, and later look-ups by
 * it hash and compare faster.
 */
export const createRememberedFields = (): RememberedFields => ({ address: remember(address), hash: remember(hash) });

const remember = <T extends string>(read: (raw: Raw, field: string) => T): ((raw: Raw, field: string) => T) => {
  const known = new Map<unknown, T>();
  return (raw, field) => {
    const found = known.get(raw[field]);
    if (found !== undefined) return found;
    const value = read(raw, field);
    if (known.size >= limit) known.clear();
    // Cached by the lower-case form, which most nodes return; other forms are checked each time.
    known.set(value, value);
    return value;
  };
};
