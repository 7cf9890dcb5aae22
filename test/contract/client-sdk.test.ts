import { type Chain, CovalentClient } from "@covalenthq/client-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useApp } from "../support/app.ts";
import { createPatientFetch } from "./caller.ts";

/** What every method of the npm client resolves to. */
interface Reply<T> {
  readonly data: T;
  readonly error: boolean;
  readonly error_code: number | string;
  readonly error_message: string;
}

interface Pages<T> {
  readonly items: readonly T[];
  prev(): Promise<Reply<Pages<T>>>;
  next(): Promise<Reply<Pages<T>>>;
  readonly links: { readonly prev: string | null; readonly next: string | null };
}

const app = await useApp();
/** The client's type of chain names is its vendor's list; it sends any. */
const chain = "demo" as unknown as Chain;
const byId = 31337 as unknown as Chain;
/** keccak256("Transfer(address,address,uint256)"), EIP-20 and EIP-721. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const { fetch: globalFetch } = globalThis;
const client = new CovalentClient(app.key, { enableRetry: false });

beforeAll(() => {
  const patientFetch = createPatientFetch(globalFetch);
  // The client has its address built in, and calls the global fetch.
  globalThis.fetch = (input, init) => patientFetch(String(input).replace(/^https:\/\/api\.[^/]+(?=\/v1\/)/, app.url), init);
});

afterAll(() => {
  globalThis.fetch = globalFetch;
});

function cast(name: string): string {
  const value = app.cast[name];
  if (value === undefined) throw new Error(`The story's cast has no ${name}.`);
  return value;
}

/** The payload of a reply without an error. */
async function dataOf<T>(reply: Promise<Reply<T>>): Promise<T> {
  const { data, error, error_code: code, error_message: message } = await reply;
  expect({ error, code, message }).toEqual({ error: false, code: null, message: null });
  expect(data).not.toBeNull();
  return data;
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const row of rows) collected.push(row);
  return collected;
}

async function node<T>(method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await globalFetch(app.rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result } = (await response.json()) as { readonly result?: T };
  if (result === undefined) throw new Error(`${method} gave no result.`);
  return result;
}

interface NodeLog {
  readonly blockNumber: string;
  readonly logIndex: string;
}

