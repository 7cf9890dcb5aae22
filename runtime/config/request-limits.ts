import { z } from "zod";
import { keyLimitFields } from "./key-limits.ts";

/** Limits on requests and responses, for each key or server process. */
export const requestLimits = z
  .strictObject({
    requestsPerSecond: z
      .union([z.number().positive(), z.literal("unlimited")])
      .default(500)
      .describe("Each API key's rate limit."),
    burstRequests: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("Burst: how many requests above its rate limit a key may send within 10 seconds (default: twice the rate limit)."),
    concurrentRequests: keyLimitFields.concurrentRequests.default(16),
    databaseSecondsPerMinute: keyLimitFields.databaseSecondsPerMinute.default(20),
    bytesInFlight: keyLimitFields.bytesInFlight.default(64 * 1024 * 1024),
    waitingRequests: z
      .number()
      .int()
      .min(0)
      .default(64)
      .describe("Requests that may wait for each database while others are processed; additional requests get 503."),
    urlBytes: z.number().int().positive().default(4096),
    blockRange: z.number().int().positive().default(1000).describe("Max blocks in a request's range."),
    listItems: z.number().int().positive().default(100).describe("Max elements of a comma-separated list in a request."),
    responseRows: z.number().int().positive().default(100_000).describe("Max rows in a response without pagination."),
    skippedRows: z
      .number()
      .int()
      .min(100_000)
      .default(100_000)
      .describe("Max rows before a list page if the statement reads and skips them; deeper pages get 400."),
    locatedRows: z
      .number()
      .int()
      .min(100_000)
      .default(10_000_000)
      .describe("Max rows before a list page if servers remember where pages start; deeper pages get 400."),
    responseBytes: z
      .number()
      .int()
      .positive()
      .default(64 * 1024 * 1024),
    bufferedBytes: z
      .number()
      .int()
      .positive()
      .default(256 * 1024 * 1024)
      .describe("Response bytes that all clients together may leave unread; beyond that, new responses are 503."),
    statementMilliseconds: z.number().int().positive().default(10_000),
    requestMilliseconds: z
      .number()
      .int()
      .positive()
      .default(15_000)
      .describe(
        "A request's deadline, counted from its arrival. When it passes, the running statement is cancelled and the response is 503.",
      ),
  })
  .prefault({});
