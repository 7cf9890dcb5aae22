import { beforeAll, describe, expect, it } from "vitest";
import { addressOf, type Data, type FixtureIndex, openFixtureIndex, type Row, transactionHashOf, transactionRow } from "./fixture-index.ts";

/**
 * Each block n from 1 to 12 has a transaction 0 in which the wallet receives 10 of token A; in even blocks it also sends 4 of token B.
 * In block 13, the wallet sends 3 of A to itself in transaction 0, and others move A in transaction 1.
 * The wallet's balance of A after block n is 10 n, reaching 120.
 */
const wallet = addressOf(0xabc);
const other = addressOf(0xdef);
const [tokenA, tokenB] = [addressOf(0xa), addressOf(0xb)];
const path = `/v1/fixture/address/${wallet}/transfers_v2/`;
const upTo = (count: number) => Array.from({ length: count }, (_, position) => position + 1);
const heightsOf = ({ items }: Data): number[] => items.map((item: Data) => item.block_height);
let index: FixtureIndex;

const transfer = (block: number, ordinal: number, token: string, from: string, to: string, amount: number, more: Row = {}): Row => ({
  chain_id: 7,
  block_number: block,
  ordinal,
  transaction_index: 0,
  log_index: ordinal,
  standard: 1,
  token,
  from_address: from,
  to_address: to,
  amount: String(amount),
  ...more,
});

beforeAll(async () => {
  index = await openFixtureIndex();
  await index.insertBlocks(0, 20);
  await index.insert("transactions", [
    ...upTo(13).map((block) => transactionRow(block, 0, other, wallet)),
    transactionRow(13, 1, other, addressOf(5)),
  ]);
  await index.insert("transfers", [
    ...upTo(12).map((block) => transfer(block, 0, tokenA, other, wallet, 10, { to_balance: String(10 * block), from_balance: "1000" })),
    ...[2, 4, 6, 8, 10, 12].map((block) => transfer(block, 1, tokenB, wallet, other, 4, { from_balance: String(100 - 2 * block) })),
    // An ERC-721 transfer in the same transaction is not listed.
    transfer(12, 2, addressOf(0xe), other, wallet, 1, { standard: 2, token_id: "5" }),
    transfer(13, 0, tokenA, wallet, wallet, 3, { from_balance: "120", to_balance: "120" }),
    transfer(13, 1, tokenA, other, addressOf(5), 1, { transaction_index: 1 }),
  ]);
  await index.insert(
    "transfer_transactions",
    upTo(13).map((block) => ({ chain_id: 7, address: wallet, ordinal: block - 1, block_number: block, transaction_index: 0 })),
  );
  return index.end;
});

