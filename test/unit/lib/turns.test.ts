import { describe, expect, it } from "vitest";
import { type ActiveRequest, runForRequest } from "../../../runtime/lib/active-request.ts";
import { groupBy } from "../../../runtime/lib/group-by.ts";
import { filterInTurns, forEachInTurns, groupInTurns, isTurnOver, mapInTurns, nextTurn } from "../../../runtime/lib/turns.ts";
import { deadline } from "../../support/deadline.ts";
import { countIterations } from "./count-iterations.ts";

/** Occupies the event loop. */
const occupy = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
};

const startRequest = () => {
  const controller = new AbortController();
  const request: ActiveRequest = { signal: controller.signal, startStatement: () => () => undefined };
  return { request, controller };
};

/** The longest time between two iterations of the event loop while work runs. */
async function longestIteration(work: Promise<unknown>): Promise<number> {
  let [longest, last, isRunning] = [0, performance.now(), true];
  const observe = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(observe);
  };
  setImmediate(observe);
  await work;
  isRunning = false;
  return longest;
}

describe("mapInTurns", () => {
  it("returns what map returns", async () => {
    const items = Array.from({ length: 1_000 }, (_, index) => index);
    expect(await mapInTurns(items, (item) => 2 * item)).toEqual(items.map((item) => 2 * item));
    expect(await mapInTurns([], () => 1)).toEqual([]);
  });

  it("lets ten lists of 320 ms together hold the event loop for a few turns at most", async () => {
    // The time is checked after each 8 ms: at the start, each list may use that much, and later each turn at most 16 ms.
    const items = Array.from({ length: 320 }, (_, index) => index);
    const lists = Promise.all(
      Array.from({ length: 10 }, () => runForRequest(startRequest().request, () => mapInTurns(items, () => occupy(1)))),
    );
    const longest = await longestIteration(lists);
    expect(longest).toBeLessThan(deadline(10 * 8 + 200));
  });
});

describe("lists in turns", () => {
  const items = Array.from({ length: 1_000 }, (_, index) => index);

  it("filter and group like filter and groupBy", async () => {
    const isEven = (item: number): boolean => item % 2 === 0;
    expect(await filterInTurns(items, isEven)).toEqual(items.filter(isEven));
    expect(await groupInTurns(items, (item) => item % 7)).toEqual(groupBy(items, (item) => item % 7));
  });

  it("await what is called for each item, one after the other", async () => {
    const order: string[] = [];
    await forEachInTurns(["a", "b"], async (item) => {
      order.push(`${item} starts`);
      await nextTurn();
      order.push(`${item} ends`);
    });
    expect(order).toEqual(["a starts", "a ends", "b starts", "b ends"]);
  });

  it("take turns within the first items if these are long", async () => {
    // 24 items of 4 ms would hold the event loop for 96 ms; the time is checked after each eight.
    expect(await countIterations(() => mapInTurns(items.slice(0, 24), () => occupy(4)))).toBeGreaterThanOrEqual(2);
  });
});

describe("turns", () => {
  /** Work of a request that takes turns of the whole time, and notes when it is complete. */
  const take = (turns: number, name: string, completed: string[], request = startRequest().request) =>
    runForRequest(request, async () => {
      for (let turn = 0; turn < turns; turn += 1) {
        occupy(2);
        if (isTurnOver()) await nextTurn();
      }
      completed.push(name);
    });

  it("are first for requests that need few, then for the oldest of the others", async () => {
    const completed: string[] = [];
    await Promise.all([take(120, "large 1", completed), take(120, "large 2", completed), take(3, "small", completed)]);
    expect(completed).toEqual(["small", "large 1", "large 2"]);
  });

  it("end with the request", async () => {
    const { request, controller } = startRequest();
    const completed: string[] = [];
    const work = take(1_000, "aborted", completed, request);
    controller.abort(new Error("The client is gone."));
    await expect(work).rejects.toThrow("The client is gone.");
    expect(completed).toEqual([]);
  });

  it("leave the loop to other work in between", async () => {
    const completed: string[] = [];
    let timers = 0;
    const timer = setInterval(() => {
      timers += 1;
    }, 1);
    await take(20, "work", completed);
    clearInterval(timer);
    // A held loop runs none.
    expect(timers).toBeGreaterThanOrEqual(5);
  });
});
