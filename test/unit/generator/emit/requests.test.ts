import { describe, expect, it } from "vitest";
import * as requests from "../../../../generated/requests.gen.ts";
import { alice, stubParsers } from "./stub-parsers.ts";

const wallet = `0x${"ab".repeat(20)}`;
const holders = (query: requests.RawRequest["query"] = {}, path: Readonly<Record<string, string>> = {}) =>
  requests.parseGetTokenHolders({ path: { chainName: "demo", tokenAddress: wallet, ...path }, query }, stubParsers);
const transfers = (query: requests.RawRequest["query"]) =>
  requests.parseGetErc20TransfersForWalletAddress({ path: { chainName: "demo", walletAddress: wallet }, query }, stubParsers);

describe("a parsed request", () => {
  it("has camelCase fields, the chain, defaults, null for absent parameters, and the page as one object", async () => {
    expect(await holders()).toEqual({
      ok: true,
      request: {
        chain: { id: 31337, name: "demo" },
        tokenAddress: wallet,
        blockHeight: null,
        date: null,
        format: "json",
        page: { number: 0, size: 100 },
      },
    });
  });

  it("has trimmed values, and treats an empty value as absent", async () => {
    expect(await holders({ "page-number": " 2 ", date: "  ", "block-height": "" }, { chainName: " demo " })).toMatchObject({
      ok: true,
      request: { date: null, blockHeight: null, page: { number: 2 } },
    });
  });

  it("has the endpoint's default in the type that the parser returns: a height is a number", async () => {
    // By default, transfers_v2 starts at block 0, and the logs of an address start at `earliest`.
    expect(await transfers({})).toMatchObject({ request: { startingBlock: 0, endingBlock: null } });
    const logs = await requests.parseGetLogEventsByAddress(
      { path: { chainName: "demo", contractAddress: wallet }, query: {} },
      stubParsers,
    );
    expect(logs).toMatchObject({ request: { startingBlock: "earliest" } });
  });

  it("does not include unknown query parameters or the key", async () => {
    const outcome = await holders({ utm_source: ["a", "b"], key: "ckey_x" });
    expect(outcome).toMatchObject({ ok: true });
    expect(outcome.ok && Object.keys(outcome.request)).not.toContain("key");
  });

  it("has the page as a number if it is in the path without a size, and as an object with a size", async () => {
    const links = await requests.parseGetTransactionsForAddressByPage(
      { path: { chainName: "demo", walletAddress: wallet, page: "3" }, query: {} },
      stubParsers,
    );
    expect(links).toMatchObject({ request: { page: 3 } });
    const pathPage = await requests.parseGetPoolsForTokenAddress(
      { path: { chainName: "demo", tokenAddress: wallet, page: "3" }, query: { "page-size": "7" } },
      stubParsers,
    );
    expect(pathPage).toMatchObject({ request: { page: { number: 3, size: 7 } } });
  });

  it("includes the protocol of a community endpoint, and null as the chain if none was sent", async () => {
    const outcome = await requests.parseGetCommunityBalances({ path: {}, query: { address: wallet } }, stubParsers, "protocol_02");
    expect(outcome).toMatchObject({ ok: true, request: { protocol: "protocol_02", address: wallet, chain: null } });
  });
});

