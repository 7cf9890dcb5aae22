import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hex } from "../../../../../runtime/lib/hex.ts";
import { addressOf, blockHashOf, type Data, timeOf, transactionHashOf } from "../../queries/fixture-index.ts";
import {
  allowance,
  coins,
  first,
  index,
  itemsOf,
  maxAmount,
  replaceAllowances,
  second,
  setUp,
  tearDown,
  third,
  wallet,
} from "./approvals.ts";

const queueRead = (token: Hex, readAt: number | null = null, hash: Hex | null = null): Promise<void> =>
  index.insert("allowance_reads", [
    { chain_id: 7, owner: wallet, token, block_number: 6, read_at_block: readAt, read_at_hash: hash, attempts: 0 },
  ]);

beforeAll(setUp);
afterAll(tearDown);

describe("allowances of a wallet", () => {
  it("are grouped by token, quoted at the current price, and at risk up to the balance", async () => {
    await replaceAllowances(
      allowance(coins.expensive, first, maxAmount, 5),
      allowance(coins.expensive, second, "500000000000000000", 6),
      allowance(coins.cheap, first, "30000000", 7),
      allowance(coins.cheap, second, "30000000", 8, false),
    );
    const [expensive, cheap] = await itemsOf();
    expect(expensive).toEqual({
      token_address: coins.expensive,
      token_address_label: null,
      ticker_symbol: "DEAR",
      contract_decimals: 18,
      logo_url: null,
      quote_rate: 2000,
      balance: "1500000000000000000",
      balance_quote: 3000,
      pretty_balance_quote: "$3,000.00",
      value_at_risk: "1500000000000000000",
      value_at_risk_quote: 3000,
      pretty_value_at_risk_quote: "$3,000.00",
      spenders: [
        {
          block_height: 5,
          tx_offset: 0,
          log_offset: 50,
          block_signed_at: timeOf(5),
          tx_hash: transactionHashOf(5, 0),
          spender_address: first,
          spender_address_label: null,
          allowance: "UNLIMITED",
          allowance_quote: null,
          pretty_allowance_quote: "UNLIMITED",
          value_at_risk: "1500000000000000000",
          value_at_risk_quote: 3000,
          pretty_value_at_risk_quote: "$3,000.00",
          risk_factor: "CONSIDER REVOKING",
        },
        {
          block_height: 6,
          tx_offset: 0,
          log_offset: 60,
          block_signed_at: timeOf(6),
          tx_hash: transactionHashOf(6, 0),
          spender_address: second,
          spender_address_label: null,
          // Half a token at 2,000.
          allowance: "500000000000000000",
          allowance_quote: 1000,
          pretty_allowance_quote: "$1,000.00",
          value_at_risk: "500000000000000000",
          value_at_risk_quote: 1000,
          pretty_value_at_risk_quote: "$1,000.00",
          risk_factor: "CONSIDER REVOKING",
        },
      ],
    });
    // Each allowance covers 30 of the 40 tokens: alone, it puts 30 at risk; together, they put 40 at risk. A token costs 0.01 dollars.
    expect([cheap.value_at_risk, cheap.value_at_risk_quote, cheap.pretty_value_at_risk_quote]).toEqual(["40000000", 0.4, "$0.40"]);
    expect(
      cheap.spenders.map((spender: Data) => [
        spender.spender_address,
        spender.value_at_risk,
        spender.value_at_risk_quote,
        spender.risk_factor,
      ]),
    ).toEqual([
      [first, "30000000", 0.3, "LOW RISK"],
      [second, "30000000", 0.3, "LOW RISK"],
    ]);
    expect(cheap.spenders[1].tx_hash).toBe(transactionHashOf(8, 1));
  });

  it.each([
    [2n ** 256n - 1n, "UNLIMITED"],
    [2n ** 255n, "UNLIMITED"],
    [2n ** 255n - 1n, (2n ** 255n - 1n).toString()],
    [2n ** 96n - 1n, "UNLIMITED"],
    [2n ** 96n, (2n ** 96n).toString()],
    [2n ** 96n - 2n, (2n ** 96n - 2n).toString()],
    [2n ** 128n - 1n, "UNLIMITED"],
    [2n ** 160n - 1n, "UNLIMITED"],
    [2n ** 160n - 2n, (2n ** 160n - 2n).toString()],
    [1n, "1"],
  ])("include %s, returned as %s", async (amount, returned) => {
    await replaceAllowances(allowance(coins.cheap, first, amount.toString()));
    expect((await itemsOf())[0].spenders[0].allowance).toBe(returned);
  });

  it("are not listed if they are 0; an address without allowances has no items", async () => {
    await replaceAllowances(allowance(coins.cheap, first, "0"));
    expect(await itemsOf()).toEqual([]);
    expect(await itemsOf(`approvals/${addressOf(0x404)}/`)).toEqual([]);
    expect(await itemsOf(`nft/approvals/${addressOf(0x404)}/`)).toEqual([]);
  });

  it("are sorted by value at risk, unknown values last, then by address", async () => {
    await replaceAllowances(
      allowance(coins.unpriced, third, "2"),
      allowance(coins.unpriced, first, "1"),
      allowance(coins.unpriced, second, "2"),
      allowance(coins.unknown, first, "5"),
      allowance(coins.cheap, first, "1"),
      allowance(coins.expensive, first, "1000000000000"),
      allowance(coins.expensive, second, "1000000000001"),
    );
    const items = await itemsOf();
    // Values: 0.002 dollars for each of the expensive token's allowances, 0.00000001 dollars for the cheap one's.
    expect(items.map(({ token_address }) => token_address)).toEqual([coins.expensive, coins.cheap, coins.unpriced, coins.unknown]);
    expect(items[0].spenders.map((spender: Data) => spender.spender_address)).toEqual([second, first]);
    expect(items[2].spenders.map((spender: Data) => spender.spender_address)).toEqual([second, third, first]);
    expect(items[2].spenders.map((spender: Data) => spender.risk_factor)).toEqual(Array(3).fill("CONSIDER REVOKING"));
    expect(items[3]).toMatchObject({
      balance: null,
      value_at_risk: null,
      spenders: [{ allowance: "5", value_at_risk: null, risk_factor: null }],
    });
  });

  it("are unknown while they are in doubt, as is the value at risk unless other allowances cover the balance", async () => {
    await replaceAllowances(
      allowance(coins.expensive, first, "700000000000000000"),
      allowance(coins.expensive, second, maxAmount),
      allowance(coins.cheap, first, "30000000"),
      allowance(coins.cheap, second, "2"),
      allowance(coins.emptied, first, "7"),
    );
    for (const coin of [coins.expensive, coins.cheap, coins.emptied]) await queueRead(coin);
    const [expensive, cheap, emptied] = await itemsOf();
    // The unlimited allowance stays unlimited and puts everything at risk.
    expect([
      expensive.value_at_risk,
      ...expensive.spenders.map((spender: Data) => [spender.allowance, spender.value_at_risk, spender.risk_factor]),
    ]).toEqual(["1500000000000000000", ["UNLIMITED", "1500000000000000000", "CONSIDER REVOKING"], [null, null, null]]);
    expect([cheap.token_address, cheap.value_at_risk, cheap.spenders[0].allowance, cheap.spenders[0].pretty_allowance_quote]).toEqual([
      coins.cheap,
      null,
      null,
      null,
    ]);
    // With an empty balance, nothing is at risk.
    expect([emptied.token_address, emptied.balance, emptied.value_at_risk]).toEqual([coins.emptied, "0", "0"]);
    expect([emptied.spenders[0].allowance, emptied.spenders[0].value_at_risk, emptied.spenders[0].risk_factor]).toEqual([
      null,
      "0",
      "LOW RISK",
    ]);
    // The cheap coin's allowances were read at an indexed block, the expensive coin's at a dropped one.
    await index.database.query("DELETE FROM allowance_reads");
    await queueRead(coins.cheap, 9, blockHashOf(9));
    await queueRead(coins.expensive, 9, blockHashOf(8));
    const [readAtDropped, readAtIndexed] = await itemsOf();
    expect([readAtDropped.spenders[1].allowance, readAtIndexed.spenders[0].allowance]).toEqual([null, "30000000"]);
    await index.database.query("DELETE FROM allowance_reads");
  });

  it("are not listed for spam tokens and tokens that the wallet never held, unless the wallet set them itself", async () => {
    await replaceAllowances(
      ...[true, false].flatMap((isOwn) =>
        [coins.unindexed, coins.spam, coins.emptied].map((coin) => allowance(coin, isOwn ? first : second, "5", isOwn ? 5 : 6, isOwn)),
      ),
      allowance(coins.wrapped, second, "5", 6, false),
    );
    const listed = async () =>
      (await itemsOf()).map((item) => [item.token_address, item.spenders.map((spender: Data) => spender.spender_address)]);
    expect(await listed()).toEqual([
      [coins.unindexed, [first]],
      [coins.spam, [first]],
      [coins.emptied, [first, second]],
    ]);
    // The wallet wrapped native tokens by a deposit, which emits no Transfer.
    await index.insertBalances(wallet, coins.wrapped, 1, { 3: "1" });
    expect((await listed()).map(([token]) => token)).toContain(coins.wrapped);
  });
});
