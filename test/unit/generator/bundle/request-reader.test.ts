import { describe, expect, it, test } from "vitest";
import type { AddressReference, Chain, Hex, Parsed } from "../../../../generator/bundle/parsers.ts";
import { createReader, parsedValue, type RawRequest, type ReadResult, sentName } from "../../../../generator/bundle/request-reader.ts";

const alice: Hex = `0x${"a1".repeat(20)}`;
const demo: ReadResult<Chain> = { ok: true, value: { id: 31337, name: "demo" } };
const digits = (text: string): Parsed<number> =>
  /^\d+$/.test(text) ? { ok: true, value: Number(text) } : { ok: false, expected: "digits" };
const ok = <T>(value: T): ReadResult<T> => ({ ok: true, value });
const invalid: ReadResult<never> = { ok: false };
const named = (name: string): AddressReference => ({ name });

function readerOf(request: Partial<RawRequest> = {}, members: readonly string[] = ["eth-mainnet"]) {
  return createReader(
    { path: {}, query: {}, ...request },
    {
      resolveName: async (_chain, name) => (name === "alice.eth" ? alice : null),
      restriction: (chain) => (chain.name === "demo" ? members : null),
      addressExpected: "0x followed by 40 hex digits or a registered name",
    },
  );
}

function issuesOf(reader: ReturnType<typeof readerOf>): unknown {
  const outcome = reader.outcome(() => null);
  return outcome.ok ? [] : outcome.issues;
}

describe("path parameters", () => {
  it("are trimmed and parsed", () => {
    expect(readerOf({ path: { height: " 7 " } }).path("height", digits)).toEqual(ok(7));
  });

  it("are reported as issues if they are absent, empty or invalid, truncated to 100 characters", () => {
    const reader = readerOf({ path: { empty: " ", long: "x".repeat(101) } });
    for (const name of ["absent", "empty", "long"]) expect(reader.path(name, digits)).toEqual(invalid);
    expect(issuesOf(reader)).toEqual([
      { parameter: "absent", in: "path", sent: "", expected: "a non-empty value" },
      { parameter: "empty", in: "path", sent: "", expected: "a non-empty value" },
      { parameter: "long", in: "path", sent: "x".repeat(100), expected: "digits" },
    ]);
  });
});

describe("query parameters", () => {
  it("are null or have their default if they are absent or empty", () => {
    const reader = readerOf({ query: { empty: " ", sent: "3" } });
    expect([reader.query("absent", digits), reader.query("empty", digits), reader.query("sent", digits)]).toEqual([
      ok(null),
      ok(null),
      ok(3),
    ]);
    expect([reader.queryOr("empty", digits, 5), reader.queryOr("sent", digits, 5)]).toEqual([ok(5), ok(3)]);
    expect(issuesOf(reader)).toEqual([]);
  });

  it("are reported as issues if they are sent twice, are invalid, or are required and absent", () => {
    const reader = readerOf({ query: { twice: ["1", "2"], wrong: "x" } });
    expect(reader.query("twice", digits)).toEqual(invalid);
    expect(reader.queryOr("wrong", digits, 5)).toEqual(invalid);
    expect(reader.required("wrong", digits, "a value (required)")).toEqual(invalid);
    expect(reader.required("absent", digits, "a value (required)")).toEqual(invalid);
    expect(issuesOf(reader)).toEqual([
      { parameter: "twice", in: "query", sent: "1, 2", expected: "one value; it was sent more than once" },
      { parameter: "wrong", in: "query", sent: "x", expected: "digits" },
      { parameter: "wrong", in: "query", sent: "x", expected: "digits" },
      { parameter: "absent", in: "query", sent: "", expected: "a value (required)" },
    ]);
  });

  it("are read if they are required and sent", () => {
    expect(readerOf({ query: { sent: "3" } }).required("sent", digits, "a value (required)")).toEqual(ok(3));
  });
});

