import { describe, expect, it } from "vitest";
import { type ActiveRequest, runForRequest } from "../../../runtime/lib/active-request.ts";
import { groupBy } from "../../../runtime/lib/group-by.ts";
import { filterInTurns, forEachInTurns, groupInTurns, isTurnOver, mapInTurns, nextTurn } from "../../../runtime/lib/turns.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { countIterations } from "./count-iterations.ts";

/** Blocks the event loop. */
const blockLoop = (milliseconds: number): void => {
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

const items = Array.from({ length: 1_000 }, (_, index) => index);

describe("mapInTurns", () => {
  it("returns what map returns", async () => {
    expect(await mapInTurns(items, (item) => 2 * item)).toEqual(items.map((item) => 2 * item));
    expect(await mapInTurns([], () => 1)).toEqual([]);
  });

  it("does not let ten lists of 320 ms block the event loop for more than a few turns", async () => {
    // The time is checked every 8 ms: at the start, each list may use that much, and later each turn takes at most 16 ms.
    const lists = Promise.all(
      Array.from({ length: 10 }, () => runForRequest(startRequest().request, () => mapInTurns(items.slice(0, 320), () => blockLoop(1)))),
    );
    const longest = await longestIteration(lists);
    expect(longest).toBeLessThan(scaleTimeLimit(10 * 8 + 200));
  });

  it("takes turns among its first items if these are slow", async () => {
    // 24 items of 4 ms would block the event loop for 96 ms; the time is checked after every eight items.
    expect(await countIterations(() => mapInTurns(items.slice(0, 24), () => blockLoop(4)))).toBeGreaterThanOrEqual(2);
  });
});

describe("filterInTurns and groupInTurns", () => {
  it("return what filter and groupBy return", async () => {
    const isEven = (item: number): boolean => item % 2 === 0;
    expect(await filterInTurns(items, isEven)).toEqual(items.filter(isEven));
    expect(await groupInTurns(items, (item) => item % 7)).toEqual(groupBy(items, (item) => item % 7));
  });
});

describe("forEachInTurns", () => {
  it("awaits each callback before the next one", async () => {
    const order: string[] = [];
    await forEachInTurns(["a", "b"], async (item) => {
      order.push(`${item} starts`);
      await nextTurn();
      order.push(`${item} ends`);
    });
    expect(order).toEqual(["a starts", "a ends", "b starts", "b ends"]);
  });
});

describe("turns", () => {
  /** Runs a request's work, which uses its turns in full, and records its completion. */
  const takeTurns = (turnCount: number, name: string, completed: string[], request = startRequest().request) =>
    runForRequest(request, async () => {
      for (let turn = 0; turn < turnCount; turn += 1) {
        blockLoop(2);
        if (isTurnOver()) await nextTurn();
      }
      completed.push(name);
    });

  it("go first to requests that need few, then to the oldest of the others", async () => {
    const completed: string[] = [];
    await Promise.all([takeTurns(120, "large 1", completed), takeTurns(120, "large 2", completed), takeTurns(3, "small", completed)]);
    expect(completed).toEqual(["small", "large 1", "large 2"]);
  });

  it("end with the request", async () => {
    const { request, controller } = startRequest();
    const completed: string[] = [];
    const work = takeTurns(1_000, "aborted", completed, request);
    controller.abort(new Error("The client is gone."));
    await expect(work).rejects.toThrow("The client is gone.");
    expect(completed).toEqual([]);
  });

  it("let other work run in between", async () => {
    const completed: string[] = [];
    let timers = 0;
    const timer = setInterval(() => {
      timers += 1;
    }, 1);
    await takeTurns(20, "work", completed);
    clearInterval(timer);
    // A blocked loop would run no timers.
    expect(timers).toBeGreaterThanOrEqual(5);
  });
});
