import { pino } from "pino";
import supertest from "supertest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { createApp } from "../../../../runtime/app.ts";
import { chainConfigSchema, configSchema } from "../../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../../runtime/config/key-limits.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer, isAtHead, runInBackground } from "../../../support/indexer/support.ts";
import { until } from "../../../support/until.ts";

const transfersPerBlock = 150;
const blocksWithTransfers = 16;
const size = 100;

let chain: TestChain;
let testDatabase: TestDatabase;
let token: string;
let wallet: string;
let get: (path: string) => Promise<{ readonly items: readonly Item[]; readonly pagination?: { readonly has_more: boolean } }>;
const closing: (() => Promise<void>)[] = [];

/** The fields that identify a log or a transaction on the node. */
interface Item {
  readonly tx_hash: string;
  readonly log_offset?: number;
}

const waitForHead = () => until("the index to reach the head", () => isAtHead(testDatabase.database, chain));

/** Mines a block in which the wallet calls the token; nonces are explicit because the node receives the calls concurrently. */
async function mineCalls(name: string, calls: readonly (readonly unknown[])[]): Promise<void> {
  const nonce = Number(await chain.rpc<string>("eth_getTransactionCount", [wallet, "latest"]));
  const transactions = calls.map((args, index) => ({
    from: wallet,
    gas: "0x186a0",
    nonce: `0x${(nonce + index).toString(16)}`,
    ...encodeCall(artifacts.erc20(), token as `0x${string}`, name, args),
  }));
  await chain.batch(transactions.map((transaction) => ({ method: "eth_sendTransaction", params: [transaction] })));
  await chain.mine();
}

beforeAll(async () => {
  chain = await startTestChain();
  testDatabase = await createTestDatabase();
  closing.push(
    () => testDatabase.drop(),
    () => chain.stop(),
  );
  const [minter = "0x", recipient = "0x"] = chain.accounts;
  wallet = minter;
  token = await chain.deploy(artifacts.erc20(), ["Token", "TKN"]);
  await mineCalls("mint", [[wallet, 10n ** 18n]]);
  for (let block = 0; block < blocksWithTransfers; block += 1)
    await mineCalls(
      "transfer",
      Array.from({ length: transfersPerBlock }, (_, amount) => [recipient, BigInt(amount)]),
    );
  closing.unshift(runInBackground(await createTestIndexer(chain.url, testDatabase.database)));
  await waitForHead();
  const { key } = await createKeys(testDatabase.database).create({ label: "deep pages" });
  const http = createApp({
    config: configSchema.parse({ cache: { megabytes: 0 }, limits: { requestsPerSecond: 100_000, ...noKeyLimits } }),
    chains: [{ ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: chain.url }), id: 31337 }],
    database: testDatabase.database,
    logger: pino({ level: "silent" }),
    validate: "strict",
  });
  closing.unshift(() => http.close());
  get = async (path) => {
    const { status, body } = await supertest(http.listener)
      .get(`/v1/test/${path}`)
      .set("Authorization", `Bearer ${key}`)
      .set("Host", "localhost");
    expect([path, status, body.error_message]).toEqual([path, 200, null]);
    return body.data;
  };
}, 180_000);
afterAll(async () => {
  for (const close of closing) await close();
});

/** The token's logs on the node, newest first. */
async function readNodeLogs(): Promise<NodeLog[]> {
  return (await chain.rpc<NodeLog[]>("eth_getLogs", [{ address: token, fromBlock: "0x0" }])).reverse();
}

interface NodeLog {
  readonly transactionHash: string;
  readonly logIndex: string;
  readonly topics: readonly string[];
}

/** keccak256("Transfer(address,address,uint256)"); the deployment emits other logs. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** The wallet's and the token's lists with the node's rows, newest first. */
async function readNodeLists() {
  const logs = await readNodeLogs();
  const rows = logs.map((log) => `${log.transactionHash}:${Number(log.logIndex)}`);
  const transfers = logs.filter(({ topics }) => topics[0] === transferTopic);
  const transactions = [...new Set(transfers.map(({ transactionHash }) => transactionHash))];
  return [
    { path: `events/address/${token}/`, query: "&starting-block=0", rows, rowOf: (item: Item) => `${item.tx_hash}:${item.log_offset}` },
    {
      path: `address/${wallet}/transfers_v2/`,
      query: `&contract-address=${token}`,
      rows: transactions,
      rowOf: (item: Item) => item.tx_hash,
    },
    { path: `address/${wallet}/transfers_v2/`, query: "", rows: transactions, rowOf: (item: Item) => item.tx_hash },
  ];
}

