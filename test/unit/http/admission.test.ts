import { describe, expect, it } from "vitest";
import { operations } from "../../../generated/operations.gen.ts";
import { type Admission, createAdmission, type Weight, weightOf } from "../../../runtime/http/admission.ts";

/** Lets all settled promises continue. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Sends named requests, each of another key by default, to an admission, and logs their names in order of admission or rejection. */
function createRequests(admission: Admission) {
  const log: string[] = [];
  const leaves = new Map<string, () => void>();
  let lastKey = 100;
  const nextKey = (): number => {
    lastKey += 1;
    return lastKey;
  };
  return {
    log,
    enter(name: string, weight: Weight, signal = new AbortController().signal, owner = nextKey()) {
      const entering = new Promise<() => void>((resolve) => resolve(admission.enter(weight, signal, owner)));
      entering.then(
        (leave) => {
          log.push(name);
          leaves.set(name, leave);
        },
        (error: Error) => log.push(`${name}: ${error.message}`),
      );
      return settle();
    },
    leave(name: string) {
      leaves.get(name)?.();
      return settle();
    },
  };
}
const overloaded = "Server overloaded: too many requests are waiting; retry in 1 second.";

describe("request admission", () => {
  it("processes requests up to its capacity, then the cheapest waiting one first", async () => {
    const { log, enter, leave } = createRequests(createAdmission(2, 10));
    await enter("a", 1);
    await enter("b", 1);
    await enter("long", 4);
    await enter("page", 2);
    await enter("c", 1);
    expect(log).toEqual(["a", "b"]);
    await leave("a");
    await leave("b");
    expect(log).toEqual(["a", "b", "c", "page"]);
    await leave("c");
    // The page still counts for two.
    expect(log).toHaveLength(4);
    await leave("page");
    expect(log).toEqual(["a", "b", "c", "page", "long"]);
  });

  it("rejects a request immediately if too many wait, unless it is cheaper than one of them", async () => {
    const { log, enter } = createRequests(createAdmission(1, 2));
    await enter("a", 1);
    await enter("long 1", 4);
    await enter("long 2", 4);
    await enter("long 3", 4);
    expect(log).toEqual(["a", `long 3: ${overloaded}`]);
    await enter("b", 1);
    expect(log.at(-1)).toBe(`long 2: ${overloaded}`);
  });

  it("removes a request that aborts while it waits", async () => {
    const { log, enter, leave } = createRequests(createAdmission(1, 1));
    const controller = new AbortController();
    await enter("a", 1);
    await enter("gone", 1, controller.signal);
    controller.abort(new Error("client gone"));
    await enter("b", 1);
    expect(log).toEqual(["a", "gone: client gone"]);
    await leave("a");
    expect(log.at(-1)).toBe("b");
  });

  it("lets an expensive request be overtaken only 16 times", async () => {
    const { log, enter, leave } = createRequests(createAdmission(1, 100));
    await enter("first", 1);
    await enter("long", 4);
    for (let index = 0; index < 40; index += 1) await enter(`cheap ${index}`, 1);
    while (!log.includes("long")) await leave(log.at(-1) ?? "");
    // The first request was admitted without waiting, and 16 requests overtook the long one.
    expect(log.indexOf("long")).toBe(1 + 16);
  });
});

describe("admission with several keys", () => {
  const neverAborts = new AbortController().signal;

  it("leaves a quarter of the capacity to other keys", async () => {
    const { log, enter, leave } = createRequests(createAdmission(10, 10));
    for (let index = 0; index < 4; index += 1) await enter(`long ${index}`, 4, neverAborts, 1);
    // 10 minus a quarter, rounded down, is 8, the weight of two requests.
    expect(log).toHaveLength(2);
    await enter("cheap", 1, neverAborts, 1);
    await enter("other", 4, neverAborts, 2);
    expect(log.slice(2)).toEqual(["other"]);
    await leave("long 0");
    // 4, then 5: still below 8.
    expect(log.slice(2)).toEqual(["other", "cheap", "long 2"]);
  });

  it("admits three requests of a key", async () => {
    const { log, enter, leave } = createRequests(createAdmission(1_000, 10));
    for (const name of ["a", "b", "c", "d", "e", "f"]) await enter(name, 1, neverAborts, 1);
    await enter("other", 4, neverAborts, 2);
    expect(log).toEqual(["a", "b", "c", "other"]);
    await leave("a");
    expect(log.slice(4)).toEqual(["d"]);
  });

  it("admits another key's waiting request before those of a key that may not enter", async () => {
    const { log, enter, leave } = createRequests(createAdmission(4, 10));
    for (const name of ["a", "b", "c", "d"]) await enter(name, 1, neverAborts, 1);
    await enter("other", 1, neverAborts, 2);
    await enter("long", 4, neverAborts, 2);
    expect(log).toEqual(["a", "b", "c", "other"]);
    await leave("other");
    expect(log.slice(4)).toEqual(["long"]);
  });
});