const wordOf = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`;
const addressOf = (word: string | undefined): string => `0x${(word ?? "").slice(26)}`;
const timeOf = async (block: number): Promise<number> =>
  Number((await node<{ readonly timestamp: string }>("eth_getBlockByNumber", `0x${block.toString(16)}`, false)).timestamp);

/** balanceOf(address), EIP-20. */
const balanceOf = async (token: string, owner: string): Promise<bigint> =>
  BigInt(await node<string>("eth_call", { to: token, data: `0x70a08231${wordOf(owner).slice(2)}` }, "latest"));

/** A coin's Transfer logs as the node has them, oldest first. */
async function transfersOf(token: string, lastBlock = "latest") {
  const filter = { address: token, topics: [transferTopic], fromBlock: "0x0", toBlock: lastBlock };
  const logs = await node<readonly (NodeLog & { readonly topics: readonly string[]; readonly data: string })[]>("eth_getLogs", filter);
  return logs.map(({ blockNumber, topics, data }) => {
    return { block: Number(blockNumber), from: addressOf(topics[1]), to: addressOf(topics[2]), value: BigInt(data) };
  });
}

/** What an owner's balance of a coin changed by in each block; the story's node has the state of its head alone, so what was before is counted back from there. */
async function changesOf(token: string, owner: string): Promise<{ readonly block: number; readonly delta: bigint }[]> {
  return (await transfersOf(token)).map(({ block, from, to, value }) => ({
    block,
    delta: (to === owner ? value : 0n) - (from === owner ? value : 0n),
  }));
}

const sumOf = (changes: readonly { readonly delta: bigint }[]): bigint => changes.reduce((sum, { delta }) => sum + delta, 0n);

/** Logs of the node in the order of the lists: newest first. */
async function nodeLogs(
  filter: { readonly address?: string; readonly topics?: readonly (string | null)[] },
  lastBlock: number,
): Promise<string[]> {
  const logs = await node<readonly NodeLog[]>("eth_getLogs", { ...filter, fromBlock: "0x0", toBlock: `0x${lastBlock.toString(16)}` });
  return logs.map(({ blockNumber, logIndex }) => `${Number(blockNumber)}:${Number(logIndex)}`).reverse();
}

const logKey = (log: { readonly block_height: number; readonly log_offset: number }): string => `${log.block_height}:${log.log_offset}`;

/** The head that the server has indexed, up to which lists are compared with the node's. */
async function indexedHead(): Promise<number> {
  const { items } = await dataOf(client.BaseService.getBlock(chain, "latest"));
  return items[0]?.height ?? -1;
}

const isValidDate = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime());

/** The items from the newest page to the oldest, by the links. */
async function walkBack<T>(first: Pages<T>): Promise<T[]> {
  const items = [...first.items];
  for (let page = first; page.links.prev !== null; ) {
    page = await dataOf(page.prev());
    items.push(...page.items);
  }
  return items;
}

describe("the npm client's BalanceService", () => {
  it("row 1: reads balances as bigints", async () => {
    const {
      items,
      address,
      updated_at: at,
    } = await dataOf(client.BalanceService.getTokenBalancesForWalletAddress(chain, cast("trader"), { quoteCurrency: "EUR", nft: true }));
    expect(address).toBe(cast("trader"));
    expect(isValidDate(at)).toBe(true);
    const gold = items.find(({ contract_address: contract }) => contract === cast("goldToken"));
    const held = await node<string>(
      "eth_call",
      { to: cast("goldToken"), data: `0x70a08231${cast("trader").slice(2).padStart(64, "0")}` },
      "latest",
    );
    expect(gold?.balance).toBe(BigInt(held));
  });

  it("row 2: reads what was held after a block, and at the end of a day", async () => {
    const [trader, gold] = [cast("trader"), cast("goldToken")];
    const [held, changes] = [await balanceOf(gold, trader), await changesOf(gold, trader)];
    const goldOf = async (moment: { readonly blockHeight?: number; readonly date?: string }): Promise<[bigint | null, number]> => {
      const { items } = await dataOf(client.BalanceService.getHistoricalTokenBalancesForWalletAddress(chain, trader, moment));
      const item = items.find(({ contract_address: contract }) => contract === gold);
      return [item?.balance ?? null, item?.block_height ?? -1];
    };
    const heldAfter = (block: number): bigint => held - sumOf(changes.filter((change) => change.block > block));
    const height = Number(cast("swapBlockHeight"));
    expect(await goldOf({ blockHeight: height })).toEqual([heldAfter(height), height]);
    expect(await goldOf({ blockHeight: height - 1 })).toEqual([heldAfter(height - 1), height - 1]);
    const dayEnd = (Date.parse(cast("swapDay")) + 86_400_000) / 1000;
    const [balance, last] = await goldOf({ date: cast("swapDay") });
    expect((await timeOf(last)) < dayEnd && (await timeOf(last + 1)) >= dayEnd).toBe(true);
    expect(balance).toBe(heldAfter(last));
    expect(new Set([heldAfter(height), heldAfter(height - 1), heldAfter(last), held]).size).toBeGreaterThan(1);
  });

  it("row 4: reads a portfolio with each day's open, high, low and close", async () => {
    const [trader, gold] = [cast("trader"), cast("goldToken")];
    const [held, changes] = [await balanceOf(gold, trader), await changesOf(gold, trader)];
    const { items } = await dataOf(client.BalanceService.getHistoricalPortfolioForWalletAddress(chain, trader, { days: 30 }));
    const holdings = items.find(({ contract_address: contract }) => contract === gold)?.holdings ?? [];
    expect(holdings.length).toBe(30);
    const blocks = [...new Set(changes.map((change) => change.block))];
    const times = new Map(await Promise.all(blocks.map(async (block) => [block, await timeOf(block)] as const)));
    const heldBefore = (time: number): bigint => held - sumOf(changes.filter(({ block }) => (times.get(block) ?? 0) >= time));
    for (const { timestamp, open, high, low, close } of holdings) {
      const start = timestamp.getTime() / 1000;
      const within = [...times].filter(([, time]) => time >= start && time < start + 86_400).map(([block]) => block);
      const reached = [heldBefore(start), ...within.map((last) => held - sumOf(changes.filter(({ block }) => block > last)))];
      reached.sort((a, b) => (a < b ? -1 : 1));
      const [lowest, highest] = [reached[0], reached.at(-1)];
      expect([open, high, low, close].map(({ balance }) => balance)).toEqual([
        heldBefore(start),
        highest,
        lowest,
        heldBefore(start + 86_400),
      ]);
    }
    expect(new Set(holdings.map(({ close }) => close.balance)).size).toBeGreaterThan(3);
  });

  it("row 3: reads the native balance", async () => {
    const { items } = await dataOf(client.BalanceService.getNativeTokenBalance(byId, cast("newcomer")));
    expect(items.map(({ balance }) => balance)).toEqual([BigInt(await node<string>("eth_getBalance", cast("newcomer"), "latest"))]);
  });

  it("row 5: iterates transfers to the end, each transaction once", async () => {
    const options = { contractAddress: cast("goldToken"), pageSize: 50 };
    const { items: firstPage, pagination } = await dataOf(
      client.BalanceService.getErc20TransfersForWalletAddressByPage(chain, cast("trader"), options),
    );
    expect(firstPage.length).toBeGreaterThan(0);
    const items = await all(client.BalanceService.getErc20TransfersForWalletAddress(chain, cast("trader"), options));
    expect(new Set(items.map(({ tx_hash: hash }) => hash)).size).toBe(items.length);
    expect(items.length).toBe(pagination.total_count);
    expect(items.length).toBeGreaterThan(2 * options.pageSize);
    for (const { transfers, block_signed_at: at } of items) {
      expect(isValidDate(at)).toBe(true);
      for (const { delta, contract_address: contract } of transfers) {
        expect(typeof delta === "bigint" && delta >= 0n).toBe(true);
        expect(contract).toBe(cast("goldToken"));
      }
    }
  });
});

describe("the npm client's BalanceService, of a token's holders", () => {
  it("row 6: iterates them to the end, as balanceOf says, the largest first", async () => {
    const token = cast("usdToken");
    const options = { pageSize: 100 };
    const { items: firstPage, pagination } = await dataOf(
      client.BalanceService.getTokenHoldersV2ForTokenAddressByPage(chain, token, options),
    );
    const items = await all(client.BalanceService.getTokenHoldersV2ForTokenAddress(chain, token, options));
    const owners = new Set((await transfersOf(token)).flatMap(({ from, to }) => [from, to]));
    owners.delete(`0x${"0".repeat(40)}`);
    const told = await Promise.all([...owners].map(async (address) => ({ address, balance: await balanceOf(token, address) })));
    const holders = told.filter(({ balance }) => balance > 0n);
    const order = (a: (typeof told)[number], b: (typeof told)[number]) =>
      a.balance === b.balance ? (a.address < b.address ? -1 : 1) : a.balance > b.balance ? -1 : 1;
    expect(items.map(({ address, balance }) => ({ address, balance }))).toEqual(holders.sort(order));
    expect(items.slice(0, firstPage.length).map(({ address }) => address)).toEqual(firstPage.map(({ address }) => address));
    expect(pagination.total_count).toBe(holders.length);
    expect(holders.length).toBeGreaterThan(options.pageSize);
    // totalSupply(), EIP-20.
    expect(items[0]?.total_supply).toBe(BigInt(await node<string>("eth_call", { to: token, data: "0x18160ddd" }, "latest")));
  });

  it("row 6: reads them as they were after a block", async () => {
    const [token, height] = [cast("goldToken"), Number(cast("swapBlockHeight"))];
    const options = { blockHeight: height, pageSize: 1000 };
    const { items } = await dataOf(client.BalanceService.getTokenHoldersV2ForTokenAddressByPage(chain, token, options));
    const balances = new Map<string, bigint>();
    for (const { from, to, value } of await transfersOf(token, `0x${height.toString(16)}`)) {
      balances.set(from, (balances.get(from) ?? 0n) - value);
      balances.set(to, (balances.get(to) ?? 0n) + value);
    }
    // What was minted came from nobody.
    const held = [...balances].filter(([, balance]) => balance > 0n);
    expect(new Map(items.map(({ address, balance }) => [address, balance]))).toEqual(new Map(held));
    expect(items.every(({ block_height: at }) => at === height)).toBe(true);
  });
});

describe("the npm client's TransactionService", () => {
  it("row 22: reads a transaction with its logs", async () => {
    const hash = cast("swapTransaction");
    const { items } = await dataOf(client.TransactionService.getTransaction(chain, hash, { quoteCurrency: "USD", noLogs: false }));
    const receipt = await node<{ readonly logs: readonly NodeLog[]; readonly gasUsed: string; readonly effectiveGasPrice: string }>(
      "eth_getTransactionReceipt",
      hash,
    );
    const [transaction] = items;
    expect(transaction?.tx_hash).toBe(hash);
    expect(transaction?.log_events.map(({ log_offset: offset }) => offset).sort((a, b) => a - b)).toEqual(
      receipt.logs.map(({ logIndex }) => Number(logIndex)),
    );
    // A legacy fee: gas used times the effective price; the demo's chain has no other part of a fee.
    expect(transaction?.fees_paid).toBe(BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice));
    expect(isValidDate(transaction?.block_signed_at)).toBe(true);
  });

  it("rows 25 and 26: iterates an address's transactions to the end, and pages there and back by the links", async () => {
    const options = { noLogs: true };
    const transactions = await all(client.TransactionService.getAllTransactionsForAddress(chain, cast("trader"), options));
    const iterated = transactions.map(({ tx_hash: hash }) => hash);
    expect(new Set(iterated).size).toBe(iterated.length);

    const newest = await dataOf(client.TransactionService.getAllTransactionsForAddressByPage(chain, cast("trader"), options));
    expect((await walkBack<{ readonly tx_hash: string }>(newest)).map(({ tx_hash: hash }) => hash)).toEqual(iterated);

    const oldest = await dataOf(client.TransactionService.getTransactionsForAddressV3(chain, cast("trader"), 0, options));
    expect(oldest.links.prev).toBeNull();
    expect(iterated.length).toBeGreaterThan(2 * oldest.items.length);
    const upwards = [oldest.items.map(({ tx_hash: hash }) => hash)];
    for (let page: Pages<{ readonly tx_hash: string }> = oldest; page.links.next !== null; ) {
      page = await dataOf(page.next());
      upwards.unshift(page.items.map(({ tx_hash: hash }) => hash));
    }
    expect(upwards.flat()).toEqual(iterated);
    // Every transaction that the address sent is there, as its nonce counts them.
    const sent = transactions.filter(({ from_address: from }) => from === cast("trader"));
    expect(sent.length).toBe(Number(await node<string>("eth_getTransactionCount", cast("trader"), "latest")));
  });

  it("row 28, by height and by hash: reads a block's transactions, page by page too", async () => {
    const block = await node<{ readonly transactions: readonly string[] }>("eth_getBlockByHash", cast("swapBlockHash"), false);
    const inOrder = ({ items }: { readonly items: readonly { readonly tx_hash: string; readonly tx_offset: number }[] }): string[] =>
      [...items].sort((a, b) => a.tx_offset - b.tx_offset).map(({ tx_hash: hash }) => hash);
    const service = client.TransactionService;
    expect(inOrder(await dataOf(service.getTransactionsForBlock(chain, cast("swapBlockHeight"), { noLogs: true })))).toEqual(
      block.transactions,
    );
    expect(inOrder(await dataOf(service.getTransactionsForBlockHash(chain, cast("swapBlockHash"))))).toEqual(block.transactions);
    const page = await dataOf(service.getTransactionsForBlockHashByPage(chain, cast("swapBlockHash"), 0));
    const transactions: { readonly tx_hash: string; readonly tx_offset: number }[] = [...page.items];
    for (let last: Pages<{ readonly tx_hash: string; readonly tx_offset: number }> = page; last.links.next !== null; ) {
      last = await dataOf(last.next());
      transactions.push(...last.items);
    }
    expect(inOrder({ items: transactions })).toEqual(block.transactions);
  });

  it("row 29, for which the client has no method: answers the client's header", async () => {
    const headers = { authorization: `Bearer ${app.key}`, "x-requested-with": "com.example.client/1.0" };
    const response = await fetch(`${app.url}/v1/demo/block/${cast("swapBlockHeight")}/transactions_v3/page/0/?`, { headers });
    const { data, error } = (await response.json()) as Reply<{ readonly items: readonly unknown[]; readonly links: object }>;
    expect({ status: response.status, error }).toEqual({ status: 200, error: false });
    expect(data.items.length).toBeGreaterThan(0);
    expect(data.links).toHaveProperty("prev", null);
  });

  it("row 23: reads the summary of a wallet, with what it paid", async () => {
    const { items } = await dataOf(client.TransactionService.getTransactionSummary(chain, cast("trader"), { withGas: true }));
    const [summary] = items;
    const transactions = await all(client.TransactionService.getAllTransactionsForAddress(chain, cast("trader"), { noLogs: true }));
    expect(summary?.total_count).toBe(transactions.length);
    expect(summary?.latest_transaction.tx_hash).toBe(transactions[0]?.tx_hash);
    expect(summary?.earliest_transaction.tx_hash).toBe(transactions.at(-1)?.tx_hash);
    expect(isValidDate(summary?.earliest_transaction.block_signed_at)).toBe(true);
    const sent = transactions.filter(({ from_address: from }) => from === cast("trader"));
    expect(summary?.gas_summary.total_sent_count).toBe(Number(await node<string>("eth_getTransactionCount", cast("trader"), "latest")));
    expect(summary?.gas_summary.total_fees_paid).toBe(sent.reduce((sum, { fees_paid: fees }) => sum + (fees ?? 0n), 0n));
  });

  it("row 24, for which the client has no method: answers the client's header with the first bucket", async () => {
    const headers = { authorization: `Bearer ${app.key}`, "x-requested-with": "com.example.client/1.0" };
    const response = await fetch(`${app.url}/v1/demo/bulk/transactions/${cast("newcomer")}/?`, { headers });
    const { data, error } = (await response.json()) as Reply<{ readonly items: readonly unknown[]; readonly links: object }>;
    expect({ status: response.status, error }).toEqual({ status: 200, error: false });
    expect(data.items.length).toBeGreaterThan(0);
    expect(data.links).toHaveProperty("prev", null);
  });

  it("row 27: reads a bucket, and pages there and back by the links", async () => {
    const bucket = Number(cast("swapTimeBucket"));
    const read = await dataOf(
      client.TransactionService.getTimeBucketTransactionsForAddress(chain, cast("trader"), bucket, { noLogs: true }),
    );
    expect(read.current_bucket).toBe(bucket);
    expect(read.items.map(({ tx_hash: hash }) => hash)).toContain(cast("swapTransaction"));
    expect(read.complete).toBe(true);
    const next = await dataOf(read.next());
    expect(next.current_bucket).toBeGreaterThan(bucket);
    expect(next.items.length).toBeGreaterThan(0);
    expect((await dataOf(next.prev())).current_bucket).toBe(bucket);
  });
});

describe("the npm client's BaseService", () => {
  it("row 30: reads a block, by height and as latest", async () => {
    const { items } = await dataOf(client.BaseService.getBlock(chain, cast("swapBlockHeight")));
    expect(items[0]?.block_hash).toBe(cast("swapBlockHash"));
    expect(isValidDate(items[0]?.signed_at)).toBe(true);
    expect(await indexedHead()).toBeGreaterThanOrEqual(Number(cast("swapBlockHeight")));
  });

  it("row 31: iterates blocks to the end, ascending, each once", async () => {
    const [first, last] = [cast("firstDay"), cast("swapDay")];
    const { pagination } = await dataOf(client.BaseService.getBlockHeightsByPage(chain, first, last, { pageSize: 1000 }));
    const heights = (await all(client.BaseService.getBlockHeights(chain, first, last, { pageSize: 500 }))).map(({ height }) => height);
    const [start = 0] = heights;
    expect(heights).toEqual(heights.map((_height, index) => start + index));
    expect(heights.length).toBe(pagination.total_count);
    expect(heights).toContain(Number(cast("swapBlockHeight")));
  });

  it("row 32: reads the logs of a range", async () => {
    const height = cast("swapBlockHeight");
    const { items } = await dataOf(client.BaseService.getLogs(chain, { startingBlock: Number(height), endingBlock: height }));
    const expected = await node<readonly NodeLog[]>("eth_getLogs", { blockHash: cast("swapBlockHash") });
    expect(items.map(logKey).sort()).toEqual(
      expected.map(({ blockNumber, logIndex }) => `${Number(blockNumber)}:${Number(logIndex)}`).sort(),
    );
  });

  it("row 33: iterates a contract's logs to the end, each once, as the node has them", async () => {
    const head = await indexedHead();
    const options = { startingBlock: 0, endingBlock: String(head), pageSize: 1000 };
    const { pagination } = await dataOf(client.BaseService.getLogEventsByAddressByPage(chain, cast("goldPair"), options));
    const keys = (await all(client.BaseService.getLogEventsByAddress(chain, cast("goldPair"), options))).map(logKey);
    expect(keys).toEqual(await nodeLogs({ address: cast("goldPair") }, head));
    expect([null, keys.length]).toContain(pagination.total_count);
  });

  it("row 34: iterates a topic's logs to the end, each once, as the node has them", async () => {
    const head = await indexedHead();
    const secondary = `0x${cast("trader").slice(2).padStart(64, "0")}`;
    const options = { startingBlock: 0, endingBlock: String(head), secondaryTopics: cast("trader"), pageSize: 300 };
    const { items } = await dataOf(client.BaseService.getLogEventsByTopicHashByPage(chain, transferTopic, { ...options, pageSize: 5 }));
    expect(items.length).toBe(5);
    const keys = (await all(client.BaseService.getLogEventsByTopicHash(chain, transferTopic, options))).map(logKey);
    // A secondary topic may be at any of the places after the first.
    const places = [[secondary], [null, secondary], [null, null, secondary]];
    const found = await Promise.all(places.map((rest) => nodeLogs({ topics: [transferTopic, ...rest] }, head)));
    expect(keys.length).toBeGreaterThan(2 * options.pageSize);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(keys)).toEqual(new Set(found.flat()));
  });

  it("row 35: reads an address resolved, whatever its case", async () => {
    const { items } = await dataOf(client.BaseService.getResolvedAddress(chain, `0x${cast("trader").slice(2).toUpperCase()}`));
    // The story has no registry of names.
    expect(items).toEqual([{ address: cast("trader"), name: null }]);
  });

  it("rows 36 and 37: lists the chains and how far they are", async () => {
    const { items: chains } = await dataOf(client.BaseService.getAllChains());
    expect(chains.map(({ name, chain_id: id }) => [name, id])).toContainEqual(["demo", "31337"]);
    const { items: statuses } = await dataOf(client.BaseService.getAllChainStatus());
    expect(statuses.map(({ name }) => name)).toContain("demo");
  });

  it.each(["erc20", "nativetokens", "uniswapv3"] as const)("row 38: reads the prices of gas for %s", async (kind) => {
    const prices = await dataOf(client.BaseService.getGasPrices(chain, kind));
    expect(prices.event_type).toBe(kind);
    expect(prices.base_fee).toBe(
      BigInt((await node<{ readonly baseFeePerGas: string }>("eth_getBlockByNumber", "latest", false)).baseFeePerGas),
    );
    expect(prices.items.length).toBe(3);
    for (const { gas_price: price } of prices.items) expect(BigInt(price) >= (prices.base_fee ?? 0n)).toBe(true);
  });

  it("row 39: reads the chains of an address", async () => {
    const { items } = await dataOf(client.BaseService.getAddressActivity(cast("trader"), { testnets: true }));
    expect(items.map(({ name }) => name)).toEqual(["demo"]);
    expect(isValidDate(items[0]?.last_seen_at)).toBe(true);
  });
});

describe("the npm client", () => {
  it("is told what was wrong", async () => {
    const reply = await client.BaseService.getBlock(chain, "0x10");
    expect(reply).toMatchObject({ data: null, error: true, error_code: 400, error_message: expect.stringContaining("blockHeight") });
  });

  it("accepts the form of the server's keys", async () => {
    expect(app.key).toMatch(/^ckey_[a-f0-9]{27}$/);
    const refused = await new CovalentClient("ckey_0").BaseService.getAllChains();
    expect(refused.error_code).toBe(401);
    const unknown = await new CovalentClient(`ckey_${"0".repeat(27)}`).BaseService.getBlock(chain, "latest");
    expect(unknown).toMatchObject({ error: true, error_code: 401, error_message: expect.stringMatching(/key/i) });
  });
});
