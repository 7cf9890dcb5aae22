import { describe, expect, it } from "vitest";
import { chainConfigSchema } from "../../../runtime/config/config.ts";

const factory = `0x${"A".repeat(40)}`;
const other = `0x${"b".repeat(40)}`;
const parse = (...exchanges: readonly unknown[]) =>
  chainConfigSchema.safeParse({ name: "chain", id: 1, rpc: "http://127.0.0.1:1", exchanges });
const issuesOf = (...exchanges: readonly unknown[]): string[] =>
  parse(...exchanges).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

describe("a chain's exchanges", () => {
  it("require only a name and a factory", () => {
    expect(parse({ name: "uniswap_v2", factory }).data?.exchanges).toEqual([
      { name: "uniswap_v2", family: "xy=k", factory: factory.toLowerCase(), routers: [] },
    ]);
    expect(parse().data).toMatchObject({ exchanges: [], activePoolDays: 7 });
  });

  it.each([
    [{ name: "tokens", factory }, "a name other than address, tokens, supported_dexes"],
    [{ name: "address", factory }, "a name other than"],
    [{ name: "supported_dexes", factory }, "a name other than"],
    [{ name: "Uniswap", factory }, "lower-case letters"],
    [{ name: "a/b", factory }, "lower-case letters"],
    [{ name: "a".repeat(65), factory }, "64"],
    [{ name: "a", factory: "0x12" }, "0x followed by 40 hex digits"],
    [{ name: "a", factory, routers: ["router"] }, "0x followed by 40 hex digits"],
    [{ name: "a", factory, feePpm: 1_000_000 }, "999999"],
    [{ name: "a", factory, feePpm: 0.3 }, "int"],
    [{ name: "a", factory, feePpm: -1 }, "0"],
    [{ name: "a", factory, family: "stable" }, "xy=k"],
    [{ name: "a", factory, family: "concentrated", feePpm: 500 }, "its pools define their own fees"],
    [{ name: "a", factory, fee: 3 }, "fee"],
  ])("are rejected if one is %j", (exchange, message) => {
    expect(issuesOf(exchange).join()).toContain(message);
  });

  it("have distinct names and factories", () => {
    expect(issuesOf({ name: "a", factory }, { name: "a", factory: other })).toEqual([
      "exchanges.1.name: a name that no other exchange of the chain has",
    ]);
    expect(issuesOf({ name: "a", factory }, { name: "b", factory: factory.toLowerCase() })).toEqual([
      "exchanges.1.factory: a factory that no other exchange of the chain has",
    ]);
  });
});
