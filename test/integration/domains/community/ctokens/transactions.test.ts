import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { expectPages } from "../operations.ts";
import { marketActionsOf } from "./actions.ts";
import { type CTokenStory, expectQuote, family, startCTokenStory } from "./story.ts";

interface Leg {
  readonly direction: "IN" | "OUT";
  readonly contract_address: Address;
  readonly amount: string;
  readonly quote: number | null;
}

const legsOf = (item: Readonly<Record<string, unknown>>): readonly Leg[] => item.amounts as readonly Leg[];

describe.each(family)("transactions of $id", (protocol) => {
  let story: CTokenStory;

  beforeAll(async () => {
    story = await startCTokenStory(protocol);
  });
  afterAll(async () => {
    await story?.end();
  });

  const accounts = (): readonly Address[] => [...story.market.people, story.market.debtor, story.market.router];

  it("equal the wallet's actions in the node's logs, newest first", async () => {
    const { chain, market, itemsOf, head: height } = story;
    const actions = new Set<unknown>();
    for (const wallet of accounts()) {
      const items = await itemsOf("transactions", { wallet, height });
      const actual = items.map(({ action, block_height, log_offset, tx_hash, pool_address, amounts }) => ({
        ...{ action, block_height, log_offset, tx_hash, pool_address },
        amounts: (amounts as readonly Leg[]).map(({ direction, contract_address, amount }) => [direction, contract_address, amount]),
      }));
      expect(actual, wallet).toEqual(await marketActionsOf(chain, market, wallet));
      for (const { action } of items) actions.add(action);
    }
    expect(actions).toEqual(new Set(["mint", "redeem", "borrow", "repay", "liquidate", "transfer"]));
  });

  it("have the values of their amounts, and the paid amount's value as their total", async () => {
    const { market, itemsOf, inDollars, head: height } = story;
    for (const wallet of accounts()) {
      for (const item of await itemsOf("transactions", { wallet, height })) {
        const legs = legsOf(item);
        const paid = legs.find(({ direction }) => direction === "OUT") ?? legs[0];
        expect(item.total_quote).toBe(paid?.quote ?? null);
        for (const { contract_address, amount, quote } of legs) {
          const cToken = market.all.find(({ asset }) => asset === contract_address);
          if (cToken !== undefined) expectQuote(quote, inDollars(BigInt(amount), cToken));
        }
      }
    }
  });

  it("have the value of transferred tokens at the exchange rate after their block", async () => {
    const { market, itemsOf, inDollars, view, head: height } = story;
    const [gold] = market.tokens;
    const [wallet] = market.people as [Address];
    const transfers = (await itemsOf("transactions", { wallet, height })).filter(
      ({ action, pool_address }) => action === "transfer" && pool_address === gold.address,
    );
    expect(transfers.length).toBeGreaterThan(0);
    // The newest transfer is of 1,000 tokens, in a block in which the market accrued interest and nobody donated to it.
    const [newest] = transfers;
    const rate = await view(gold, "exchangeRateStored", [], newest?.block_height as number);
    expectQuote(newest?.total_quote, inDollars((10n ** 11n * rate) / 10n ** 18n, gold));
  });

  it("are paginated up to the as-of block", async () => {
    const { itemsOf, head: height, heights } = story;
    const [wallet] = story.market.people as [Address];
    await expectPages(itemsOf, wallet, height, heights[2] as number);
  });
});
