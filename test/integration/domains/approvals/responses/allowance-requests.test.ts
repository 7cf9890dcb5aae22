import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hex } from "../../../../../runtime/lib/hex.ts";
import { addressOf, type Data, type Row } from "../../queries/fixture-index.ts";
import {
  allowance,
  cards,
  coins,
  first,
  index,
  itemsOf,
  maxAmount,
  positionIn,
  replaceAllowances,
  second,
  setUp,
  tearDown,
  wallet,
} from "./approvals.ts";

beforeAll(setUp);
afterAll(tearDown);

describe("allowances of a wallet", () => {
  it("are refused with status 400 beyond the maximum number of rows", async () => {
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
    // A wallet that set none itself, such as a contract, receives the error.
    await replaceAllowances(...emitted);
    expect((await index.get(`/v1/fixture/approvals/${wallet}/`)).status).toBe(400);
    // The same holds for collection approvals.
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

  it("are refused with status 400 for an invalid address or chain", async () => {
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
