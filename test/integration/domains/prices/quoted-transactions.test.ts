import { beforeAll, describe, expect, it } from "vitest";
import { blockHashOf, type Data, type FixtureIndex, transactionHashOf } from "../queries/fixture-index.ts";
import { coin, openQuotedIndex, other, unpriced, wallet } from "./quoted-index.ts";

let index: FixtureIndex;
const dataOf = async (path: string): Promise<Data> => {
  const { status, data, message } = await index.get(`/v1/fixture/${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${message}`);
  return data;
};
const gasOf = (item: Data) => [item.gas_quote_rate, item.gas_quote, item.pretty_gas_quote];
const sentOf = (item: Data) => [item.value_quote, item.pretty_value_quote];
const unknownQuotes = [null, null, null];

beforeAll(async () => {
  index = await openQuotedIndex();
  return index.end;
});

describe("transactions", () => {
  // 21,000 gas at 2 gwei cost 0.000042; in block 6 the fee includes an L1 fee of 0.00001.
  // The native token costs 2000 in block 2, 2100.5 in block 6 and 2222 in block 10.
  const gas: Readonly<Record<number, readonly unknown[]>> = {
    2: [2000, 0.084, "$0.08"],
    3: [2000, 0.084, "$0.08"],
    6: [2100.5, 0.109226, "$0.10"],
    10: [2222, 0.093324, "$0.09"],
  };

  it("are valued at the native token's price in their block's hour", async () => {
    const { items } = await dataOf(`address/${wallet}/transactions_v3/`);
    expect(items.map((item: Data) => item.block_height)).toEqual([10, 6, 3, 2]);
    for (const item of items) expect(gasOf(item), item.block_height).toEqual(gas[item.block_height]);
    // Blocks 10, 6, 3 and 2: 7 wei at 2222; no value; no value; half a token at 2000.
    expect(items.map(sentOf)).toEqual([
      [1.5554e-14, "$0.00"],
      [0, "$0.00"],
      [0, "$0.00"],
      [1000, "$1,000.00"],
    ]);
  });

  it("have the same quotes in every list and by hash", async () => {
    const bucket = Date.parse("2026-01-02T12:00:00Z") / 900_000;
    const paths = [
      `transaction_v2/${transactionHashOf(6, 0)}/`,
      `address/${wallet}/transactions_v3/page/0/`,
      `bulk/transactions/${wallet}/${bucket}/`,
      "block/6/transactions_v3/",
      "block/6/transactions_v3/page/0/",
      `block_hash/${blockHashOf(6)}/transactions_v3/`,
      `block_hash/${blockHashOf(6)}/transactions_v3/page/0/`,
      `address/${wallet}/transfers_v2/`,
    ];
    for (const path of paths) {
      const item = (await dataOf(path)).items.find((entry: Data) => entry.block_height === 6);
      expect(gasOf(item), path).toEqual(gas[6]);
      expect(sentOf(item), path).toEqual([0, "$0.00"]);
      const euros = (await dataOf(`${path}?quote-currency=EUR`)).items.find((entry: Data) => entry.block_height === 6);
      // 2100.5 / 1.25, and 0.000052 of that.
      expect(gasOf(euros), path).toEqual([1680.4, 0.0873808, "€0.08"]);
    }
    const earliest = await dataOf(`bulk/transactions/${wallet}/?quote-currency=EUR`);
    // 2000 / 1.6
    expect(gasOf(earliest.items[0])).toEqual([1250, 0.0525, "€0.05"]);
  });

  it("have no quotes in a currency without a rate", async () => {
    for (const item of (await dataOf(`address/${wallet}/transactions_v3/?quote-currency=CAD`)).items) {
      expect([...gasOf(item), ...sentOf(item)]).toEqual([...unknownQuotes, null, null]);
    }
  });
});

describe("transfers", () => {
  const transfersOf = async (query = "") =>
    (await dataOf(`address/${wallet}/transfers_v2/${query}`)).items.flatMap(({ transfers }: Data) =>
      transfers.map((item: Data) => [
        item.contract_address,
        item.transfer_type,
        item.quote_rate,
        item.delta_quote,
        item.pretty_delta_quote,
        item.balance_quote,
      ]),
    );

  it("are valued, like the balances after them, at the token's price in their hour", async () => {
    expect(await transfersOf()).toEqual([
      // 7 received for a balance of 11; 1 sent for a balance of 10; at 1.5 each.
      [coin, "IN", 1.5, 10.5, "$10.50", 16.5],
      [coin, "OUT", 1.5, 1.5, "$1.50", 15],
      [unpriced, "OUT", null, null, null, null],
      // 4 received at 1.25 each.
      [coin, "IN", 1.25, 5, "$5.00", 5],
    ]);
  });

  it("are converted to another currency at its rate in the same hour", async () => {
    expect(await transfersOf(`?quote-currency=EUR&contract-address=${coin}`)).toEqual([
      // 1.5 / 1.25 = 1.2; 1.25 / 1.6 = 0.78125.
      [coin, "IN", 1.2, 8.4, "€8.40", 13.2],
      [coin, "OUT", 1.2, 1.2, "€1.20", 12],
      [coin, "IN", 0.78125, 3.125, "€3.12", 3.125],
    ]);
    for (const [, , ...quotes] of await transfersOf("?quote-currency=CAD")) expect(quotes).toEqual([...unknownQuotes, null]);
  });
});

