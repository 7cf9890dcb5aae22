import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAddressLimits, networkOf } from "../../../runtime/http/address-limits.ts";
import { createWindowCounter } from "../../../runtime/http/window-counter.ts";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

describe("networkOf", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    // RFC 4291, section 2.2: "::" stands for groups of zeros; leading zeros of a group are optional.
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:0DB8:0000:0000:ffff::2", "2001:db8:0:0"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["", ""],
  ])("maps %s to %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe("a window counter", () => {
  it("counts from the first event of a window", () => {
    let now = 500;
    const counter = createWindowCounter(10, { now: () => now });
    expect(counter.get("a")).toEqual({ count: 0, secondsLeft: 10 });
    counter.add("a");
    now = 10_499;
    expect(counter.add("a")).toEqual({ count: 2, secondsLeft: 1 });
    expect(counter.get("b").count).toBe(0);
    now = 10_500;
    expect(counter.get("a").count).toBe(0);
    expect(counter.add("a")).toEqual({ count: 1, secondsLeft: 10 });
  });

  it("evicts the oldest name if there are more than 20,000", () => {
    const counter = createWindowCounter(10, { now: () => 0 });
    for (let name = 0; name < 20_001; name += 1) counter.add(String(name));
    expect([counter.get("0").count, counter.get("1").count, counter.get("20000").count]).toEqual([0, 1, 1]);
  });
});

describe("requests without a key from one network", () => {
  let now = 0;
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({}, { clock: { now: () => now }, trustedProxies: ["loopback"] });
  });
  afterAll(() => harness.end());
  const get = (path: string, address: string) => harness.withoutKey().get(path).set("X-Forwarded-For", address);
  const statusesOf = async (count: number, path: string, address: string) => {
    const statuses = new Set<number>();
    for (let sent = 0; sent < count; sent += 50)
      for (const { status } of await Promise.all(Array.from({ length: 50 }, () => get(path, address)))) statuses.add(status);
    return [...statuses];
  };

  it("are limited for pages, but not for the liveness check", async () => {
    expect(await statusesOf(1_000, "/", "2001:db8::1")).toEqual([302]);
    const refused = await get("/openapi.json", "2001:db8::2");
    expect(refused.body).toEqual(
      errorEnvelope(429, "Rate limit exceeded: 1000 pages per 10 seconds from one IPv4 address or IPv6 /64 network; retry in 10 seconds."),
    );
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "10"]);
    expect((await get("/readyz", "2001:db8::3")).status).toBe(429);
    expect((await get("/healthz", "2001:db8::1")).status).toBe(200);
    expect((await get("/readyz", "2001:db8:0:1::1")).status).toBe(200);
    now += 10_000;
    expect((await get("/readyz", "2001:db8::1")).status).toBe(200);
  });

  it("are limited for unknown paths, before the nearest path is computed", async () => {
    expect(await statusesOf(1_000, "/v1/unknown/", "192.0.2.1")).toEqual([404]);
    const refused = await get("/v1/unknown/", "192.0.2.1");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "10"]);
    expect((await get("/v1/unknown/", "192.0.2.2")).status).toBe(404);
  });
});

describe("address limits", () => {
  it("count failures and pages separately", () => {
    const limits = createAddressLimits({ now: () => 0 });
    for (let count = 0; count < 1_000; count += 1) limits.countFailure("192.0.2.1");
    expect(() => limits.checkFailures("192.0.2.1")).toThrow("1000 requests without a valid key per 10 seconds");
    expect(() => limits.countPage("192.0.2.1")).not.toThrow();
  });
});
