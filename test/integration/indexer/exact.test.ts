import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../runtime/database/database.ts";
import { nativeTokenAddress } from "../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../../support/chain.ts";
import { dump } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { buildStory, type Story } from "../../support/indexer/story-builder.ts";
import { balanceHistory, chainOf, createTestIndexer } from "../../support/indexer/support.ts";

let chain: TestChain;
let testDatabase: TestDatabase;
let story: Story;
let head: number;

beforeAll(async () => {
  [chain, testDatabase] = await Promise.all([startTestChain(), createTestDatabase()]);
  story = await buildStory(chain, 3);
  head = await chain.head();
  const indexer = await createTestIndexer(chain.url, testDatabase.database, {
    chain: chainOf({ wrappedNative: [story.weth] }),
    traces: "debug",
  });
  await indexer.runToHead(head);
  await indexer.close();
});
afterAll(async () => {
  await chain?.stop();
  await testDatabase?.drop();
});

const rows = <Row extends object>(database: Database, sql: string) => database.query<Row>(sql);
const quantity = (value: number) => `0x${value.toString(16)}`;
const callAt = (to: string, data: string, height: number) => ({ method: "eth_call", params: [{ to, data }, quantity(height)] });

describe("the index of a chain with every kind of transfer", () => {
  it("has the native balances that the node reports, after every block that changed them", async () => {
    const history = await rows<{ owner: string; block_number: number; balance: string }>(
      testDatabase.database,
      `SELECT owner, block_number, balance FROM ${balanceHistory} WHERE standard = 0`,
    );
    expect(history.length).toBeGreaterThan(40);
    const reported = await chain.batch<string>(
      history.map(({ owner, block_number }) => ({ method: "eth_getBalance", params: [owner, quantity(block_number)] })),
    );
    expect(history.map((row) => ({ ...row, balance: BigInt(row.balance) }))).toEqual(
      history.map((row, index) => ({ ...row, balance: BigInt(reported[index] ?? "") })),
    );
  });

  it("has the native balances of changed accounts as of the head", async () => {
    const balances = await rows<{ owner: string; balance: string }>(
      testDatabase.database,
      "SELECT owner, balance FROM balances WHERE standard = 0",
    );
    const reported = await chain.batch<string>(
      balances.map(({ owner }) => ({ method: "eth_getBalance", params: [owner, quantity(head)] })),
    );
    expect(balances.map(({ balance }) => BigInt(balance))).toEqual(reported.map((value) => BigInt(value)));
  });

  it("has consecutive periods without gaps up to the current row", async () => {
    for (const [table, periods, key] of [
      ["balances", "balance_periods", "owner, token, standard"],
      ["nft_balances", "nft_balance_periods", "owner, token, standard, token_id"],
    ] as const) {
      const mismatches = await rows(
        testDatabase.database,
        `SELECT * FROM (SELECT ${key}, from_block, to_block, lead(from_block) OVER (PARTITION BY ${key} ORDER BY from_block) AS next FROM (
           SELECT ${key}, from_block, to_block FROM ${periods} UNION ALL SELECT ${key}, since_block, NULL FROM ${table}) h) h
         WHERE to_block < from_block OR to_block + 1 IS DISTINCT FROM next`,
      );
      expect(mismatches, table).toEqual([]);
    }
  });

  it("has the ERC-20 balances that balanceOf returns at every block, including for the wrapped native token", async () => {
    const history = await rows<{ owner: string; token: string; block_number: number; balance: string }>(
      testDatabase.database,
      `SELECT owner, token, block_number, balance FROM ${balanceHistory} WHERE standard = 1`,
    );
    const erc20 = artifacts.erc20();
    const reported = await chain.batch<string>(
      history.map(({ owner, token, block_number }) =>
        callAt(token, encodeCall(erc20, token as `0x${string}`, "balanceOf", [owner]).data, block_number),
      ),
    );
    expect(history.map(({ balance }) => BigInt(balance))).toEqual(reported.map((value) => BigInt(value)));
    expect(new Set(history.map(({ token }) => token))).toEqual(new Set([story.erc20, story.weth]));
  });

  it("has the ERC-721 owners and ERC-1155 balances that the contracts return", async () => {
    const nftBalances = await rows<{ owner: string; token: string; token_id: string; standard: number; balance: string }>(
      testDatabase.database,
      "SELECT owner, token, token_id, standard, balance FROM nft_balances",
    );
    const [art, editions] = [artifacts.erc721(), artifacts.erc1155()];
    const reported = await chain.batch<string>(
      nftBalances.map(({ owner, token, token_id, standard }) =>
        standard === 2
          ? callAt(token, encodeCall(art, token as `0x${string}`, "ownerOf", [BigInt(token_id)]).data, head)
          : callAt(token, encodeCall(editions, token as `0x${string}`, "balanceOf", [owner, BigInt(token_id)]).data, head),
      ),
    );
    const expected = nftBalances.map(({ owner, standard }, index) =>
      standard === 2 ? BigInt(`0x${(reported[index] ?? "").slice(26)}` === owner ? 1 : 0) : BigInt(reported[index] ?? ""),
    );
    expect(nftBalances.map(({ balance }) => BigInt(balance))).toEqual(expected);
    // Each of three rounds mints one token to the first account, which transfers it: six rows, three with a balance of zero.
    expect(nftBalances.filter(({ standard }) => standard === 2)).toHaveLength(6);
  });

  it("has collection balances that equal the sums of their tokens' balances", async () => {
    const mismatches = await rows(
      testDatabase.database,
      `SELECT b.owner, b.token, b.balance, sum(n.balance) FROM balances b JOIN nft_balances n USING (chain_id, owner, token, standard)
       GROUP BY 1, 2, 3 HAVING b.balance <> sum(n.balance)`,
    );
    expect(mismatches).toEqual([]);
  });

  it("has exactly the node's blocks, transactions and logs", async () => {
    const blocks = await chain.batch<{ hash: string; transactions: string[]; number: string }>(
      Array.from({ length: head + 1 }, (_, number) => ({ method: "eth_getBlockByNumber", params: [quantity(number), false] })),
    );
    const logs = await chain.rpc<{ blockNumber: string; logIndex: string; data: string; topics: string[] }[]>("eth_getLogs", [
      { fromBlock: "0x0", toBlock: quantity(head) },
    ]);
    expect(await rows(testDatabase.database, "SELECT number, hash FROM blocks ORDER BY number")).toEqual(
      blocks.map(({ number, hash }) => ({ number: Number(number), hash })),
    );
    expect(await rows(testDatabase.database, "SELECT hash FROM transactions ORDER BY block_number, transaction_index")).toEqual(
      blocks.flatMap(({ transactions }) => transactions.map((hash) => ({ hash }))),
    );
    expect(await rows(testDatabase.database, "SELECT block_number, log_index, data, topic0 FROM logs ORDER BY 1, 2")).toEqual(
      logs.map((log) => ({
        block_number: Number(log.blockNumber),
        log_index: Number(log.logIndex),
        data: log.data,
        topic0: log.topics[0] ?? null,
      })),
    );
  });

  it("numbers an address's transactions and token transfers without gaps, in block order", async () => {
    for (const table of ["address_transactions", "transfer_transactions"]) {
      const mismatches = await rows(
        testDatabase.database,
        `SELECT * FROM (SELECT ordinal, row_number() OVER (PARTITION BY address ORDER BY block_number, transaction_index) - 1 AS expected FROM ${table}) t
         WHERE ordinal <> expected`,
      );
      expect(mismatches).toEqual([]);
    }
  });

  it("has the same rows with either trace method and with small batches", async () => {
    const otherDatabase = await createTestDatabase();
    const indexer = await createTestIndexer(chain.url, otherDatabase.database, {
      chain: chainOf({ wrappedNative: [story.weth] }),
      tuning: { batchTransactions: 1, requestBlocks: 2 },
      batchSize: 1,
      traces: "trace",
    });
    await indexer.runToHead(head);
    await indexer.close();
    const [first, second] = [await dump(testDatabase.database), await dump(otherDatabase.database)];
    for (const table of Object.keys(first)) expect(second[table], table).toEqual(first[table]);
    await otherDatabase.drop();
  });

  it("stores the sender and amount of a native transfer", async () => {
    const [account] = chain.accounts;
    const transfers = await rows<{ amount: string; from_address: string; to_address: string; block_number: number; from_balance: string }>(
      testDatabase.database,
      `SELECT from_address, to_address, amount, block_number, from_balance FROM transfers WHERE token = '\\x${nativeTokenAddress.slice(2)}' AND amount = 12345`,
    );
    expect(transfers.map(({ from_address, amount }) => ({ from_address, amount }))).toEqual(
      Array(3).fill({ from_address: account, amount: "12345" }),
    );
  });
});
