import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, type Hash, type Hex, pad, toHex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainConfig, chainConfig } from "../../../runtime/config/config.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { artifacts, call, startTestChain, type TestChain, type TestTransaction } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type IndexerProcess, startIndexer } from "../../support/indexer-process.ts";
import { type ServerProcess, startServer } from "../../support/server-process.ts";
import { until } from "../../support/until.ts";

/**
 * A client reads pages from two servers in turn while a third process indexes into the same database. Between any two pages a block arrives that changes
 * every list. Expected rows are read from the node.
 */
const name = "pages";
const recipients = 260;
/** keccak256("Transfer(address,address,uint256)"), EIP-20. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

let chain: TestChain;
let test: TestDatabase;
let folder: string;
let indexer: IndexerProcess;
let servers: ServerProcess[];
let key: string;
let token: Address;
let trader: Address;
/** The height of a block with more transactions than a page. */
let largeBlock: number;
let changes = 0;

const recipient = (number: number): Address => pad(toHex(0xaa_00_00 + number), { size: 20 });
const wordOf = (address: Address): Hash => pad(address, { size: 32 });
const erc20 = artifacts.erc20();
const transfer = (to: Address, amount: bigint): TestTransaction => ({
  from: trader,
  ...call(erc20, token, "transfer", [to, amount]),
  gas: 100_000n,
});

beforeAll(async () => {
  [chain, test, folder] = await Promise.all([startTestChain(), createTestDatabase(), mkdtemp(join(tmpdir(), "ashlar-pages-"))]);
  trader = chain.accounts[1]?.toLowerCase() as Address;
  token = (await chain.deploy(erc20, ["Gold", "GLD"])).toLowerCase() as Address;
  await chain.send(call(erc20, token, "mint", [trader, 10n ** 30n]));
  await chain.mine();
  // In small batches, because anvil miscounts the nonces of one sender in large ones.
  for (let first = 0; first < recipients; first += 20) {
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
  ({ key } = await createKeys(test.database).create({ label: "pages" }));
  const chainSettings: ChainConfig = { ...chainConfig.parse({ name, id: 31337, rpc: chain.url, pollMilliseconds: 50 }), id: 31337 };
  const file = join(folder, "serve.yaml");
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ chains: [chainSettings], limits: { requestsPerSecond: 100_000 } }));
  indexer = await startIndexer(folder, chainSettings, test.url);
  servers = await Promise.all([startServer(file, test.url), startServer(file, test.url)]);
  await waitForHead();
});
afterAll(async () => {
  await Promise.all((servers ?? []).map((server) => server.stop()));
  await indexer?.stop();
  await test?.drop();
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

/** Waits until both servers have indexed the node's head. */
async function waitForHead(): Promise<void> {
  const { hash } = await chain.rpc<{ hash: Hash }>("eth_getBlockByNumber", ["latest", false]);
  await until("Both servers at the head", async () => {
    const heads = await Promise.all(
      [0, 1].map((server) =>
        fetchData<{ items: { block_hash: Hash }[] }>(server, "block_v2/latest/").catch(() => ({ items: [] as { block_hash: Hash }[] })),
      ),
    );
    return heads.every(({ items }) => items[0]?.block_hash === hash);
  });
}

/** Mines a block that adds holders, changes their order, and adds a transaction of the trader. */
async function mineChange(): Promise<void> {
  changes += 1;
  await chain.send(transfer(recipient(1_000 + changes), 5_000n), transfer(recipient(changes % recipients), 2_000n), {
    from: trader,
    to: recipient(changes),
    value: 1n,
    gas: 60_000n,
  });
  await chain.mine();
  await waitForHead();
}

interface NodeLog {
  readonly blockNumber: Hex;
  readonly logIndex: Hex;
  readonly transactionHash: Hash;
  readonly topics: readonly Hash[];
}
const logsUpTo = async (height: number, topics = [transferTopic]): Promise<NodeLog[]> =>
  (await chain.rpc<NodeLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: toHex(height), topics }])).reverse();
const logKey = ({ blockNumber, logIndex }: NodeLog): string => `${Number(blockNumber)}:${Number(logIndex)}`;

/** A paged list: its path, the key of a row, and the expected keys up to a height. */
interface List {
  readonly path: (height: number) => string;
  readonly size: number;
  readonly rowKey: (row: Row) => string;
  readonly rows: (height: number) => Promise<string[]>;
}
interface Row {
  readonly tx_hash: Hash;
  readonly block_height: number;
  readonly height: number;
  readonly log_offset: number;
  readonly address: Address;
  readonly balance: string;
}
interface Page {
  readonly items: readonly Row[];
  readonly pagination: { readonly has_more: boolean };
}

