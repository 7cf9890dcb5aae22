import { encodeAbiParameters, keccak256 } from "viem";
import { createRandom } from "../../../../../demo/story/random.ts";
import { poolsProjection } from "../../../../../runtime/domains/pools/projection/index.ts";
import { currencyAsset } from "../../../../../runtime/domains/prices/engine/assets.ts";
import { tokensProjection } from "../../../../../runtime/domains/tokens/projection/index.ts";
import { type Address, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { createTestIndexer } from "../../../../support/indexer/support.ts";
import { servePools, type TestApi } from "../../pools/serve-pools.ts";
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
} from "../../pools/support.ts";
import { type PricedAsset, secondsPerDay, secondsPerHour, writeMetadata, writePrices } from "../support.ts";

// Ten days of trades on a real exchange; expected values are computed from the pairs' logs, the node's reserves and hand-written prices.
/** The first midnight after the chain's genesis. */
export const firstDay = Date.UTC(2023, 10, 15) / 1000;
/** The first hour of the first day. */
export const firstHour = firstDay / secondsPerHour;
const blocksOfDays = [3, 4, 0, 3, 0, 0, 4, 3, 2, 3];
const random = createRandom("worths");
/** The first day on which gold has a price. */
const firstGoldDay = 2;

/** The test chain. */
export let chain: TestChain;
/** The exchange that the tests trade on. */
export let exchange: TestExchange;
/** The database of the index. */
export let testDatabase: TestDatabase;
/** The API that serves the index. */
export let api: TestApi;
/** The first four have 6, 18, 0 and 36 decimals; the last two have no price. */
export let tokens: readonly [Address, Address, Address, Address, Address, Address];
/** Both tokens of the first and fourth pair have a price, one token of the second, none of the third. The last pair loses all its tokens. */
export let pairs: readonly [Address, Address, Address, Address, Address];
/** The accounts that trade. */
export let people: readonly [Address, Address, Address];
/** The newest block. */
export let head: number;
/** The timestamp of each block. */
export let times: number[];
/** The pools' logs. */
export let logs: PairLog[];
/** The assets with prices. */
export let priced: ReadonlyMap<string, PricedAsset>;
/** Each pair's tokens. */
export const sides = new Map<Address, readonly [Address, Address]>();

const toLower = (address: string): Address => address.toLowerCase() as Address;
/** The timestamp of the newest block. */
export const headTime = () => times[head] ?? 0;
/** The last block of an hour. */
export const closingBlock = (hour: number): number => {
  const position = times.findIndex((time) => time >= (hour + 1) * secondsPerHour);
  return position < 0 ? head : position;
};

const randomTransaction = (): TestTransaction => {
  const from = random.pick(people);
  const [usd, gold, stone, dust, mist, haze] = tokens;
  const share = BigInt(random.between(1, 50));
  return random.pick([
    exchange.swap(from, share * 10n ** 9n, [usd, gold]),
    exchange.swap(from, share * 10n ** 17n, [gold, usd]),
    exchange.swap(from, share * 10n ** 17n, [gold, mist]),
    exchange.swap(from, share * 10n ** 18n, [mist, gold]),
    exchange.swap(from, share * 10n ** 18n, [mist, haze]),
    exchange.swap(from, share * 10n ** 6n, [stone, dust]),
    exchange.swap(from, share * 10n ** 29n, [dust, stone]),
    exchange.addLiquidity(from, [usd, gold], [share * 10n ** 9n, share * 10n ** 18n]),
    exchange.addLiquidity(from, [gold, mist], [share * 10n ** 17n, share * 10n ** 18n]),
    exchange.removeLiquidity(from, [usd, gold], share * 10n ** 9n),
  ]);
};

/** Sets a pair's token balances to 0 without an event. The balance mapping is in one of the token's first six storage slots. */
const drain = async (pair: Address): Promise<void> => {
  for (const token of sides.get(pair) ?? []) {
    for (let slotIndex = 0n; slotIndex < 6n; slotIndex += 1n) {
      const slot = keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [pair, slotIndex]));
      const balance = BigInt(await chain.rpc<string>("eth_getStorageAt", [token, slot, "latest"]));
      if (balance > 0n) await chain.rpc("anvil_setStorageAt", [token, slot, `0x${"0".repeat(64)}`]);
    }
  }
  await mineTransactions(chain, [{ gas: 300_000n, ...encodeCall(uniswapV2.pair(), pair, "sync") }]);
};

