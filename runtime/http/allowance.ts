import type { ActiveKey } from "./keys.ts";
import type { UsageLedger } from "./usage-ledger.ts";

/** Whether the credits of a key are used up, by the usage stored in the database at lookup plus the charges in the ledger since then. */
export function createAllowanceCheck(ledger: Pick<UsageLedger, "charged" | "pending">): (key: ActiveKey) => boolean {
  /** For each lookup, the charges of the ledger that were already in the database at that time. */
  const written = new WeakMap<ActiveKey, number>();
  return (key) => {
    const { id, creditLimitHundredths: limit, usedHundredths } = key;
    if (limit === null) return false;
    let chargedBefore = written.get(key);
    if (chargedBefore === undefined) {
      chargedBefore = ledger.charged(id) - ledger.pending(id);
      written.set(key, chargedBefore);
    }
    return usedHundredths + ledger.charged(id) - chargedBefore >= limit;
  };
}
