import { describe, expect, it } from "vitest";
import { createDatabase } from "../../../runtime/database/database.ts";
import type { Address, Hash } from "../../../runtime/lib/hex.ts";
import { useApp } from "../../support/app.ts";
import {
  fetchData,
  isoTime,
  type MinedTransaction,
  readNodeTransactions,
  storyAddress,
  transactionsOf,
  unusedAddress,
} from "./node-transactions.ts";

const app = await useApp();
const { blocks, transactions } = await readNodeTransactions();
const secondsPerBucket = 900;

const allOf = (address: Address): MinedTransaction[] => transactionsOf(transactions, address);
const feeOf = ({ receipt }: MinedTransaction): bigint => BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
const bucketOf = ({ time }: { readonly time: number }): number => Math.floor(time / secondsPerBucket);

interface Summary {
  readonly total_count: number;
  readonly earliest_transaction: { readonly tx_hash: Hash; readonly block_signed_at: string; readonly tx_detail_link: string };
  readonly latest_transaction: { readonly tx_hash: Hash };
  readonly gas_summary: { readonly total_sent_count: number; readonly total_fees_paid: string } | null;
}

describe("the transactions_summary endpoint", () => {
  const summaryOf = (address: Address, query = "") =>
    fetchData<{ items: readonly Summary[] }>(`/v1/demo/address/${address}/transactions_summary/${query}`);

  it.each(["trader", "newcomer", "deployer", "collector", "exchangeRouter", "goldToken"])(
    "returns the %s's transaction count and fees according to the node",
    async (name) => {
      const expected = allOf(storyAddress(name));
      const sent = expected.filter(({ from }) => from === storyAddress(name));
      const { data, credits } = await summaryOf(storyAddress(name), "?with-gas=true");
      expect(data.items).toHaveLength(1);
      expect(data.items[0]).toMatchObject({
        total_count: expected.length,
        earliest_transaction: { tx_hash: expected[0]?.hash, block_signed_at: isoTime(expected[0]?.time ?? 0) },
        latest_transaction: { tx_hash: expected.at(-1)?.hash },
        gas_summary: {
          total_sent_count: sent.length,
          total_fees_paid: sent.reduce((sum, transaction) => sum + feeOf(transaction), 0n).toString(),
        },
      });
      // One credit for the call and one for the gas.
      expect(credits).toBe("2");
      const detail = await fetch(data.items[0]?.earliest_transaction.tx_detail_link ?? "", {
        headers: { authorization: `Bearer ${app.key}` },
      });
      expect(detail.status).toBe(200);
    },
  );

  it("omits the gas summary by default and costs one credit", async () => {
    const { data, credits } = await summaryOf(storyAddress("trader"));
    expect({ gas: data.items[0]?.gas_summary, credits }).toEqual({ gas: null, credits: "1" });
  });

  it("returns no items for an address without transactions", async () => {
    expect((await summaryOf(unusedAddress, "?with-gas=true")).data.items).toEqual([]);
  });

  it("reads the stored sum from one index entry, regardless of the number of transactions", async () => {
    const database = createDatabase({ url: app.databaseUrl, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
    try {
      const lines = await database.query<{ "QUERY PLAN": string }>(
        `EXPLAIN SELECT sent_count, fees_paid FROM address_fees WHERE chain_id = 31337 AND address = '\\x${storyAddress("trader").slice(2)}'
         AND block_number <= 1000000 ORDER BY block_number DESC LIMIT 1`,
        [],
      );
      const plan = lines.map((line) => line["QUERY PLAN"]).join("\n");
      expect(plan).toContain("Index Scan Backward using address_fees_pkey");
      expect(plan).not.toContain("Sort");
    } finally {
      await database.close();
    }
  });
});

interface Bucket {
  readonly complete: boolean;
  readonly current_bucket: number;
  readonly links: { readonly prev: string | null; readonly next: string | null };
  readonly items: readonly { readonly tx_hash: Hash }[];
}

describe("the time-bucket endpoint", () => {
  const bucketPath = (address: Address, bucket: number | "" = "") =>
    `/v1/demo/bulk/transactions/${address}/${bucket === "" ? "" : `${bucket}/`}`;
  const hashesIn = ({ items }: Bucket): Hash[] => items.map(({ tx_hash: hash }) => hash);
  const newestFirst = (mined: readonly MinedTransaction[]): Hash[] => mined.map(({ hash }) => hash).reverse();

  it.each(["newcomer", "trader"])("links every bucket of the %s from first to last, with each transaction once", async (name) => {
    const mined = allOf(storyAddress(name));
    const expected = [...new Set(mined.map(bucketOf))];
    const visited: number[] = [];
    const read: Hash[] = [];
    let previous: string | null = null;
    for (let path: string | null = `${bucketPath(storyAddress(name))}?no-logs=true`; path !== null; ) {
      const { data }: { data: Bucket } = await fetchData<Bucket>(path);
      visited.push(data.current_bucket);
      expect(hashesIn(data)).toEqual(newestFirst(mined.filter((transaction) => bucketOf(transaction) === data.current_bucket)));
      read.unshift(...hashesIn(data));
      expect(data.links.prev).toBe(previous);
      previous = `${app.url}${bucketPath(storyAddress(name), data.current_bucket)}`;
      path = data.links.next === null ? null : `${data.links.next.replace(app.url, "")}?no-logs=true`;
    }
    expect(visited).toEqual(expected);
    expect(read).toEqual(newestFirst(mined));
    expect(visited.length).toBeGreaterThan(2);
  });

  it("links an empty bucket to the nearest non-empty ones on both sides", async () => {
    const buckets = [...new Set(allOf(storyAddress("trader")).map(bucketOf))];
    const gap = buckets.findIndex((bucket, index) => (buckets[index + 1] ?? bucket) > bucket + 1);
    const [before, after] = [buckets[gap] ?? 0, buckets[gap + 1] ?? 0];
    const { data } = await fetchData<Bucket>(bucketPath(storyAddress("trader"), before + 1));
    expect(data.items).toEqual([]);
    expect(data.links).toEqual({
      prev: app.url + bucketPath(storyAddress("trader"), before),
      next: app.url + bucketPath(storyAddress("trader"), after),
    });
  });

  it("links a bucket outside the wallet's history to its first or last one", async () => {
    const buckets = allOf(storyAddress("trader")).map(bucketOf);
    const [first, last] = [buckets[0] ?? 0, buckets.at(-1) ?? 0];
    const link = (bucket: number): string => app.url + bucketPath(storyAddress("trader"), bucket);
    expect((await fetchData<Bucket>(bucketPath(storyAddress("trader"), 0))).data.links).toEqual({ prev: null, next: link(first) });
    expect((await fetchData<Bucket>(bucketPath(storyAddress("trader"), 2_147_483_647))).data.links).toEqual({
      prev: link(last),
      next: null,
    });
  });

  it("marks a bucket as complete once the chain's time has passed its end", async () => {
    const headTime = Number(blocks.at(-1)?.timestamp);
    const head = Math.floor(headTime / secondsPerBucket);
    const isComplete = async (bucket: number) => (await fetchData<Bucket>(bucketPath(storyAddress("trader"), bucket))).data.complete;
    expect([await isComplete(head - 1), await isComplete(head), await isComplete(head + 1)]).toEqual([true, false, false]);
  });

  it("returns the empty bucket at the head for an address without transactions", async () => {
    const { data } = await fetchData<Bucket>(bucketPath(unusedAddress));
    expect(data).toMatchObject({
      complete: false,
      current_bucket: Math.floor(Number(blocks.at(-1)?.timestamp) / secondsPerBucket),
      links: { prev: null, next: null },
      items: [],
    });
  });
});
