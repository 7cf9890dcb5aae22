import { describe, expect, it, vi } from "vitest";
import { shareLoads } from "../../../runtime/lib/share-loads.ts";

/** A load that ends when the test ends it. It records the keys of each run. */
function createManualLoad() {
  const runs: { readonly keys: readonly string[]; readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  const load = shareLoads<string, number>(
    (keys) =>
      new Promise((resolve, reject) => {
        const run = runs.length;
        runs.push({ keys, end: () => resolve(run), fail: reject });
      }),
  );
  return { load, runs };
}

/** Lets all settled promises continue. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("shareLoads", () => {
  it("serves simultaneous calls with one load that has each key once", async () => {
    const { load, runs } = createManualLoad();
    const results = Promise.all([load(["a"]), load(["b", "a"]), load([])]);
    await settle();
    expect(runs.map(({ keys }) => keys)).toEqual([["a", "b"]]);
    runs[0]?.end();
    expect(await results).toEqual([0, 0, 0]);
  });

  it("serves calls that arrive during a load with the next one", async () => {
    const { load, runs } = createManualLoad();
    const first = load(["a"]);
    await settle();
    const later = Promise.all([load(["b"]), load(["c"])]);
    await settle();
    expect(runs).toHaveLength(1);
    runs[0]?.end();
    expect(await first).toBe(0);
    await settle();
    expect(runs.map(({ keys }) => keys)).toEqual([["a"], ["b", "c"]]);
    runs[1]?.end();
    expect(await later).toEqual([1, 1]);
  });

  it("starts the next load after a second if the running one hangs", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { load, runs } = createManualLoad();
    void load(["a"]);
    await settle();
    const later = load(["b"]);
    await vi.advanceTimersByTimeAsync(999);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await settle();
    runs[1]?.end();
    expect(await later).toBe(1);
    vi.useRealTimers();
  });

  it("rejects only the calls of a failed load", async () => {
    const { load, runs } = createManualLoad();
    const failed = load(["a"]);
    await settle();
    const later = load(["b"]);
    runs[0]?.fail(new Error("no connection"));
    await expect(failed).rejects.toThrow("no connection");
    await settle();
    runs[1]?.end();
    expect(await later).toBe(1);
  });
});
