import { describe, expect, it } from "vitest";
import { AshlarError, createClient, type Fetch } from "../../../../generated/client.gen.ts";

const key = "ckey_0123456789abcdef0123456789a";
const success = (data: unknown) => ({ data, error: false, error_message: null, error_code: null });

/** A service that returns the responses in order and records its requests. */
function service(...responses: readonly { readonly status?: number; readonly body: unknown }[]) {
  const calls: { url: string; headers: Readonly<Record<string, string>> }[] = [];
  const fetch: Fetch = async (url, { headers }) => {
    const { status = 200, body } = responses[calls.length] ?? { body: null };
    calls.push({ url, headers });
    return { ok: status < 300, status, json: async () => (body === undefined ? JSON.parse("<html>") : body) };
  };
  return { calls, client: createClient({ baseUrl: "https://api.example.com/", key, fetch }) };
}

describe("the client", () => {
  it("sends encoded values in the path, and the key in a header", async () => {
    const { calls, client } = service({ body: success({ items: [] }) });
    await client.getAttributesForTraitInCollection({ chainName: 31337, collectionContract: "0xab", trait: "Hat / 50%" });
    expect(calls).toEqual([
      {
        url: "https://api.example.com/v1/31337/nft/0xab/traits/Hat%20%2F%2050%25/attributes/",
        headers: { accept: "application/json", authorization: `Bearer ${key}` },
      },
    ]);
  });

  it("sends only the call's parameters, with lists comma-separated", async () => {
    const { calls, client } = service({ body: success({}) }, { body: success([]) });
    await client.getLogs({ chainName: "demo", startingBlock: 0, topics: ["0x1", "0x2"], skipDecode: false });
    expect(calls[0]?.url).toBe("https://api.example.com/v1/demo/events/?starting-block=0&topics=0x1%2C0x2&skip-decode=false");
    await client.getTokenPrices({ chainName: "demo", quoteCurrency: "USD", contractAddress: ["0xa", "0xb"] });
    expect(calls[1]?.url).toBe("https://api.example.com/v1/pricing/historical_by_addresses_v2/demo/USD/0xa%2C0xb/");
  });

  it("returns the envelope of a successful response", async () => {
    const { client } = service({ body: success({ updated_at: "2026-03-01T12:00:00Z", items: [] }) });
    expect((await client.getAllChains()).data.items).toEqual([]);
  });

  it("throws an error with a failure's message and status, but without the key", async () => {
    const { client } = service({ status: 404, body: { data: null, error: true, error_message: "No such token.", error_code: 404 } });
    const error = await client.getTokenHolders({ chainName: "demo", tokenAddress: "0xab" }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AshlarError);
    expect(error).toMatchObject({ status: 404, operation: "getTokenHolders", message: "No such token." });
    expect(JSON.stringify(error) + String(error)).not.toContain(key);
  });

  it("throws an error for a 200 without an envelope, for a body that is not JSON, and if there is no response", async () => {
    await expect(service({ body: { hello: 1 } }).client.getAllChains()).rejects.toMatchObject({
      status: 200,
      message: "The response with status 200 has an unexpected body: expected the fields data and error.",
    });
    await expect(service({ status: 502, body: undefined }).client.getAllChains()).rejects.toMatchObject({
      status: 502,
      message: "The response with status 502 is not JSON.",
    });
    const offline = createClient({ baseUrl: "https://api.example.com", key, fetch: () => Promise.reject(new TypeError("fetch failed")) });
    await expect(offline.getAllChains()).rejects.toMatchObject({ status: 0, message: "The service could not be reached." });
  });

  it("rejects a key that a header cannot contain, and does not repeat it in the message", () => {
    expect(() => createClient({ baseUrl: "https://api.example.com", key: "ckey_secret\n" })).toThrow(
      /^Invalid API key: it is empty, or contains characters that a header cannot contain\.$/,
    );
  });

  it("rejects an empty path parameter, because it would change the path", async () => {
    await expect(service().client.getBlock({ chainName: "", blockHeight: 1 })).rejects.toThrow(
      "Missing value for chainName: the parameter is required.",
    );
  });

  it("reads pages by number up to the last one", async () => {
    const page = (number: number, more: boolean) => ({
      body: success({ items: [number], pagination: { has_more: more, page_number: number, page_size: 1, total_count: null } }),
    });
    const { calls, client } = service(page(2, true), page(3, true), page(4, false), page(5, false));
    const pages: unknown[] = [];
    for await (const { items } of client.pages.getErc20TransfersForWalletAddress({
      chainName: "demo",
      walletAddress: "0xab",
      pageNumber: 2,
    }))
      pages.push(...items);
    expect(pages).toEqual([2, 3, 4]);
    expect(calls.map(({ url }) => new URL(url).searchParams.get("page-number"))).toEqual(["2", "3", "4"]);
  });

  it("reads pages with their number in the path", async () => {
    const { calls, client } = service(
      { body: success({ items: [], pagination: { has_more: true } }) },
      { body: success({ items: [], pagination: { has_more: false } }) },
    );
    for await (const _page of client.pages.getPoolsForTokenAddress({ chainName: "demo", tokenAddress: "0xab", page: 0 }));
    expect(calls.map(({ url }) => url.slice(-8))).toEqual(["/page/0/", "/page/1/"]);
  });

  it("follows links in one direction up to the last page, with the call's query and the client's base URL", async () => {
    const page = (prev: string | null) => ({ body: success({ items: [], links: { prev, next: null } }) });
    const pageUrl = (number: number) => `https://other.example/base/v1/demo/address/0xab/transactions_v3/page/${number}/`;
    const { calls, client } = service(page(pageUrl(1)), page(pageUrl(0)), page(null));
    const links = [];
    for await (const data of client.linked.getTransactionsForAddress({ chainName: "demo", walletAddress: "0xab", noLogs: true }, "prev"))
      links.push(data.links.prev);
    expect(links).toEqual([pageUrl(1), pageUrl(0), null]);
    const root = "https://api.example.com/v1/demo/address/0xab/transactions_v3";
    expect(calls.map(({ url }) => url)).toEqual([`${root}/?no-logs=true`, `${root}/page/1/?no-logs=true`, `${root}/page/0/?no-logs=true`]);
  });
});
