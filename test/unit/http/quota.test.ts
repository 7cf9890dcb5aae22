import { describe, expect, it } from "vitest";
import { exhaustedBy, isLeaseLow, type Lease, leaseSizeOf, quotasOnDay } from "../../../runtime/http/quota/lease.ts";
import { resetOf, secondsOf, secondsUntilReset } from "../../../runtime/http/quota/periods.ts";

const reset = (period: "day" | "month", at: string) => resetOf(period, new Date(at)).toISOString();

describe("quota periods", () => {
  it("end at midnight and at the end of the month, in UTC", () => {
    expect(reset("day", "2026-11-23T22:30:00Z")).toBe("2026-11-24T00:00:00.000Z");
    expect(reset("day", "2026-11-23T23:59:59.999Z")).toBe("2026-11-24T00:00:00.000Z");
    expect(reset("day", "2026-11-24T00:00:00Z")).toBe("2026-11-25T00:00:00.000Z");
    expect(reset("day", "2026-12-31T12:00:00Z")).toBe("2027-01-01T00:00:00.000Z");
    expect(reset("month", "2026-12-31T23:59:59.999Z")).toBe("2027-01-01T00:00:00.000Z");
    expect(reset("month", "2026-01-31T12:00:00Z")).toBe("2026-02-01T00:00:00.000Z");
    // 2028 is a leap year.
    expect(reset("day", "2028-02-28T12:00:00Z")).toBe("2028-02-29T00:00:00.000Z");
    expect(reset("month", "2028-02-29T12:00:00Z")).toBe("2028-03-01T00:00:00.000Z");
    // 23:30 in New York is the next day in UTC.
    expect(reset("day", "2026-11-23T23:30:00-05:00")).toBe("2026-11-25T00:00:00.000Z");
  });

  it("have a length, and remaining seconds that are rounded up", () => {
    expect(secondsOf("day", new Date("2026-11-23T12:00:00Z"))).toBe(86_400);
    expect(secondsOf("month", new Date("2026-11-23T12:00:00Z"))).toBe(30 * 86_400);
    expect(secondsOf("month", new Date("2028-02-23T12:00:00Z"))).toBe(29 * 86_400);
    expect(secondsUntilReset("day", new Date("2026-11-23T23:59:00Z"))).toBe(60);
    expect(secondsUntilReset("day", new Date("2026-11-23T23:59:58.500Z"))).toBe(2);
    expect(secondsUntilReset("day", new Date("2026-11-23T23:59:59.999Z"))).toBe(1);
  });
});

const lease = (left: number, changes: Partial<Lease> = {}): Lease => ({
  quotas: { quota: { day: 10_000, month: null }, remaining: { day: left, month: null }, day: "2026-11-23" },
  leased: 0,
  granted: 0,
  maxCost: 0,
  ...changes,
});

describe("a credit lease", () => {
  it("has a 50th of the smaller quota, or 32 times the most expensive response", () => {
    expect(leaseSizeOf(lease(10_000))).toBe(200);
    expect(leaseSizeOf(lease(10_000, { maxCost: 100 }))).toBe(3200);
    const quota = { day: 10_000, month: 3000 };
    expect(leaseSizeOf(lease(0, { quotas: { quota, remaining: quota, day: "2026-11-23" } }))).toBe(60);
  });

  it("is replaced once half of it is used, while there are credits left", () => {
    expect(isLeaseLow(lease(5000, { leased: 200, granted: 200 }), 99)).toBe(false);
    expect(isLeaseLow(lease(5000, { leased: 200, granted: 200 }), 100)).toBe(true);
    expect(isLeaseLow(lease(0, { leased: 200, granted: 200 }), 200)).toBe(false);
  });

  it("may be overdrawn by half its size, but never by more than the remaining credits", () => {
    // The size is 200.
    expect(exhaustedBy(lease(5000, { leased: 200 }), 299)).toBe(null);
    expect(exhaustedBy(lease(5000, { leased: 200 }), 300)).toBe("lease");
    expect(exhaustedBy(lease(50, { leased: 200 }), 249)).toBe(null);
    expect(exhaustedBy(lease(50, { leased: 200 }), 250)).toBe("day");
    // Leased credits may be used even if no others are left, or if other servers have used more than the quota.
    expect(exhaustedBy(lease(0, { leased: 200 }), 199)).toBe(null);
    expect(exhaustedBy(lease(0, { leased: 200 }), 200)).toBe("day");
    expect(exhaustedBy(lease(-10, { leased: 200 }), 200)).toBe("day");
  });

  it("reports the month if both quotas are used up, because it is reset later", () => {
    const quota = { day: 100, month: 1000 };
    const used = (day: number, month: number) =>
      exhaustedBy(lease(0, { quotas: { quota, remaining: { day, month }, day: "2026-11-30" } }), 0);
    expect([used(0, 500), used(50, 0), used(0, 0)]).toEqual(["day", "month", "month"]);
  });

  it("has the full quota in a new period", () => {
    const quotas = { quota: { day: 100, month: 1000 }, remaining: { day: 0, month: 300 }, day: "2026-11-29" };
    expect(quotasOnDay(quotas, "2026-11-30", 0).remaining).toEqual({ day: 100, month: 300 });
    expect(quotasOnDay(quotas, "2026-11-30", 20).remaining).toEqual({ day: 100, month: 280 });
    expect(quotasOnDay(quotas, "2026-12-01", 20).remaining).toEqual({ day: 100, month: 1000 });
  });
});
