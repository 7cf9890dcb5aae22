import { createRandom } from "../../../../../demo/story/random.ts";
import { poolsProjection } from "../../../../../runtime/domains/pools/projection/index.ts";
import { tokensProjection } from "../../../../../runtime/domains/tokens/projection/index.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { createTestIndexer } from "../../../../support/indexer/support.ts";
import {
  type ConcentratedExchange,
  concentratedLogs,
  deployConcentrated,
  flashBorrower,
  type PoolKey,
  type PoolLog,
  uniswapV3,
} from "../concentrated-support.ts";
import { servePools, type TestApi } from "../serve-pools.ts";
import { approve, mineTransactions, mint } from "../support.ts";

// Real concentrated pools with random swaps and liquidity changes; the tests compare the index with the node, block by block.
const million = 10n ** 24n;
/** One token with 18 decimals. */
export const unit = 10n ** 18n;
const sqrtPriceOfOne = 2n ** 96n;
/** The largest amount that can be collected. */
export const maxUint128 = 2n ** 128n - 1n;
const random = createRandom("ranges");
/** Converts an address to lower case. */
export const toLower = (address: string): Address => address.toLowerCase() as Address;

/** The test chain. */
export let chain: TestChain;
/** The exchange that the tests trade on. */
export let exchange: ConcentratedExchange;
/** The database of the index. */
export let testDatabase: TestDatabase;
/** The API that serves the index. */
export let api: TestApi;
/** The pools' tokens. */
export let tokens: readonly [Address, Address, Address];
/** The accounts that trade. */
export let people: readonly Address[];
/**
 * Pools of the first two tokens, of the same two with a lower fee and a price of four, of the last two, and of the first and the last; the
 * fourth pool is never initialized.
 */
export let keys: readonly [PoolKey, PoolKey, PoolKey, PoolKey];
/** The pools of `keys`. */
export let pools: readonly [Address, Address, Address, Address];
let borrower: Address;
/** The newest block. */
export let head: number;
/** The pools' logs. */
export let logs: PoolLog[];
/** The amount of tokens that were sent to the first pool without a pool event, and the block of that transfer. */
export const gift = { block: 0, amount: 5n * unit };

/** Indexes the chain to its head. */
export const indexToHead = async (database: TestDatabase, tuning: Record<string, number> = {}): Promise<void> => {
  const indexer = await createTestIndexer(chain.url, database.database, { projections: [tokensProjection, poolsProjection], tuning });
  await indexer.runToHead(await chain.head());
  await indexer.close();
};

/** The positions, in order of token id. */
const positions: { readonly id: bigint; readonly owner: Address; liquidity: bigint }[] = [];
const spacings: Readonly<Record<number, number>> = { 500: 10, 3000: 60 };

const openRandomPosition = (): TestTransaction => {
  const owner = random.pick(people);
  const key = random.pick([keys[0], keys[1], keys[2]]);
  const spacing = spacings[key.fee] ?? 60;
  // The second pool's price of four is tick 13,863.
  const middle = Math.round((key === keys[1] ? 13_863 : 0) / spacing) * spacing;
  const width = random.between(1, 20) * spacing;
  const shift = random.between(-10, 10) * spacing;
  const amount = BigInt(random.between(1, 50)) * unit;
  positions.push({ id: BigInt(positions.length + 1), owner, liquidity: 0n });
  return exchange.openPosition(owner, key, [middle + shift - width, middle + shift + width], [amount, 4n * amount]);
};

const randomTransaction = (): TestTransaction => {
  const person = random.pick(people);
  const amount = BigInt(random.between(1, 400)) * 10n ** 17n;
  const position = random.pick(positions.slice(0, 12));
  return random.pick<() => TestTransaction>([
    () => exchange.swap(person, amount, keys[0], 0, random.pick(people)),
    () => exchange.swap(person, amount, keys[0], 1),
    () => exchange.swap(person, amount, keys[1], 0),
    () => exchange.swap(person, amount * 3n, keys[1], 1),
    () => exchange.swapPath(person, amount, tokens, 3000),
    () => exchange.swapPath(person, amount, [...tokens].reverse(), 3000),
    openRandomPosition,
    () => exchange.decreaseLiquidity(position.owner, position.id, BigInt(random.between(1, 1000)) * 10n ** 15n),
    () => exchange.collect(position.owner, position.id, [maxUint128, maxUint128]),
    () => exchange.collect(position.owner, position.id, [1_000n, 7n]),
    () => ({
      gas: 1_000_000n,
      ...encodeCall(flashBorrower(), borrower, "borrow", [random.pick([pools[0], pools[1]]), amount / 10n, amount / 20n, 3n]),
    }),
    () => ({
      gas: 1_000_000n,
      ...encodeCall(uniswapV3.pool(), random.pick([pools[0], pools[1]]), "collectProtocol", [person, maxUint128, 1_000_000n]),
    }),
  ])();
};

