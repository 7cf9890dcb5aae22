import type { Logger } from "pino";
import type { Database } from "../database/database.ts";
import { createMutex } from "../lib/async.ts";
import { monotonicMilliseconds } from "../lib/monotonic-clock.ts";
import { redactMessage } from "./redact.ts";

/** Less than a second, so that a crash loses at most a second of entries, including the time of a flush. */
export const flushMilliseconds = 750;

export interface UsageLedger {
  /** Records a successful response. */
  enter(keyId: number, operation: string, hundredths: number, at: Date): void;
  /** This process's charges to a key that are not in the database yet: on all days, or on days that start with `period`. */
  pendingHundredths(keyId: number, period?: string): number;
  /** This process's charges to a key since the process started. */
  chargedHundredths(keyId: number): number;
  /** Whether a key's charges are being written, or have been written since a `monotonicMilliseconds` time. */
  isWritingSince(keyId: number, since: number): boolean;
  /** Runs work while no entries are being written. */
  betweenFlushes<T>(work: () => Promise<T>): Promise<T>;
  /** Writes pending entries. @throws {Error} if that fails; the entries then remain pending. */
  flush(): Promise<void>;
  /** Stops the timer and writes the remaining entries. */
  stop(): Promise<void>;
}

interface Entry {
  readonly keyId: number;
  readonly day: string;
  readonly operation: string;
  calls: number;
  hundredths: number;
}

type Entries = Map<string, Entry>;

function add(entries: Entries, { keyId, day, operation, calls, hundredths }: Entry): void {
  const id = `${keyId} ${day} ${operation}`;
  const entry = entries.get(id);
  if (entry === undefined) {
    entries.set(id, { keyId, day, operation, calls, hundredths });
    return;
  }
  entry.calls += calls;
  entry.hundredths += hundredths;
}

/**
 * Writes rows in key order, so that two processes cannot deadlock. The same statement deducts the charges from the leases of this
 * process, so that other servers always see the same sum.
 */
async function write(database: Pick<Database, "query">, holder: string, entries: Entries): Promise<void> {
  const rows = [...entries].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, entry]) => entry);
  const column = (name: keyof Entry) => rows.map((row) => row[name]);
  await database.query(
    `WITH spent AS (
       UPDATE credit_leases SET hundredths = greatest(0, credit_leases.hundredths - charged.hundredths)
       FROM (SELECT key_id, sum(hundredths)::int8 AS hundredths FROM unnest($1::int8[], $5::int8[]) AS entry (key_id, hundredths) GROUP BY key_id) AS charged
       WHERE holder = $6 AND credit_leases.key_id = charged.key_id
     )
     INSERT INTO credit_usage (key_id, day, operation, calls, hundredths)
     SELECT * FROM unnest($1::int8[], $2::date[], $3::text[], $4::int8[], $5::int8[])
     ON CONFLICT (key_id, day, operation)
     DO UPDATE SET calls = credit_usage.calls + excluded.calls, hundredths = credit_usage.hundredths + excluded.hundredths`,
    [column("keyId"), column("day"), column("operation"), column("calls"), column("hundredths"), holder],
  );
}

/** Records response costs in batches, one row per key, day and operation; `holder` identifies this process's leases. */
export function createUsageLedger(database: Pick<Database, "query">, logger: Logger, holder: string): UsageLedger {
  let unwritten: Entries = new Map();
  let writing: Entries = new Map();
  let running: Promise<void> | undefined;
  const totals = new Map<number, number>();
  /** When a key's last charges were written. */
  const writtenAt = new Map<number, number>();
  const exclusively = createMutex();

  const writeEntries = async (): Promise<void> => {
    if (unwritten.size === 0) return;
    [writing, unwritten] = [unwritten, new Map()];
    try {
      await write(database, holder, writing);
      for (const { keyId } of writing.values()) writtenAt.set(keyId, monotonicMilliseconds());
    } catch (error) {
      for (const entry of writing.values()) add(unwritten, entry);
      throw error;
    } finally {
      writing = new Map();
    }
  };
  const flush = (): Promise<void> => {
    running ??= exclusively(writeEntries).finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(() => {
    flush().catch((error: unknown) => {
      logger.error(
        { reason: redactMessage(error instanceof Error ? error.message : String(error)) },
        "Writing credit usage failed, retrying",
      );
    });
  }, flushMilliseconds);
  timer.unref();

  return {
    enter(keyId, operation, hundredths, at) {
      add(unwritten, { keyId, day: at.toISOString().slice(0, 10), operation, calls: 1, hundredths });
      totals.set(keyId, (totals.get(keyId) ?? 0) + hundredths);
    },
    pendingHundredths(keyId, period = "") {
      let sum = 0;
      for (const entries of [unwritten, writing])
        for (const entry of entries.values()) if (entry.keyId === keyId && entry.day.startsWith(period)) sum += entry.hundredths;
      return sum;
    },
    chargedHundredths: (keyId) => totals.get(keyId) ?? 0,
    isWritingSince: (keyId, since) =>
      (writtenAt.get(keyId) ?? Number.NEGATIVE_INFINITY) >= since || [...writing.values()].some((entry) => entry.keyId === keyId),
    betweenFlushes: exclusively,
    flush,
    async stop() {
      clearInterval(timer);
      await running?.catch(() => undefined);
      await flush();
    },
  };
}