type List = Awaited<ReturnType<typeof readNodeLists>>[number];

async function expectPage({ path, query, rows, rowOf }: List, number: number): Promise<void> {
  const { items, pagination } = await get(`${path}?page-size=${size}&page-number=${number}${query}`);
  expect(items.map(rowOf), `${path} ${number}`).toEqual(rows.slice(number * size, (number + 1) * size));
  expect(pagination?.has_more).toBe(rows.length > (number + 1) * size);
}

/** Compares the pages of all lists whose numbers `choose` selects. */
async function expectPages(lists: readonly List[], choose: (numbers: readonly number[]) => readonly number[]): Promise<void> {
  for (const list of lists) for (const number of choose(numbersOf(list))) await expectPage(list, number);
}

const numbersOf = ({ rows }: List): number[] => Array.from({ length: Math.ceil(rows.length / size) }, (_, number) => number);

test("the lists for a wallet and for a token with 2,400 transfers have the node's rows on each page, in any order", async () => {
  const random = createRandom("served pages");
  const lists = await readNodeLists();
  for (const { rows } of lists) expect(rows.length).toBeGreaterThanOrEqual(transfersPerBlock * blocksWithTransfers);
  await expectPages(lists, (numbers) => numbers);
  await expectPages(lists, (numbers) => numbers.toReversed());
  await expectPages(lists, (numbers) => numbers.map(() => random.between(0, numbers.length)));
}, 180_000);

test("the pages of a wallet's transactions equal the node's, from the oldest page to the newest and back", async () => {
  const head = await chain.head();
  const blocks = await chain.batch<{ transactions: { hash: string; from: string; to: string | null }[] }>(
    Array.from({ length: head + 1 }, (_, number) => ({ method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, true] })),
  );
  const sent = blocks
    .flatMap(({ transactions }) => transactions.filter(({ from }) => from === wallet.toLowerCase()))
    .map(({ hash }) => hash);
  // The wallet also sent the deployment and the mint.
  expect(sent).toHaveLength(transfersPerBlock * blocksWithTransfers + 2);
  const last = Math.floor((sent.length - 1) / size);
  for (const number of [
    ...Array.from({ length: last + 1 }, (_, page) => page),
    ...Array.from({ length: last + 1 }, (_, page) => last - page),
  ]) {
    const { items } = await get(`address/${wallet}/transactions_v3/page/${number}/?no-logs=true&block-signed-at-asc=true`);
    expect(
      items.map(({ tx_hash: hash }) => hash),
      `page ${number}`,
    ).toEqual(sent.slice(number * size, (number + 1) * size));
  }
}, 120_000);

test("a list contains each row once while the chain grows or is reorganised above its anchor, and follows reorganisations below it", async () => {
  const lists = await readNodeLists();
  // Page 0 pins the anchor at the head.
  await expectPages(lists, () => [0, 1, 11, 12]);
  const [, recipient = "0x"] = chain.accounts;
  for (let block = 0; block < 8; block += 1)
    await mineCalls(
      "transfer",
      Array.from({ length: 20 }, () => [recipient, 1n]),
    );
  await waitForHead();
  await expectPages(lists, () => [13, 14]);
  await chain.rpc("anvil_reorg", [5, []]);
  await waitForHead();
  await expectPages(lists, (numbers) => numbers.slice(13));
  await expectPages(lists, (numbers) => numbers.slice(1));

  // Three blocks remain above the anchor; two blocks with 150 transfers each are replaced by empty ones.
  const before = lists.map(({ rows }) => rows.length);
  await chain.rpc("anvil_reorg", [3 + 5 + 2, []]);
  await waitForHead();
  const replaced = await readNodeLists();
  expect(replaced.map(({ rows }) => rows.length)).toEqual(before.map((count) => count - 2 * transfersPerBlock));
  await expectPages(replaced, (numbers) => numbers);
  await expectPages(replaced, (numbers) => numbers.toReversed());
}, 180_000);
