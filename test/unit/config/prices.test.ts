import { describe, expect, it } from "vitest";
import { chainConfigSchema } from "../../../runtime/config/config.ts";

const token = `0x${"A".repeat(40)}`;
const parse = (prices: unknown) => chainConfigSchema.safeParse({ name: "chain", id: 1, rpc: "http://127.0.0.1:1", prices });

describe("a chain's price settings", () => {
  it("have defaults", () => {
    expect(chainConfigSchema.parse({ name: "chain", rpc: "http://127.0.0.1:1", id: 1 }).prices).toEqual({
      sources: ["feeds", "stablecoins", "pools", "file"],
      feeds: [],
      stablecoins: [],
      liquidityFloor: 10_000,
    });
    expect(parse({ feeds: [{ of: "native", aggregators: [token] }], stablecoins: [{ token }] }).data?.prices).toMatchObject({
      feeds: [{ of: "native", in: "USD", aggregators: [token.toLowerCase()], decimals: 8, maxAgeSeconds: 259_200 }],
      stablecoins: [{ token: token.toLowerCase(), currency: "USD" }],
    });
  });

  it.each([
    [{ sources: ["oracle"] }, "feeds"],
    [{ sources: ["pools", "pools"] }, "each source at most once"],
    [{ feeds: [{ of: "gold", aggregators: [token] }] }, "feeds.0.of"],
    [{ feeds: [{ of: "EUR", in: "XAU", aggregators: [token] }] }, "feeds.0.in"],
    [{ feeds: [{ of: "EUR", in: "EUR", aggregators: [token] }] }, "USD, because currency feeds"],
    [{ feeds: [{ of: "native", aggregators: [] }] }, "feeds.0.aggregators"],
    [{ feeds: [{ of: "native", aggregators: [token], decimals: 37 }] }, "36"],
    [{ feeds: [{ of: "native", aggregators: [token], maxAgeSeconds: 0 }] }, "maxAgeSeconds"],
    [{ stablecoins: [{ token: "0x12" }] }, "0x followed by 40 hex digits"],
    [{ stablecoins: [{ token }, { token: token.toLowerCase(), currency: "EUR" }] }, "each token at most once"],
    [{ liquidityFloor: 0 }, "liquidityFloor"],
    [{ feed: [] }, "feed"],
  ])("are rejected if they are %j", (prices, message) => {
    const issues = parse(prices).error?.issues.map(({ path, message: text }) => `${path.join(".")}: ${text}`) ?? [];
    expect(issues.join()).toContain(message);
  });
});
