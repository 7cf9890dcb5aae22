import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, type Hash, pad, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainConfig, chainConfigSchema } from "../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../runtime/config/key-limits.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type IndexerProcess, startIndexer } from "../../support/indexer-process.ts";
import { type ServerProcess, startServer } from "../../support/server-process.ts";
import { until } from "../../support/until.ts";
import { createPagedLists, type Page, type PagedList, pagedListNames } from "./paged-lists.ts";

/*
 * A client alternately reads pages from two servers while a third process indexes into the same database. Between any two pages, a new block changes
 * every list. The node provides the expected rows.
 */

const name = "pages";
const recipientCount = 260;

let chain: TestChain;
let testDatabase: TestDatabase;
let folder: string;
let indexer: IndexerProcess;
let servers: ServerProcess[];
let key: string;
let token: Address;
let trader: Address;
let lists: ReturnType<typeof createPagedLists>;
/** The height of a block with more transactions than a page. */
let largeBlock: number;
let changeCount = 0;

const recipient = (number: number): Address => pad(toHex(0xaa_00_00 + number), { size: 20 });
const erc20 = artifacts.erc20();
const transfer = (to: Address, amount: bigint): TestTransaction => ({
  from: trader,
  ...encodeCall(erc20, token, "transfer", [to, amount]),
  gas: 100_000n,
});

