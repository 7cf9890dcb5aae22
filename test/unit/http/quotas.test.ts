import { describe, expect, it } from "vitest";
import type { GrantedLease } from "../../../runtime/http/quota/lease-store.ts";
import { createKeyQuotas } from "../../../runtime/http/quota/quotas.ts";
import { until } from "../../support/until.ts";

describe("the quotas of a process", () => {
  it("do not use a lease from before midnight after midnight", async () => {
    let now = new Date("2026-11-30T23:59:59.999Z");
    let charged = 0;
    const leases: ((lease: GrantedLease) => void)[] = [];
    const quotas = createKeyQuotas({
      // Nothing is written to the usage table during the test.
      ledger: { chargedHundredths: () => charged, pendingHundredths: () => charged, betweenFlushes: (work) => work() },
      // The test determines when the database responds.
      store: { take: () => new Promise((resolve) => leases.push(resolve)), release: async () => undefined },
      logger: { error: (...line: unknown[]) => expect(line).toBe("no line") } as never,
      now: () => now,
    });
    const quota = { day: 3, month: null };
    const key = { id: 1, lookedUpAt: 0, quotas: { quota, remaining: quota, day: "2026-11-30" } };
    const send = (): string | null => {
      const exhausted = quotas.exhaustedCredits(key);
      if (exhausted !== null) return exhausted;
      charged += 1;
      quotas.onCharge(key.id, 1);
      return null;
    };
    expect([send(), send(), send(), send()]).toEqual([null, null, null, "day"]);
    now = new Date("2026-12-01T00:00:00Z");
    expect(send()).toBe(null);
    await until("a lease to be requested", () => leases.length === 1);
    // The lease contains the previous day's last credit.
    leases[0]?.({ granted: 1, quota, remaining: { day: 0, month: null } });
    await new Promise((resolve) => setImmediate(resolve));
    // The new day's quota is 3; one credit is used.
    expect([send(), send(), send()]).toEqual([null, null, "day"]);
  });
});
