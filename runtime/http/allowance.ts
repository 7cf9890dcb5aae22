import type { MeteredKey } from "./keys.ts";
import type { UsageLedger } from "./usage-ledger.ts";

/** A key's usage that a lookup found in the database. */
interface Base {
  readonly usedHundredths: number;
  /** The charges in the ledger that `usedHundredths` includes. */
  readonly chargedHundredths: number;
}

type Ledger = Pick<UsageLedger, "chargedHundredths" | "pendingHundredths" | "isWritingSince" | "betweenFlushes">;

/**
 * Creates the check whether a key's credits are used up. It adds up the usage stored in the database at lookup and the charges in the ledger since then. If
 * the key's charges were written during or after the lookup, it is unknown whether the lookup included them, so the usage is read again while none
 * are being written.
 */
export function createAllowanceCheck(
  ledger: Ledger,
  readUsed: (keyId: number) => Promise<number>,
): (key: MeteredKey) => boolean | Promise<boolean> {
  const bases = new WeakMap<MeteredKey, Promise<Base>>();
  const written = (keyId: number): number => ledger.chargedHundredths(keyId) - ledger.pendingHundredths(keyId);
  const findBase = async ({ id, usedHundredths, lookedUpAt }: MeteredKey): Promise<Base> =>
    ledger.isWritingSince(id, lookedUpAt)
      ? ledger.betweenFlushes(async () => ({ usedHundredths: await readUsed(id), chargedHundredths: written(id) }))
      : { usedHundredths, chargedHundredths: written(id) };
  const baseOf = (key: MeteredKey): Promise<Base> => {
    const cached = bases.get(key);
    if (cached !== undefined) return cached;
    const base = findBase(key);
    bases.set(key, base);
    base.catch(() => bases.delete(key));
    return base;
  };
  const isUsedUp = async (key: MeteredKey, limit: number): Promise<boolean> => {
    const { usedHundredths, chargedHundredths } = await baseOf(key);
    return usedHundredths + ledger.chargedHundredths(key.id) - chargedHundredths >= limit;
  };
  return (key) => (key.creditLimitHundredths === null ? false : isUsedUp(key, key.creditLimitHundredths));
}
