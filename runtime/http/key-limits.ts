import type { KeyLimits, Limit } from "../config/key-limits.ts";
import { failures } from "./errors.ts";
import type { KeyUsage, Usage } from "./key-usage.ts";
import type { ActiveKey } from "./keys.ts";

/** A request of a key that is being processed. */
export interface AdmittedRequest {
  /** The headers that describe the limits of the key and what is left of them (draft-ietf-httpapi-ratelimit-headers-10); none if it has no limits. */
  readonly headers: Readonly<Record<string, string>>;
  /** Counts the bytes of the response until the request ends. @throws {HttpError} 429 if the key has too many unread bytes. */
  holdBytes(bytes: number): void;
  /** Ends the request, after its last statement. */
  end(databaseMilliseconds: number): void;
}

export interface KeyLimiter {
  /** Counts a request of a key. @throws {HttpError} 429 with the name of the exceeded limit. */
  admit(key: Pick<ActiveKey, "id" | "limits">): AdmittedRequest;
}

const secondsPerMinute = 60;

/**
 * Creates the limits that apply to each key besides the request rate. Requests that time out or are aborted count like others, and until their statements
 * have ended.
 */
export function createKeyLimits(defaults: KeyLimits, usage: KeyUsage): KeyLimiter {
  return {
    admit({ id, limits: ofKey }) {
      const limits: KeyLimits = { ...defaults, ...ofKey };
      const { concurrentRequests, databaseSecondsPerMinute, bytesInFlight } = limits;
      const drain = databaseSecondsPerMinute === "unlimited" ? 0 : databaseSecondsPerMinute * 1000;
      const before = usage.usageOf(id, drain);
      const headers = headersOf(limits, before);
      if (isExceeded(before.requests, concurrentRequests)) throw failures.limitExceeded("concurrentRequests", 1, headers);
      if (isExceeded(before.bytes, bytesInFlight)) throw failures.limitExceeded("bytesInFlight", 1, headers);
      if (databaseSecondsPerMinute !== "unlimited" && before.databaseMilliseconds >= drain)
        throw failures.limitExceeded("databaseSecondsPerMinute", secondsUntilBelow(before.databaseMilliseconds, drain), headers);
      usage.add(id, { requests: 1 });
      let held = 0;
      return {
        headers,
        holdBytes(bytes) {
          const others = usage.usageOf(id, drain).bytes;
          // A response of any size is allowed if it is the only one.
          if (others > 0 && bytesInFlight !== "unlimited" && others + bytes > bytesInFlight)
            throw failures.limitExceeded("bytesInFlight", 1, headers);
          held += bytes;
          usage.add(id, { bytes });
        },
        end(databaseMilliseconds) {
          usage.add(id, { requests: -1, bytes: -held, databaseMilliseconds: drain === 0 ? 0 : databaseMilliseconds });
        },
      };
    },
  };
}

const isExceeded = (used: number, limit: Limit): boolean => limit !== "unlimited" && used >= limit;

/** Seconds until the database time has drained below the limit of a minute. */
const secondsUntilBelow = (milliseconds: number, limitMilliseconds: number): number =>
  Math.max(1, Math.ceil(((milliseconds - limitMilliseconds) / limitMilliseconds) * secondsPerMinute));

/** The limits with what is left after this request. */
function headersOf({ concurrentRequests, databaseSecondsPerMinute, bytesInFlight }: KeyLimits, used: Usage): AdmittedRequest["headers"] {
  const policy: string[] = [];
  const state: string[] = [];
  const add = (name: string, limit: Limit, left: (limit: number) => number, window = ""): void => {
    if (limit === "unlimited") return;
    policy.push(`"${name}";q=${Math.floor(limit)}${window}`);
    state.push(`"${name}";r=${Math.max(0, Math.floor(left(limit)))}`);
  };
  add("concurrentRequests", concurrentRequests, (limit) => limit - used.requests - 1);
  add("databaseSecondsPerMinute", databaseSecondsPerMinute, (limit) => limit - used.databaseMilliseconds / 1000, `;w=${secondsPerMinute}`);
  add("bytesInFlight", bytesInFlight, (limit) => limit - used.bytes);
  return policy.length === 0 ? {} : { "RateLimit-Policy": policy.join(", "), RateLimit: state.join(", ") };
}
