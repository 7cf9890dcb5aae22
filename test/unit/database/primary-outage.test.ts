import { describe, expect, it } from "vitest";
import { DatabaseUnavailable } from "../../../runtime/database/errors.ts";
import { createPrimaryOutage } from "../../../runtime/database/primary-outage.ts";

const lost = new DatabaseUnavailable("ECONNREFUSED", "the connection was refused");

/** A simulated primary: the test sets its state and the time. */
function setUp() {
  const state = { now: 0, error: null as Error | null, loads: 0, changes: [] as boolean[] };
  const outage = createPrimaryOutage({
    maxMilliseconds: 60_000,
    onChange: (isLost) => state.changes.push(isLost),
    clock: { now: () => state.now },
  });
  const load = (last: string | undefined): Promise<string> =>
    outage.load(
      async () => {
        state.loads += 1;
        if (state.error !== null) throw state.error;
        return "loaded";
      },
      () => last,
    );
  return { state, outage, load };
}
/** Lets all settled promises continue. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("createPrimaryOutage", () => {
  it("uses the last value for a limited time, and queries the primary at intervals", async () => {
    const { state, outage, load } = setUp();
    expect(await load("last")).toBe("loaded");
    state.error = lost;
    expect([await load("last"), outage.isLost(), state.changes]).toEqual(["last", true, [true]]);
    for (let request = 0; request < 10; request += 1) expect(await load("last")).toBe("last");
    expect(state.loads).toBe(2);
    // 250 ms after the first failure.
    state.now = 250;
    expect([await load("last"), await load("last"), state.loads]).toEqual(["last", "last", 3]);
    state.now = 59_999;
    expect(await load("last")).toBe("last");
    state.now = 60_000;
    await expect(load("last")).rejects.toBe(lost);
    expect(state.changes).toEqual([true]);
  });

  it("ends with the first load that succeeds, and can begin again", async () => {
    const { state, outage, load } = setUp();
    state.error = lost;
    await load("last");
    state.error = null;
    state.now = 250;
    // The retry does not delay the request.
    expect(await load("last")).toBe("last");
    await settle();
    expect([outage.isLost(), state.changes, await load("last")]).toEqual([false, [true, false], "loaded"]);
    state.error = lost;
    state.now = 100_000;
    expect([await load("last"), state.changes]).toEqual(["last", [true, false, true]]);
  });

  it("rejects if there is no last value, and on other errors", async () => {
    const { state, outage, load } = setUp();
    state.error = new Error("syntax error");
    await expect(load("last")).rejects.toThrow("syntax error");
    expect(outage.isLost()).toBe(false);
    state.error = Object.assign(new Error("terminating connection"), { code: "57P02" });
    await expect(load(undefined)).rejects.toBe(state.error);
    expect([await load("last"), outage.isLost()]).toEqual(["last", true]);
  });

  it("does not wait for a primary that does not respond", async () => {
    const { outage } = setUp();
    const start = performance.now();
    const never = () => new Promise<string>(() => undefined);
    expect(await outage.load(never, () => "last")).toBe("last");
    expect(performance.now() - start).toBeGreaterThan(1_900);
    const secondStart = performance.now();
    expect(await outage.load(never, () => "last")).toBe("last");
    expect(performance.now() - secondStart).toBeLessThan(1_500);
  });
});