/** Builds random trades in concentrated pools, indexes them and serves the index. */
export const setUp = async () => {
  chain = await startTestChain();
  people = chain.accounts.slice(1, 4).map(toLower);
  exchange = await deployConcentrated(chain, toLower(await chain.deploy(artifacts.weth())));
  const deployed: Address[] = [];
  for (const name of ["One", "Two", "Three"]) deployed.push(toLower(await chain.deploy(artifacts.erc20(), [name, name.toUpperCase()])));
  tokens = deployed.sort() as unknown as typeof tokens;
  const [a, b, c] = tokens;
  keys = [
    { tokens: [a, b], fee: 3000 },
    { tokens: [a, b], fee: 500 },
    { tokens: [b, c], fee: 3000 },
    { tokens: [a, c], fee: 3000 },
  ];
  borrower = toLower(await chain.deploy(flashBorrower(), [a, b]));
  await mineTransactions(chain, [
    ...tokens.flatMap((token) => [...people, borrower].map((owner) => mint(token, owner, million))),
    ...tokens.flatMap((token) =>
      people.flatMap((owner) => [exchange.positionManager, exchange.router].map((spender) => approve(owner, token, spender))),
    ),
  ]);
  // The first and third pools are initialized when they are created, the second one block later, and the fourth never.
  await mineTransactions(chain, [exchange.create(keys[0], sqrtPriceOfOne), exchange.create(keys[1], null)]);
  await mineTransactions(chain, [exchange.create(keys[2], sqrtPriceOfOne), exchange.create(keys[3], null)]);
  const created: Address[] = [];
  for (const key of keys) created.push(await exchange.poolOf(key));
  pools = created as unknown as typeof pools;
  await mineTransactions(chain, [exchange.initialize(pools[1], 2n * sqrtPriceOfOne)]);
  const [owner] = people as [Address];
  for (const [key, ticks] of [
    [keys[0], [-6_000, 6_000]],
    [keys[1], [9_000, 18_000]],
    [keys[2], [-6_000, 6_000]],
  ] as const) {
    positions.push({ id: BigInt(positions.length + 1), owner, liquidity: 0n });
    await mineTransactions(chain, [exchange.openPosition(owner, key, ticks, [300n * unit, 1_200n * unit])]);
  }
  for (let count = 0; count < 12; count += 1) await mineTransactions(chain, [openRandomPosition(), openRandomPosition()]);
  // From here on, a fifth of both tokens' fees is the protocol fee.
  for (const pool of pools.slice(0, 2)) await mineTransactions(chain, [encodeCall(uniswapV3.pool(), pool, "setFeeProtocol", [5, 5])]);
  for (let block = 0; block < 40; block += 1) {
    // Transactions that remove more liquidity than remains fail and emit nothing.
    await chain.send(...Array.from({ length: random.between(1, 4) }, randomTransaction));
    await chain.mine();
  }
  await mineTransactions(chain, [{ from: owner, ...encodeCall(artifacts.erc20(), a, "transfer", [pools[0], gift.amount]) }]);
  gift.block = await chain.head();
  await mineTransactions(chain, [exchange.swap(owner, unit, keys[0], 0), exchange.swap(owner, 200n * unit, keys[1], 1)]);
  head = await chain.head();
  logs = await concentratedLogs(chain, pools, head);
  testDatabase = await createTestDatabase();
  await indexToHead(testDatabase);
  api = await servePools(testDatabase.database, [{ name: "ranges", factory: exchange.factory, family: "concentrated" }]);
};

/** Stops what `setUp` started. */
export const tearDown = async () => {
  await api?.end();
  await testDatabase?.drop();
  await chain?.stop();
};
