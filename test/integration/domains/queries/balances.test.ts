import { beforeAll, describe, expect, it } from "vitest";
import { addressOf, type Data, type FixtureIndex, openFixtureIndex, type Row, timeOf } from "./fixture-index.ts";

/** The index has blocks 50 to 60, four per day: block 56 is 24 hours before block 60. */
const native = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
const wallet = addressOf(0xabc);
const [coin, spent, fresh, art, unknown] = [1, 2, 3, 4, 5].map(addressOf) as [string, string, string, string, string];
const [first, head] = [50, 60];
let index: FixtureIndex;

/** The wallet's balances of each token by their first block; the last one is the current one. */
const histories: readonly { readonly token: string; readonly standard: number; readonly after: Readonly<Record<number, string | null>> }[] =
  [
    { token: native, standard: 0, after: { 49: "1000", 52: "900", 58: "850" } },
    { token: coin, standard: 1, after: { 49: "5", 57: "8" } },
    { token: spent, standard: 1, after: { 51: "3", 53: "0" } },
    { token: fresh, standard: 1, after: { 59: "77" } },
    { token: art, standard: 2, after: { 51: "1", 55: "2" } },
    { token: unknown, standard: 1, after: { 49: null } },
  ];
const balances = async (query = "") => (await index.get(`/v1/fixture/address/${wallet}/balances_v2/${query}`)).data;

beforeAll(async () => {
  index = await openFixtureIndex({ from: first, responseRows: 6, now: () => new Date(timeOf(head)) });
  await index.insertBlocks(first, head);
  for (const { token, standard, after } of histories) await index.insertBalances(wallet, token, standard, after);
  const transferRow = (block_number: number, from_address: string, to_address: string): Row => ({
    chain_id: 7,
    block_number,
    ordinal: 0,
    transaction_index: 0,
    standard: 0,
    token: native,
    from_address,
    to_address,
    amount: "1",
  });
  await index.insert("transfers", [transferRow(51, wallet, coin), transferRow(54, coin, wallet), transferRow(60, coin, spent)]);
  const idRow = (token_id: string, balance: string): Row => ({
    chain_id: 7,
    owner: wallet,
    token: art,
    token_id,
    standard: 2,
    since_block: 55,
    balance,
  });
  const maxTokenId = String(2n ** 256n - 1n);
  await index.insert("nft_balances", [idRow("0", "1"), idRow(maxTokenId, "1"), idRow("3", "0")]);
  await index.insert("token_standards", [{ chain_id: 7, address: art, standard: 2, block_number: 51 }]);
  await index.insert("token_metadata", [
    { chain_id: 7, address: coin, block_number: 50, name: "Coin", symbol: "C", decimals: 6, read_at_block: 50 },
  ]);
  return index.end;
});

describe("balances of a wallet", () => {
  it("start with the native token, omit zero balances, and are null if unknown", async () => {
    const data = await balances();
    expect(data.items.map((item: Data) => [item.contract_address, item.balance, item.native_token])).toEqual([
      [native, "850", true],
      [coin, "8", false],
      [fresh, "77", false],
      [unknown, null, false],
      [art, "2", false],
    ]);
    expect(data.items.map((item: Data) => item.balance_source)).toEqual(["events", "events", "events", null, "events"]);
    expect(data.indexed_from).toBe(first);
  });

  it("include the balance 24 hours ago, which is 0 for tokens received later", async () => {
    const data = await balances();
    // Block 56: native 900 since 52, coin 5 since 49, fresh not yet received, unknown as before, art 2 since 55.
    expect(data.items.map((item: Data) => item.balance_24h)).toEqual(["900", "5", "0", null, "2"]);
  });

  it("include standards, metadata and the time of the last transfer, which ignores fee payments", async () => {
    const [nativeItem, coinItem, freshItem, , artItem] = (await balances()).items;
    expect(nativeItem).toMatchObject({
      supports_erc: null,
      last_transferred_at: timeOf(54),
      contract_decimals: 18,
      type: "cryptocurrency",
    });
    expect(coinItem).toMatchObject({
      contract_name: "Coin",
      contract_decimals: 6,
      supports_erc: ["erc20"],
      last_transferred_at: timeOf(57),
    });
    expect(freshItem).toMatchObject({ contract_name: null, contract_decimals: null, quote: null, nft_data: null });
    expect(artItem).toMatchObject({ type: "nft", nft_data: null });
  });

  it("list the token ids of collections on request, including the max uint256", async () => {
    const [, , , , artItem] = (await balances("?nft=true")).items;
    expect(artItem.nft_data.map((item: Data) => [item.token_id, item.token_balance])).toEqual([
      ["0", "1"],
      [String(2n ** 256n - 1n), "1"],
    ]);
  });

  it("are refused beyond the maximum number of rows", async () => {
    const owner = addressOf(0xbeef);
    const rows = Array.from({ length: 7 }, (_, position) => ({
      chain_id: 7,
      owner,
      since_block: 50,
      balance: "1",
      token: addressOf(100 + position),
    }));
    await index.insert(
      "nft_balances",
      rows.map((row, position) => ({ ...row, standard: 3, token_id: String(position) })),
    );
    await index.insert("balances", [{ ...rows[0], standard: 3, balance: "7" }]);
    expect((await index.get(`/v1/fixture/address/${owner}/balances_v2/`)).data.items).toHaveLength(1);
    const ids = await index.get(`/v1/fixture/address/${owner}/balances_v2/?nft=true`);
    expect([ids.status, ids.message, ids.credits]).toEqual([400, expect.stringContaining("more than 6 token ids"), "0"]);
    await index.insert(
      "balances",
      rows.map((row) => ({ ...row, standard: 1 })),
    );
    const tokens = await index.get(`/v1/fixture/address/${owner}/balances_v2/`);
    expect([tokens.status, tokens.message]).toEqual([400, expect.stringContaining("at most 6 tokens")]);
  });
});

describe("the native balance of a wallet", () => {
  const balanceAt = async (height: string) => {
    const { data } = await index.get(`/v1/fixture/address/${wallet}/balances_native/?block-height=${height}`);
    return [data.items[0].block_height, data.items[0].balance];
  };

  it("is the balance after the requested block", async () => {
    expect(await balanceAt("50")).toEqual([50, "1000"]);
    expect(await balanceAt("51")).toEqual([51, "1000"]);
    expect(await balanceAt("52")).toEqual([52, "900"]);
    expect(await balanceAt("57")).toEqual([57, "900"]);
    expect(await balanceAt("0x3a")).toEqual([58, "850"]);
    expect(await balanceAt("earliest")).toEqual([first, "1000"]);
    expect(await balanceAt("latest")).toEqual([head, "850"]);
    expect(await balanceAt("")).toEqual([head, "850"]);
  });

  it("is refused at a height that is not indexed, with the indexed range", async () => {
    for (const height of ["49", "61"]) {
      const { status, message } = await index.get(`/v1/fixture/address/${wallet}/balances_native/?block-height=${height}`);
      expect([status, message]).toEqual([400, expect.stringContaining("from 50 to 60")]);
    }
  });

  it("is unknown for an address that is not indexed if there is no node", async () => {
    const { status, data, credits } = await index.get(`/v1/fixture/address/${addressOf(999)}/balances_native/`);
    expect([status, data.items.length, data.items[0].balance, data.items[0].balance_source, credits]).toEqual([200, 1, null, null, "0.5"]);
  });
});
