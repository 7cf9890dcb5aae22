import { describe, expect, it } from "vitest";
import { type KeyLimits, noKeyLimits } from "../../../runtime/config/key-limits.ts";
import { createKeyLimiter } from "../../../runtime/http/key-limits.ts";
import { createKeyUsage } from "../../../runtime/http/key-usage.ts";
import type { ActiveKey } from "../../../runtime/http/keys.ts";
import { drainOf, exceededLimit, limitsOf } from "../../../runtime/http/metered-limits.ts";

const defaults: KeyLimits = { concurrentRequests: 2, databaseSecondsPerMinute: 20, bytesInFlight: 1_000 };
const key = { id: 7, limits: {} };

function limitsWithClock() {
  const clock = { milliseconds: 0, now: () => clock.milliseconds };
  const usage = createKeyUsage(clock);
  const limiter = createKeyLimiter(defaults, usage);
  /** Counts a request as the meter does. */
  const admit = (activeKey: Pick<ActiveKey, "id" | "limits">) => {
    const keyLimits = limitsOf(defaults, activeKey);
    const before = usage.usageOf(activeKey.id, drainOf(keyLimits));
    const exceeded = exceededLimit(keyLimits, before);
    if (exceeded === null) usage.start(activeKey.id);
    return limiter.admit(activeKey, { usage: before, exceeded });
  };
  return { clock, limits: { admit } };
}
const errorOf = (work: () => unknown): { status: number; message: string; headers: Record<string, string> } => {
  try {
    work();
  } catch (error) {
    return error as { status: number; message: string; headers: Record<string, string> };
  }
  throw new Error("Expected the limiter to refuse the request");
};

describe("the limits of a key", () => {
  it("count requests until they end", () => {
    const { limits } = limitsWithClock();
    const first = limits.admit(key);
    expect(first.headers["RateLimit-Policy"]).toBe(
      '"concurrentRequests";q=2, "databaseSecondsPerMinute";q=20;w=60, "bytesInFlight";q=1000',
    );
    expect(first.headers.RateLimit).toBe('"concurrentRequests";r=1, "databaseSecondsPerMinute";r=20, "bytesInFlight";r=1000');
    limits.admit(key);
    const { status, message, headers } = errorOf(() => limits.admit(key));
    expect([status, message]).toEqual([429, "Concurrent request limit exceeded (limits.concurrentRequests); retry in 1 second."]);
    expect(headers).toMatchObject({ "Retry-After": "1", RateLimit: expect.stringContaining('"concurrentRequests";r=0') });
    expect(() => limits.admit({ id: 8, limits: {} })).not.toThrow();
    first.end(0);
    expect(() => limits.admit(key)).not.toThrow();
  });

  it("drain database time at the rate of the limit", () => {
    const { clock, limits } = limitsWithClock();
    // 26 s used of 20 s allowed: 6 s must drain, at a third of a second per second.
    limits.admit(key).end(26_000);
    const { message, headers } = errorOf(() => limits.admit(key));
    expect(message).toBe("Database time limit exceeded (limits.databaseSecondsPerMinute); retry in 18 seconds.");
    expect(headers["Retry-After"]).toBe("18");
    clock.milliseconds = 17_999;
    expect(() => limits.admit(key)).toThrow();
    clock.milliseconds = 18_001;
    const admitted = limits.admit(key);
    admitted.end(0);
    clock.milliseconds = 48_001;
    // Another 10 s have drained.
    expect(limits.admit(key).headers.RateLimit).toContain('"databaseSecondsPerMinute";r=10');
  });

  it("drain only the database time that was used before", () => {
    const { clock, limits } = limitsWithClock();
    limits.admit(key).end(10_000);
    const long = limits.admit(key);
    // The first 10 s have drained in half a minute; 19 s are used now.
    clock.milliseconds = 60_000;
    long.end(19_000);
    expect(limits.admit(key).headers.RateLimit).toContain('"databaseSecondsPerMinute";r=1');
  });

  it("allow one response of any size, and others up to the limit on unread bytes", () => {
    const { limits } = limitsWithClock();
    const [large, small] = [limits.admit(key), limits.admit(key)];
    large.holdBytes(5_000);
    expect(errorOf(() => small.holdBytes(1)).message).toContain("limits.bytesInFlight");
    small.end(0);
    expect(errorOf(() => limits.admit(key)).message).toBe(
      "Limit on unread response bytes exceeded (limits.bytesInFlight); retry in 1 second.",
    );
    large.end(0);
    expect(() => limits.admit(key).holdBytes(1)).not.toThrow();
    // The refused request does not count as running.
    expect(() => limits.admit(key)).not.toThrow();
  });

  it("can be overridden for a key", () => {
    const { limits } = limitsWithClock();
    const keyWithLimits = { id: 9, limits: { concurrentRequests: 3, databaseSecondsPerMinute: "unlimited" } } as const;
    expect(limits.admit(keyWithLimits).headers["RateLimit-Policy"]).toBe('"concurrentRequests";q=3, "bytesInFlight";q=1000');
    const unlimited = limits.admit({ id: 10, limits: noKeyLimits });
    expect(unlimited.headers).toEqual({});
    unlimited.end(1_000_000);
    for (let count = 0; count < 100; count += 1) limits.admit({ id: 10, limits: noKeyLimits }).holdBytes(1_000);
  });
});
