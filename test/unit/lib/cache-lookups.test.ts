import { describe, expect, it } from "vitest";
import { createLookupCache, uncachedLookups } from "../../../runtime/lib/cache-lookups.ts";
import { countIterations } from "./count-iterations.ts";

const chainId = 1;

/** A lookup of keys that start with `k`. Each value is the number of the run that loaded it. */
function createCountedLookups(maxKeys = 10) {
  const state = { now: 0, version: 0 as number | null, runs: [] as (readonly string[])[] };
  const load = async (_chainId: number, keys: readonly string[]) => {
    state.runs.push(keys);
    return new Map(keys.flatMap((key) => (key.startsWith("k") ? [[key, state.runs.length] as const] : [])));
  };
  const cache = createLookupCache({ version: () => state.version, maxAgeMilliseconds: () => 1_000, clock: { now: () => state.now } });
  return { state, lookUp: cache(load, maxKeys), uncached: uncachedLookups(load, maxKeys) };
}

describe("lookups of 100,000 keys", () => {
  const keys = Array.from({ length: 100_000 }, (_, number) => `k${number}`);

  it.each(["lookUp", "uncached"] as const)("load in batches and in turns, so that other work can run (%s)", async (name) => {
    const { state, [name]: lookUp } = createCountedLookups(200_000);
    let found: ReadonlyMap<string, number> = new Map();
    const iterations = await countIterations(async () => {
      found = await lookUp(chainId, keys);
    });
    expect(state.runs.map((run) => run.length)).toEqual(Array.from({ length: 10 }, () => 10_000));
    expect(state.runs.flat()).toEqual(keys);
    expect([found.size, found.get("k0"), found.get("k99999")]).toEqual([100_000, 1, 10]);
    // 100,000 keys take more than 20 ms, and a turn takes 2 ms.
    expect(iterations).toBeGreaterThanOrEqual(4);
  });
});

describe("cached lookups", () => {
  it("load missing keys only, each once, and remember keys without a value", async () => {
    const { state, lookUp } = createCountedLookups();
    expect(await lookUp(chainId, ["k1", "none", "k1"])).toEqual(new Map([["k1", 1]]));
    expect(await lookUp(chainId, ["none", "k2", "k1"])).toEqual(
      new Map([
        ["k2", 2],
        ["k1", 1],
      ]),
    );
    expect(state.runs).toEqual([["k1", "none"], ["k2"]]);
    expect(await lookUp(chainId, [])).toEqual(new Map());
  });

  it("load keys again after a change, after the maximum age, and for each call while changes are unknown", async () => {
    const { state, lookUp } = createCountedLookups();
    const valueNow = async () => (await lookUp(chainId, ["k"])).get("k");
    expect([await valueNow(), await valueNow()]).toEqual([1, 1]);
    state.version = 1;
    expect([await valueNow(), await valueNow()]).toEqual([2, 2]);
    state.now = 1_001;
    expect([await valueNow(), await valueNow()]).toEqual([3, 3]);
    state.version = null;
    expect([await valueNow(), await valueNow()]).toEqual([4, 5]);
  });

  it("cache each chain separately, and only its most recent keys", async () => {
    const { state, lookUp } = createCountedLookups(2);
    await lookUp(1, ["k1", "k2"]);
    await lookUp(2, ["k1"]);
    await lookUp(1, ["k3"]);
    await lookUp(1, ["k2", "k1"]);
    expect(state.runs).toEqual([["k1", "k2"], ["k1"], ["k3"], ["k1"]]);
  });
});

describe("uncached lookups", () => {
  it("load all keys of each call, each once", async () => {
    const { state, uncached } = createCountedLookups();
    expect(await uncached(chainId, ["k", "k"])).toEqual(new Map([["k", 1]]));
    expect(await uncached(chainId, ["k"])).toEqual(new Map([["k", 2]]));
    expect(await uncached(chainId, [])).toEqual(new Map());
    expect(state.runs).toEqual([["k"], ["k"]]);
  });
});
