import type { Address, Hash } from "../lib/hex.ts";
import { address, hash, type Raw } from "./quantities.ts";

/** Texts that are remembered at once; then the memory begins anew. */
const limit = 100_000;

/** Readers of fields whose values come again and again. */
export interface RememberedFields {
  readonly address: (raw: Raw, field: string) => Address;
  readonly hash: (raw: Raw, field: string) => Hash;
}

/**
 * Reads addresses and hashes as `quantities` does, and gives the same text object for the same value: what was checked once is not checked again, and all
 * that is later looked up by it hashes and compares it sooner.
 */
export const createRememberedFields = (): RememberedFields => ({ address: remember(address), hash: remember(hash) });

const remember = <T extends string>(read: (raw: Raw, field: string) => T): ((raw: Raw, field: string) => T) => {
  const known = new Map<unknown, T>();
  return (raw, field) => {
    const found = known.get(raw[field]);
    if (found !== undefined) return found;
    const value = read(raw, field);
    if (known.size >= limit) known.clear();
    // Under its form in lower case, which most nodes write; any other is read each time.
    known.set(value, value);
    return value;
  };
};
