import { beforeAll, describe, expect, it } from "vitest";
import { addressOf, type Data, type FixtureIndex, openFixtureIndex, timeOf, transactionHashOf, transactionRow } from "./fixture-index.ts";

const wallet = addressOf(1);
const responseRows = 3;
/** The wallet's transactions by block; block 9 has more than a response may list. */
const transactions: Readonly<Record<number, number>> = { 2: responseRows, 5: 1, 9: responseRows + 1 };
const head = 12;
const secondsPerBucket = 900;
const bucketOf = (block: number): number => Math.floor(Date.parse(timeOf(block)) / 1000 / secondsPerBucket);
const path = (bucket?: number): string => `/v1/fixture/bulk/transactions/${wallet}/${bucket === undefined ? "" : `${bucket}/`}`;
const link = (block: number): string => `https://data.example${path(bucketOf(block))}`;
const hashesOf = ({ items }: Data): string[] => items.map((item: Data) => item.tx_hash);
let index: FixtureIndex;

beforeAll(async () => {
  index = await openFixtureIndex({ responseRows });
  await index.insertBlocks(0, head, transactions);
  const positions = Object.entries(transactions).flatMap(([block, count]) =>
    Array.from({ length: count }, (_, position) => ({ block: Number(block), position })),
  );
  await index.insert(
    "transactions",
    positions.map(({ block, position }) => transactionRow(block, position, wallet, addressOf(2))),
  );
  await index.insert(
    "address_transactions",
    positions.map(({ block, position }, ordinal) => ({
      chain_id: 7,
      address: wallet,
      ordinal,
      block_number: block,
      transaction_index: position,
    })),
  );
  return index.end;
});

describe("a time bucket of a wallet's transactions", () => {
  it("is the one with the oldest transactions by default, newest first, up to the row limit", async () => {
    const { status, data } = await index.get(path());
    expect(status).toBe(200);
    expect(hashesOf(data)).toEqual([2, 1, 0].map((position) => transactionHashOf(2, position)));
    expect([data.current_bucket, data.complete, data.links]).toEqual([bucketOf(2), true, { prev: null, next: link(5) }]);
  });

  it("links to the nearest buckets with transactions, even if it has none", async () => {
    const { data } = await index.get(path(bucketOf(5)));
    expect([hashesOf(data), data.links]).toEqual([[transactionHashOf(5, 0)], { prev: link(2), next: link(9) }]);
    const empty = await index.get(path(bucketOf(6)));
    expect([empty.data.items, empty.data.links]).toEqual([[], { prev: link(5), next: link(9) }]);
  });

  it("is refused with its number of transactions if it exceeds the row limit", async () => {
    const { status, message, credits } = await index.get(path(bucketOf(9)));
    expect([status, credits]).toEqual([400, "0"]);
    expect(message).toContain(`a bucket with at most ${responseRows} transactions; ${wallet} has ${responseRows + 1} in it`);
  });

  it("is complete once a block follows it", async () => {
    expect((await index.get(path(bucketOf(head - 1)))).data.complete).toBe(true);
    expect((await index.get(path(bucketOf(head)))).data.complete).toBe(false);
  });
});