describe("invalid parameters", () => {
  it("are all reported, each with the sent value and the expected values", async () => {
    const outcome = await holders({ "page-number": "1e3", "page-size": "5", date: "yesterday", format: "xml" }, { chainName: "nowhere" });
    expect(outcome.ok).toBe(false);
    const issues = outcome.ok ? [] : [...outcome.issues].sort((left, right) => (left.parameter < right.parameter ? -1 : 1));
    expect(issues).toEqual([
      { parameter: "chainName", in: "path", sent: "nowhere", expected: "demo or eth-mainnet" },
      { parameter: "date", in: "query", sent: "yesterday", expected: "a day" },
      { parameter: "format", in: "query", sent: "xml", expected: "json or csv" },
      { parameter: "page-number", in: "query", sent: "1e3", expected: "a whole number from 0 to 2147483647" },
      { parameter: "page-size", in: "query", sent: "5", expected: "100 or 1000" },
    ]);
  });

  it("include parameters that were sent more than once", async () => {
    expect(await holders({ date: ["2026-01-01", "2026-01-02"] })).toEqual({
      ok: false,
      issues: [{ parameter: "date", in: "query", sent: "2026-01-01, 2026-01-02", expected: "one value; it was sent more than once" }],
    });
  });

  it("are reported truncated to 100 characters", async () => {
    const outcome = await holders({ date: "x".repeat(5000) });
    expect(outcome.ok || outcome.issues[0]?.sent).toBe("x".repeat(100));
  });

  it("include missing required parameters", async () => {
    const outcome = await requests.parseGetCommunityBalances({ path: {}, query: { address: " " } }, stubParsers, "protocol_01");
    expect(outcome).toMatchObject({ ok: false, issues: [{ parameter: "address", in: "query", sent: "" }] });
    expect(outcome.ok || outcome.issues[0]?.expected).toContain("required");
  });

  it("include path values that are empty after trimming", async () => {
    expect(await holders({}, { chainName: " " })).toMatchObject({ ok: false, issues: [{ parameter: "chainName", sent: "" }] });
  });

  it("include texts above their maximum length", async () => {
    const dex = (dexName: string) => requests.parseGetPools({ path: { chainName: "demo", dexName }, query: {} }, stubParsers);
    expect(await dex("d".repeat(64))).toMatchObject({ ok: true });
    expect(await dex("d".repeat(65))).toMatchObject({
      ok: false,
      issues: [{ parameter: "dexName", expected: "text of at most 64 characters" }],
    });
  });
});

describe("page sizes", () => {
  it("are limited to the endpoint's sizes in JSON, and to 10000 in CSV", async () => {
    expect(await transfers({ "page-size": "1000" })).toMatchObject({ request: { page: { size: 1000 } } });
    expect(await transfers({ "page-size": "1001" })).toMatchObject({
      issues: [{ parameter: "page-size", expected: "a whole number from 1 to 1000" }],
    });
    expect(await transfers({ "page-size": "10000", format: "csv" })).toMatchObject({ request: { page: { size: 10_000 }, format: "csv" } });
    expect(await transfers({ "page-size": "10001", format: "csv" })).toMatchObject({ issues: [{ parameter: "page-size" }] });
    expect(await holders({ "page-size": "250", format: "csv" })).toMatchObject({ request: { page: { size: 250 } } });
    expect(await holders({ "page-size": "1000" })).toMatchObject({ request: { page: { size: 1000 } } });
  });
});

describe("rules between parameters", () => {
  it("reject mutually exclusive parameters if both are sent; an empty value does not count as sent", async () => {
    expect(await holders({ "block-height": "5", date: "2026-01-01" })).toEqual({
      ok: false,
      issues: [
        { parameter: "date", in: "query", sent: "2026-01-01", expected: "only one of block-height and date; block-height was also sent" },
      ],
    });
    expect(await holders({ "block-height": "5", date: "" })).toMatchObject({ ok: true });
  });

  it("reject an incomplete set of parameters", async () => {
    const ownership = (query: Readonly<Record<string, string>>) =>
      requests.parseCheckOwnershipInNft(
        { path: { chainName: "demo", walletAddress: wallet, collectionContract: wallet }, query },
        stubParsers,
      );
    expect(await ownership({ "traits-filter": "Colour" })).toMatchObject({
      ok: false,
      issues: [{ parameter: "traits-filter", sent: "Colour" }],
    });
    expect(await ownership({ "traits-filter": "Colour", "values-filter": "Red" })).toMatchObject({ ok: true });
    expect(await ownership({})).toMatchObject({ ok: true });
  });

  it("reject a first block above the last, and do not compare keywords", async () => {
    expect(await transfers({ "starting-block": "9", "ending-block": "8" })).toEqual({
      ok: false,
      issues: [{ parameter: "starting-block", in: "query", sent: "9", expected: "at most 8, which is the value of ending-block" }],
    });
    expect(await transfers({ "starting-block": "8", "ending-block": "8" })).toMatchObject({ ok: true });
    // In a comparison of text, 10 would be below 9.
    expect(await transfers({ "starting-block": "9", "ending-block": "10" })).toMatchObject({ ok: true });
    expect(await transfers({ "starting-block": "latest", "ending-block": "8" })).toMatchObject({ ok: true });
  });

  it("reject a first day after the last, including days in the path", async () => {
    const blocks = (startDate: string, endDate: string) =>
      requests.parseGetBlockHeights({ path: { chainName: "demo", startDate, endDate }, query: {} }, stubParsers);
    expect(await blocks("2026-02-01", "2026-01-31")).toMatchObject({ ok: false, issues: [{ parameter: "startDate", in: "path" }] });
    expect(await blocks("2026-01-31", "2026-01-31")).toMatchObject({ ok: true });
    expect(await blocks("2026-02-01", "latest")).toMatchObject({ ok: true });
  });

  it("do not compare invalid parameters", async () => {
    const outcome = await transfers({ "starting-block": "x", "ending-block": "1" });
    expect(outcome.ok || outcome.issues.map((issue) => issue.expected)).toEqual(["a block"]);
  });
});

