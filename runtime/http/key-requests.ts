import type { ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Database } from "../database/database.ts";
import { redactMessage } from "./redact.ts";
import { durationBounds } from "./request-counts.ts";
import { recordOf } from "./request-record.ts";

/** Counts keys' requests, and writes the counts to the database for the console. */
export interface KeyRequests {
  /** Counts a request when its response is closed; requests without a valid key or an operation are not counted. */
  count(response: ServerResponse): void;
  /** Writes the counts. If a write fails, the next one includes its counts. */
  flush(): Promise<void>;
  /** Stops the timers and writes the counts. */
  stop(): Promise<void>;
}

interface Entry {
  readonly keyId: number;
  readonly day: string;
  readonly operation: string;
  readonly bucket: number;
  requests: number;
  errors: number;
}

const flushMilliseconds = 5_000;
/** Max entries. While the database is unavailable, new ones are dropped: statistics must not fill the memory. */
const maxEntries = 50_000;
/** Counts of earlier days are deleted. */
const keptDays = 400;
const cleanMilliseconds = 6 * 3_600_000;

const bucketOf = (seconds: number): number => {
  const bucket = durationBounds.findIndex((bound) => seconds <= bound);
  return bucket === -1 ? durationBounds.length : bucket;
};

/** Creates a server process's counts. */
export function createKeyRequests(database: Pick<Database, "query">, logger: Logger, now: () => Date): KeyRequests {
  let entries = new Map<string, Entry>();
  let running: Promise<void> | undefined;

  const add = ({ requests, errors, ...added }: Entry): void => {
    const id = `${added.keyId} ${added.day} ${added.operation} ${added.bucket}`;
    const entry = entries.get(id);
    if (entry !== undefined) {
      entry.requests += requests;
      entry.errors += errors;
    } else if (entries.size < maxEntries) entries.set(id, { ...added, requests, errors });
  };
  const write = async (): Promise<void> => {
    const writing = entries;
    if (writing.size === 0) return;
    entries = new Map();
    try {
      await insert(database, writing, now());
    } catch (error) {
      for (const entry of writing.values()) add(entry);
      logger.warn({ reason: redactMessage(String(error)) }, "Writing request statistics failed, retrying");
    }
  };
  const flush = (): Promise<void> => {
    running ??= write().finally(() => {
      running = undefined;
    });
    return running;
  };
  const clean = (): Promise<unknown> =>
    database.query("DELETE FROM key_requests WHERE day < $1::date - $2::int", [now(), keptDays]).catch(() => []);
  // A failed cleanup is retried at the next interval.
  const timers = [setInterval(() => void flush(), flushMilliseconds), setInterval(() => void clean(), cleanMilliseconds)];
  for (const timer of timers) timer.unref();

  return {
    count(response) {
      const { keyId, operation, startedAt } = recordOf(response);
      if (keyId === undefined || operation === undefined) return;
      const bucket = bucketOf((performance.now() - startedAt) / 1000);
      const errors = response.writableFinished && response.statusCode >= 400 ? 1 : 0;
      add({ keyId, day: now().toISOString().slice(0, 10), operation, bucket, requests: 1, errors });
    },
    flush,
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await running;
      await flush();
    },
  };
}

/** Adds the counts in key order, so that two processes cannot deadlock. */
async function insert(database: Pick<Database, "query">, entries: ReadonlyMap<string, Entry>, at: Date): Promise<void> {
  const rows = [...entries].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, entry]) => entry);
  const column = (name: keyof Entry) => rows.map((row) => row[name]);
  await database.query(
    `INSERT INTO key_requests (key_id, day, operation, bucket, requests, errors, last_at)
     SELECT entry.*, $7 FROM unnest($1::int8[], $2::date[], $3::text[], $4::int2[], $5::int8[], $6::int8[]) AS entry
     ON CONFLICT (key_id, day, operation, bucket) DO UPDATE SET requests = key_requests.requests + excluded.requests,
       errors = key_requests.errors + excluded.errors, last_at = greatest(key_requests.last_at, excluded.last_at)`,
    [column("keyId"), column("day"), column("operation"), column("bucket"), column("requests"), column("errors"), at],
  );
}
