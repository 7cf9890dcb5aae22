import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hex } from "../../../../runtime/lib/hex.ts";
import { insertPrices, perUnit } from "../prices/price-rows.ts";
import {
  addressOf,
  blockHashOf,
  type Data,
  type FixtureIndex,
  openFixtureIndex,
  type Row,
  timeOf,
  transactionHashOf,
  transactionRow,
} from "../queries/fixture-index.ts";

/** Block n has the timestamp n times six hours; the current time and the prices are those of block 40's hour. */
const now = new Date("2026-01-11T00:00:00Z");
const wallet = addressOf(0xabc);
const relayer = addressOf(0x1e1);
const [first, second, third] = [addressOf(0x51), addressOf(0x52), addressOf(0x53)];
const coins = {
  expensive: addressOf(0xc1),
  cheap: addressOf(0xc2),
  unpriced: addressOf(0xc3),
  unindexed: addressOf(0xc4),
  spam: addressOf(0xc5),
  wrapped: addressOf(0xc6),
  unknown: addressOf(0xc7),
  emptied: addressOf(0xc8),
};
const cards = { plain: addressOf(0xd1), editions: addressOf(0xd2), unindexed: addressOf(0xd3), spam: addressOf(0xd4) };
const maxAmount = (2n ** 256n - 1n).toString();
let index: FixtureIndex;

/** The position of an approval: in transaction 0 of a block, sent by the wallet, or in transaction 1, sent by the relayer. */
const positionIn = (block: number, isOwn = true) => ({ transaction_index: isOwn ? 0 : 1, log_index: block * 10 });
const allowance = (token: Hex, spender: Hex, amount: string, block = 5, isOwn = true): Row => ({
  chain_id: 7,
  owner: wallet,
  token,
  spender,
  since_block: block,
  approved_block: block,
  ...positionIn(block, isOwn),
  amount,
});
const standard = (address: Hex, number: number): Row => ({ chain_id: 7, address, standard: number, block_number: 1 });
const metadata = (address: Hex, name: string, symbol: string, decimals: number | null): Row => ({
  chain_id: 7,
  address,
  block_number: 1,
  read_at_block: 1,
  name,
  symbol,
  decimals,
});

beforeAll(async () => {
  index = await openFixtureIndex({ now: () => now, answerRows: 600 });
  await index.blocks(0, 40);
  const blocks = [3, 4, 5, 6, 7, 8, 9];
  await index.insert(
    "transactions",
    blocks.flatMap((block) => [transactionRow(block, 0, wallet, first), transactionRow(block, 1, relayer, first)]),
  );
  await index.insert("token_standards", [
    ...[coins.expensive, coins.cheap, coins.unpriced, coins.spam, coins.unknown, coins.emptied].map((coin) => standard(coin, 1)),
    standard(cards.plain, 2),
    standard(cards.editions, 3),
    standard(cards.spam, 2),
  ]);
  await index.insert("token_metadata", [
    metadata(coins.expensive, "Dear", "DEAR", 18),
    metadata(coins.cheap, "Cheap", "CHEAP", 6),
    metadata(coins.spam, "Visit https://free-coins.example to claim", "CLAIM", 18),
    metadata(cards.plain, "=HYPERLINK(1)", "=CARD", null),
    metadata(cards.spam, "Visit https://free-cards.example to claim", "CLAIM", null),
  ]);
  // 1.5 tokens at 2,000 each, and 40 at 0.01 each.
  await index.balances(wallet, coins.expensive, 1, { 3: "1500000000000000000" });
  await index.balances(wallet, coins.cheap, 1, { 3: "40000000" });
  await index.balances(wallet, coins.unpriced, 1, { 3: "9" });
  await index.balances(wallet, coins.unknown, 1, { 3: null });
  await insertPrices(index.database, 7, [
    { asset: coins.expensive, time: now.getTime() / 1000, close: perUnit("2000", 18) },
    { asset: coins.cheap, time: now.getTime() / 1000, close: perUnit("0.01", 6) },
  ]);
});
afterAll(() => index?.end());