describe("names in address parameters", () => {
  it("are resolved on the request's chain", async () => {
    expect(await holders({}, { tokenAddress: "alice.eth" })).toMatchObject({ ok: true, request: { tokenAddress: alice } });
    expect(await holders({}, { tokenAddress: "alice.eth", chainName: "eth-mainnet" })).toMatchObject({
      ok: false,
      issues: [{ parameter: "tokenAddress", in: "path", sent: "alice.eth", expected: "0x followed by 40 hex digits or a registered name" }],
    });
  });

  it("are resolved without a chain if the path has no chain", async () => {
    expect(await requests.parseGetAddressActivity({ path: { walletAddress: "alice.eth" }, query: {} }, stubParsers)).toMatchObject({
      request: { walletAddress: alice },
    });
  });

  it("are passed to the resolver of getResolvedAddress in addition to the address", async () => {
    const resolved = (walletAddress: string) =>
      requests.parseGetResolvedAddress({ path: { chainName: "demo", walletAddress }, query: {} }, stubParsers);
    expect(await resolved("alice.eth")).toMatchObject({ request: { walletAddress: alice, walletAddressName: "alice.eth" } });
    expect(await resolved(wallet)).toMatchObject({ request: { walletAddress: wallet, walletAddressName: null } });
    expect(await resolved("bob.eth")).toMatchObject({ ok: false });
  });

  it("are resolved in lists and in optional query parameters", async () => {
    const prices = await requests.parseGetTokenPrices(
      { path: { chainName: "demo", quoteCurrency: "USD", contractAddress: `alice.eth,${wallet}` }, query: {} },
      stubParsers,
    );
    expect(prices).toMatchObject({ request: { contractAddress: [alice, wallet], from: null } });
    expect(await transfers({ "contract-address": "alice.eth" })).toMatchObject({ request: { contractAddress: alice } });
    expect(await transfers({ "contract-address": "bob.eth" })).toMatchObject({
      issues: [{ parameter: "contract-address", in: "query", sent: "bob.eth" }],
    });
  });

  it("are not looked up on an unknown chain", async () => {
    const outcome = await holders({}, { tokenAddress: "bob.eth", chainName: "nowhere" });
    expect(outcome.ok || outcome.issues.map((issue) => issue.parameter)).toEqual(["chainName"]);
  });
});

describe("network groups", () => {
  it("reject a chain outside the group, and list the chains inside", async () => {
    const balances = (chainName: string) =>
      requests.parseGetHistoricalTokenBalancesForWalletAddress({ path: { chainName, walletAddress: wallet }, query: {} }, stubParsers);
    expect(await balances("demo")).toEqual({
      ok: false,
      issues: [
        {
          parameter: "chainName",
          in: "path",
          sent: "demo",
          expected: "one of eth-mainnet; the operator can add a chain to this endpoint with groups: [historical] in the configuration",
        },
      ],
    });
    expect(await balances("eth-mainnet")).toMatchObject({ ok: true });
  });
});
