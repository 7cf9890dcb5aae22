import { describe, expect, it } from "vitest";
import { abortable, backoff, createMutex, every, nullOnAbort, poll, retry, sleep, withJitter } from "../../../runtime/lib/async.ts";

const isRangeError = (error: unknown): error is RangeError => error instanceof RangeError;
const neverResolves = new Promise<never>(() => undefined);

describe("sleep", () => {
  it("ends when the signal aborts, or immediately if it has aborted", async () => {
    const controller = new AbortController();
    const sleeping = sleep(60_000, controller.signal);
    controller.abort();
    await sleeping;
    await sleep(60_000, controller.signal);
  });
});

describe("backoff", () => {
  it("doubles from the base to the maximum", () => {
    expect([1, 2, 3, 4, 5].map((failures) => backoff(failures, { base: 100, max: 1_000 }))).toEqual([100, 200, 400, 800, 1_000]);
  });

  it("grows by a given factor, and stays at the maximum after any number of failures", () => {
    expect([1, 2, 3].map((failures) => backoff(failures, { base: 1, max: 10, factor: 4 }))).toEqual([1, 4, 10]);
    expect(backoff(5_000, { base: 1, max: 10 })).toBe(10);
  });

  it("is between half the wait and the full wait with jitter", () => {
    expect([0, 0.5, 1].map((random) => withJitter(100, () => random))).toEqual([50, 75, 100]);
  });
});

describe("retry", () => {
  const options = { attempts: 3, base: 0, max: 0, isRetryable: isRangeError };

  it("returns the first success, and reports each preceding failure", async () => {
    const reported: string[] = [];
    let attempt = 0;
    const work = async () => {
      attempt += 1;
      if (attempt < 3) throw new RangeError(`attempt ${attempt}`);
      return attempt;
    };
    expect(await retry(work, { ...options, onRetry: ({ message }) => reported.push(message) })).toBe(3);
    expect(reported).toEqual(["attempt 1", "attempt 2"]);
  });

  it("throws the last error after all attempts, and throws an error that is not retryable immediately", async () => {
    let attempts = 0;
    const failing = async (): Promise<never> => {
      attempts += 1;
      throw new RangeError(`attempt ${attempts}`);
    };
    await expect(retry(failing, options)).rejects.toThrow("attempt 3");
    attempts = 0;
    const broken = async (): Promise<never> => {
      attempts += 1;
      throw new TypeError("broken");
    };
    await expect(retry(broken, options)).rejects.toThrow("broken");
    expect(attempts).toBe(1);
  });
});

describe("poll", () => {
  it("returns the first result that is not null, with growing waits between reads", async () => {
    const times: number[] = [];
    const read = () => (times.push(performance.now()) < 4 ? null : "result");
    expect(await poll(read, { base: 20, max: 1_000 })).toBe("result");
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    // 20, 40 and 80 ms; timers may be early by a millisecond.
    for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(20 * 2 ** index - 1);
  });

  it("returns null after the time limit, and does not read if the signal has already aborted", async () => {
    let reads = 0;
    const read = () => {
      reads += 1;
      return null;
    };
    expect(await poll(read, { ...every(1), withinMilliseconds: 0 })).toBeNull();
    expect(reads).toBe(1);
    expect(await poll(read, { ...every(1), signal: AbortSignal.abort() })).toBeNull();
    expect(reads).toBe(1);
  });

  it("ends the wait when the signal aborts", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 5);
    const start = performance.now();
    expect(await poll(() => null, { ...every(60_000), signal: stop.signal })).toBeNull();
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});

describe("abortable and nullOnAbort", () => {
  it("reject with the reason, or return null, when the signal aborts first", async () => {
    const controller = new AbortController();
    const [rejecting, returningNull] = [abortable(controller.signal, neverResolves), nullOnAbort(neverResolves, controller.signal)];
    controller.abort(new Error("stopped"));
    await expect(rejecting).rejects.toThrow("stopped");
    expect(await returningNull).toBeNull();
    await expect(abortable(controller.signal, neverResolves)).rejects.toThrow("stopped");
    expect(await nullOnAbort(neverResolves, controller.signal)).toBeNull();
  });

  it("forward results and errors", async () => {
    const { signal } = new AbortController();
    expect(await abortable(signal, Promise.resolve(1))).toBe(1);
    expect(await nullOnAbort(Promise.resolve(1), signal)).toBe(1);
    await expect(abortable(signal, Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    await expect(nullOnAbort(Promise.reject(new Error("failed")), signal)).rejects.toThrow("failed");
  });
});

describe("a mutex", () => {
  it("runs one task at a time in submission order, even after one that fails", async () => {
    const mutex = createMutex();
    const events: string[] = [];
    const task = (name: string, fails = false) =>
      mutex(async () => {
        events.push(`${name} starts`);
        await sleep(1);
        events.push(`${name} ends`);
        if (fails) throw new Error(name);
      });
    const [first, second] = [task("first", true), task("second")];
    await expect(first).rejects.toThrow("first");
    await second;
    expect(events).toEqual(["first starts", "first ends", "second starts", "second ends"]);
  });
});
