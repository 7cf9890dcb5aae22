import { describe, expect, it } from "vitest";
import { createSingleFlight } from "../../../runtime/http/response-cache/single-flight.ts";
import { type ActiveRequest, activeRequest, runForRequest } from "../../../runtime/lib/active-request.ts";

/** A computation that ends when the test settles it. */
function createComputation() {
  let count = 0;
  let signal: AbortSignal | undefined;
  let settle: { readonly resolve: (value: string) => void; readonly reject: (error: Error) => void } | undefined;
  const compute = (): Promise<string> => {
    count += 1;
    signal = activeRequest()?.signal;
    return new Promise((resolve, reject) => {
      settle = { resolve, reject };
      signal?.addEventListener("abort", () => reject(signal?.reason));
    });
  };
  return {
    compute,
    count: () => count,
    signal: () => signal,
    resolve: (value: string) => settle?.resolve(value),
    reject: (error: Error) => settle?.reject(error),
  };
}

/** A request that the test can abort, and the number of its statements. */
function createRequest() {
  const controller = new AbortController();
  let statements = 0;
  const request: ActiveRequest = {
    signal: controller.signal,
    startStatement: () => {
      statements += 1;
      return () => undefined;
    },
  };
  return { request, abort: () => controller.abort(new Error("gone")), statements: () => statements };
}

/** Lets pending promises continue. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a single flight", () => {
  it("computes a key's result once for concurrent calls, and again for later ones", async () => {
    const share = createSingleFlight<string>();
    const first = createComputation();
    const calls = [share("a", first.compute), share("a", first.compute), share("b", async () => "other")];
    await turn();
    first.resolve("result");
    expect(await Promise.all(calls)).toEqual([
      { result: "result", isShared: false },
      { result: "result", isShared: true },
      { result: "other", isShared: false },
    ]);
    expect(first.count()).toBe(1);
    expect(await share("a", async () => "new")).toEqual({ result: "new", isShared: false });
  });

  it("fails for all concurrent calls, and does not keep the failure", async () => {
    const share = createSingleFlight<string>();
    const failing = createComputation();
    const calls = [share("a", failing.compute), share("a", failing.compute)];
    await turn();
    failing.reject(new Error("timeout"));
    for (const call of calls) await expect(call).rejects.toThrow("timeout");
    expect(await share("a", async () => "result")).toEqual({ result: "result", isShared: false });
  });

  it("aborts its remaining work when it fails", async () => {
    const share = createSingleFlight<string>();
    const failing = createComputation();
    const call = share("a", failing.compute);
    await turn();
    expect(failing.signal()?.aborted).toBe(false);
    failing.reject(new Error("timeout"));
    await expect(call).rejects.toThrow("timeout");
    expect(failing.signal()?.aborted).toBe(true);
  });

  it("continues for the other calls if the first one's client disconnects, and counts its statements for one of them", async () => {
    const share = createSingleFlight<string>();
    const computation = createComputation();
    const [first, second] = [createRequest(), createRequest()];
    let startStatement: ActiveRequest["startStatement"] | undefined;
    const compute = () => {
      startStatement = activeRequest()?.startStatement;
      return computation.compute();
    };
    const calls = [runForRequest(first.request, () => share("a", compute)), runForRequest(second.request, () => share("a", compute))];
    await turn();
    startStatement?.();
    expect([first.statements(), second.statements()]).toEqual([1, 0]);
    first.abort();
    await expect(calls[0]).rejects.toThrow("gone");
    expect(computation.signal()?.aborted).toBe(false);
    startStatement?.();
    expect([first.statements(), second.statements()]).toEqual([1, 1]);
    computation.resolve("result");
    expect(await calls[1]).toEqual({ result: "result", isShared: true });
  });

  it("is aborted when the last client has disconnected, and computes again for the next call", async () => {
    const share = createSingleFlight<string>();
    const computation = createComputation();
    const [first, second] = [createRequest(), createRequest()];
    const calls = [first, second].map(({ request }) => runForRequest(request, () => share("a", computation.compute)));
    await turn();
    first.abort();
    second.abort();
    for (const call of calls) await expect(call).rejects.toThrow("gone");
    expect(computation.signal()?.aborted).toBe(true);
    expect(await share("a", async () => "result")).toEqual({ result: "result", isShared: false });
  });
});
