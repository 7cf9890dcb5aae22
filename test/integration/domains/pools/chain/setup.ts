import { expect } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import { poolsProjection } from "../../../../../runtime/domains/pools/projection/index.ts";
import { tokensProjection } from "../../../../../runtime/domains/tokens/projection/index.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { createTestIndexer } from "../../../../support/indexer/support.ts";
import { type ResponseData, servePools, type TestApi } from "../serve-pools.ts";
import {
  approve,
  deployExchange,
  mineTransactions,
  mint,
  type PairLog,
  pairLogs,
  readContract,
  type TestExchange,
  uniswapV2,
} from "../support.ts";

// Ten days of trades on a real exchange; the node has the state of every block.
/** The seconds in a day. */
export const secondsPerDay = 86_400;
/** The first midnight after the chain's genesis at 2023-11-14T22:13:20Z. */
export const firstDay = Date.UTC(2023, 10, 15) / 1000;
/** The number of blocks on each day, from the first one on. */
const blocksOfDays = [6, 5, 0, 4, 0, 0, 6, 3, 5, 4];
const million = 10n ** 24n;
const random = createRandom("ten days of trade");

/** The test chain. */
export let chain: TestChain;
/** The exchange that the tests trade on. */
export let exchange: TestExchange;
/** Another exchange, with a pair of the same tokens. */
export let other: TestExchange;
/** The database of the index. */
export let testDatabase: TestDatabase;
/** The API that serves the index. */
export let api: TestApi;
/** The pools' tokens. */
export let tokens: readonly [Address, Address, Address];
/** A token with a transfer fee. */
export let toll: Address;
/** Pairs of the first and second tokens, the second and third, and the first and `toll`; the last pair has no swaps. */
export let pairs: readonly [Address, Address, Address, Address];
/** The accounts that trade. */
export let people: readonly Address[];
/** The newest block. */
export let head: number;
/** The timestamp of each block. */
export let times: number[];
/** The pools' logs. */
export let logs: PairLog[];

/** Converts an address to lower case. */
export const toLower = (address: string): Address => address.toLowerCase() as Address;
/** Indexes the chain into a new database. */
export const createIndex = async (): Promise<TestDatabase> => {
  const database = await createTestDatabase();
  const indexer = await createTestIndexer(chain.url, database.database, { projections: [tokensProjection, poolsProjection] });
  await indexer.runToHead(await chain.head());
  await indexer.close();
  return database;
};

const randomTransactions = (): TestTransaction[] => {
  const from = random.pick(people);
  const [a, b, c] = tokens;
  const amount = BigInt(random.between(1, 5_000)) * 10n ** 15n;
  const candidates: TestTransaction[][] = [
    [exchange.swap(from, amount, [a, b])],
    [exchange.swap(from, amount, [b, a], random.pick(people))],
    [exchange.swap(from, amount, [a, b, c])],
    [exchange.swap(from, amount, [c, b])],
    [exchange.swap(from, amount, [a, toll])],
    [exchange.swap(from, amount, [toll, a])],
    [exchange.addLiquidity(from, [a, b], [amount, amount], random.pick(people))],
    [exchange.addLiquidity(from, [a, toll], [amount, amount])],
    [exchange.removeLiquidity(from, [b, c], amount / 10n + 1n)],
    // Tokens are sent to the pool, and then skimmed or synced into its reserves.
    [
      { from, ...encodeCall(artifacts.erc20(), a, "transfer", [pairs[0], amount]) },
      { from, gas: 300_000n, ...encodeCall(uniswapV2.pair(), pairs[0], "skim", [from]) },
    ],
    [
      { from, ...encodeCall(artifacts.erc20(), b, "transfer", [pairs[0], amount]) },
      { from, gas: 300_000n, ...encodeCall(uniswapV2.pair(), pairs[0], "sync") },
    ],
    [{ from, ...encodeCall(artifacts.erc20(), pairs[0], "transfer", [random.pick(people), 1_000n]) }],
    // LP tokens are sent to the zero address, which does not change the pool's supply.
    [{ from, ...encodeCall(uniswapV2.pair(), pairs[1], "transfer", [`0x${"0".repeat(40)}`, 77n]) }],
  ];
  return random.pick(candidates);
};

/** The swaps in pools within a time range. */
export const swapsOf = (selected: readonly Address[], from: number, to: number) =>
  logs.filter(
    ({ name, address, block }) => name === "Swap" && selected.includes(address) && (times[block] ?? 0) >= from && (times[block] ?? 0) < to,
  );
/** The sum of an event argument, as text. */
export const sum = (events: readonly PairLog[], argument: string): string =>
  String(events.reduce((total, { args }) => total + BigInt(args[argument] as bigint), 0n));
/** The timestamp of the newest block. */
export const headTime = () => times[head] ?? 0;
/** A pair's tokens, from the node. */
export const tokensOf = (pair: Address) =>
  Promise.all(["token0", "token1"].map(async (name) => toLower(await readContract<string>(chain, uniswapV2.pair(), pair, name, [], head))));
