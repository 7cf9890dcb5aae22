import type { Response } from "express";
import type { CacheState } from "./response-cache/response-cache.ts";

/** State of a request, for its headers and its log line. */
export interface RequestRecord {
  readonly id: string;
  readonly startedAt: number;
  /** The parsed query, without prototype: names as sent, each with a text or an array of texts. */
  query: Readonly<Record<string, string | readonly string[]>>;
  path: string;
  operation?: string;
  keyId?: number;
  hundredths?: number;
  cache?: CacheState;
  /** What the gate has admitted; undefined before. */
  admitted?: Admitted;
}

/** A request that the gate has admitted. */
export interface Admitted {
  /** Counts the bytes of the response until the client has read them. @throws {HttpError} 429 if the key has too many unread bytes. */
  holdBytes(bytes: number): void;
  /** Ends the request, after its response and its last statement. */
  end(databaseMilliseconds: number): void;
}

/** Attaches a new record to a response. */
export function openRecord(response: Response, id: string): RequestRecord {
  const record: RequestRecord = { id, startedAt: performance.now(), query: {}, path: "" };
  response.locals.record = record;
  return record;
}

/** The record of a response. */
export const recordOf = (response: Response): RequestRecord => response.locals.record as RequestRecord;