const itemsOf = async (path = `approvals/${wallet}/`): Promise<Data[]> => {
  const { status, data, message } = await index.get(`/v1/fixture/${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${message}`);
  return data.items;
};
const replaceAllowances = async (...rows: Row[]) => {
  await index.database.query("DELETE FROM allowances");
  await index.insert("allowances", rows);
};
const queueRead = (token: Hex, readAt: number | null = null, hash: Hex | null = null): Promise<void> =>
  index.insert("allowance_reads", [
    { chain_id: 7, owner: wallet, token, block_number: 6, read_at_block: readAt, read_at_hash: hash, attempts: 0 },
  ]);

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
    // Both allowances are 30 of 40 tokens: together 40 are at risk, at 0.01 each; each alone 30, with a value below one dollar.
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
    // The values are two thousandths of a dollar each, and a millionth of a cent.
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
    // Nothing of an empty balance is at risk.
    expect([emptied.token_address, emptied.balance, emptied.value_at_risk]).toEqual([coins.emptied, "0", "0"]);
    expect([emptied.spenders[0].allowance, emptied.spenders[0].value_at_risk, emptied.spenders[0].risk_factor]).toEqual([
      null,
      "0",
      "LOW RISK",
    ]);
    // One was read at a block of the chain, the other at a dropped block.
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
    await index.balances(wallet, coins.wrapped, 1, { 3: "1" });
    expect((await listed()).map(([token]) => token)).toContain(coins.wrapped);
  });

  it("are refused beyond the maximum number of rows", async () => {
    await replaceAllowances(...Array.from({ length: 601 }, (_, position) => allowance(coins.cheap, addressOf(0x1000 + position), "1")));
    const { status, message } = await index.get(`/v1/fixture/approvals/${wallet}/`);
    expect([status, message]).toEqual([400, `Invalid value ${wallet} for walletAddress: expected a wallet with at most 600 approvals.`]);
    await index.database.query("DELETE FROM allowances WHERE spender = $1", [Buffer.from(addressOf(0x1000).slice(2), "hex")]);
    expect((await itemsOf())[0].spenders).toHaveLength(600);
  });

  it("are limited to those that the wallet set itself if hostile contracts emit more than a response can hold", async () => {
    const emitted = Array.from({ length: 601 }, (_, position) => allowance(coins.cheap, addressOf(0x1000 + position), "1", 5, false));
    await replaceAllowances(...emitted, allowance(coins.expensive, first, "7"));
    expect((await itemsOf()).map((item) => [item.token_address, item.spenders.length])).toEqual([[coins.expensive, 1]]);
    // A wallet that set none itself, such as a contract, gets the error.
    await replaceAllowances(...emitted);
    expect((await index.get(`/v1/fixture/approvals/${wallet}/`)).status).toBe(400);
    // The same holds for approvals of collections.
    const operatorRow = (operator: Hex, isOwn: boolean): Row => ({
      chain_id: 7,
      owner: wallet,
      token: cards.plain,
      operator,
      since_block: 5,
      ...positionIn(5, isOwn),
      approved: true,
    });
    await index.insert("nft_operators", [
      ...Array.from({ length: 601 }, (_, position) => operatorRow(addressOf(0x1000 + position), false)),
      operatorRow(first, true),
    ]);
    const [item, ...more] = await itemsOf(`nft/approvals/${wallet}/`);
    expect([item?.spenders.map((spender: Data) => spender.spender_address), more]).toEqual([[first], []]);
    await index.database.query("DELETE FROM nft_operators");
  });

  it("are refused for an invalid address", async () => {
    for (const bad of ["0x12", "nobody", `${wallet}00`, "0xzz"])
      expect((await index.get(`/v1/fixture/approvals/${bad}/`)).status, bad).toBe(400);
    expect((await index.get(`/v1/nowhere/approvals/${wallet}/`)).status).toBe(400);
    expect((await index.get(`/v1/fixture/nft/approvals/0x12/`)).status).toBe(400);
  });

  it("are returned as CSV with a line per token", async () => {
    await replaceAllowances(
      allowance(coins.cheap, first, "5"),
      allowance(coins.expensive, first, maxAmount),
      allowance(coins.expensive, second, "5"),
    );
    const { text } = await index.get(`/v1/fixture/approvals/${wallet}/?format=csv`);
    const lines = text.trimEnd().split("\r\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(coins.expensive);
    expect(lines[2]).toContain(coins.cheap);
  });
});

