import type { Logger } from "pino";
import type { Limits } from "../config/limits.ts";
import type { Database } from "../database/database.ts";
import { createAllowanceCheck } from "./allowance.ts";
import type { ActiveKey } from "./keys.ts";
import { createRateLimits, type Window } from "./rate-limits.ts";
import { createUsageLedger } from "./usage-ledger.ts";

/** How a request of a key is counted. */
export interface Admission {
  /** The state of the key's rate limit; null if requests are unlimited. */
  readonly window: Window | null;
  /** Whether the key's credits are used up. A request above the rate limit is not checked. */
  readonly isAllowanceUsed: boolean;
}

/**
 * What all processes of a server count together about keys: requests and credits. A server of one process counts in its memory; workers ask their primary, so
 * that a limit is the same for any number of workers. Arguments and results are therefore plain data.
 */
export interface KeyMeter {
  /** Counts a request of a key. */
  admit(key: ActiveKey): Promise<Admission>;
  /** Records a successful response; it counts for every request that is admitted after the response is sent. */
  charge(keyId: number, operation: string, hundredths: number, at: Date): void;
  /** Stores pending charges. */
  stop(): Promise<void>;
}

export interface KeyMeterDeps {
  readonly limits: Pick<Limits, "requestsPerSecond" | "burstRequests">;
  readonly database: Pick<Database, "query">;
  readonly logger: Logger;
}

/** Creates a meter in this process's memory, which writes charges to the database. */
export function createKeyMeter({ limits, database, logger }: KeyMeterDeps): KeyMeter {
  const { countRequest } = createRateLimits(limits);
  const ledger = createUsageLedger(database, logger);
  const isAllowanceUsed = createAllowanceCheck(ledger);
  return {
    async admit(key) {
      const window = await countRequest(key.id);
      return { window, isAllowanceUsed: window?.exceeded !== true && isAllowanceUsed(key) };
    },
    charge: ledger.enter,
    stop: ledger.stop,
  };
}