describe("admission under a continuous load", () => {
  it.each([
    [2, [1, 4]],
    [4, [1, 2]],
    [1, [2, 4]],
  ] as const)("does not let a request of weight %d wait forever while others of weights %j wait", async (weight, others) => {
    const { log, enter, leave } = createRequests(createAdmission(1, 1_000));
    await enter("first", 1);
    await enter("waiting", weight);
    for (const other of others) for (let index = 0; index < 100; index += 1) await enter(`${other} ${index}`, other);
    while (!log.includes("waiting") && log.length < 200) await leave(log.at(-1) ?? "");
    // 16 requests overtook it; then one of another weight that was overtaken as often may come first.
    expect(log.indexOf("waiting")).toBeGreaterThan(0);
    expect(log.indexOf("waiting")).toBeLessThanOrEqual(1 + 16 + 1);
  });
});

describe("admission under an overload", () => {
  /** Lets one request leave after some milliseconds. Others arrive in the meantime, so at least one always waits. */
  const leaveAfter = async (milliseconds: number) => {
    let time = 0;
    const requests = createRequests(createAdmission(1, 10, () => time));
    await requests.enter("first", 1);
    await requests.enter("long", 4);
    await requests.enter("a", 1);
    time = milliseconds - 500;
    await requests.enter("b", 4);
    time = milliseconds;
    await requests.enter("c", 1);
    await requests.leave("first");
    return requests;
  };

  it("lets requests wait in a burst of up to 5 seconds", async () => {
    const { log, leave } = await leaveAfter(5_000);
    for (const name of ["a", "c", "long"]) await leave(name);
    expect(log).toEqual(["first", "a", "c", "long", "b"]);
  });

  it("rejects requests that have waited for more than 500 ms if there were waiting requests for more than 5 seconds", async () => {
    const { log, leave } = await leaveAfter(5_001);
    await leave("c");
    expect(log.slice(1).sort()).toEqual([`a: ${overloaded}`, "b", "c", `long: ${overloaded}`]);
  });

  it("does not reject requests that wait only for other requests of their key", async () => {
    let time = 0;
    const neverAborts = new AbortController().signal;
    const { log, enter, leave } = createRequests(createAdmission(100, 10, () => time));
    for (const name of ["a", "b", "c", "d", "e", "f"]) await enter(name, 1, neverAborts, 1);
    for (const name of ["a", "b", "c"]) {
      time += 6_000;
      await leave(name);
    }
    expect(log).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("begins another burst after a pause", async () => {
    let time = 0;
    const { log, enter, leave } = createRequests(createAdmission(1, 10, () => time));
    await enter("first", 1);
    await enter("a", 1);
    await leave("first");
    time = 10_000;
    await enter("b", 1);
    time = 14_000;
    await leave("a");
    expect(log).toEqual(["first", "a", "b"]);
  });
});

describe("the weight of an operation", () => {
  it("follows its price", () => {
    const weights = new Map(operations.map((operation) => [operation.handler, weightOf(operation)]));
    expect(weights.get("getTokenBalancesForWalletAddress")).toBe(1);
    expect(weights.get("getTransactionsForAddressByPage")).toBe(2);
    expect(weights.get("getTransactionsForBlock")).toBe(4);
    expect(weights.get("getHistoricalPortfolioForWalletAddress")).toBe(4);
    expect(weights.get("getLogs")).toBe(4);
  });
});
