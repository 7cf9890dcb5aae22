import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Address, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { builtInProtocol, createItemsOf, type ItemsOf } from "../../../integration/domains/community/operations.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { indexUntilHead } from "../../../support/service.ts";
import { type ArchivedStory, startArchivedStory } from "./archived-story.ts";
import { compareItems } from "./compare-items.ts";
import type { ExpectationContext, ExpectedResponses, Fields } from "./expected.ts";
import { expectLending } from "./expected-lending.ts";
import { expectMoneyMarkets } from "./expected-money-markets.ts";
import { expectPairs, expectStablePools } from "./expected-pools.ts";
import { expectVaultPools } from "./expected-vault-pools.ts";
import { expectVaults } from "./expected-vaults.ts";

let story: ArchivedStory;
let testDatabase: TestDatabase;
let indexing: Awaited<ReturnType<typeof indexUntilHead>> | undefined;
let context: ExpectationContext;
let heights: number[];

beforeAll(async () => {
  [story, testDatabase] = await Promise.all([startArchivedStory(), createTestDatabase()]);
  indexing = await indexUntilHead(story.config, testDatabase.url);
  const head = story.times.length - 1;
  // After the deployments, at about every tenth day, and at the head.
  heights = [0.5, 0.65, 0.8, 0.9, 1].map((part) => Math.floor(head * part));
  const values = new Map(await Promise.all(heights.map(async (height) => [height, await valuesAt(height)] as const)));
  context = { ...story, valueAt: (height) => values.get(height) ?? (() => null) };
});
afterAll(async () => {
  await indexing?.stop();
  await testDatabase?.drop();
  await story?.stop();
});

/** Returns a function that values amounts at the prices of `api.prices_at`. */
const valuesAt = async (height: number): Promise<ReturnType<ExpectationContext["valueAt"]>> => {
  const rows = await testDatabase.database.query<{ token: Address; unit_price: string }>(
    "SELECT token, unit_price FROM api.prices_at(31337, $1)",
    [story.times[height]],
  );
  const prices = new Map(rows.map(({ token, unit_price }) => [token, Number(unit_price)]));
  expect(prices.get(nativeTokenAddress)).toBeGreaterThan(0);
  return (token, amount) => {
    const price = prices.get(token);
    return price === undefined ? null : Number(amount) * price;
  };
};

const protocols: readonly (readonly [string, () => ExpectedResponses | Promise<ExpectedResponses>])[] = [
  ["protocol_01", () => expectLending(context)],
  ["protocol_02", () => expectVaultPools(context)],
  ["protocol_04", () => expectMoneyMarkets(context, "cToken")],
  ["protocol_05", () => expectStablePools(context)],
  ["protocol_06", () => expectVaults(context, "protocol_06")],
  ["protocol_07", () => expectPairs(context)],
  ["protocol_08", () => expectMoneyMarkets(context, "vToken")],
  ["protocol_09", () => expectVaults(context, "protocol_09")],
  ["protocol_10", () => expectVaults(context, "protocol_10")],
];

/** The fields that market_data and markets have in common. */
const commonFields = ["asset_address", "asset_decimals", "total_value_locked_quote", "supply_rate", "borrow_rate"];

const compareMarkets = async (itemsOf: ItemsOf, { markets }: ExpectedResponses, operations: readonly string[], height: number) => {
  const expected = await markets(height);
  let numberCount = compareItems(await itemsOf("market_data", { height }), expected, `market_data at ${height}`);
  if (!operations.includes("markets")) return numberCount;
  const reduced = Object.entries(expected).map(([key, fields]): [string, Fields] => [
    key,
    Object.fromEntries(Object.entries(fields).filter(([name]) => commonFields.includes(name))),
  ]);
  numberCount += compareItems(await itemsOf("markets", { height }), Object.fromEntries(reduced), `markets at ${height}`);
  return numberCount;
};

describe("responses for the demo's protocols", () => {
  it.each(protocols)("of %s match the views of its contracts for every wallet at five heights", async (id, expectResponses) => {
    const protocol = builtInProtocol(id);
    const itemsOf = createItemsOf(testDatabase.database, protocol);
    const operations = Object.keys(protocol.operations);
    const expected = await expectResponses();
    const counts = { markets: 0, wallets: 0 };
    for (const height of heights) {
      counts.markets += await compareMarkets(itemsOf, expected, operations, height);
      const compared = story.wallets.map(async (wallet) => {
        const label = `of ${wallet} at ${height}`;
        const balances = compareItems(
          await itemsOf("balances", { wallet, height }),
          await expected.balances(wallet, height),
          `balances ${label}`,
        );
        if (expected.tokens === undefined) return balances;
        return (
          balances + compareItems(await itemsOf("tokens", { wallet, height }), await expected.tokens(wallet, height), `tokens ${label}`)
        );
      });
      for (const numberCount of await Promise.all(compared)) counts.wallets += numberCount;
    }
    expect(Math.min(counts.markets, counts.wallets)).toBeGreaterThan(heights.length * 5);
    expect(expected.tokens !== undefined).toBe(operations.includes("tokens"));
  });
});