describe("approvals of collections", () => {
  const approvalRow = (token: Hex, id: string, spender: Hex | null, block: number, isOwn = true): Row => ({
    chain_id: 7,
    token,
    token_id: id,
    since_block: block,
    ...positionIn(block, isOwn),
    owner: wallet,
    spender,
  });
  const operatorRow = (token: Hex, operator: Hex, block: number, approved = true, isOwn = true): Row => ({
    chain_id: 7,
    owner: wallet,
    token,
    operator,
    since_block: block,
    ...positionIn(block, isOwn),
    approved,
  });
  const balanceRow = (token: Hex, id: string, number: number, balance: string | null): Row => ({
    chain_id: 7,
    owner: wallet,
    token,
    token_id: id,
    standard: number,
    since_block: 2,
    balance,
  });
  const maxTokenId = (2n ** 256n - 1n).toString();

  beforeAll(async () => {
    await index.insert("nft_balances", [
      balanceRow(cards.plain, "3", 2, "1"),
      balanceRow(cards.plain, maxTokenId, 2, "1"),
      balanceRow(cards.plain, "4", 2, "0"),
      balanceRow(cards.editions, "1", 3, "12"),
      balanceRow(cards.editions, "2", 3, null),
    ]);
    await index.insert("nft_approvals", [
      approvalRow(cards.plain, maxTokenId, first, 5),
      approvalRow(cards.plain, "3", null, 6),
      // The wallet transferred the first of these tokens away and never held the second.
      approvalRow(cards.plain, "4", first, 6),
      approvalRow(cards.plain, "5", first, 6),
    ]);
    await index.insert("nft_operators", [
      operatorRow(cards.plain, second, 4),
      operatorRow(cards.plain, third, 6, false),
      operatorRow(cards.editions, first, 7),
      ...[true, false].flatMap((isOwn) =>
        [cards.unindexed, cards.spam].map((token) => operatorRow(token, isOwn ? first : second, isOwn ? 3 : 8, true, isOwn)),
      ),
    ]);
  });

  it("are grouped by collection with its balance, the newest approval first", async () => {
    const [editions, plain, ...others] = await itemsOf(`nft/approvals/${wallet}/`);
    expect(editions).toEqual({
      contract_address: cards.editions,
      contract_address_label: null,
      contract_ticker_symbol: null,
      token_balances: [
        { token_id: "1", token_balance: "12" },
        { token_id: "2", token_balance: null },
      ],
      spenders: [
        {
          block_height: 7,
          tx_offset: 0,
          log_offset: 70,
          block_signed_at: timeOf(7),
          tx_hash: transactionHashOf(7, 0),
          spender_address: first,
          spender_address_label: null,
          token_ids_approved: "ALL",
          allowance: "UNLIMITED",
        },
      ],
    });
    expect(plain.token_balances).toEqual([
      { token_id: "3", token_balance: "1" },
      { token_id: maxTokenId, token_balance: "1" },
    ]);
    expect(plain.spenders.map((spender: Data) => [spender.spender_address, spender.token_ids_approved, spender.allowance])).toEqual([
      [first, maxTokenId, "1"],
      [second, "ALL", "UNLIMITED"],
    ]);
    // Approvals that others emitted in the wallet's name are not listed.
    expect(others.map((item) => [item.contract_address, item.spenders.map((spender: Data) => spender.spender_address)]).sort()).toEqual(
      [
        [cards.unindexed, [first]],
        [cards.spam, [first]],
      ].sort(),
    );
  });

  it("are returned as CSV without formulas", async () => {
    const { text } = await index.get(`/v1/fixture/nft/approvals/${wallet}/?format=csv`);
    expect(text).toContain("=CARD");
    expect(text).not.toMatch(/(^|,|\n)"?=/);
  });

  it("are listed in an index that starts late if the wallet may hold the token", async () => {
    await index.database.query("UPDATE chains SET indexed_from = 3");
    const { data } = await index.get(`/v1/fixture/nft/approvals/${wallet}/`);
    const plain = data.items.find((item: Data) => item.contract_address === cards.plain);
    expect(plain.spenders.map((spender: Data) => spender.token_ids_approved)).toEqual(["5", maxTokenId, "ALL"]);
    expect(data.indexed_from).toBe(3);
    await replaceAllowances(allowance(coins.emptied, first, "5"));
    const late = await index.get(`/v1/fixture/approvals/${wallet}/`);
    expect([late.data.indexed_from, late.data.items[0].balance, late.data.items[0].value_at_risk]).toEqual([3, null, null]);
    await index.database.query("UPDATE chains SET indexed_from = 0");
  });
});
