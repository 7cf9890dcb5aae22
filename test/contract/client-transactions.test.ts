import { describe, expect, test } from "vitest";
import { useApp } from "../support/app.ts";
import { callNode, type NodeLog, storyValue } from "../support/story-node.ts";
import { all, type ClientResponse, chain, dataOf, isValidDate, type PageWithLinks, useNpmClient, walkBack } from "./npm-client.ts";

const app = await useApp();
const client = await useNpmClient();

describe("the npm client's TransactionService", () => {
  test("getTransaction returns a transaction with its logs", async () => {
    const hash = storyValue("swapTransaction");
    const { items } = await dataOf(client.TransactionService.getTransaction(chain, hash, { quoteCurrency: "USD", noLogs: false }));
    const receipt = await callNode<{ readonly logs: readonly NodeLog[]; readonly gasUsed: string; readonly effectiveGasPrice: string }>(
      "eth_getTransactionReceipt",
      hash,
    );
    const [transaction] = items;
    expect(transaction?.tx_hash).toBe(hash);
    expect(transaction?.log_events.map(({ log_offset: offset }) => offset).sort((a, b) => a - b)).toEqual(
      receipt.logs.map(({ logIndex }) => Number(logIndex)),
    );
    // The fee is the gas used times the effective price; the demo chain has no other fees.
    expect(transaction?.fees_paid).toBe(BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice));
    expect(isValidDate(transaction?.block_signed_at)).toBe(true);
  });

  test("getAllTransactionsForAddress iterates over all transactions, and its page links cover them in both directions", async () => {
    const options = { noLogs: true };
    const transactions = await all(client.TransactionService.getAllTransactionsForAddress(chain, storyValue("trader"), options));
    const iterated = transactions.map(({ tx_hash: hash }) => hash);
    expect(new Set(iterated).size).toBe(iterated.length);

    const newest = await dataOf(client.TransactionService.getAllTransactionsForAddressByPage(chain, storyValue("trader"), options));
    expect((await walkBack<{ readonly tx_hash: string }>(newest)).map(({ tx_hash: hash }) => hash)).toEqual(iterated);

    const oldest = await dataOf(client.TransactionService.getTransactionsForAddressV3(chain, storyValue("trader"), 0, options));
    expect(oldest.links.prev).toBeNull();
    expect(iterated.length).toBeGreaterThan(2 * oldest.items.length);
    const ascending = [oldest.items.map(({ tx_hash: hash }) => hash)];
    for (let page: PageWithLinks<{ readonly tx_hash: string }> = oldest; page.links.next !== null; ) {
      page = await dataOf(page.next());
      ascending.unshift(page.items.map(({ tx_hash: hash }) => hash));
    }
    expect(ascending.flat()).toEqual(iterated);
    // An address's nonce is the number of transactions that it sent.
    const sent = transactions.filter(({ from_address: from }) => from === storyValue("trader"));
    expect(sent.length).toBe(Number(await callNode<string>("eth_getTransactionCount", storyValue("trader"), "latest")));
  });

  test("getTransactionsForBlock returns a block's transactions by height, by hash and by page", async () => {
    const block = await callNode<{ readonly transactions: readonly string[] }>("eth_getBlockByHash", storyValue("swapBlockHash"), false);
    const inOrder = ({ items }: { readonly items: readonly { readonly tx_hash: string; readonly tx_offset: number }[] }): string[] =>
      [...items].sort((a, b) => a.tx_offset - b.tx_offset).map(({ tx_hash: hash }) => hash);
    const service = client.TransactionService;
    expect(inOrder(await dataOf(service.getTransactionsForBlock(chain, storyValue("swapBlockHeight"), { noLogs: true })))).toEqual(
      block.transactions,
    );
    expect(inOrder(await dataOf(service.getTransactionsForBlockHash(chain, storyValue("swapBlockHash"))))).toEqual(block.transactions);
    const page = await dataOf(service.getTransactionsForBlockHashByPage(chain, storyValue("swapBlockHash"), 0));
    const transactions: { readonly tx_hash: string; readonly tx_offset: number }[] = [...page.items];
    for (let last: PageWithLinks<{ readonly tx_hash: string; readonly tx_offset: number }> = page; last.links.next !== null; ) {
      last = await dataOf(last.next());
      transactions.push(...last.items);
    }
    expect(inOrder({ items: transactions })).toEqual(block.transactions);
  });

  test("getTransactionsForBlockByPage has no method in the client; the server accepts its path with a client header", async () => {
    const headers = { authorization: `Bearer ${app.key}`, "x-requested-with": "com.example.client/1.0" };
    const response = await fetch(`${app.url}/v1/demo/block/${storyValue("swapBlockHeight")}/transactions_v3/page/0/?`, { headers });
    const { data, error } = (await response.json()) as ClientResponse<{ readonly items: readonly unknown[]; readonly links: object }>;
    expect({ status: response.status, error }).toEqual({ status: 200, error: false });
    expect(data.items.length).toBeGreaterThan(0);
    expect(data.links).toHaveProperty("prev", null);
  });

  test("getTransactionSummary returns a wallet's summary with its fees", async () => {
    const { items } = await dataOf(client.TransactionService.getTransactionSummary(chain, storyValue("trader"), { withGas: true }));
    const [summary] = items;
    const transactions = await all(client.TransactionService.getAllTransactionsForAddress(chain, storyValue("trader"), { noLogs: true }));
    expect(summary?.total_count).toBe(transactions.length);
    expect(summary?.latest_transaction.tx_hash).toBe(transactions[0]?.tx_hash);
    expect(summary?.earliest_transaction.tx_hash).toBe(transactions.at(-1)?.tx_hash);
    expect(isValidDate(summary?.earliest_transaction.block_signed_at)).toBe(true);
    const sent = transactions.filter(({ from_address: from }) => from === storyValue("trader"));
    expect(summary?.gas_summary.total_sent_count).toBe(
      Number(await callNode<string>("eth_getTransactionCount", storyValue("trader"), "latest")),
    );
    expect(summary?.gas_summary.total_fees_paid).toBe(sent.reduce((sum, { fees_paid: fees }) => sum + (fees ?? 0n), 0n));
  });

  test("getEarliestTransactionsForAddress has no method in the client; the server accepts its path and returns the first bucket", async () => {
    const headers = { authorization: `Bearer ${app.key}`, "x-requested-with": "com.example.client/1.0" };
    const response = await fetch(`${app.url}/v1/demo/bulk/transactions/${storyValue("newcomer")}/?`, { headers });
    const { data, error } = (await response.json()) as ClientResponse<{ readonly items: readonly unknown[]; readonly links: object }>;
    expect({ status: response.status, error }).toEqual({ status: 200, error: false });
    expect(data.items.length).toBeGreaterThan(0);
    expect(data.links).toHaveProperty("prev", null);
  });

  test("getTimeBucketTransactionsForAddress returns a bucket with links in both directions", async () => {
    const bucket = Number(storyValue("swapTimeBucket"));
    const read = await dataOf(
      client.TransactionService.getTimeBucketTransactionsForAddress(chain, storyValue("trader"), bucket, { noLogs: true }),
    );
    expect(read.current_bucket).toBe(bucket);
    expect(read.items.map(({ tx_hash: hash }) => hash)).toContain(storyValue("swapTransaction"));
    expect(read.complete).toBe(true);
    const next = await dataOf(read.next());
    expect(next.current_bucket).toBeGreaterThan(bucket);
    expect(next.items.length).toBeGreaterThan(0);
    expect((await dataOf(next.prev())).current_bucket).toBe(bucket);
  });
});
