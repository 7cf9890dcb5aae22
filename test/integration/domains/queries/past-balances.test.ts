import { beforeAll, describe, expect, it } from "vitest";
import { addressOf, type Data, type FixtureIndex, openFixtureIndex, type Row, timeOf } from "./fixture-index.ts";

// The index has blocks 50 to 61, four per day: block 52 is the first of 2026-01-14, block 56 of the 15th, and block 60 of the 16th.
const native = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
const wallet = addressOf(0xabc);
const [coin, spent, art, fresh, unknown] = [1, 2, 3, 4, 5].map(addressOf) as [string, string, string, string, string];
const [first, head] = [50, 61];
let index: FixtureIndex;

beforeAll(async () => {
  index = await openFixtureIndex({ from: first, now: () => new Date(timeOf(head)) });
  await index.insertBlocks(first, head);
  await index.insertBalances(wallet, native, 0, { 49: "1000", 52: "900", 58: "850" });
  await index.insertBalances(wallet, coin, 1, { 49: "5", 57: "8", 58: "2", 59: "4" });
  await index.insertBalances(wallet, spent, 1, { 51: "3", 53: "0" });
  await index.insertBalances(wallet, fresh, 1, { 61: "77" });
  await index.insertBalances(wallet, unknown, 1, { 49: null, 60: null });
  await index.insertBalances(wallet, art, 2, { 51: "1", 55: "2" });
  const id = { chain_id: 7, owner: wallet, token: art, standard: 2 };
  await index.insert("nft_balances", [
    { ...id, token_id: "1", since_block: 55, balance: "0" },
    { ...id, token_id: "2", since_block: 55, balance: "1" },
    { ...id, token_id: "3", since_block: 55, balance: "1" },
  ]);
  await index.insert("nft_balance_periods", [{ ...id, token_id: "1", from_block: 51, to_block: 54, balance: "1" }]);
  return index.end;
});

describe("past balances of a wallet", () => {
  const balancesAt = async (query: string): Promise<Data> =>
    (await index.get(`/v1/fixture/address/${wallet}/historical_balances/?${query}`)).data;
  const amounts = (data: Data) => data.items.map((item: Data) => [item.contract_address, item.balance]);

  it("are the balances after the requested block, regardless of when each last changed", async () => {
    expect(amounts(await balancesAt("block-height=51"))).toEqual([
      [native, "1000"],
      [coin, "5"],
      [spent, "3"],
      [unknown, null],
      [art, "1"],
    ]);
    expect(amounts(await balancesAt("block-height=58"))).toEqual([
      [native, "850"],
      [coin, "2"],
      [unknown, null],
      [art, "2"],
    ]);
    expect((await balancesAt("block-height=58")).items.map((item: Data) => item.block_height)).toEqual([58, 58, 58, 58]);
    expect(amounts(await balancesAt(""))).toContainEqual([fresh, "77"]);
    expect(amounts(await balancesAt("block-height=latest"))).toEqual(amounts(await balancesAt("")));
  });

  it("are the balances after the last block of a requested day, or at the head for the current day", async () => {
    expect(amounts(await balancesAt("date=2026-01-14"))).toEqual(amounts(await balancesAt("block-height=55")));
    expect(amounts(await balancesAt("date=2026-01-15"))).toEqual(amounts(await balancesAt("block-height=59")));
    expect(amounts(await balancesAt("date=2026-01-16"))).toEqual(amounts(await balancesAt("")));
  });

  it("include the last transfer up to that block, or null if it was before the first indexed block", async () => {
    const { items } = await balancesAt("block-height=58");
    const [, coinItem, unknownItem] = items;
    expect(coinItem).toMatchObject({ last_transferred_block_height: 58, last_transferred_at: timeOf(58) });
    expect(unknownItem).toMatchObject({ last_transferred_block_height: null, last_transferred_at: null, balance_source: null });
    expect((await balancesAt("block-height=56")).items[1]).toMatchObject({ last_transferred_block_height: null });
  });

  it("list the token ids at that block", async () => {
    const ids = async (height: number) =>
      (await balancesAt(`nft=true&block-height=${height}`)).items.at(-1).nft_data.map((item: Data) => item.token_id);
    expect(await ids(54)).toEqual(["1"]);
    expect(await ids(55)).toEqual(["2", "3"]);
  });

  it("are refused at blocks that are not indexed, with the indexed range", async () => {
    const refused = async (query: string) => {
      const { status, message } = await index.get(`/v1/fixture/address/${wallet}/historical_balances/?${query}`);
      return [status, message];
    };
    expect(await refused("block-height=49")).toEqual([400, expect.stringContaining("from 50 to 61")]);
    expect(await refused("block-height=62")).toEqual([400, expect.stringContaining("from 50 to 61")]);
    expect(await refused("date=2026-01-12")).toEqual([400, expect.stringContaining("on or after 2026-01-13")]);
    expect(await refused("date=2026-01-17")).toEqual([400, expect.stringContaining("no later than 2026-01-16")]);
  });

  it("are empty for an address that is not indexed", async () => {
    expect((await index.get(`/v1/fixture/address/${addressOf(999)}/historical_balances/?block-height=55`)).data.items).toEqual([]);
  });
});

