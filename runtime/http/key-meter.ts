import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { KeyLimits } from "../config/key-limits.ts";
import type { RequestLimits } from "../config/limits.ts";
import type { Database } from "../database/database.ts";
import { createAllowanceCheck } from "./allowance.ts";
import type { Clock } from "./key-cache.ts";
import { createKeyUsage, type Usage } from "./key-usage.ts";
import { createKeys, type MeteredKey } from "./keys.ts";
import { drainOf, exceededLimit, limitsOf, type MeteredLimit } from "./metered-limits.ts";
import { createLeaseStore } from "./quota/lease-store.ts";
import type { Period } from "./quota/periods.ts";
import { createKeyQuotas } from "./quota/quotas.ts";
import { createRateLimits, type RateLimitWindow } from "./rate-limits.ts";
import { createUsageLedger } from "./usage-ledger.ts";

/** Which of a key's credits are used up: its allowance, a period's quota, or the lease while this server cannot take another one. */
export type ExhaustedCredits = "allowance" | Period | "lease";

/** The result of counting a key's request. */
export interface MeteredRequest {
  /** The key's rate limit state; null if requests are unlimited. */
  readonly window: RateLimitWindow | null;
  /** Which of the key's credits are used up; null if it has credits. A request above the rate limit is not checked. */
  readonly exhaustedCredits: ExhaustedCredits | null;
  /** What the key used before this request. */
  readonly usage: Usage;
  /** The limit that the request exceeds; null if there is none. */
  readonly exceeded: MeteredLimit | null;
}

/** Whether a request may be processed. If so, it counts as running until `end` is called. */
export const isAdmitted = ({ window, exhaustedCredits, exceeded }: MeteredRequest): boolean =>
  window?.isExceeded !== true && exhaustedCredits === null && exceeded === null;

/**
 * Counts keys' requests, credits and database time for all of a server's processes. A single-process server counts in its memory; workers call
 * their primary, so that a limit is the same for any number of workers. Arguments and results are therefore plain data.
 */
export interface KeyMeter {
  /** Counts a key's request. Returns synchronously if the counts are in this process, otherwise a promise. */
  admit(key: MeteredKey): MeteredRequest | Promise<MeteredRequest>;
  /** Ends a request that may be processed (see `isAdmitted`), after its last statement. Database time drains by the key's limit per minute. */
  end(keyId: number, databaseMilliseconds: number, drainPerMinute: number): void;
  /** Records a successful response; it counts for every request that is admitted after the response is sent. */
  charge(keyId: number, operation: string, hundredths: number, at: Date): void;
  /** Stores pending charges. */
  stop(): Promise<void>;
}

export interface KeyMeterDeps {
  readonly limits: Pick<RequestLimits, "requestsPerSecond" | "burstRequests"> & Pick<KeyLimits, MeteredLimit>;
  readonly database: Pick<Database, "query" | "transaction">;
  readonly logger: Logger;
  readonly clock?: Clock | undefined;
  /** The time by which quotas are reset; the system's by default. */
  readonly now?: (() => Date) | undefined;
}

/** Creates a meter in this process's memory, which writes charges to the database. */
export function createKeyMeter({ limits, database, logger, clock, now = () => new Date() }: KeyMeterDeps): KeyMeter {
  const { countRequest } = createRateLimits(limits);
  const holder = randomUUID();
  const ledger = createUsageLedger(database, logger, holder);
  const quotas = createKeyQuotas({ ledger, store: createLeaseStore(database, holder), logger, now });
  const isAllowanceUsed = createAllowanceCheck(ledger, createKeys(database).readUsedHundredths);
  const usage = createKeyUsage(clock);
  const start = (key: MeteredKey, window: RateLimitWindow | null, exhaustedCredits: ExhaustedCredits | null): MeteredRequest => {
    const keyLimits = limitsOf<Pick<KeyLimits, MeteredLimit>>(limits, key);
    const before = usage.usageOf(key.id, drainOf(keyLimits));
    const metered: MeteredRequest = { window, exhaustedCredits, usage: before, exceeded: exceededLimit(keyLimits, before) };
    if (isAdmitted(metered)) usage.start(key.id);
    return metered;
  };
  return {
    admit(key) {
      const window = countRequest(key.id);
      if (window?.isExceeded === true) return start(key, window, null);
      const finish = (isUsed: boolean): MeteredRequest => start(key, window, isUsed ? "allowance" : quotas.exhaustedCredits(key));
      const isUsed = isAllowanceUsed(key);
      return isUsed instanceof Promise ? isUsed.then(finish) : finish(isUsed);
    },
    end: usage.end,
    charge(keyId, operation, hundredths, at) {
      ledger.enter(keyId, operation, hundredths, at);
      quotas.onCharge(keyId, hundredths);
    },
    async stop() {
      await ledger.stop();
      await quotas.stop();
    },
  };
}