const lists: Readonly<Record<string, List>> = {
  transfers: {
    path: () => `address/${trader}/transfers_v2/?contract-address=${token}`,
    size: 40,
    rowKey: ({ tx_hash: hash }) => hash,
    rows: async (height) => [
      ...new Set(
        (await logsUpTo(height))
          .filter(({ topics }) => topics.slice(1, 3).includes(wordOf(trader)))
          .map(({ transactionHash: hash }) => hash),
      ),
    ],
  },
  "logs of a contract": {
    path: () => `events/address/${token}/?starting-block=0`,
    size: 60,
    rowKey: ({ block_height: height, log_offset: offset }) => `${height}:${offset}`,
    // The chain has one contract, so no address filter is needed. Its creation emits logs too.
    rows: async (height) => (await logsUpTo(height, [])).map(logKey),
  },
  "logs of a topic": {
    path: () => `events/topics/${transferTopic}/?sender-address=${token}`,
    size: 50,
    rowKey: ({ block_height: height, log_offset: offset }) => `${height}:${offset}`,
    rows: async (height) => (await logsUpTo(height)).map(logKey),
  },
  holders: {
    path: () => `tokens/${token}/token_holders_v2/?`,
    size: 100,
    rowKey: ({ address, balance }) => `${address} ${balance}`,
    rows: async (height) => {
      const words = new Set((await logsUpTo(height)).flatMap(({ topics }) => topics.slice(1, 3)));
      const owners = [...words].map((word): Address => `0x${word.slice(26)}`).filter((address) => address !== zeroAddress);
      const returned = await chain.batch<Hex>(
        owners.map((owner) => ({ method: "eth_call", params: [call(erc20, token, "balanceOf", [owner]), toHex(height)] })),
      );
      return owners
        .map((address, position) => ({ address, balance: BigInt(returned[position] ?? "0x0") }))
        .filter(({ balance }) => balance > 0n)
        .sort((a, b) => (a.balance === b.balance ? (a.address < b.address ? -1 : 1) : a.balance > b.balance ? -1 : 1))
        .map(({ address, balance }) => `${address} ${balance}`);
    },
  },
  "blocks of a day": {
    // The genesis has the time 1,700,000,000, which is on 2023-11-14.
    path: () => "block_v2/2023-11-14/latest/?",
    size: 25,
    rowKey: ({ height }) => String(height),
    rows: async (height) => Array.from({ length: height + 1 }, (_, number) => String(number)),
  },
};

/** Reads all pages from the servers in turn, and calls a function between any two pages. */
async function walk({ path, size, rowKey }: List, height: number, between: (page: number) => Promise<void>): Promise<string[]> {
  const rows: string[] = [];
  for (let number = 0; ; number += 1) {
    const page = await fetchData<Page>(number, `${path(height)}&page-size=${size}&page-number=${number}`);
    rows.push(...page.items.map(rowKey));
    if (!page.pagination.has_more) return rows;
    await between(number);
  }
}

describe("paging through two servers while blocks arrive", () => {
  it.each(Object.entries(lists))("returns every row of %s once, as of the first page", async (_, list) => {
    const anchor = await chain.head();
    const expected = await list.rows(anchor);
    const rows = await walk(list, anchor, mineChange);
    expect(rows).toEqual(expected);
    // At least three pages, and the list has changed in the meantime.
    expect(rows.length).toBeGreaterThan(2 * list.size);
    expect(await list.rows(await chain.head())).not.toEqual(expected);
  });

  interface Linked {
    readonly items: readonly { readonly tx_hash: Hash }[];
    readonly links: { readonly prev: string | null; readonly next: string | null };
  }
  /** Follows links with the servers in turn, whichever of them returned the link. */
  const follow = async (first: string, direction: "prev" | "next"): Promise<Hash[]> => {
    const hashes: Hash[] = [];
    let path: string | null = first;
    for (let turn = 0; path !== null; turn += 1) {
      if (turn > 0) await mineChange();
      const { items, links }: Linked = await fetchData<Linked>(turn, `${path}?no-logs=true`);
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
    const own = blocks.flatMap(({ transactions }) => transactions).filter(({ from, to }) => from === trader || to === trader);
    expect(await follow(`address/${trader}/transactions_v3/`, "prev")).toEqual(own.map(({ hash }) => hash).reverse());
    expect(own.length).toBeGreaterThan(300);
  });

  it("returns every transaction of a block once, in order", async () => {
    const { transactions } = await chain.rpc<{ transactions: Hash[] }>("eth_getBlockByNumber", [toHex(largeBlock), false]);
    expect(await follow(`block/${largeBlock}/transactions_v3/page/0/`, "next")).toEqual(transactions);
    expect(transactions.length).toBe(recipients);
  });
});

/** Replaces the newest blocks, adds a transfer to the first block of the new branch, and mines one more. */
async function reorganise(depth: number): Promise<void> {
  changes += 1;
  const { to, data } = call(erc20, token, "transfer", [recipient(2_000 + changes), BigInt(9_000 + changes)]);
  await chain.rpc("anvil_reorg", [depth, [[{ from: trader, to, data, gas: toHex(100_000) }, 0]]]);
  await chain.mine();
  await waitForHead();
}

describe("a reorganisation between two pages", () => {
  const paged = ["transfers", "logs of a contract", "holders"];

  it.each(paged)("does not affect the pages of %s if it is above the anchor", async (title) => {
    const list = lists[title] as List;
    const anchor = await chain.head();
    const expected = await list.rows(anchor);
    const rows = await walk(list, anchor, async (page) => {
      if (page > 0) return mineChange();
      await mineChange();
      await mineChange();
      await reorganise(2);
    });
    expect(rows).toEqual(expected);
  });

  it.each(paged)("below the anchor: later pages of %s come from the new branch, and a new walk returns all of it", async (title) => {
    const list = lists[title] as List;
    await mineChange();
    const anchor = await chain.head();
    const seenBefore = await list.rows(anchor);
    let newAnchor = 0;
    const rows = await walk(list, anchor, async (page) => {
      if (page > 0) return mineChange();
      await reorganise(3);
      // The next page sets a new anchor for the pages after it.
      newAnchor = await chain.head();
    });
    const ofNewBranch = await list.rows(newAnchor);
    expect(rows).toEqual([...seenBefore.slice(0, list.size), ...ofNewBranch.slice(list.size)]);
    expect(ofNewBranch).not.toEqual(seenBefore);
    const head = await chain.head();
    expect(await walk(list, head, mineChange)).toEqual(await list.rows(head));
  });
});