/** Reads a list page by page, and returns all its items. */
export const allPages = async (path: string, size: number): Promise<ResponseData[]> => {
  const items: ResponseData[] = [];
  for (let number = 0; ; number += 1) {
    const data = await api.get(`${path}?page-size=${size}&page-number=${number}`);
    items.push(...data.items);
    expect(data.pagination).toMatchObject({ page_number: number, page_size: size });
    if (!data.pagination.has_more) {
      expect(data.pagination.total_count).toBe(items.length);
      return items;
    }
    expect(data.items).toHaveLength(size);
  }
};

/** Reads a pool's reserves from the node at a height; both are 0 before its creation. */
export const reservesAt = async (pair: Address, height: number): Promise<readonly [bigint, bigint]> => {
  const code = height < 0 ? "0x" : await chain.rpc<string>("eth_getCode", [pair, `0x${height.toString(16)}`]);
  if (code === "0x") return [0n, 0n];
  const [first, second] = await readContract<readonly [bigint, bigint, number]>(chain, uniswapV2.pair(), pair, "getReserves", [], height);
  return [first, second];
};

/** Builds ten days of trades, indexes them and serves the index. */
export const setUp = async () => {
  chain = await startTestChain();
  people = chain.accounts.slice(1, 5).map(toLower);
  const weth = toLower(await chain.deploy(artifacts.weth()));
  exchange = await deployExchange(chain, weth);
  other = await deployExchange(chain, weth);
  const deployed: Address[] = [];
  for (const name of ["One", "Two", "Three"]) deployed.push(toLower(await chain.deploy(artifacts.erc20(), [name, name.toUpperCase()])));
  tokens = deployed as unknown as typeof tokens;
  toll = toLower(await chain.deploy(uniswapV2.deflating(), [5n * million]));
  const [a, b, c] = tokens;
  await mineTransactions(
    chain,
    people.flatMap((person) => [
      ...deployed.map((token) => mint(token, person, million)),
      encodeCall(artifacts.erc20(), toll, "transfer", [person, million]),
      ...[...deployed, toll].flatMap((token) => [approve(person, token, exchange.router), approve(person, token, other.router)]),
    ]),
  );
  const [first] = people as [Address];
  const factory = uniswapV2.factory();
  await mineTransactions(chain, [
    exchange.addLiquidity(first, [a, b], [1_000n * 10n ** 18n, 3_000n * 10n ** 18n]),
    exchange.addLiquidity(first, [b, c], [500n * 10n ** 18n, 500n * 10n ** 18n]),
    exchange.addLiquidity(first, [a, toll], [1_000n * 10n ** 18n, 1_000n * 10n ** 18n]),
    { gas: 4_000_000n, ...encodeCall(factory, exchange.factory, "createPair", [a, c]) },
    other.addLiquidity(first, [a, b], [10n ** 18n, 10n ** 18n]),
  ]);
  pairs = [await exchange.pairOf(a, b), await exchange.pairOf(b, c), await exchange.pairOf(a, toll), await exchange.pairOf(a, c)];
  await mineTransactions(chain, [
    ...people.flatMap((person) => pairs.map((pair) => approve(person, pair, exchange.router))),
    ...people.slice(1).map((person) => exchange.addLiquidity(person, [b, c], [50n * 10n ** 18n, 50n * 10n ** 18n])),
    ...people.slice(1).map((person) => exchange.addLiquidity(person, [a, b], [10n ** 18n, 10n ** 19n])),
  ]);
  for (const [day, blocks] of blocksOfDays.entries()) {
    // The protocol fee is on from the third day with blocks.
    if (day === 3) await chain.send(encodeCall(factory, exchange.factory, "setFeeTo", [chain.accounts[9]]));
    for (let block = 0; block < blocks; block += 1) {
      await mineTransactions(
        chain,
        Array.from({ length: random.between(1, 5) }, randomTransactions).flat(),
        firstDay + day * secondsPerDay + Math.floor(((block + 1) * secondsPerDay) / (blocks + 1)),
      );
    }
  }
  head = await chain.head();
  const blocks = await chain.batch<{ timestamp: string }>(
    Array.from({ length: head + 1 }, (_, height) => ({ method: "eth_getBlockByNumber", params: [`0x${height.toString(16)}`, false] })),
  );
  times = blocks.map(({ timestamp }) => Number(timestamp));
  logs = await pairLogs(chain, pairs, head);
  testDatabase = await createIndex();
  // Emulates the token metadata job.
  for (const token of [...tokens, toll]) {
    await testDatabase.database.query(
      "INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block) VALUES (31337, $1, 1, 'Name', 'SYM', 18, 1)",
      [Buffer.from(token.slice(2), "hex")],
    );
  }
  api = await servePools(testDatabase.database, [
    { name: "swap", factory: exchange.factory },
    { name: "twin", factory: other.factory },
  ]);
};

/** Stops what `setUp` started. */
export const tearDown = async () => {
  await api?.end();
  await testDatabase?.drop();
  await chain?.stop();
};
