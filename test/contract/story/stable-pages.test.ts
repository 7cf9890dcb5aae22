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
 * A client that pages while blocks arrive, asking two servers in turn: three processes on one database, of which one indexes. Between any two pages a block
 * arrives that changes every list, and what is right is asked of the node.
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
/** Of a block with more transactions than a page has. */
let crowded: number;
let lived = 0;

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
  // The node counts the nonces of one sender wrongly where too many come at once.
  for (let first = 0; first < recipients; first += 20) {
    await chain.send(
      ...Array.from({ length: 20 }, (_, number) => transfer(recipient(first + number), BigInt(1_000 + ((first + number) % 90)))),
    );
  }
  await chain.mine();
  crowded = await chain.head();
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
  await level();
});
afterAll(async () => {
  await Promise.all((servers ?? []).map((server) => server.stop()));
  await indexer?.stop();
  await test?.drop();
  await chain?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function ask<T>(server: number, path: string): Promise<T> {
  const url = `${servers[server % 2]?.url}/v1/${name}/${path}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { data: T | null; error_message: string | null };
  if (body.data === null) throw new Error(`${path}: ${body.error_message}`);
  return body.data;
}

/** Both servers have the node's head as theirs. */
async function level(): Promise<void> {
  const { hash } = await chain.rpc<{ hash: Hash }>("eth_getBlockByNumber", ["latest", false]);
  await until("Indexing", async () => {
    const heads = await Promise.all(
      [0, 1].map((server) =>
        ask<{ items: { block_hash: Hash }[] }>(server, "block_v2/latest/").catch(() => ({ items: [] as { block_hash: Hash }[] })),
      ),
    );
    return heads.every(({ items }) => items[0]?.block_hash === hash);
  });
}

/** A block arrives: others hold the token now, and those who held it rank elsewhere. */
async function live(): Promise<void> {
  lived += 1;
  await chain.send(transfer(recipient(1_000 + lived), 5_000n), transfer(recipient(lived % recipients), 2_000n), {
    from: trader,
    to: recipient(lived),
    value: 1n,
    gas: 60_000n,
  });
  await chain.mine();
  await level();
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

/** A list with pages: its path, what tells its rows apart, and what the node says the rows are up to a height. */
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
    // The chain has one contract: those of its roles, which its creation gives, are logs too.
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
    // The chain's first blocks are of 2023-11-14: its genesis has the time 1,700,000,000.
    path: () => "block_v2/2023-11-14/latest/?",
    size: 25,
    rowKey: ({ height }) => String(height),
    rows: async (height) => Array.from({ length: height + 1 }, (_, number) => String(number)),
  },
};

/** All rows from page 0 on, one server after the other, something happening between any two pages. */
async function walk({ path, size, rowKey }: List, height: number, between: (page: number) => Promise<void>): Promise<string[]> {
  const rows: string[] = [];
  for (let number = 0; ; number += 1) {
    const page = await ask<Page>(number, `${path(height)}&page-size=${size}&page-number=${number}`);
    rows.push(...page.items.map(rowKey));
    if (!page.pagination.has_more) return rows;
    await between(number);
  }
}

describe("a client that pages through two servers while blocks arrive", () => {
  it.each(Object.entries(lists))("gets every row of %s once, as they were when it began", async (_, list) => {
    const anchor = await chain.head();
    const expected = await list.rows(anchor);
    const rows = await walk(list, anchor, live);
    expect(rows).toEqual(expected);
    // Three pages at least, and other rows by the end.
    expect(rows.length).toBeGreaterThan(2 * list.size);
    expect(await list.rows(await chain.head())).not.toEqual(expected);
  });

  interface Linked {
    readonly items: readonly { readonly tx_hash: Hash }[];
    readonly links: { readonly prev: string | null; readonly next: string | null };
  }
  /** Follows links, the servers taking turns whichever of them made the link. */
  const follow = async (first: string, direction: "prev" | "next"): Promise<Hash[]> => {
    const hashes: Hash[] = [];
    let path: string | null = first;
    for (let turn = 0; path !== null; turn += 1) {
      if (turn > 0) await live();
      const { items, links }: Linked = await ask<Linked>(turn, `${path}?no-logs=true`);
      hashes.push(...items.map(({ tx_hash: hash }) => hash));
      path = links[direction]?.split(`/v1/${name}/`)[1] ?? null;
    }
    return hashes;
  };

  it("gets every transaction of a wallet once, from the newest page back to the first", async () => {
    const head = await chain.head();
    const blocks = await chain.batch<{ transactions: { hash: Hash; from: Address; to: Address | null }[] }>(
      Array.from({ length: head + 1 }, (_, height) => ({ method: "eth_getBlockByNumber", params: [toHex(height), true] })),
    );
    const own = blocks.flatMap(({ transactions }) => transactions).filter(({ from, to }) => from === trader || to === trader);
    expect(await follow(`address/${trader}/transactions_v3/`, "prev")).toEqual(own.map(({ hash }) => hash).reverse());
    expect(own.length).toBeGreaterThan(300);
  });

  it("gets every transaction of a block once, in their order", async () => {
    const { transactions } = await chain.rpc<{ transactions: Hash[] }>("eth_getBlockByNumber", [toHex(crowded), false]);
    expect(await follow(`block/${crowded}/transactions_v3/page/0/`, "next")).toEqual(transactions);
    expect(transactions.length).toBe(recipients);
  });
});

/** Replaces the newest blocks, the first of the new branch with another transfer, and adds one. */
async function reorganise(depth: number): Promise<void> {
  lived += 1;
  const { to, data } = call(erc20, token, "transfer", [recipient(2_000 + lived), BigInt(9_000 + lived)]);
  await chain.rpc("anvil_reorg", [depth, [[{ from: trader, to, data, gas: toHex(100_000) }, 0]]]);
  await chain.mine();
  await level();
}

describe("a reorganisation between two pages", () => {
  const paged = ["transfers", "logs of a contract", "holders"];

  it.each(paged)("above the anchor changes nothing for %s", async (title) => {
    const list = lists[title] as List;
    const anchor = await chain.head();
    const expected = await list.rows(anchor);
    const rows = await walk(list, anchor, async (page) => {
      if (page > 0) return live();
      await live();
      await live();
      await reorganise(2);
    });
    expect(rows).toEqual(expected);
  });

  it.each(paged)(
    "below the anchor drops it: later pages of %s are of the new branch, and a client that begins anew gets it whole",
    async (title) => {
      const list = lists[title] as List;
      await live();
      const anchor = await chain.head();
      const seenBefore = await list.rows(anchor);
      let newAnchor = 0;
      const rows = await walk(list, anchor, async (page) => {
        if (page > 0) return live();
        await reorganise(3);
        // The next page that has more fixes what the ones after it are answered as of.
        newAnchor = await chain.head();
      });
      const ofNewBranch = await list.rows(newAnchor);
      expect(rows).toEqual([...seenBefore.slice(0, list.size), ...ofNewBranch.slice(list.size)]);
      expect(ofNewBranch).not.toEqual(seenBefore);
      const head = await chain.head();
      expect(await walk(list, head, live)).toEqual(await list.rows(head));
    },
  );
});
