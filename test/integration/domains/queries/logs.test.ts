import { beforeAll, describe, expect, it } from "vitest";
import { addressOf, blockHashOf, type Data, type FixtureIndex, openFixtureIndex, transactionRow, wordOf } from "./fixture-index.ts";

/**
 * The index has blocks 10 to 29; each has one transaction and two logs: log 0 of contract 0xc0 with topics (1, wallet, block), and log 1 of
 * contract 0xc1 with topics (2, block, wallet) in even blocks and (1, block) in odd ones.
 */
const wallet = addressOf(0xabc);
const walletTopic = `0x${wallet.slice(2).padStart(64, "0")}` as const;
const [first, head] = [10, 29];
const heights = Array.from({ length: head - first + 1 }, (_, position) => first + position);
let index: FixtureIndex;
const positionsOf = ({ items }: Data): string[] => items.map((item: Data) => `${item.block_height}:${item.log_offset}`);
const newestFirst = (blocks: readonly number[], logs: readonly number[]) =>
  blocks
    .toSorted((left, right) => right - left)
    .flatMap((block) => logs.toSorted((left, right) => right - left).map((log) => `${block}:${log}`));
const events = (query: string) => index.get(`/v1/fixture/events/?${query}`);

beforeAll(async () => {
  index = await openFixtureIndex({ from: first, blockRange: 8, responseRows: 15 });
  await index.insertBlocks(first, head);
  await index.insert(
    "transactions",
    heights.map((block) => transactionRow(block, 0, wallet, addressOf(0xc0))),
  );
  const shared = (block: number) => ({ chain_id: 7, block_number: block, transaction_index: 0, data: "0x" });
  await index.insert(
    "logs",
    heights.flatMap((block) => [
      { ...shared(block), log_index: 0, address: addressOf(0xc0), topic0: wordOf(1), topic1: walletTopic, topic2: wordOf(block) },
      block % 2 === 0
        ? { ...shared(block), log_index: 1, address: addressOf(0xc1), topic0: wordOf(2), topic1: wordOf(block), topic2: walletTopic }
        : { ...shared(block), log_index: 1, address: addressOf(0xc1), topic0: wordOf(1), topic1: wordOf(block) },
    ]),
  );
  return index.end;
});

describe("logs of a range", () => {
  it("default to the latest block, for the credits of one block", async () => {
    const { data, credits } = await events("");
    expect(positionsOf(data)).toEqual([`${head}:1`, `${head}:0`]);
    expect(data.items[0]).toMatchObject({ block_hash: blockHashOf(head), tx_offset: 0, sender_address: addressOf(0xc1) });
    expect(credits).toBe("5");
  });

  it("include both ends, newest first, and are charged per block", async () => {
    const { data, credits } = await events("starting-block=0xc&ending-block=14");
    expect(positionsOf(data)).toEqual(newestFirst([12, 13, 14], [0, 1]));
    expect(credits).toBe("15");
    expect(data.indexed_from).toBe(first);
  });

  it("match topics by position", async () => {
    const range = "starting-block=20&ending-block=23";
    expect(positionsOf((await events(`${range}&topics=0x1`)).data)).toEqual(["23:1", "23:0", "22:0", "21:1", "21:0", "20:0"]);
    expect(positionsOf((await events(`${range}&topics=0x1,${wallet}`)).data)).toEqual(newestFirst([20, 21, 22, 23], [0]));
    expect(positionsOf((await events(`${range}&topics=0x2,0x16`)).data)).toEqual(["22:1"]); // 0x16 is 22
    expect(positionsOf((await events(`${range}&topics=${wallet}`)).data)).toEqual([]);
    expect(positionsOf((await events(`${range}&address=${addressOf(0xc1)}&topics=0x1`)).data)).toEqual(["23:1", "21:1"]);
  });

  it("can be requested by a block's hash, which excludes a range", async () => {
    expect(positionsOf((await events(`block-hash=${blockHashOf(15)}`)).data)).toEqual(["15:1", "15:0"]);
    expect((await events(`block-hash=${blockHashOf(99)}`)).status).toBe(404);
    const both = await events(`block-hash=${blockHashOf(15)}&ending-block=15`);
    expect([both.status, both.message]).toEqual([400, expect.stringContaining("block-hash")]);
  });

  it("end at the indexed head, and only indexed blocks are charged", async () => {
    const upwards = await events("starting-block=28&ending-block=1000000");
    expect([positionsOf(upwards.data), upwards.credits]).toEqual([newestFirst([28, 29], [0, 1]), "10"]);
    const downwards = await events("ending-block=11");
    expect([positionsOf(downwards.data), downwards.credits]).toEqual([newestFirst([10, 11], [0, 1]), "10"]);
    const earliest = await events("starting-block=earliest&ending-block=earliest");
    expect([positionsOf(earliest.data), earliest.credits]).toEqual([newestFirst([10], [0, 1]), "5"]);
    for (const range of [
      "starting-block=30",
      "starting-block=30&ending-block=latest",
      "ending-block=9",
      "starting-block=0&ending-block=9",
    ]) {
      const { status, data, credits } = await events(range);
      expect([range, status, data.items, credits]).toEqual([range, 200, [], "0"]);
    }
  });

  it("are refused if the start is above the end, as numbers or tags", async () => {
    for (const range of [
      "starting-block=14&ending-block=12",
      "starting-block=latest&ending-block=28",
      "starting-block=11&ending-block=earliest",
    ]) {
      const { status, message, credits } = await events(range);
      expect([range, status, credits]).toEqual([range, 400, "0"]);
      expect(message).toMatch(/^Invalid value .* for starting-block: expected at most .*\.$/);
    }
  });

  it("are refused beyond the maximum number of blocks or logs, with the limit in the message", async () => {
    const blocks = await events("starting-block=10&ending-block=18");
    expect([blocks.status, blocks.message]).toEqual([400, expect.stringContaining("a range of at most 8 blocks")]);
    const logs = await events("starting-block=10&ending-block=17"); // 8 blocks of 2 logs are 16
    expect([logs.status, logs.message]).toEqual([400, expect.stringContaining("at most 15 matching logs")]);
    expect((await events("starting-block=10&ending-block=17&topics=0x2")).data.items).toHaveLength(4);
  });
});

