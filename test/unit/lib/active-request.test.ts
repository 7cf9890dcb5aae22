import { describe, expect, it } from "vitest";
import { activeRequest, runDetached, runForRequest } from "../../../runtime/lib/active-request.ts";
import { shareLoads } from "../../../runtime/lib/share-loads.ts";

const createRequest = () => {
  const controller = new AbortController();
  return { controller, request: { signal: controller.signal, startStatement: () => () => undefined } };
};

describe("the active request", () => {
  it("is the caller's request, even in asynchronous code, and undefined outside of requests and in shared work", async () => {
    const { request } = createRequest();
    expect(activeRequest()).toBeUndefined();
    const seen = await runForRequest(request, async () => {
      await Promise.resolve();
      return [activeRequest(), runDetached(() => activeRequest())];
    });
    expect(seen).toEqual([request, undefined]);
  });
});

describe("a shared load", () => {
  it("continues for other requests when the request that started it aborts and stops waiting", async () => {
    const [first, second] = [createRequest(), createRequest()];
    let finish: (value: string) => void = () => undefined;
    let requestOfLoad: unknown = "not started";
    const load = shareLoads<string, string>(() => {
      requestOfLoad = activeRequest();
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    const results = [first, second].map(({ request }) => runForRequest(request, () => load(["key"])));
    await new Promise((resolve) => setImmediate(resolve));
    first.controller.abort(new Error("gone"));
    await expect(results[0]).rejects.toThrow("gone");
    finish("loaded");
    expect(await results[1]).toBe("loaded");
    expect(requestOfLoad).toBeUndefined();
  });
});