describe("addresses", () => {
  it("are resolved if they are names", async () => {
    const reader = readerOf();
    expect(await reader.resolve("path", "wallet", ok(named("alice.eth")), demo)).toEqual(ok(alice));
    expect(await reader.resolve("path", "wallet", ok({ address: alice }), demo)).toEqual(ok(alice));
    expect(await reader.resolveOptional("query", "wallet", ok(named("alice.eth")), demo)).toEqual(ok(alice));
    expect(await reader.resolveOptional("query", "wallet", ok(null), demo)).toEqual(ok(null));
    expect(await reader.resolveList("query", "wallets", ok([named("alice.eth"), { address: alice }]), demo)).toEqual(ok([alice, alice]));
    expect(await reader.resolveOptionalList("query", "wallets", ok([named("alice.eth")]), demo)).toEqual(ok([alice]));
    expect(await reader.resolveOptionalList("query", "wallets", ok(null), demo)).toEqual(ok(null));
    expect(issuesOf(reader)).toEqual([]);
  });

  it("are reported as issues if a name is not registered, one issue per unregistered name", async () => {
    const reader = readerOf();
    expect(await reader.resolve("path", "wallet", ok(named("bob.eth")), demo)).toEqual(invalid);
    expect(await reader.resolveList("query", "wallets", ok([named("bob.eth"), named("alice.eth"), named("eve.eth")]), demo)).toEqual(
      invalid,
    );
    const issue = (parameter: string, location: string, sent: string) => ({
      parameter,
      in: location,
      sent,
      expected: "0x followed by 40 hex digits or a registered name",
    });
    expect(issuesOf(reader)).toEqual([
      issue("wallet", "path", "bob.eth"),
      issue("wallets", "query", "bob.eth"),
      issue("wallets", "query", "eve.eth"),
    ]);
  });

  it("cause no second issue if they or the chain are invalid", async () => {
    const reader = readerOf();
    expect(await reader.resolve("path", "wallet", invalid, demo)).toEqual(invalid);
    expect(await reader.resolve("path", "wallet", ok(named("alice.eth")), invalid)).toEqual(invalid);
    expect(await reader.resolveOptional("query", "wallet", invalid, demo)).toEqual(invalid);
    expect(await reader.resolveList("query", "wallets", invalid, demo)).toEqual(invalid);
    expect(await reader.resolveOptionalList("query", "wallets", invalid, demo)).toEqual(invalid);
    expect(issuesOf(reader)).toEqual([]);
  });

  it("provide the name that was sent", () => {
    expect([sentName(ok(named("alice.eth"))), sentName(ok({ address: alice })), sentName(ok(null))]).toEqual(["alice.eth", null, null]);
  });
});

describe("rule checks", () => {
  it("reject a chain outside the network group, and list the chains of the group", () => {
    const hint = "; the operator can add a chain to this endpoint with groups: [historical] in the configuration";
    const reader = readerOf({ path: { chainName: "demo" } });
    reader.restrictChain("chainName", "path", demo, "historical");
    reader.restrictChain("chainName", "path", ok({ id: 1, name: "eth-mainnet" }), "historical");
    reader.restrictChain("chainName", "path", invalid, "historical");
    expect(issuesOf(reader)).toEqual([{ parameter: "chainName", in: "path", sent: "demo", expected: `one of eth-mainnet${hint}` }]);
    const alone = readerOf({ path: { chainName: "demo" } }, []);
    alone.restrictChain("chainName", "path", demo, "historical");
    expect(issuesOf(alone)).toMatchObject([{ expected: `a chain of the network group historical${hint}` }]);
  });

  it("reject all exclusive parameters except the first; a parameter that was sent twice counts as sent", () => {
    const reader = readerOf({ query: { a: ["1", "2"], b: "1", c: "" } });
    reader.exclusive(["a", "b", "c"]);
    expect(issuesOf(reader)).toEqual([{ parameter: "b", in: "query", sent: "1", expected: "only one of a, b and c; a was also sent" }]);
  });

  it("reject parameters that were sent without the rest of their set", () => {
    const reader = readerOf({ query: { a: "1", c: "1", d: "1" } });
    reader.together(["a", "b"]);
    reader.together(["c", "d"]);
    reader.together(["b", "d", "e"]);
    expect(issuesOf(reader)).toEqual([
      { parameter: "a", in: "query", sent: "1", expected: "both a and b, or neither" },
      { parameter: "d", in: "query", sent: "1", expected: "all of b, d and e, or none of them" },
    ]);
  });

  it("reject a first block or day above the last, and do not compare keywords", () => {
    const pairs: readonly (readonly [number | string | null, number | string | null])[] = [
      [9, 8],
      [9, 10],
      ["2026-02-01", "2026-01-31"],
      ["2026-02-01", "latest"],
      ["latest", 1],
      [null, 1],
    ];
    const counts = pairs.map(([first, last]) => {
      const reader = readerOf({ query: { from: String(first) } });
      reader.ascending({ name: "from", in: "query", result: ok(first) }, { name: "to", in: "query", result: ok(last) });
      return (issuesOf(reader) as unknown[]).length;
    });
    expect(counts).toEqual([1, 0, 1, 0, 0, 0]);
    const reader = readerOf();
    reader.ascending({ name: "from", in: "query", result: invalid }, { name: "to", in: "query", result: ok(1) });
    expect(issuesOf(reader)).toEqual([]);
  });
});

test("createReader builds a request only from valid parameters", () => {
  const reader = readerOf({ query: { a: "1" } });
  const a = reader.query("a", digits);
  expect(reader.outcome(() => ({ a: parsedValue(a) }))).toEqual({ ok: true, request: { a: 1 } });
  expect(() => parsedValue(invalid)).toThrow(
    "The value of an invalid parameter was read; check whether parsing succeeded before reading the value.",
  );
});
