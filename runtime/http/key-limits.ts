import type { KeyLimits, Limit } from "../config/key-limits.ts";
import { failures } from "./errors.ts";
import type { KeyMeter, MeteredRequest } from "./key-meter.ts";
import type { Usage } from "./key-usage.ts";
import type { ActiveKey } from "./keys.ts";
import { drainOf, limitsOf } from "./metered-limits.ts";

/** A key's request while it is processed. */
export interface AdmittedRequest {
  /** The headers that describe the key's limits and what remains of them (draft-ietf-httpapi-ratelimit-headers-10); none if it has no limits. */
  readonly headers: Readonly<Record<string, string>>;
  /** Counts the bytes of the response until the request ends. @throws {HttpError} 429 if the key has too many unread bytes. */
  holdBytes(bytes: number): void;
  /** Ends the request, after its last statement. */
  end(databaseMilliseconds: number): void;
}

export interface KeyLimiter {
  /** Admits a request that the meter has counted. @throws {HttpError} 429 with the name of the exceeded limit. */
  admit(key: Pick<ActiveKey, "id" | "limits">, metered: Pick<MeteredRequest, "usage" | "exceeded">): AdmittedRequest;
}

const secondsPerMinute = 60;

/**
 * Creates the limits that apply to each key besides the request rate. Requests that time out or are aborted count like others until their statements
 * have ended. The meter counts requests and database time for all processes; unread bytes are counted here, because they are in the memory of this
 * process.
 */
export function createKeyLimiter(defaults: KeyLimits, meter: Pick<KeyMeter, "end">): KeyLimiter {
  const unread = new Map<number, number>();
  const unreadBy = (keyId: number): number => unread.get(keyId) ?? 0;
  const release = (keyId: number, bytes: number): void => {
    if (unreadBy(keyId) <= bytes) unread.delete(keyId);
    else unread.set(keyId, unreadBy(keyId) - bytes);
  };
  return {
    admit(key, { usage, exceeded }) {
      const limits = limitsOf(defaults, key);
      const drain = drainOf(limits);
      const headers = headersOf(limits, usage, unreadBy(key.id));
      const wait = exceeded === "databaseSecondsPerMinute" ? secondsUntilBelow(usage.databaseMilliseconds, drain) : 1;
      if (exceeded !== null) throw failures.limitExceeded(exceeded, wait, headers);
      if (limits.bytesInFlight !== "unlimited" && unreadBy(key.id) >= limits.bytesInFlight) {
        meter.end(key.id, 0, drain);
        throw failures.limitExceeded("bytesInFlight", 1, headers);
      }
      let held = 0;
      return {
        headers,
        holdBytes(bytes) {
          const others = unreadBy(key.id);
          // A response of any size is allowed if it is the only one.
          if (others > 0 && limits.bytesInFlight !== "unlimited" && others + bytes > limits.bytesInFlight)
            throw failures.limitExceeded("bytesInFlight", 1, headers);
          held += bytes;
          unread.set(key.id, others + bytes);
        },
        end(databaseMilliseconds) {
          release(key.id, held);
          meter.end(key.id, databaseMilliseconds, drain);
        },
      };
    },
  };
}

/** Seconds until the database time has drained below the limit per minute. */
const secondsUntilBelow = (milliseconds: number, limitMilliseconds: number): number =>
  Math.max(1, Math.ceil(((milliseconds - limitMilliseconds) / limitMilliseconds) * secondsPerMinute));

/** The limits, and what remains of them after this request. */
function headersOf(limits: KeyLimits, { runningRequests, databaseMilliseconds }: Usage, unread: number): AdmittedRequest["headers"] {
  const { concurrentRequests, databaseSecondsPerMinute, bytesInFlight } = limits;
  const policy: string[] = [];
  const state: string[] = [];
  const add = (name: string, limit: Limit, left: (limit: number) => number, window = ""): void => {
    if (limit === "unlimited") return;
    policy.push(`"${name}";q=${Math.floor(limit)}${window}`);
    state.push(`"${name}";r=${Math.max(0, Math.floor(left(limit)))}`);
  };
  add("concurrentRequests", concurrentRequests, (limit) => limit - runningRequests - 1);
  add("databaseSecondsPerMinute", databaseSecondsPerMinute, (limit) => limit - databaseMilliseconds / 1000, `;w=${secondsPerMinute}`);
  add("bytesInFlight", bytesInFlight, (limit) => limit - unread);
  return policy.length === 0 ? {} : { "RateLimit-Policy": policy.join(", "), RateLimit: state.join(", ") };
}
