import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError, get, listenForSignOut, post } from "../../../console/api.ts";

// Node.js cannot request the paths without a host that the page requests, so the tests replace `fetch`. The responses are real.
const respondWith = (response: () => Response | Promise<never>) =>
  vi.spyOn(globalThis, "fetch").mockImplementation(() => Promise.resolve(response()));

afterEach(() => {
  vi.restoreAllMocks();
  listenForSignOut(() => undefined);
});

const json = (body: unknown, status: number) => () => new Response(JSON.stringify(body), { status });

describe("the console's requests", () => {
  it("return the body of a successful response", async () => {
    respondWith(json({ keys: [] }, 200));
    expect(await get("keys")).toEqual({ keys: [] });
  });

  it.each([
    ["an error's text", json({ error: "The key does not exist." }, 404), 404, "The key does not exist."],
    ["an error without a text", json({}, 500), 500, "The request failed with status 500."],
    [
      "a proxy's page",
      () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
      502,
      "The response with status 502 is not a JSON object.",
    ],
    ["JSON that is not an object", json(null, 502), 502, "The response with status 502 is not a JSON object."],
    ["a page instead of data", () => new Response("<h1>Welcome</h1>"), 200, "The response with status 200 is not a JSON object."],
    [
      "no response",
      () => Promise.reject(new TypeError("fetch failed")),
      0,
      "The console cannot be reached; check that ashlar start or ashlar serve is running.",
    ],
    [
      "no response in time",
      () => Promise.reject(new DOMException("The operation timed out.", "TimeoutError")),
      0,
      "The console did not respond within 20 s; try again.",
    ],
    [
      "a response that ends early",
      () => new Response(new ReadableStream({ start: (stream) => stream.error(new TypeError("terminated")) })),
      0,
      "The console cannot be reached; check that ashlar start or ashlar serve is running.",
    ],
  ])("report %s", async (_name, response, status, message) => {
    respondWith(response);
    const error = await get("keys").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, message });
  });

  it("send changes as JSON", async () => {
    const fetched = respondWith(json({ message: "Revoked." }, 200));
    await post("keys/revoke", { id: 7 });
    expect(fetched).toHaveBeenCalledWith(
      "/console/api/keys/revoke",
      expect.objectContaining({ method: "POST", headers: { "Content-Type": "application/json" }, body: '{"id":7}' }),
    );
  });

  it("call the sign-out listener for status 401, even if the body is not JSON", async () => {
    const signOut = vi.fn();
    listenForSignOut(signOut);
    respondWith(() => new Response("<h1>Unauthorized</h1>", { status: 401 }));
    await expect(get("keys")).rejects.toThrow("The response with status 401 is not a JSON object.");
    expect(signOut).toHaveBeenCalledOnce();
  });
});
