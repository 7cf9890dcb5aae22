import { beforeAll, describe, expect, it } from "vitest";
import {
  addressOf,
  blockHashOf,
  type Data,
  type FixtureIndex,
  openFixtureIndex,
  timeOf,
  transactionHashOf,
  transactionRow,
} from "./fixture-index.ts";

/** Blocks 100 to 119, four per day from 26 January. Block 105 has 101 transactions, block 106 has 100, block 107 has one. */
const first = 100;
const head = 119;
const counts = { 105: 101, 106: 100, 107: 1 };
let index: FixtureIndex;
const linkTo = (block: string, page: number) => `https://data.example/v1/fixture/${block}/transactions_v3/page/${page}/`;
const offsetsOf = ({ items }: Data): number[] => items.map((item: Data) => item.tx_offset);
const heightsOf = ({ items }: Data): number[] => items.map((item: Data) => item.height);
const upTo = (count: number) => Array.from({ length: count }, (_, position) => position);

beforeAll(async () => {
  index = await openFixtureIndex({ from: first });
  await index.insertBlocks(first, head, counts);
  const rows = Object.entries(counts).flatMap(([block, count]) =>
    upTo(count).map((position) => transactionRow(Number(block), position, addressOf(1), position === 0 ? null : addressOf(2))),
  );
  await index.insert("transactions", rows);
  // Each transaction of block 105 has two logs, the first of block 106 has one: logs must not be joined across blocks.
  const logs = upTo(202).map((log) => ({ block_number: 105, log_index: log, transaction_index: Math.floor(log / 2) }));
  await index.insert(
    "logs",
    [...logs, { block_number: 106, log_index: 0, transaction_index: 0 }].map((log) => ({
      ...log,
      chain_id: 7,
      address: addressOf(0xc0),
      data: "0x",
    })),
  );
  return index.end;
});

describe("pages of a block's transactions", () => {
  it("contain up to 100 transactions, so 101 transactions fill two pages", async () => {
    const firstPage = await index.get("/v1/fixture/block/105/transactions_v3/page/0/");
    expect(offsetsOf(firstPage.data)).toEqual(upTo(100));
    expect(firstPage.data.links).toEqual({ prev: null, next: linkTo("block/105", 1) });
    const secondPage = await index.get("/v1/fixture/block/105/transactions_v3/page/1/");
    expect(offsetsOf(secondPage.data)).toEqual([100]);
    expect(secondPage.data.links).toEqual({ prev: linkTo("block/105", 0), next: null });
    expect(secondPage.credits).toBe("0.1");
  });

  it("have no next page after exactly 100 transactions, and are empty past the end", async () => {
    const firstPage = await index.get("/v1/fixture/block/106/transactions_v3/page/0/");
    expect(offsetsOf(firstPage.data)).toEqual(upTo(100));
    expect(firstPage.data.links).toEqual({ prev: null, next: null });
    const past = await index.get("/v1/fixture/block/106/transactions_v3/page/7/");
    expect([past.status, past.data.items]).toEqual([200, []]);
    expect(past.data.links).toEqual({ prev: linkTo("block/106", 0), next: null });
  });

  it("can be requested by the block's hash, and link by hash", async () => {
    const hash = blockHashOf(105);
    const { data } = await index.get(
      `/v1/fixture/block_hash/${hash.toUpperCase().replace("0X", "0x")}/transactions_v3/page/0/?no-logs=true`,
    );
    expect(data.links).toEqual({ prev: null, next: linkTo(`block_hash/${hash}`, 1) });
    expect(data.items[0].log_events).toBeNull();
    const unknown = await index.get(`/v1/fixture/block_hash/${blockHashOf(999)}/transactions_v3/`);
    expect(unknown.status).toBe(404);
  });

  it("are combined if no page number is requested, in index order and with each transaction's logs", async () => {
    const { data, credits } = await index.get("/v1/fixture/block/105/transactions_v3/");
    expect(offsetsOf(data)).toEqual(upTo(101));
    expect(data.items.map((item: Data) => item.log_events.map((log: Data) => log.log_offset))).toEqual(
      upTo(101).map((position) => [2 * position, 2 * position + 1]),
    );
    expect(data.items[3].log_events[0].tx_hash).toBe(transactionHashOf(105, 3));
    expect(credits).toBe("10.1"); // 101 items at 0.10
    expect(data.items[0].to_address).toBeNull();
    const next = await index.get("/v1/fixture/block/106/transactions_v3/");
    expect(next.data.items.flatMap((item: Data) => item.log_events)).toHaveLength(1);
    const empty = await index.get("/v1/fixture/block/latest/transactions_v3/");
    expect([empty.status, empty.data.items, empty.credits]).toEqual([200, [], "0.01"]);
  });
});

