import { describe, expect, it } from "vitest";
import { createLoadCache } from "../../../runtime/lib/cache-loads.ts";

/** A load that returns the number of its run for each key, with a clock and a version that the test sets. */
function createCountedLoad() {
  const state = { now: 0, version: 0 as number | null, runs: [] as (readonly string[])[] };
  const cache = createLoadCache({ version: () => state.version, maxAgeMilliseconds: () => 1_000, clock: { now: () => state.now } });
  const hooks: { duringLoad: () => void } = { duringLoad: () => undefined };
  const load = cache(async (keys: readonly string[]) => {
    state.runs.push(keys);
    const run = state.runs.length;
    hooks.duringLoad();
    return new Map(keys.map((key) => [key, run]));
  });
  const loadOne = async (key: string) => (await load([key])).get(key);
  return { state, hooks, load, loadOne };
}

describe("cached loads", () => {
  it("are loaded again after their maximum age", async () => {
    const { state, loadOne } = createCountedLoad();
    expect(await loadOne("a")).toBe(1);
    state.now = 1_000;
    expect(await loadOne("a")).toBe(1);
    state.now = 1_001;
    expect(await loadOne("a")).toBe(2);
  });

  it("are loaded again after a change", async () => {
    const { state, loadOne } = createCountedLoad();
    expect(await loadOne("a")).toBe(1);
    state.version = 1;
    expect(await loadOne("a")).toBe(2);
    expect(await loadOne("a")).toBe(2);
  });

  it("are not cached if a change is reported while they run, because they may be older than the change", async () => {
    const { state, hooks, loadOne } = createCountedLoad();
    hooks.duringLoad = () => {
      state.version = 1;
    };
    expect(await loadOne("a")).toBe(1);
    expect(await loadOne("a")).toBe(2);
    expect(await loadOne("a")).toBe(2);
  });

  it("are not cached while changes are unknown", async () => {
    const { state, loadOne } = createCountedLoad();
    state.version = null;
    expect([await loadOne("a"), await loadOne("a")]).toEqual([1, 2]);
    state.version = 0;
    expect([await loadOne("a"), await loadOne("a")]).toEqual([3, 3]);
  });

  it("combine keys that were loaded separately, and load all keys if one is missing", async () => {
    const { state, load, loadOne } = createCountedLoad();
    await loadOne("a");
    await loadOne("b");
    expect(await load(["a", "b"])).toEqual(
      new Map([
        ["a", 1],
        ["b", 2],
      ]),
    );
    expect(await load(["a", "c"])).toEqual(
      new Map([
        ["a", 3],
        ["c", 3],
      ]),
    );
    expect(state.runs).toEqual([["a"], ["b"], ["a", "c"]]);
  });

  it("share concurrent loads", async () => {
    const { state, load } = createCountedLoad();
    await Promise.all([load(["a"]), load(["a"]), load(["b"])]);
    expect(state.runs).toEqual([["a", "b"]]);
  });
});
