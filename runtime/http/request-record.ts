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
}

/** Attaches a new record to a response. */
export function openRecord(response: Response, id: string): RequestRecord {
  const record: RequestRecord = { id, startedAt: performance.now(), query: {}, path: "" };
  response.locals.record = record;
  return record;
}

/** The record of a response. */
export const recordOf = (response: Response): RequestRecord => response.locals.record as RequestRecord;