/** Builds ten days of trades, indexes them, writes prices and serves the index. */
export const setUp = async () => {
  chain = await startTestChain();
  people = chain.accounts.slice(1, 4).map(toLower) as unknown as typeof people;
  exchange = await deployExchange(chain, toLower(await chain.deploy(artifacts.weth())));
  const deployed: Address[] = [];
  for (const name of ["Usd", "Gold", "Stone", "Dust", "Mist", "Haze"])
    deployed.push(toLower(await chain.deploy(artifacts.erc20(), [name, name])));
  tokens = deployed as unknown as typeof tokens;
  const [usd, gold, stone, dust, mist, haze] = tokens;
  await mineTransactions(
    chain,
    people.flatMap((person) => deployed.flatMap((token) => [mint(token, person, 10n ** 33n), approve(person, token, exchange.router)])),
  );
  const [first] = people;
  await mineTransactions(chain, [
    exchange.addLiquidity(first, [usd, gold], [3_000_000n * 10n ** 6n, 1_000n * 10n ** 18n]),
    exchange.addLiquidity(first, [gold, mist], [100n * 10n ** 18n, 900n * 10n ** 18n]),
    exchange.addLiquidity(first, [mist, haze], [500n * 10n ** 18n, 500n * 10n ** 18n]),
    exchange.addLiquidity(first, [stone, dust], [10n ** 9n, 10n ** 32n]),
    exchange.addLiquidity(first, [usd, stone], [10n ** 12n, 10n ** 6n]),
  ]);
  const pairOf = (left: Address, right: Address) => exchange.pairOf(left, right);
  pairs = [
    await pairOf(usd, gold),
    await pairOf(gold, mist),
    await pairOf(mist, haze),
    await pairOf(stone, dust),
    await pairOf(usd, stone),
  ];
  for (const pair of pairs) {
    const height = await chain.head();
    const [token0, token1] = await Promise.all(
      ["token0", "token1"].map((name) => readContract<string>(chain, uniswapV2.pair(), pair, name, [], height)),
    );
    sides.set(pair, [toLower(token0 ?? ""), toLower(token1 ?? "")]);
  }
  await mineTransactions(
    chain,
    people.map((person) => approve(person, pairs[0], exchange.router)),
  );
  await mineTransactions(
    chain,
    people.slice(1).map((person) => exchange.addLiquidity(person, [usd, gold], [10n ** 11n, 10n ** 20n])),
  );
  for (const [day, blocks] of blocksOfDays.entries()) {
    for (let block = 0; block < blocks; block += 1) {
      const time = firstDay + day * secondsPerDay + Math.floor(((block + 1) * 15 * secondsPerHour) / (blocks + 1));
      await mineTransactions(chain, Array.from({ length: random.between(2, 6) }, randomTransaction), time);
    }
    if (day === 8) {
      // These swaps are in the 24 hours before the last closed hour, but not on its day.
      const late = [exchange.swap(first, 10n ** 9n, [usd, stone]), exchange.swap(first, 10n ** 9n, [usd, gold])];
      await mineTransactions(chain, late, firstDay + day * secondsPerDay + 20 * secondsPerHour);
      await drain(pairs[4]);
    }
  }
  // A swap in the current hour, which is not complete, is not in any list.
  await mineTransactions(
    chain,
    [exchange.swap(first, 10n ** 10n, [usd, gold])],
    firstDay + 9 * secondsPerDay + 15 * secondsPerHour + 1_200,
  );
  head = await chain.head();
  const blocks = await chain.batch<{ timestamp: string }>(
    Array.from({ length: head + 1 }, (_, height) => ({ method: "eth_getBlockByNumber", params: [`0x${height.toString(16)}`, false] })),
  );
  times = blocks.map(({ timestamp }) => Number(timestamp));
  logs = await pairLogs(chain, pairs, head);
  testDatabase = await createTestDatabase();
  const indexer = await createTestIndexer(chain.url, testDatabase.database, { projections: [tokensProjection, poolsProjection] });
  await indexer.runToHead(head);
  await indexer.close();
  const decimals = [6, 18, 0, 36, 18, 18];
  for (const [position, token] of tokens.entries())
    await writeMetadata(testDatabase.database, token, `T${position}`, decimals[position] ?? 0);
  for (const pair of pairs) await writeMetadata(testDatabase.database, pair, "LP", 18);
  const steppedPrice = (base: bigint, step: bigint) => (hour: number) => base + step * BigInt(hour % 50);
  const assets: PricedAsset[] = [
    { asset: usd, decimals: 6, centsAt: () => 100n },
    { asset: gold, decimals: 18, centsAt: (hour) => (hour < firstHour + 24 * firstGoldDay ? null : steppedPrice(300_000n, 731n)(hour)) },
    { asset: stone, decimals: 0, centsAt: steppedPrice(250n, 3n) },
    { asset: dust, decimals: 36, centsAt: steppedPrice(10n ** 9n, 12_345_678n) },
    { asset: nativeTokenAddress, decimals: 18, centsAt: steppedPrice(200_000n, 11n) },
    { asset: pairs[0], decimals: 18, centsAt: steppedPrice(777_777n, 5n) },
    { asset: currencyAsset("EUR"), decimals: 0, centsAt: (hour) => 110n + BigInt(hour % 3) },
  ];
  priced = new Map(assets.map((entry) => [entry.asset, entry]));
  await writePrices(testDatabase.database, assets, firstHour, Math.floor(headTime() / secondsPerHour), closingBlock);
  api = await servePools(testDatabase.database, [{ name: "swap", factory: exchange.factory }]);
};

/** Stops what `setUp` started. */
export const tearDown = async () => {
  await api?.end();
  await testDatabase?.drop();
  await chain?.stop();
};