describe("logs of a contract", () => {
  const path = `/v1/fixture/events/address/${addressOf(0xc0)}/`;

  it("are paged newest first", async () => {
    const pages = [];
    for (const page of [0, 1, 2, 3]) pages.push(await index.get(`${path}?page-size=8&page-number=${page}`));
    expect(pages.flatMap(({ data }) => positionsOf(data))).toEqual(newestFirst(heights, [0]));
    expect(pages.map(({ data }) => data.items.length)).toEqual([8, 8, 4, 0]);
    expect(pages.map(({ data }) => data.pagination.has_more)).toEqual([true, true, false, false]);
    expect(pages.map(({ data }) => data.pagination.total_count)).toEqual([20, 20, 20, 20]);
    expect(pages.map(({ credits }) => credits)).toEqual(["0.08", "0.08", "0.04", "0.01"]);
  });

  it("have no more pages after a full last one, and none after 100,000 rows", async () => {
    const full = await index.get(`${path}?page-size=10&page-number=1`);
    expect(full.data.pagination).toEqual({ has_more: false, page_number: 1, page_size: 10, total_count: 20 });
    const last = await index.get(`${path}?page-size=1000&page-number=100`);
    expect([last.status, last.data.items, last.data.pagination.has_more]).toEqual([200, [], false]);
    expect((await index.get(`${path}?page-size=1000&page-number=2147483647`)).status).toBe(400);
  });

  it("can be limited to a range, whose start must not be above its end", async () => {
    expect(positionsOf((await index.get(`${path}?starting-block=12&ending-block=0xe`)).data)).toEqual(newestFirst([12, 13, 14], [0]));
    expect(positionsOf((await index.get(`${path}?ending-block=earliest`)).data)).toEqual(["10:0"]);
    expect(positionsOf((await index.get(`${path}?starting-block=latest`)).data)).toEqual([`${head}:0`]);
    expect((await index.get(`${path}?starting-block=latest&ending-block=12`)).status).toBe(400);
    expect((await index.get(`${path}?starting-block=31`)).data.items).toEqual([]);
  });

  it("are returned as CSV with pagination headers and larger pages", async () => {
    const { status, text, credits } = await index.get(`${path}?page-size=10000&format=csv`);
    expect([status, credits, text.trimEnd().split("\r\n").length]).toEqual([200, "0.2", 1 + 20]);
  });
});

describe("logs with a topic", () => {
  const path = `/v1/fixture/events/topics/${wordOf(1)}/`;

  it("include all contracts", async () => {
    const expected = newestFirst(heights, [0, 1]).filter((position) => position.endsWith(":0") || Number(position.split(":")[0]) % 2 === 1);
    expect(positionsOf((await index.get(path)).data)).toEqual(expected);
  });

  it("are filtered by secondary topics, padded or not, at any later position", async () => {
    const withTopics = async (topics: string, topic0 = wordOf(1)) =>
      positionsOf((await index.get(`/v1/fixture/events/topics/${topic0}/?secondary-topics=${topics}`)).data);
    expect(await withTopics(wallet)).toEqual(newestFirst(heights, [0]));
    expect(await withTopics(`${walletTopic},0xc`)).toEqual(["12:0"]);
    expect(await withTopics(`0xc,${wallet}`)).toEqual(["12:0"]);
    expect(await withTopics("0xd")).toEqual(["13:1", "13:0"]);
    expect(await withTopics("0x1")).toEqual([]);
    expect(await withTopics(`${wallet},0xc`, wordOf(2))).toEqual(["12:1"]);
  });
});

describe("a list of logs", () => {
  it("is pinned to one block while the chain grows, until page 0 is requested again", async () => {
    const other = await openFixtureIndex();
    await other.insertBlocks(0, 9);
    const log = (block: number) => ({
      chain_id: 7,
      block_number: block,
      log_index: 0,
      transaction_index: 0,
      address: addressOf(0xc0),
      data: "0x",
    });
    const add = async (blocks: readonly number[]) => {
      await other.insert(
        "transactions",
        blocks.map((block) => transactionRow(block, 0, wallet, null)),
      );
      await other.insert("logs", blocks.map(log));
    };
    await add([0, 1, 2, 3, 4, 5]);
    const page = async (number: number) =>
      positionsOf((await other.get(`/v1/fixture/events/address/${addressOf(0xc0)}/?page-size=2&page-number=${number}`)).data);
    expect(await page(0)).toEqual(["5:0", "4:0"]);
    await other.insertBlocks(10, 12);
    await add([10, 11, 12]);
    expect(await page(1)).toEqual(["3:0", "2:0"]);
    expect(await page(2)).toEqual(["1:0", "0:0"]);
    expect(await page(0)).toEqual(["12:0", "11:0"]);
    await other.end();
  });
});
