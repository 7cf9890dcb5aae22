import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hex } from "../../../../../runtime/lib/hex.ts";
import { type Data, type Row, timeOf, transactionHashOf } from "../../queries/fixture-index.ts";
import {
  allowance,
  cards,
  coins,
  first,
  index,
  itemsOf,
  positionIn,
  replaceAllowances,
  second,
  setUp,
  tearDown,
  third,
  wallet,
} from "./approvals.ts";

beforeAll(setUp);
afterAll(tearDown);

describe("collection approvals", () => {
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
  const balanceRow = (token: Hex, id: string, standard: number, balance: string | null): Row => ({
    chain_id: 7,
    owner: wallet,
    token,
    token_id: id,
    standard,
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
