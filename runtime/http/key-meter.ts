import type { Logger } from "pino";
import type { KeyLimits } from "../config/key-limits.ts";
import type { Limits } from "../config/limits.ts";
import type { Database } from "../database/database.ts";
import { createAllowanceCheck } from "./allowance.ts";
import type { Clock } from "./key-cache.ts";
import { createKeyUsage, type Usage } from "./key-usage.ts";
import { type ActiveKey, createKeys } from "./keys.ts";
import { drainOf, exceededLimit, limitsOf, type MeteredLimit } from "./metered-limits.ts";
import { createRateLimits, type Window } from "./rate-limits.ts";
import { createUsageLedger } from "./usage-ledger.ts";

/** How a request of a key is counted. */
export interface Metered {
  /** The state of the key's rate limit; null if requests are unlimited. */
  readonly window: Window | null;
  /** Whether the key's credits are used up. A request above the rate limit is not checked. */
  readonly isAllowanceUsed: boolean;
  /** What the key used before this request. */
  readonly usage: Usage;
  /** The limit that the request exceeds; null if there is none. */
  readonly exceeded: MeteredLimit | null;
}

/** Whether a request may be processed. It then uses its key until `end` is called. */
export const isRunning = ({ window, isAllowanceUsed, exceeded }: Metered): boolean =>
  window?.exceeded !== true && !isAllowanceUsed && exceeded === null;

/**
 * What all processes of a server count together about keys: requests, credits and database time. A server of one process counts in its memory; workers ask their
 * primary, so that a limit is the same for any number of workers. Arguments and results are therefore plain data.
 */
export interface KeyMeter {
  /** Counts a request of a key. */
  admit(key: ActiveKey): Promise<Metered>;
  /** Ends a request that may be processed (see `isRunning`), after its last statement. Database time drains by the key's limit per minute. */
  end(keyId: number, databaseMilliseconds: number, drainPerMinute: number): void;
  /** Records a successful response; it counts for every request that is admitted after the response is sent. */
  charge(keyId: number, operation: string, hundredths: number, at: Date): void;
  /** Stores pending charges. */
  stop(): Promise<void>;
}

export interface KeyMeterDeps {
  readonly limits: Pick<Limits, "requestsPerSecond" | "burstRequests"> & Pick<KeyLimits, MeteredLimit>;
  readonly database: Pick<Database, "query">;
  readonly logger: Logger;
  readonly clock?: Clock | undefined;
}

/** Creates a meter in this process's memory, which writes charges to the database. */
export function createKeyMeter({ limits, database, logger, clock }: KeyMeterDeps): KeyMeter {
  const { countRequest } = createRateLimits(limits);
  const ledger = createUsageLedger(database, logger);
  const isAllowanceUsed = createAllowanceCheck(ledger, createKeys(database).usedHundredths);
  const usage = createKeyUsage(clock);
  return {
    async admit(key) {
      const window = countRequest(key.id);
      const isUsed = window?.exceeded !== true && (await isAllowanceUsed(key));
      const own = limitsOf<Pick<KeyLimits, MeteredLimit>>(limits, key);
      const before = usage.usageOf(key.id, drainOf(own));
      const metered: Metered = { window, isAllowanceUsed: isUsed, usage: before, exceeded: exceededLimit(own, before) };
      if (isRunning(metered)) usage.start(key.id);
      return metered;
    },
    end: usage.end,
    charge: ledger.enter,
    stop: ledger.stop,
  };
}