beforeAll(async () => {
  [chain, testDatabase, folder] = await Promise.all([startTestChain(), createTestDatabase(), mkdtemp(join(tmpdir(), "ashlar-pages-"))]);
  trader = chain.accounts[1]?.toLowerCase() as Address;
  token = (await chain.deploy(erc20, ["Gold", "GLD"])).toLowerCase() as Address;
  lists = createPagedLists(chain, token, trader);
  await chain.send(encodeCall(erc20, token, "mint", [trader, 10n ** 30n]));
  await chain.mine();
  // Sent in small batches, because anvil miscounts the nonces of one sender in large ones.
  for (let first = 0; first < recipientCount; first += 20) {
    await chain.send(
      ...Array.from({ length: 20 }, (_, number) => transfer(recipient(first + number), BigInt(1_000 + ((first + number) % 90)))),
    );
  }
  await chain.mine();
  largeBlock = await chain.head();
  for (let block = 0; block < 70; block += 1) {
    await chain.send(transfer(recipient(block), 7n), transfer(recipient(block + 1), 3n));
    await chain.mine();
  }
  ({ key } = await createKeys(testDatabase.database).create({ label: "pages" }));
  const chainSettings: ChainConfig = { ...chainConfigSchema.parse({ name, id: 31337, rpc: chain.url, pollMilliseconds: 50 }), id: 31337 };
  const file = join(folder, "serve.yaml");
  // JSON is valid YAML.
  await writeFile(file, JSON.stringify({ chains: [chainSettings], limits: { requestsPerSecond: 100_000, ...noKeyLimits } }));
  indexer = await startIndexer(folder, chainSettings, testDatabase.url);
  servers = await Promise.all([startServer(file, testDatabase.url), startServer(file, testDatabase.url)]);
  await waitForHead();
});
afterAll(async () => {
  await Promise.all((servers ?? []).map((server) => server.stop()));
  await indexer?.stop();
  await testDatabase?.drop();
  await chain?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function fetchData<T>(server: number, path: string): Promise<T> {
  const url = `${servers[server % 2]?.url}/v1/${name}/${path}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { data: T | null; error_message: string | null };
  if (body.data === null) throw new Error(`${path}: ${body.error_message}`);
  return body.data;
}

/** Waits until both servers return the node's head. */
async function waitForHead(): Promise<void> {
  const { hash } = await chain.rpc<{ hash: Hash }>("eth_getBlockByNumber", ["latest", false]);
  await until("both servers to return the head", async () => {
    const heads = await Promise.all(
      [0, 1].map((server) =>
        fetchData<{ items: { block_hash: Hash }[] }>(server, "block_v2/latest/").catch(() => ({ items: [] as { block_hash: Hash }[] })),
      ),
    );
    return heads.every(({ items }) => items[0]?.block_hash === hash);
  });
}

/** Mines a block that adds a holder, changes the order of holders, and adds a transaction by the trader. */
async function mineChange(): Promise<void> {
  changeCount += 1;
  await chain.send(transfer(recipient(1_000 + changeCount), 5_000n), transfer(recipient(changeCount % recipientCount), 2_000n), {
    from: trader,
    to: recipient(changeCount),
    value: 1n,
    gas: 60_000n,
  });
  await chain.mine();
  await waitForHead();
}

/** Reads all pages, alternating between the servers, and calls `between` between any two pages. */
async function walk({ path, size, rowKey }: PagedList, height: number, between: (page: number) => Promise<void>): Promise<string[]> {
  const rows: string[] = [];
  for (let number = 0; ; number += 1) {
    const page = await fetchData<Page>(number, `${path(height)}&page-size=${size}&page-number=${number}`);
    rows.push(...page.items.map(rowKey));
    if (!page.pagination.has_more) return rows;
    await between(number);
  }
}

describe("paging through two servers while blocks arrive", () => {
  it.each(pagedListNames)("returns every row of %s once, as of the first page", async (title) => {
    const list = lists[title];
    const anchor = await chain.head();
    const expected = await list.expectedKeys(anchor);
    const rows = await walk(list, anchor, mineChange);
    expect(rows).toEqual(expected);
    // The list has at least three pages, and it has changed in the meantime.
    expect(rows.length).toBeGreaterThan(2 * list.size);
    expect(await list.expectedKeys(await chain.head())).not.toEqual(expected);
  });

  interface LinkedPage {
    readonly items: readonly { readonly tx_hash: Hash }[];
    readonly links: { readonly prev: string | null; readonly next: string | null };
  }
  /** Follows links, alternating between the servers regardless of which one returned a link. */
  const follow = async (first: string, direction: "prev" | "next"): Promise<Hash[]> => {
    const hashes: Hash[] = [];
    let path: string | null = first;
    for (let turn = 0; path !== null; turn += 1) {
      if (turn > 0) await mineChange();
      const { items, links }: LinkedPage = await fetchData<LinkedPage>(turn, `${path}?no-logs=true`);
      hashes.push(...items.map(({ tx_hash: hash }) => hash));
      path = links[direction]?.split(`/v1/${name}/`)[1] ?? null;
    }
    return hashes;
  };

  it("returns every transaction of a wallet once, from the newest page to the oldest", async () => {
    const head = await chain.head();
    const blocks = await chain.batch<{ transactions: { hash: Hash; from: Address; to: Address | null }[] }>(
      Array.from({ length: head + 1 }, (_, height) => ({ method: "eth_getBlockByNumber", params: [toHex(height), true] })),
    );
    const transactions = blocks.flatMap((block) => block.transactions).filter(({ from, to }) => from === trader || to === trader);
    expect(await follow(`address/${trader}/transactions_v3/`, "prev")).toEqual(transactions.map(({ hash }) => hash).reverse());
    expect(transactions.length).toBeGreaterThan(300);
  });

  it("returns every transaction of a block once, in order", async () => {
    const { transactions } = await chain.rpc<{ transactions: Hash[] }>("eth_getBlockByNumber", [toHex(largeBlock), false]);
    expect(await follow(`block/${largeBlock}/transactions_v3/page/0/`, "next")).toEqual(transactions);
    expect(transactions.length).toBe(recipientCount);
  });
});

/** Replaces the newest blocks, adds a transfer to the new branch's first block, and mines one more. */
async function reorganise(depth: number): Promise<void> {
  changeCount += 1;
  const { to, data } = encodeCall(erc20, token, "transfer", [recipient(2_000 + changeCount), BigInt(9_000 + changeCount)]);
  await chain.rpc("anvil_reorg", [depth, [[{ from: trader, to, data, gas: toHex(100_000) }, 0]]]);
  await chain.mine();
  await waitForHead();
}

describe("a reorganisation between two pages", () => {
  const paged = ["transfers", "logs of a contract", "holders"] as const;

  it.each(paged)("does not affect the pages of %s if it is above the anchor", async (title) => {
    const list = lists[title];
    const anchor = await chain.head();
    const expected = await list.expectedKeys(anchor);
    const rows = await walk(list, anchor, async (page) => {
      if (page > 0) return mineChange();
      await mineChange();
      await mineChange();
      await reorganise(2);
    });
    expect(rows).toEqual(expected);
  });

  it.each(paged)(
    "makes later pages of %s return the new branch if it is below the anchor, and a new read returns only that branch",
    async (title) => {
      const list = lists[title];
      await mineChange();
      const anchor = await chain.head();
      const oldBranch = await list.expectedKeys(anchor);
      let newAnchor = 0;
      const rows = await walk(list, anchor, async (page) => {
        if (page > 0) return mineChange();
        await reorganise(3);
        // The next page sets a new anchor for the pages after it.
        newAnchor = await chain.head();
      });
      const newBranch = await list.expectedKeys(newAnchor);
      expect(rows).toEqual([...oldBranch.slice(0, list.size), ...newBranch.slice(list.size)]);
      expect(newBranch).not.toEqual(oldBranch);
      const head = await chain.head();
      expect(await walk(list, head, mineChange)).toEqual(await list.expectedKeys(head));
    },
  );
});