describe("the sum of a wallet's fees", () => {
  const gasSummary = async (address: string, query = "") =>
    (await dataOf(`address/${address}/transactions_summary/?with-gas=true${query}`)).items[0]?.gas_summary;

  it("uses each day's closing price", async () => {
    expect(await gasSummary(wallet)).toMatchObject({
      total_sent_count: 4,
      total_fees_paid: String(3n * 42_000_000_000_000n + 52_000_000_000_000n),
      // 0.000084 at 2000 + 0.000052 at 2222 + 0.000042 at 1999.99 = 0.168 + 0.115544 + 0.08399958, divided by 4.
      total_gas_quote: 0.36754358,
      pretty_total_gas_quote: "$0.36",
      average_gas_quote_per_tx: 0.091885895,
      pretty_average_gas_quote_per_tx: "$0.09",
    });
  });

  it("is converted to another currency at each day's rate, and null without rates", async () => {
    // 0.168 / 1.6 + 0.115544 / 1.25 + 0.08399958 / 1.25 = 0.105 + 0.0924352 + 0.067199664
    expect(await gasSummary(wallet, "&quote-currency=EUR")).toMatchObject({
      total_gas_quote: 0.264634864,
      pretty_total_gas_quote: "€0.26",
    });
    expect(await gasSummary(wallet, "&quote-currency=CAD")).toMatchObject({
      total_fees_paid: "178000000000000",
      total_gas_quote: null,
      pretty_total_gas_quote: null,
      average_gas_quote_per_tx: null,
      pretty_average_gas_quote_per_tx: null,
    });
  });

  it("is 0, with a null average, for a wallet that only received", async () => {
    await index.insert("address_transactions", [{ chain_id: 7, address: other, ordinal: 0, block_number: 2, transaction_index: 0 }]);
    const nothing = { total_sent_count: 0, total_fees_paid: "0", average_gas_quote_per_tx: null };
    expect(await gasSummary(other)).toMatchObject({ ...nothing, total_gas_quote: 0, pretty_total_gas_quote: "$0.00" });
    expect(await gasSummary(other, "&quote-currency=CAD")).toMatchObject({ ...nothing, total_gas_quote: null });
  });
});

describe("gas estimates", () => {
  const estimates = (kind: string, query = "") => dataOf(`event/${kind}/gas_prices/${query}`);

  it("are valued as gas times gas price at the current price", async () => {
    const data = await estimates("nativetokens");
    expect(data.gas_quote_rate).toBe(1999.99);
    expect(data.items).toHaveLength(3);
    for (const item of data.items) {
      // 0.000042 at 1999.99.
      expect(item).toMatchObject({
        gas_quote: 0.08399958,
        other_fees: null,
        total_gas_quote: 0.08399958,
        pretty_total_gas_quote: "$0.08",
      });
    }
  });

  it("include the L1 fee", async () => {
    for (const item of (await estimates("erc20")).items) {
      // Plus 0.00001 at 1999.99.
      expect(item).toMatchObject({
        gas_quote: 0.08399958,
        other_fees: { l1_gas_quote: 0.0199999 },
        total_gas_quote: 0.10399948,
        pretty_total_gas_quote: "$0.10",
      });
    }
  });

  it("are converted to another currency, or null without a rate", async () => {
    const euros = await estimates("erc20", "?quote-currency=EUR");
    expect(euros.gas_quote_rate).toBe(1599.992);
    // 0.10399948 / 1.25
    expect(euros.items[0]).toMatchObject({ total_gas_quote: 0.083199584, pretty_total_gas_quote: "€0.08" });
    const unquoted = await estimates("erc20", "?quote-currency=CAD");
    expect(unquoted.gas_quote_rate).toBeNull();
    expect(unquoted.items[0]).toMatchObject({
      gas_quote: null,
      other_fees: { l1_gas_quote: null },
      total_gas_quote: null,
      pretty_total_gas_quote: null,
    });
  });
});
