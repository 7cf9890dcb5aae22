import { readKey } from "./credentials.ts";
import { failures, HttpError } from "./errors.ts";
import type { KeyCache } from "./key-cache.ts";
import type { ActiveKey } from "./keys.ts";
import type { Query } from "./query.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { UsageLedger } from "./usage-ledger.ts";

/** What of a request tells who sent it. */
export interface Sender {
  readonly authorization: string | undefined;
  readonly query: Query;
  readonly address: string;
}

export interface AuthenticateDeps {
  readonly keys: KeyCache;
  readonly rateLimits: RateLimits;
}

/** Finds the key of a request. Rejects with 401, or 429 where too many without a valid key came from the same address. */
export type Authenticate = (sender: Sender) => Promise<ActiveKey>;

/** The first step of a request. */
export function createAuthenticate({ keys, rateLimits }: AuthenticateDeps): Authenticate {
  const find = async ({ authorization, query, address }: Sender): Promise<ActiveKey> => {
    const key = readKey(authorization, query);
    const found = await keys.find(key, () => rateLimits.checkRefusals(address));
    if (found === null) throw failures.keyUnknown();
    return found;
  };
  return async (sender) => {
    try {
      return await find(sender);
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) {
        await rateLimits.checkRefusals(sender.address);
        await rateLimits.countRefusal(sender.address);
      }
      throw error;
    }
  };
}

/** Refuses keys whose allowance is used up, by what the database held at the look-up and what this process charged since. */
export function createAllowanceCheck(ledger: Pick<UsageLedger, "charged" | "pending">): (key: ActiveKey) => void {
  /** For each look-up, what this process had charged the key and written by then. */
  const written = new WeakMap<ActiveKey, number>();
  return (key) => {
    const { id, creditLimitHundredths: limit, usedHundredths } = key;
    if (limit === null) return;
    let before = written.get(key);
    if (before === undefined) {
      before = ledger.charged(id) - ledger.pending(id);
      written.set(key, before);
    }
    if (usedHundredths + ledger.charged(id) - before >= limit) throw failures.allowanceUsed(limit);
  };
}
