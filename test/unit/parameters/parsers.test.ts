import { describe, expect, it } from "vitest";
import type { Parsed } from "../../../generated/requests.gen.ts";
import { createParsers } from "../../../runtime/parameters/parsers.ts";

const parsers = createParsers({
  chains: [
    { id: 1, name: "eth-mainnet", groups: ["historical"] },
    { id: 31337, name: "demo", groups: [] },
  ],
  listItems: 3,
  resolveName: async () => null,
});
const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });
const refusalOf = (parsed: Parsed<unknown>): string => (parsed.ok ? `accepted ${String(parsed.value)}` : parsed.expected);
const address = `0x${"aB".repeat(20)}`;
const hash = `0x${"0F".repeat(32)}`;
/** Texts that are not safe whole numbers in decimal notation. */
const invalidNumbers = ["0x10", "1e3", "+1", "-1", "01", "007", "1.0", "1,0", "1_000", "", " 1", "１", "∞", "NaN", "9007199254740992"];

describe("the whole-number parser", () => {
  it.each(invalidNumbers)("refuses %j as a page number", (text) => {
    expect(parsers.integer(text, { minimum: 0 }).ok).toBe(false);
  });

  it("accepts both bounds, refuses values beyond them and reports the bounds", () => {
    const bounds = { minimum: 1, maximum: 1000 };
    expect(parsers.integer("1", bounds)).toEqual(ok(1));
    expect(parsers.integer("1000", bounds)).toEqual(ok(1000));
    expect(refusalOf(parsers.integer("0", bounds))).toBe("a whole number from 1 to 1000");
    expect(refusalOf(parsers.integer("1001", bounds))).toBe("a whole number from 1 to 1000");
    expect(parsers.integer("-5", { minimum: -10, maximum: 0 })).toEqual(ok(-5));
    expect(parsers.integer("-0", { minimum: -10, maximum: 0 }).ok).toBe(false);
  });
});

describe("the block parser", () => {
  it("parses decimal, hex, earliest and latest in a query", () => {
    expect(parsers.block("0")).toEqual(ok(0));
    expect(parsers.block("255")).toEqual(ok(255));
    expect(parsers.block("0xFf")).toEqual(ok(255));
    expect(parsers.block("earliest")).toEqual(ok("earliest"));
    expect(parsers.block("latest")).toEqual(ok("latest"));
    // 2^53 - 1 is 0x1fffffffffffff.
    expect(parsers.block("0x1fffffffffffff")).toEqual(ok(2 ** 53 - 1));
  });

  it.each(["0x", "0xg", "0x20000000000000", "pending", "Latest", "-1", "01", "1e3"])("refuses %j in a query", (text) => {
    expect(parsers.block(text).ok).toBe(false);
  });

  it("parses only decimal and latest in a path", () => {
    expect(parsers.height("12")).toEqual(ok(12));
    expect(parsers.height("latest")).toEqual(ok("latest"));
    for (const text of [...invalidNumbers, "earliest"]) expect(parsers.height(text).ok).toBe(false);
  });
});

describe("the day parser", () => {
  it("accepts existing days, including leap days", () => {
    for (const day of ["1970-01-01", "2024-02-29", "2000-02-29", "2026-12-31"]) expect(parsers.date(day)).toEqual(ok(day));
    expect(parsers.dateOrLatest("latest")).toEqual(ok("latest"));
    expect(parsers.dateOrLatest("2026-01-31")).toEqual(ok("2026-01-31"));
  });

  it.each([
    "2025-02-29",
    "1900-02-29",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-1-1",
    "20260101",
    "2026-01-01T00:00:00Z",
    "0000-01-01",
    "1969-12-31",
    "+02026-01-01",
    "today",
  ])("refuses %j", (day) => {
    expect(parsers.date(day).ok).toBe(false);
    expect(parsers.dateOrLatest(day).ok).toBe(false);
  });

  it("accepts latest only in dateOrLatest", () => {
    expect(parsers.date("latest").ok).toBe(false);
  });
});

