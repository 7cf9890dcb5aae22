import { describe, expect, it } from "vitest";
import { createWindowCounter } from "../../../runtime/http/window-counter.ts";

describe("a window", () => {
  it("is as long as configured, regardless of when its first event occurs", () => {
    // The sum of this time and 10,000 ms is rounded: it is more than 10,000 ms away.
    const clock = { time: 58_693.89930809632, now: () => clock.time };
    expect(clock.time + 10_000 - clock.time).toBeGreaterThan(10_000);
    const counter = createWindowCounter(10, clock);
    expect(counter.add("a")).toEqual({ count: 1, secondsLeft: 10 });
    clock.time = 64_794;
    expect(counter.add("a")).toEqual({ count: 2, secondsLeft: 4 });
    clock.time = 68_693.8;
    expect(counter.get("a")).toEqual({ count: 2, secondsLeft: 1 });
    clock.time = 68_694;
    expect(counter.get("a").count).toBe(0);
    expect(counter.add("a")).toEqual({ count: 1, secondsLeft: 10 });
  });
});
