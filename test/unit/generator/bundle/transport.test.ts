import { describe, expect, it } from "vitest";
import type { Success } from "../../../../generator/bundle/envelope.ts";
import { AshlarError, type CallOptions, createCall, type Fetch, linkedPagesOf, pagesOf } from "../../../../generator/bundle/transport.ts";

const key = "ckey_0123456789abcdef0123456789a";
const success = <Data>(data: Data): Success<Data> => ({ data, error: false, error_message: null, error_code: null });

function service(body: unknown, status = 200) {
  const calls: { url: string; init: Parameters<Fetch>[1] }[] = [];
  const fetch: Fetch = async (url, init) => {
    calls.push({ url, init });
    return { ok: status < 300, status, json: async () => (body === undefined ? JSON.parse("<html>") : body) };
  };
  const call = createCall({ baseUrl: "https://api.example.com//", key, fetch });
  const send = (parameters: object = {}, options: CallOptions = {}) =>
    call("getThing", "/v1/{chainName}/things/{thing}/", { pageSize: "page-size" }, parameters, options);
  return { calls, send };
}

async function collect<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

describe("a call", () => {
  it("encodes path parameters, sends query parameters under their interface names, and sends the key in a header", async () => {
    const { calls, send } = service(success(1));
    const { signal } = new AbortController();
    expect(await send({ chainName: 1, thing: "a/b", pageSize: 5, other: 1 }, { signal })).toEqual(success(1));
    expect(calls).toEqual([
      {
        url: "https://api.example.com/v1/1/things/a%2Fb/?page-size=5",
        init: { method: "GET", headers: { accept: "application/json", authorization: `Bearer ${key}` }, signal },
      },
    ]);
  });

  it("omits query parameters that are null or undefined", async () => {
    const { calls, send } = service(success(1));
    await send({ chainName: 1, thing: 2, pageSize: null });
    await send({ chainName: 1, thing: 2, pageSize: undefined });
    expect(calls.map(({ url }) => url)).toEqual(Array.from({ length: 2 }, () => "https://api.example.com/v1/1/things/2/"));
  });

  it("throws an error for a missing path parameter", async () => {
    await expect(service(success(1)).send({ chainName: 1 })).rejects.toThrow("Missing value for thing: the parameter is required.");
  });

  it("throws an error with a failure's message, or with its status if there is no message", async () => {
    const parameters = { chainName: 1, thing: 2 };
    const failed = service({ data: null, error: true, error_message: "No such thing.", error_code: 404 }, 404).send(parameters);
    await expect(failed).rejects.toBeInstanceOf(AshlarError);
    await expect(failed).rejects.toMatchObject({ operation: "getThing", status: 404, message: "No such thing." });
    for (const body of [null, {}, { error_message: 5 }, "text"]) {
      const message = "The service responded with status 503.";
      await expect(service(body, 503).send(parameters)).rejects.toMatchObject({ status: 503, message });
    }
  });

  it("throws an error about the body if it is not JSON, or if a successful response has no data", async () => {
    const parameters = { chainName: 1, thing: 2 };
    for (const body of [null, {}, { error_message: 5 }, "text"]) {
      const message = "The response with status 200 has an unexpected body: expected the fields data and error.";
      await expect(service(body).send(parameters)).rejects.toMatchObject({ status: 200, message });
    }
    await expect(service(undefined, 502).send(parameters)).rejects.toMatchObject({
      status: 502,
      message: "The response with status 502 is not JSON.",
    });
  });

  it("throws an error about a response that ends early, an unreachable service, and its own signal", async () => {
    const parameters = { chainName: 1, thing: 2 };
    const callWith = (fetch: Fetch, options: CallOptions = {}) =>
      createCall({ baseUrl: "https://api.example.com", key, fetch })("getThing", "/v1/{chainName}/", {}, parameters, options);
    const fail = () => Promise.reject(new TypeError("terminated"));
    await expect(callWith(async () => ({ ok: true, status: 200, json: fail }))).rejects.toMatchObject({
      status: 200,
      message: "The response with status 200 ended early.",
    });
    await expect(callWith(fail)).rejects.toMatchObject({ status: 0, message: "The service could not be reached." });
    const signal = AbortSignal.abort();
    await expect(callWith(fail, { signal })).rejects.toMatchObject({ status: 0, message: "The call was aborted." });
  });

  it.each(["", "ckey_\n"])("cannot be created with the key %j, which a header cannot carry", (invalid) => {
    expect(() => createCall({ baseUrl: "https://api.example.com", key: invalid })).toThrow(
      "Invalid API key: it is empty, or contains characters that a header cannot contain.",
    );
  });
});

describe("pages", () => {
  it("are read by number up to the last one", async () => {
    const read = async (page: number) => success({ page, pagination: page === 4 ? null : { has_more: page < 3 } });
    expect((await collect(pagesOf(2, read))).map(({ page }) => page)).toEqual([2, 3]);
    expect((await collect(pagesOf(4, read))).map(({ page }) => page)).toEqual([4]);
    expect((await collect(pagesOf(undefined, read))).map(({ page }) => page)).toEqual([0, 1, 2, 3]);
  });

  it("are read by the links' paths, regardless of their host", async () => {
    const read = async (path: string | null) =>
      success({ path, links: { prev: path === null ? "https://other.example/base/v1/2/" : null, next: null } });
    expect((await collect(linkedPagesOf("prev", read))).map(({ path }) => path)).toEqual([null, "/v1/2/"]);
    expect((await collect(linkedPagesOf("next", read))).map(({ path }) => path)).toEqual([null]);
  });

  it("end with an error at a link that is not a path of the service", async () => {
    const read = async () => success({ links: { prev: "https://other.example/", next: null } });
    await expect(collect(linkedPagesOf("prev", read))).rejects.toThrow("Invalid page link: its path does not contain /v1/.");
  });
});