describe("the address parser", () => {
  it("converts to lower case", () => {
    const lower = address.toLowerCase();
    for (const text of [address, lower, address.toUpperCase()]) expect(parsers.address(text)).toEqual(ok({ address: lower }));
  });

  it("parses a text with a dot as a name", () => {
    expect(parsers.address("Alice.Eth")).toEqual(ok({ name: "alice.eth" }));
    expect(parsers.address("Bücher.beispiel.eth")).toEqual(ok({ name: "bücher.beispiel.eth" }));
    expect(parsers.address(`${"a".repeat(251)}.eth`)).toEqual(ok({ name: `${"a".repeat(251)}.eth` }));
  });

  it("accepts ENSIP-15 names, and returns their normalized form", () => {
    // The example in the standard's reference implementation: the joiner U+200D inside the emoji remains, and its presentation selector is removed.
    expect(parsers.address("RaFFY\u{1F6B4}\u200d\u2642\ufe0f.eTh")).toEqual(ok({ name: "raffy\u{1F6B4}\u200d\u2642.eth" }));
    expect(parsers.address("#\ufe0f\u20e3.eth")).toEqual(ok({ name: "#\u20e3.eth" }));
    expect(parsers.address("it's.eth")).toEqual(ok({ name: "it\u2019s.eth" }));
  });

  it.each(["alice", "0x1234", `${address}0`, address.slice(2), "0xzz34567890123456789012345678901234567890"])("refuses %j", (text) => {
    expect(refusalOf(parsers.address(text))).toBe("0x followed by 40 hex digits or a registered name");
  });

  it.each([
    ".eth",
    "alice.",
    "a..eth",
    "a b.eth",
    "a\u0000.eth",
    "a\r\nb.eth",
    "a\u0085.eth",
    "a\ud800.eth",
    "al\u200dice.eth",
    "vit\u0430lik.eth",
    "../etc",
    "a/b.eth",
    "a%b.eth",
    `${"a".repeat(252)}.eth`,
  ])("refuses %j, which has a dot and is not a name", (text) => {
    expect(refusalOf(parsers.address(text))).toBe(
      "0x followed by 40 hex digits or a registered name (of characters that ENSIP-15 allows, up to 255)",
    );
  });

  it("accepts lists up to their limit, or up to the operator's limit if that is lower", () => {
    const lower = address.toLowerCase();
    expect(parsers.addressList(`${address}, a.eth`, { maxItems: 2 })).toEqual(ok([{ address: lower }, { name: "a.eth" }]));
    expect(refusalOf(parsers.addressList("a.eth,b.eth,c.eth", { maxItems: 2 }))).toContain("1 to 2 comma-separated");
    expect(parsers.addressList("a.eth,b.eth,c.eth", { maxItems: 50 }).ok).toBe(true);
    expect(refusalOf(parsers.addressList("a.eth,b.eth,c.eth,d.eth", { maxItems: 50 }))).toContain("1 to 3 comma-separated");
    for (const text of ["a.eth,", ",a.eth", "a.eth,,b.eth", "a.eth,x"]) expect(parsers.addressList(text, {}).ok).toBe(false);
  });
});

describe("the hash and topic parser", () => {
  it("requires 32 bytes for a hash", () => {
    expect(parsers.hash(hash)).toEqual(ok(hash.toLowerCase()));
    for (const text of [hash.slice(0, -1), `${hash}0`, hash.slice(2), "latest"]) expect(parsers.hash(text).ok).toBe(false);
  });

  it("pads topics to 32 bytes", () => {
    const padded = `0x${"0".repeat(62)}ff`;
    expect(parsers.topicList("0xFF", {})).toEqual(ok([padded]));
    expect(parsers.topicList(`${hash},0x0`, {})).toEqual(ok([hash.toLowerCase(), `0x${"0".repeat(64)}`]));
    for (const text of ["0x", `${hash}0`, "ff", "0xg", "0x1,"]) expect(parsers.topicList(text, {}).ok).toBe(false);
  });
});

describe("parsers of other types", () => {
  it("find chains by name and id, and list them in the error", () => {
    expect(parsers.chain("demo")).toEqual(ok({ id: 31337, name: "demo" }));
    expect(parsers.chain("1")).toEqual(ok({ id: 1, name: "eth-mainnet" }));
    for (const text of ["01", "0x1", "2", "__proto__", "constructor", "DEMO"]) {
      expect(refusalOf(parsers.chain(text))).toContain("eth-mainnet, demo");
    }
  });

  it("accept only true and false", () => {
    expect(parsers.boolean("true")).toEqual(ok(true));
    expect(parsers.boolean("false")).toEqual(ok(false));
    for (const text of ["1", "0", "yes", "TRUE", "on"]) expect(parsers.boolean(text).ok).toBe(false);
  });

  it("accept currencies in upper or lower case", () => {
    expect(parsers.currency("eUr")).toEqual(ok("EUR"));
    expect(refusalOf(parsers.currency("XXX"))).toContain("USD, CAD, EUR");
  });

  it("accept only listed choices", () => {
    expect(parsers.choice("csv", ["json", "csv"])).toEqual(ok("csv"));
    expect(refusalOf(parsers.choice("xml", ["json", "csv"]))).toBe("one of json, csv");
  });

  it("accept token ids up to 2^256 - 1", () => {
    const maxUint256 = 2n ** 256n - 1n;
    expect(parsers.tokenId(String(maxUint256))).toEqual(ok(maxUint256));
    for (const text of [String(maxUint256 + 1n), "-1", "0x1", "01", "1e3", "9".repeat(5000)]) expect(parsers.tokenId(text).ok).toBe(false);
  });

  it("refuse text that PostgreSQL cannot store", () => {
    expect(parsers.text("Émile 🦊")).toEqual(ok("Émile 🦊"));
    for (const text of ["a\u0000b", "a\r\nb", "\u0085", "\ud800", "x".repeat(1025)]) expect(parsers.text(text).ok).toBe(false);
    expect(parsers.textList("Red, Green", {})).toEqual(ok(["Red", "Green"]));
    expect(parsers.textList("a,b,c,d", {}).ok).toBe(false);
  });

  it("list a network group's chains for a chain outside it", () => {
    expect(parsers.restriction({ id: 1, name: "eth-mainnet" }, "historical")).toBeNull();
    expect(parsers.restriction({ id: 31337, name: "demo" }, "historical")).toEqual(["eth-mainnet"]);
    expect(parsers.restriction({ id: 1, name: "eth-mainnet" }, "unheard-of")).toEqual([]);
  });
});