describe("a block", () => {
  it("is found by height or as the latest", async () => {
    const { data } = await index.get("/v1/fixture/block_v2/105");
    expect(data.items[0]).toMatchObject({ height: 105, block_hash: blockHashOf(105), block_parent_hash: blockHashOf(104) });
    expect(data.items[0].signed_at).toBe(timeOf(105));
    expect(heightsOf((await index.get("/v1/7/block_v2/latest/")).data)).toEqual([head]);
  });

  it("returns 404 with the indexed range if it is not indexed", async () => {
    for (const height of [99, 120]) {
      const { status, message } = await index.get(`/v1/fixture/block_v2/${height}/`);
      expect([status, message]).toEqual([404, `Block ${height} not found in the index of fixture: blocks 100 to 119 are indexed.`]);
    }
  });
});

describe("blocks in a range of days", () => {
  // Block 100 is 100 / 4 = 25 days after 1 January, at midnight: 26 January has 100-103, 27 January 104-107, 30 January 116-119.
  it("include both days, lowest first", async () => {
    const { data } = await index.get("/v1/fixture/block_v2/2026-01-26/2026-01-27/");
    expect(heightsOf(data)).toEqual([100, 101, 102, 103, 104, 105, 106, 107]);
    expect(data.pagination).toEqual({ has_more: false, page_number: 0, page_size: 100, total_count: 8 });
    expect(data.indexed_from).toBe(first);
  });

  it("are paged, and a page past the end is empty", async () => {
    const page = (number: number) => index.get(`/v1/fixture/block_v2/2026-01-26/latest/?page-size=8&page-number=${number}`);
    const pages = await Promise.all([0, 1, 2, 3].map(page));
    expect(pages.map(({ data }) => heightsOf(data).length)).toEqual([8, 8, 4, 0]);
    expect(pages.flatMap(({ data }) => heightsOf(data))).toEqual(upTo(20).map((position) => first + position));
    expect(pages.map(({ data }) => data.pagination.has_more)).toEqual([true, true, false, false]);
    expect(pages.map(({ data }) => data.pagination.total_count)).toEqual([20, 20, 20, 20]);
    expect(pages.map(({ credits }) => credits)).toEqual(["1", "1", "1", "1"]);
  });

  it("are empty outside the index, and refused if the end is before the start", async () => {
    const before = await index.get("/v1/fixture/block_v2/2025-01-01/2026-01-25/");
    expect([before.status, before.data.items, before.data.pagination.total_count]).toEqual([200, [], 0]);
    const after = await index.get("/v1/fixture/block_v2/2027-01-01/latest/");
    expect([after.status, after.data.items]).toEqual([200, []]);
    const wrong = await index.get("/v1/fixture/block_v2/2026-01-27/2026-01-26/");
    expect([wrong.status, wrong.message]).toEqual([400, expect.stringContaining("startDate")]);
  });

  it("are pinned to one block while the chain grows", async () => {
    const other = await openFixtureIndex();
    await other.insertBlocks(0, 9);
    const page = (number: number) => other.get(`/v1/fixture/block_v2/2026-01-01/latest/?page-size=4&page-number=${number}`);
    await page(0);
    await other.insertBlocks(10, 19);
    const later = [await page(1), await page(2)];
    expect(later.map(({ data }) => heightsOf(data))).toEqual([
      [4, 5, 6, 7],
      [8, 9],
    ]);
    expect(later.map(({ data }) => data.pagination.has_more)).toEqual([true, false]);
    expect((await page(0)).data.pagination.total_count).toBe(20);
    await other.end();
  });
});

describe("an index without blocks", () => {
  it("returns empty lists, 404 for blocks, and a status without heights", async () => {
    const empty = await openFixtureIndex();
    const wallet = addressOf(1);
    for (const path of [
      `/v1/fixture/address/${wallet}/balances_v2/`,
      `/v1/fixture/address/${wallet}/balances_native/?block-height=5`,
      `/v1/fixture/address/${wallet}/transfers_v2/?starting-block=latest&ending-block=3`,
      `/v1/fixture/address/${wallet}/transactions_v3/`,
      "/v1/fixture/block_v2/2026-01-01/latest/",
      "/v1/fixture/events/",
      `/v1/fixture/events/address/${wallet}/`,
      `/v1/fixture/events/topics/${blockHashOf(1)}/`,
    ]) {
      const { status, data } = await empty.get(path);
      expect([path, status, data.items]).toEqual([path, 200, []]);
    }
    const block = await empty.get("/v1/fixture/block_v2/latest/");
    expect([block.status, block.message]).toEqual([404, "Block latest not found in the index of fixture: no block is indexed yet."]);
    expect((await empty.get("/v1/fixture/events/")).credits).toBe("0");
    const [status] = (await empty.get("/v1/chains/status/")).data.items;
    expect(status).toMatchObject({ chain_id: "7", synced_block_height: null, has_data: false });
    await empty.end();
  });
});
