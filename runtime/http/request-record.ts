import type { ServerResponse } from "node:http";
import type { LimitName } from "./errors.ts";
import type { CacheState } from "./response-cache/response-cache.ts";

/** A request's state, for its headers and its log line. */
export interface RequestRecord {
  readonly id: string;
  readonly startedAt: number;
  /** The parsed query, without prototype: each name as sent, with a string or an array of strings. */
  query: Readonly<Record<string, string | readonly string[]>>;
  path: string;
  operation: string | undefined;
  keyId: number | undefined;
  costHundredths: number | undefined;
  cache: CacheState | undefined;
  /** The limit that rejected the request. */
  exceededLimit: LimitName | undefined;
  /** Set by the gate; undefined before admission. */
  admitted: Admitted | undefined;
}

/** A request that the gate has admitted. */
export interface Admitted {
  /** Counts the bytes of the response until the client has read them. @throws {HttpError} 429 if the key has too many unread bytes. */
  holdBytes(bytes: number): void;
  /** Ends the request, after its response and its last statement. */
  end(databaseMilliseconds: number): void;
}

type RecordedResponse = ServerResponse & { record?: RequestRecord };

/** Attaches a new record to a response. */
export function openRecord(response: RecordedResponse, id: string): RequestRecord {
  const record: RequestRecord = {
    id,
    startedAt: performance.now(),
    query: {},
    path: "",
    operation: undefined,
    keyId: undefined,
    costHundredths: undefined,
    cache: undefined,
    exceededLimit: undefined,
    admitted: undefined,
  };
  response.record = record;
  return record;
}

/** A response's record. */
export function recordOf({ record }: RecordedResponse): RequestRecord {
  if (record === undefined) throw new Error("The request has no record: the intake middleware has not run.");
  return record;
}
