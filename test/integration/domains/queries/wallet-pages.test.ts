import { beforeAll, describe, expect, it } from "vitest";
import { addressOf, type Data, type FixtureIndex, openFixtureIndex, transactionHashOf, transactionRow } from "./fixture-index.ts";

/** One transaction in each block from 1 to 250: pages of blocks 1-100, 101-200 and 201-250. */
const wallet = addressOf(1);
const path = `/v1/fixture/address/${wallet}/transactions_v3/`;
const linkTo = (page: number) => `https://data.example${path}page/${page}/`;
let index: FixtureIndex;
const heightsOf = ({ items }: Data): number[] => items.map((item: Data) => item.block_height);
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, position) => from - position);

beforeAll(async () => {
  index = await openFixtureIndex();
  await index.insertBlocks(0, 250);
  const blocks = down(250, 1);
  await index.insert(
    "transactions",
    blocks.map((block) => transactionRow(block, 0, wallet, addressOf(2))),
  );
  const positions = blocks.map((block) => ({
    chain_id: 7,
    address: wallet,
    ordinal: block - 1,
    block_number: block,
    transaction_index: 0,
  }));
  await index.insert("address_transactions", positions);
  return index.end;
});

describe("pages of a wallet's transactions", () => {
  it("start with the oldest transactions and link to newer and older pages", async () => {
    const { data, credits } = await index.get(`${path}page/0/`);
    expect(heightsOf(data)).toEqual(down(100, 1));
    expect(data.current_page).toBe(0);
    expect(data.links).toEqual({ prev: null, next: linkTo(1) });
    expect(credits).toBe("10"); // 100 items at 0.10
  });

  it("link to both neighbours in the middle, and can be sorted oldest first", async () => {
    const { data } = await index.get(`${path}page/1/?block-signed-at-asc=true`);
    expect(heightsOf(data)).toEqual(down(200, 101).reverse());
    expect(data.links).toEqual({ prev: linkTo(0), next: linkTo(2) });
  });

  it("end with the remaining transactions, which are also returned without a page number", async () => {
    const last = await index.get(`${path}page/2/`);
    const recent = await index.get(path);
    expect(heightsOf(last.data)).toEqual(down(250, 201));
    expect(recent.data.items).toEqual(last.data.items);
    expect(recent.data.current_page).toBe(2);
    expect(recent.data.links).toEqual({ prev: linkTo(1), next: null });
  });

  it("have no items past the end, link back to the newest page, and cost the minimum", async () => {
    const { status, data, credits } = await index.get(`${path}page/2147483647/`);
    expect(status).toBe(200);
    expect(data.items).toEqual([]);
    expect(data.links).toEqual({ prev: linkTo(2), next: null });
    expect(credits).toBe("0.01");
  });

  it("have no items or links for an address that is not indexed", async () => {
    const { status, data } = await index.get(`/v1/fixture/address/${addressOf(999)}/transactions_v3/`);
    expect(status).toBe(200);
    expect([data.items, data.current_page, data.links]).toEqual([[], 0, { prev: null, next: null }]);
  });

  it("return each transaction once if their links are followed from the newest", async () => {
    const heights: number[] = [];
    for (let next: string | null = path; next !== null; ) {
      const { data }: { data: Data } = await index.get(next.replace("https://data.example", ""));
      heights.push(...heightsOf(data));
      next = data.links.prev;
    }
    expect(heights).toEqual(down(250, 1));
  });

  it("contain each transaction's fee: gas used times gas price", async () => {
    const { data } = await index.get(`/v1/fixture/transaction_v2/${transactionHashOf(9, 0)}/`);
    expect(data.items[0]).toMatchObject({ block_height: 9, fees_paid: String(21_000n * 2_000_000_000n), value: "7", log_events: [] });
    const unknown = await index.get(`/v1/fixture/transaction_v2/${transactionHashOf(9, 1)}/`);
    expect([unknown.status, unknown.credits]).toEqual([404, "0"]);
  });
});