describe("the portfolio of a wallet", () => {
  const days = async (token: string, query: string) => {
    const { data } = await index.get(`/v1/fixture/address/${wallet}/portfolio_v2/?${query}`);
    const item = data.items.find(({ contract_address }: Data) => contract_address === token);
    return item?.holdings.map(({ timestamp, open, high, low, close }: Data) => [
      timestamp.slice(0, 10),
      ...[open, high, low, close].map(({ balance }) => balance),
    ]);
  };

  it("opens each day with the previous close, newest day first", async () => {
    expect(await days(coin, "days=3")).toEqual([
      ["2026-01-16", "4", "4", "4", "4"],
      ["2026-01-15", "5", "8", "2", "4"],
      ["2026-01-14", "5", "5", "5", "5"],
    ]);
    expect(await days(native, "days=3")).toEqual([
      ["2026-01-16", "850", "850", "850", "850"],
      ["2026-01-15", "900", "900", "850", "850"],
      ["2026-01-14", "1000", "1000", "900", "900"],
    ]);
    expect(await days(fresh, "days=1")).toEqual([["2026-01-16", "0", "77", "0", "77"]]);
  });

  it("is null before the first indexed block, and has only a close on that block's day", async () => {
    // The index starts in the middle of 2026-01-13.
    expect((await days(coin, "days=5")).slice(3)).toEqual([
      ["2026-01-13", null, null, null, "5"],
      ["2026-01-12", null, null, null, null],
    ]);
    expect(await days(unknown, "days=2")).toEqual([
      ["2026-01-16", null, null, null, null],
      ["2026-01-15", null, null, null, null],
    ]);
  });

  it("covers 30 days by default, with the tokens held on these days but no collections", async () => {
    const tokens = async (query: string) =>
      (await index.get(`/v1/fixture/address/${wallet}/portfolio_v2/?${query}`)).data.items.map((item: Data) => item.contract_address);
    expect(await tokens("days=3")).toEqual([native, coin, spent, fresh, unknown]);
    expect(await tokens("days=2")).toEqual([native, coin, fresh, unknown]);
    expect(await days(coin, "")).toHaveLength(30);
    const empty = await index.get(`/v1/fixture/address/${addressOf(999)}/portfolio_v2/?days=31`);
    expect([empty.data.items, empty.credits]).toEqual([[], "4"]);
  });
});

describe("an unknown native balance", () => {
  it("is returned as null on a chain without native accounting", async () => {
    const other = await openFixtureIndex();
    await other.insertBlocks(0, 3);
    await other.database.query("UPDATE chains SET missing = '{native-balances}'");
    const items = async (path: string): Promise<Row[]> =>
      (await other.get(`/v1/fixture/address/${addressOf(9)}/${path}`)).data.items.map((item: Data) => ({
        token: item.contract_address,
        balance: item.balance,
        source: item.balance_source,
      }));
    const nothingKnown = [{ token: native, balance: null, source: null }];
    expect(await items("balances_native/")).toEqual(nothingKnown);
    expect(await items("balances_v2/")).toEqual(nothingKnown);
    expect(await items("historical_balances/?block-height=2")).toEqual(nothingKnown);
    await other.end();
  });

  it("is returned as null once native balances were found to differ from the node's, regardless of the stored value", async () => {
    const other = await openFixtureIndex();
    await other.insertBlocks(0, 3);
    const [row] = await other.database.query<{ chain_id: number }>("SELECT chain_id FROM chains");
    await other.database.query(
      `INSERT INTO balances (chain_id, owner, token, standard, since_block, balance)
       VALUES ($1, decode($2, 'hex'), decode($3, 'hex'), 0, 1, 5)`,
      [row?.chain_id, addressOf(9).slice(2), native.slice(2)],
    );
    const items = async (path: string): Promise<[string | null, string | null][]> =>
      (await other.get(`/v1/fixture/address/${addressOf(9)}/${path}`)).data.items.map((item: Data) => [item.balance, item.balance_source]);
    const paths = ["balances_native/", "balances_v2/", "historical_balances/?block-height=2"];
    const results = async () => [...(await Promise.all(paths.map(items))), (await items("portfolio_v2/?days=2")).length];
    expect(await results()).toEqual([[["5", "events"]], [["5", "events"]], [["5", "events"]], 1]);
    await other.database.query("UPDATE chains SET native_accounting = 'state'");
    expect(await results()).toEqual([[["5", "node"]], [["5", "node"]], [["5", "node"]], 1]);
    await other.database.query("UPDATE chains SET missing = '{native-balances-differ}'");
    expect(await results()).toEqual([[[null, null]], [[null, null]], [[null, null]], 0]);
    await other.end();
  });
});
