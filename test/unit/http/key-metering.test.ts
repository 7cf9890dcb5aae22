import { describe, expect, it } from "vitest";
import { createMeterFunctions } from "../../../runtime/commands/service/remote-meter.ts";
import { createKeyLimiter } from "../../../runtime/http/key-limits.ts";
import type { KeyMeter, MeteredRequest } from "../../../runtime/http/key-meter.ts";
import { createKeyUsage } from "../../../runtime/http/key-usage.ts";
import type { ActiveKey } from "../../../runtime/http/keys.ts";
import { exceededLimit } from "../../../runtime/http/metered-limits.ts";

const limits = { concurrentRequests: 2, databaseSecondsPerMinute: "unlimited", bytesInFlight: 100 } as const;
const key: ActiveKey = {
  id: 7,
  creditLimitHundredths: null,
  usedHundredths: 0,
  lookedUpAt: 0,
  limits: {},
  quotas: null,
  expiresAt: null,
  access: null,
};

/** A meter that counts requests only. */
function createCountingMeter(): KeyMeter & { readonly requests: () => number } {
  const usage = createKeyUsage();
  return {
    admit: async ({ id }) => {
      const before = usage.usageOf(id, 0);
      const exceeded = exceededLimit(limits, before);
      if (exceeded === null) usage.start(id);
      return { window: null, exhaustedCredits: null, usage: before, exceeded };
    },
    end: usage.end,
    charge: () => undefined,
    stop: async () => undefined,
    requests: () => usage.usageOf(key.id, 0).runningRequests,
  };
}

describe("the requests that a primary counts for its workers", () => {
  it("are limited together, and end with their worker", async () => {
    const meter = createCountingMeter();
    const [first, second] = [createMeterFunctions(meter), createMeterFunctions(meter)];
    const exceeded: MeteredRequest["exceeded"][] = [];
    for (const worker of [first, second, first]) exceeded.push((await worker.admit({ key, lookup: 1 })).exceeded);
    expect(exceeded).toEqual([null, null, "concurrentRequests"]);
    first.endAll();
    expect(meter.requests()).toBe(1);
    second.endRequests([{ keyId: key.id, databaseMilliseconds: 5, drainPerMinute: 1_000 }]);
    expect(meter.requests()).toBe(0);
  });

  it("end if their worker exits before it learns that they are admitted", async () => {
    const meter = createCountingMeter();
    const worker = createMeterFunctions(meter);
    const admitted = worker.admit({ key, lookup: 1 });
    worker.endAll();
    await admitted;
    expect(meter.requests()).toBe(0);
  });
});

describe("a request refused because of unread bytes", () => {
  it("does not count as being processed", async () => {
    const meter = createCountingMeter();
    const limiter = createKeyLimiter(limits, meter);
    limiter.admit(key, await meter.admit(key)).holdBytes(100);
    const metered = await meter.admit(key);
    expect(() => limiter.admit(key, metered)).toThrow("limits.bytesInFlight");
    expect(meter.requests()).toBe(1);
  });
});
