import { describe, expect, it } from "vitest";
import { createFairSlots } from "../../../runtime/database/fair-slots.ts";

/** Lets all settled promises continue. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Creates slots, and logs the names of calls in the order in which they receive a slot. */
function createLoggedSlots(count: number) {
  const slots = createFairSlots(count);
  const log: string[] = [];
  const releases = new Map<string, () => void>();
  return {
    log,
    async acquire(name: string, owner: number | undefined) {
      const slot = slots.acquire(owner);
      const hold = (free: () => void): void => {
        log.push(name);
        releases.set(name, free);
      };
      if (slot instanceof Promise) void slot.then(hold);
      else hold(slot);
      await settle();
    },
    async free(name: string) {
      releases.get(name)?.();
      await settle();
    },
  };
}

describe("createFairSlots", () => {
  it("leaves a quarter of the slots to other owners", async () => {
    const { log, acquire } = createLoggedSlots(8);
    for (let index = 0; index < 10; index += 1) await acquire(`a${index}`, 1);
    // 8 slots minus a quarter of 8.
    expect(log).toHaveLength(6);
    await acquire("b", 2);
    expect(log.at(-1)).toBe("b");
  });

  it("gives all slots to one owner if there are few", async () => {
    const { log, acquire } = createLoggedSlots(3);
    for (let index = 0; index < 5; index += 1) await acquire(`a${index}`, undefined);
    expect(log).toEqual(["a0", "a1", "a2"]);
  });

  it("gives a freed slot to the owner that holds the fewest, in the order of its calls", async () => {
    const { log, acquire, free } = createLoggedSlots(2);
    await acquire("a0", 1);
    await acquire("a1", 1);
    for (const name of ["a2", "a3"]) await acquire(name, 1);
    for (const name of ["b0", "b1"]) await acquire(name, 2);
    await free("a0");
    expect(log.slice(2)).toEqual(["b0"]);
    // The other owner still holds one.
    await free("b0");
    expect(log.slice(2)).toEqual(["b0", "b1"]);
    await free("a1");
    await free("b1");
    expect(log.slice(2)).toEqual(["b0", "b1", "a2", "a3"]);
  });

  it("serves owners with the same number of slots in turn", async () => {
    const { log, acquire, free } = createLoggedSlots(1);
    await acquire("first", 0);
    for (const owner of [1, 2, 3]) for (const call of ["x", "y"]) await acquire(`${owner}${call}`, owner);
    while (log.length < 7) await free(log.at(-1) ?? "");
    expect(log).toEqual(["first", "1x", "2x", "3x", "1y", "2y", "3y"]);
  });
});
