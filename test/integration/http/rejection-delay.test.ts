import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { type Harness, startHarness } from "./harness.ts";

/** Sends a request, and returns its status and its latency in milliseconds. */
async function timeRequest({ withoutKey }: Harness, address: string): Promise<{ readonly status: number; readonly milliseconds: number }> {
  const startedAt = performance.now();
  const { status } = await withoutKey().get("/v1/unknown/").set("X-Forwarded-For", address);
  return { status, milliseconds: performance.now() - startedAt };
}

describe("rejections of one client", () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({}, { trustedProxies: ["loopback"] });
    // 1,000 failures within 10 s are the limit without a key.
    for (let sent = 0; sent < 1_000; sent += 100) await Promise.all(Array.from({ length: 100 }, () => timeRequest(harness, "192.0.2.1")));
  });
  afterAll(() => harness.end());

  it("are delayed by 5 ms each above 50 per second, and those of other clients are not", async () => {
    const flood = Array.from({ length: 100 }, () => timeRequest(harness, "192.0.2.1"));
    const other = await timeRequest(harness, "192.0.2.2");
    const responses = await Promise.all(flood);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([429]));
    const sorted = responses.map(({ milliseconds }) => milliseconds).toSorted((left, right) => left - right);
    // The last of 50 delayed responses waits for 50 * 5 ms; timers may be a millisecond early.
    expect(sorted.at(-1)).toBeGreaterThan(248);
    expect(sorted.at(-1)).toBeLessThan(250 + scaleTimeLimit(2_000));
    expect(other.status).toBe(404);
    expect(other.milliseconds).toBeLessThan(sorted.at(-1) ?? 0);
  });
});
