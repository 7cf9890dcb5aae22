import { beforeAll, describe, expect, it } from "vitest";
import type { Data, FixtureIndex } from "../queries/fixture-index.ts";
import { native, openQuotedIndex, wallet } from "./quoted-index.ts";

/** The chain's head is at 18:00 on 2026-01-03. */
let index: FixtureIndex;
const hourOf = (time: string): number => Date.parse(`2026-01-${time}:00:00Z`) / 3_600_000;
/** Marks prices as computed up to the end of an hour. */
const markPricedUpTo = async (time: string): Promise<void> => {
  await index.database.query("DELETE FROM price_progress");
  await index.database.query("INSERT INTO price_progress (chain_id, hour, block_number) VALUES (7, $1, 0)", [hourOf(time)]);
};
const itemsOf = async (path: string): Promise<Data[]> => (await index.get(`/v1/fixture/${path}`)).data.items;
const nativeIn = (items: readonly Data[]) => items.find(({ contract_address: address }) => address === native);

beforeAll(async () => {
  index = await openQuotedIndex();
  return index.end;
});

describe("prices that are days behind the chain", () => {
  it.each(["", "?quote-currency=EUR"])("are not used as current prices%s", async (query) => {
    await markPricedUpTo("01T05");
    const items = await itemsOf(`address/${wallet}/balances_v2/${query}`);
    expect(items.map((item) => [item.quote_rate, item.quote, item.pretty_quote])).toEqual(items.map(() => [null, null, null]));
    expect(nativeIn(await itemsOf(`address/${wallet}/balances_native/${query}`))).toMatchObject({ quote_rate: null, quote: null });
    const [gas] = await itemsOf(`address/${wallet}/transactions_v3/${query}`);
    expect(gas).toMatchObject({ gas_quote_rate: null });
  });

  it("are returned for times that the computation has reached or nearly reached", async () => {
    await markPricedUpTo("01T05");
    const { data } = await index.get(`/v1/pricing/historical_by_addresses_v2/fixture/USD/${native}/?from=2026-01-01&to=2026-01-03`);
    expect(data[0].prices.map(({ price }: Data) => price)).toEqual([null, 2222, 2000]);
    const holdings = nativeIn(await itemsOf(`address/${wallet}/portfolio_v2/?days=3`))?.holdings;
    expect(holdings.map(({ quote_rate: rate }: Data) => rate)).toEqual([null, 2222, 2000]);
    // Blocks 10, 6, 3 and 2 are at noon of the third day, at noon of the second, and at 18:00 and 12:00 of the first.
    const rates = (await itemsOf(`address/${wallet}/transactions_v3/`)).map(({ gas_quote_rate: rate }) => rate);
    expect(rates).toEqual([null, null, 2000, 2000]);
  });

  it("are all returned once the computation is less than a day behind", async () => {
    for (const time of ["02T18", "03T17"]) {
      await markPricedUpTo(time);
      expect(nativeIn(await itemsOf(`address/${wallet}/balances_v2/`)), time).toMatchObject({ quote_rate: 1999.99 });
    }
  });
});