describe("transfers of a wallet", () => {
  it("are listed by transaction, newest first, with the balance after each", async () => {
    const { data, credits } = await index.get(path);
    expect(heightsOf(data)).toEqual(upTo(13).reverse());
    expect(data.pagination).toEqual({ has_more: false, page_number: 0, page_size: 100, total_count: 13 });
    expect(credits).toBe("0.65"); // 13 items at 0.05
    const [, twelve] = data.items;
    expect(twelve.tx_hash).toBe(transactionHashOf(12, 0));
    const actual = twelve.transfers.map((item: Data) => [item.contract_address, item.transfer_type, item.delta, item.balance]);
    expect(actual).toEqual([
      [tokenA, "IN", "10", "120"],
      [tokenB, "OUT", "4", "76"], // 100 - 2 * 12
    ]);
  });

  it("are listed as both out and in if the wallet sends to itself, so the deltas add up to 0", async () => {
    const [thirteen] = (await index.get(path)).data.items;
    expect(thirteen.transfers.map((item: Data) => [item.transfer_type, item.delta, item.balance])).toEqual([
      ["OUT", "3", "120"],
      ["IN", "3", "120"],
    ]);
  });

  it("add up to the balance", async () => {
    const { data } = await index.get(`${path}?contract-address=${tokenA}`);
    const deltas = data.items.flatMap((item: Data) =>
      item.transfers.map((entry: Data) => (entry.transfer_type === "IN" ? BigInt(entry.delta) : -BigInt(entry.delta))),
    );
    expect(deltas.reduce((sum: bigint, delta: bigint) => sum + delta, 0n)).toBe(120n);
  });

  it("exclude other tokens in the same transaction if one token is requested", async () => {
    const { data } = await index.get(`${path}?contract-address=${tokenB}`);
    expect(heightsOf(data)).toEqual([12, 10, 8, 6, 4, 2]);
    expect(data.items.flatMap((item: Data) => item.transfers).every((item: Data) => item.contract_address === tokenB)).toBe(true);
    expect(data.pagination.total_count).toBe(6);
    expect((await index.get(`${path}?contract-address=${addressOf(0xe)}`)).data.items).toEqual([]);
  });

  it("are paged, with and without a token, and a page past the end is empty", async () => {
    for (const token of ["", `&contract-address=${tokenA}`]) {
      const pages = [];
      for (const page of [0, 1, 2, 3]) pages.push((await index.get(`${path}?page-size=5&page-number=${page}${token}`)).data);
      expect(pages.flatMap(heightsOf)).toEqual(upTo(13).reverse());
      expect(pages.map(({ pagination }) => pagination.has_more)).toEqual([true, true, false, false]);
      expect(pages.map(({ pagination }) => pagination.total_count)).toEqual([13, 13, 13, 13]);
      const past = await index.get(`${path}?page-size=1000&page-number=100${token}`);
      expect([past.status, past.data.items]).toEqual([200, []]);
      // Pages of all transfers cost the same at any depth; pages of one token's transfers skip no more than 100,000 rows.
      const far = await index.get(`${path}?page-size=1000&page-number=2147483647${token}`);
      expect([far.status, far.data?.items]).toEqual(token === "" ? [200, []] : [400, undefined]);
    }
  });

  it("can be limited to a block range, both ends included", async () => {
    for (const token of ["", `&contract-address=${tokenA}`]) {
      const bounded = await index.get(`${path}?starting-block=3&ending-block=0x5${token}`);
      expect(heightsOf(bounded.data)).toEqual([5, 4, 3]);
      expect(bounded.data.pagination.total_count).toBe(3);
      expect(heightsOf((await index.get(`${path}?starting-block=earliest&ending-block=2${token}`)).data)).toEqual([2, 1]);
      expect((await index.get(`${path}?starting-block=14${token}`)).data.items).toEqual([]);
      expect((await index.get(`${path}?starting-block=5&ending-block=earliest${token}`)).status).toBe(400);
    }
    const invertedRange = await index.get(`${path}?starting-block=5&ending-block=3`);
    expect([invertedRange.status, invertedRange.message]).toEqual([400, expect.stringContaining("starting-block")]);
  });

  it("are empty for an address that is not indexed", async () => {
    const { status, data, credits } = await index.get(`/v1/fixture/address/${addressOf(999)}/transfers_v2/`);
    expect([status, data.items, data.pagination.total_count, credits]).toEqual([200, [], 0, "0.01"]);
  });

  it("are pinned to one block while the chain grows, with and without a token", async () => {
    const growing = await openFixtureIndex();
    await growing.insertBlocks(0, 9);
    const add = async (blocks: readonly number[]) => {
      await growing.insert(
        "transactions",
        blocks.map((block) => transactionRow(block, 0, other, wallet)),
      );
      await growing.insert(
        "transfers",
        blocks.map((block) => transfer(block, 0, tokenA, other, wallet, 1)),
      );
      const positions = blocks.map((block) => ({
        chain_id: 7,
        address: wallet,
        ordinal: block - 1,
        block_number: block,
        transaction_index: 0,
      }));
      await growing.insert("transfer_transactions", positions);
    };
    await add(upTo(9));
    const lists = ["", `&contract-address=${tokenA}`];
    const page = async (number: number, list: string) =>
      heightsOf((await growing.get(`${path}?page-size=4&page-number=${number}${list}`)).data);
    for (const list of lists) expect(await page(0, list)).toEqual([9, 8, 7, 6]);
    await growing.insertBlocks(10, 12);
    await add([10, 11, 12]);
    for (const list of lists) expect([await page(1, list), await page(2, list)]).toEqual([[5, 4, 3, 2], [1]]);
    await growing.end();
  });
});
