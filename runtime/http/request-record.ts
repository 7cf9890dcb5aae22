import type { Response } from "express";

/** What is noted about a request while it is answered, for its headers and its log line. */
export interface RequestRecord {
  readonly id: string;
  readonly startedAt: number;
  /** The parsed query, without prototype: names as sent, text or a list of texts. */
  query: Readonly<Record<string, string | readonly string[]>>;
  path: string;
  operation?: string;
  keyId?: number;
  hundredths?: number;
}

/** Starts a response's record. */
export function openRecord(response: Response, id: string): RequestRecord {
  const record: RequestRecord = { id, startedAt: performance.now(), query: {}, path: "" };
  response.locals.record = record;
  return record;
}

/** The record that `openRecord` started. */
export const recordOf = (response: Response): RequestRecord => response.locals.record as RequestRecord;
