import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { createGasQueries } from "../../../../runtime/domains/chains/queries/gas.ts";
import { poolsProjection } from "../../../../runtime/domains/pools/projection/index.ts";
import { actCodes } from "../../../../runtime/domains/pools/projection/tables.ts";
import { createPoolQueries } from "../../../../runtime/domains/pools/queries/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { artifacts, call, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { contents } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import {
  type ConcentratedExchange,
  concentratedLogs,
  deployConcentrated,
  flashBorrower,
  type PoolKey,
  type PoolLog,
  uniswapV3,
} from "./concentrated-support.ts";
import { type ResponseData, servePools, type TestApi } from "./serve-pools.ts";
import { approve, mineTransactions, mint, read } from "./support.ts";

// Compares swaps and liquidity in real concentrated pools with the node, block by block.
const million = 10n ** 24n;
const unit = 10n ** 18n;
const sqrtPriceOfOne = 2n ** 96n;
const maxUint128 = 2n ** 128n - 1n;
const random = createRandom("ranges");
const lower = (address: string): Address => address.toLowerCase() as Address;

let chain: TestChain;
let exchange: ConcentratedExchange;
let test: TestDatabase;
let api: TestApi;
let tokens: readonly [Address, Address, Address];
let people: readonly Address[];
/** Pools of the first two tokens, of the same tokens at a lower fee and a price of four, and of the last two tokens; the fourth is never initialized. */
let keys: readonly [PoolKey, PoolKey, PoolKey, PoolKey];
let pools: readonly [Address, Address, Address, Address];
let borrower: Address;
let head: number;
let logs: PoolLog[];
/** Tokens that were sent to the first pool without a pool event, and the block. */
const gift = { block: 0, amount: 5n * unit };

const index = async (database: TestDatabase, tuning: Record<string, number> = {}): Promise<void> => {
  const indexer = await createTestIndexer(chain.url, database.database, { projections: [tokensProjection, poolsProjection], tuning });
  await indexer.runToHead(await chain.head());
  await indexer.close();
};
const contentsOfFreshIndex = async (tuning: Record<string, number> = {}): Promise<unknown> => {
  const other = await createTestDatabase();
  await index(other, tuning);
  const rows = await contents(other.database);
  await other.drop();
  return rows;
};

/** The positions, in order of their token ids. */
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
  return exchange.open(owner, key, [middle + shift - width, middle + shift + width], [amount, 4n * amount]);
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
    () => exchange.decrease(position.owner, position.id, BigInt(random.between(1, 1000)) * 10n ** 15n),
    () => exchange.collect(position.owner, position.id, [maxUint128, maxUint128]),
    () => exchange.collect(position.owner, position.id, [1_000n, 7n]),
    () => ({
      gas: 1_000_000n,
      ...call(flashBorrower(), borrower, "borrow", [random.pick([pools[0], pools[1]]), amount / 10n, amount / 20n, 3n]),
    }),
    () => ({
      gas: 1_000_000n,
      ...call(uniswapV3.pool(), random.pick([pools[0], pools[1]]), "collectProtocol", [person, maxUint128, 1_000_000n]),
    }),
  ])();
};

beforeAll(async () => {
  chain = await startTestChain();
  people = chain.accounts.slice(1, 4).map(lower);
  exchange = await deployConcentrated(chain, lower(await chain.deploy(artifacts.weth())));
  const deployed: Address[] = [];
  for (const name of ["One", "Two", "Three"]) deployed.push(lower(await chain.deploy(artifacts.erc20(), [name, name.toUpperCase()])));
  tokens = deployed.sort() as unknown as typeof tokens;
  const [a, b, c] = tokens;
  keys = [
    { tokens: [a, b], fee: 3000 },
    { tokens: [a, b], fee: 500 },
    { tokens: [b, c], fee: 3000 },
    { tokens: [a, c], fee: 3000 },
  ];
  borrower = lower(await chain.deploy(flashBorrower(), [a, b]));
  await mineTransactions(chain, [
    ...tokens.flatMap((token) => [...people, borrower].map((owner) => mint(token, owner, million))),
    ...tokens.flatMap((token) =>
      people.flatMap((owner) => [exchange.positions, exchange.router].map((spender) => approve(owner, token, spender))),
    ),
  ]);
  // Two pools are created and initialized in one transaction and one in two blocks; one is never initialized.
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
    await mineTransactions(chain, [exchange.open(owner, key, ticks, [300n * unit, 1_200n * unit])]);
  }
  for (let count = 0; count < 12; count += 1) await mineTransactions(chain, [openRandomPosition(), openRandomPosition()]);
  // From here on, a fifth of the fees of both tokens is the protocol fee.
  for (const pool of pools.slice(0, 2)) await mineTransactions(chain, [call(uniswapV3.pool(), pool, "setFeeProtocol", [5, 5])]);
  for (let block = 0; block < 40; block += 1) {
    // Transactions that remove more liquidity than is left fail and emit nothing.
    await chain.send(...Array.from({ length: random.between(1, 4) }, randomTransaction));
    await chain.mine();
  }
  await mineTransactions(chain, [{ from: owner, ...call(artifacts.erc20(), a, "transfer", [pools[0], gift.amount]) }]);
  gift.block = await chain.head();
  await mineTransactions(chain, [exchange.swap(owner, unit, keys[0], 0), exchange.swap(owner, 200n * unit, keys[1], 1)]);
  head = await chain.head();
  logs = await concentratedLogs(chain, pools, head);
  test = await createTestDatabase();
  await index(test);
  api = await servePools(test.database, [{ name: "ranges", factory: exchange.factory, family: "concentrated" }]);
}, 120_000);
afterAll(async () => {
  await api?.end();
  await test?.drop();
  await chain?.stop();
});

const bytes = (address: Address): Buffer => Buffer.from(address.slice(2), "hex");

describe("the test's transactions", () => {
  it("include every pool event", () => {
    const counts = new Map<string, number>();
    for (const { name } of logs) counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const name of ["Initialize", "Mint", "Swap", "Burn", "Collect", "Flash", "CollectProtocol", "SetFeeProtocol"]) {
      expect(counts.get(name) ?? 0, name).toBeGreaterThan(1);
    }
    const swaps = logs.filter(({ name }) => name === "Swap");
    expect(swaps.some(({ args }) => BigInt(args.amount0 ?? 0) > 0n)).toBe(true);
    expect(swaps.some(({ args }) => BigInt(args.amount0 ?? 0) < 0n)).toBe(true);
    // Swaps cross range boundaries, which changes the active liquidity.
    const liquidities = new Set(swaps.filter(({ address }) => address === pools[0]).map(({ args }) => args.liquidity));
    expect(liquidities.size).toBeGreaterThan(5);
    expect(logs.some(({ name, args }) => name === "Burn" && args.amount === 0n)).toBe(true);
  });
});

describe("a concentrated pool", () => {
  it("has the node's price, tick, liquidity and token balances at every height", async () => {
    const heights = Array.from({ length: head + 1 }, (_, height) => height);
    for (const [position, pool] of pools.entries()) {
      const rows = await test.database.query<{
        block_number: number;
        sqrt_price_x96: string | null;
        tick: number | null;
        liquidity: string | null;
        reserve0: string | null;
        reserve1: string | null;
      }>("SELECT * FROM pool_states WHERE pool = $1 ORDER BY block_number", [bytes(pool)]);
      const pair = keys[position]?.tokens ?? [];
      for (const height of heights) {
        const row = rows.findLast(({ block_number }) => block_number <= height);
        const balances = await Promise.all(
          pair.map(async (token) => read<bigint>(chain, artifacts.erc20(), token, "balanceOf", [pool], height).catch(() => 0n)),
        );
        const gifted = position === 0 && height >= gift.block ? gift.amount : 0n;
        expect([row?.reserve0 ?? "0", row?.reserve1 ?? "0"], `pool ${position} at ${height}`).toEqual([
          String((balances[0] ?? 0n) - gifted),
          String(balances[1]),
        ]);
        if (row === undefined) continue;
        const [slot, liquidity] = await Promise.all([
          read<readonly [bigint, number]>(chain, uniswapV3.pool(), pool, "slot0", [], height),
          read<bigint>(chain, uniswapV3.pool(), pool, "liquidity", [], height),
        ]);
        expect([row.sqrt_price_x96, row.tick, row.liquidity], `pool ${position} at ${height}`).toEqual([
          String(slot[0]),
          slot[1],
          String(liquidity),
        ]);
      }
      expect(rows.length > 0).toBe(position !== 3);
    }
  }, 60_000);

  it("is announced by its factory with its fee", async () => {
    const rows = await test.database.query<{ pool: Address; factory: Address; family: number; fee_ppm: number }>(
      "SELECT pool, factory, family, fee_ppm FROM pools ORDER BY pool",
    );
    const expected = pools.map((pool, position) => ({ pool, factory: exchange.factory, family: 1, fee_ppm: keys[position]?.fee }));
    expect(rows).toEqual(expected.sort((first, second) => (first.pool < second.pool ? -1 : 1)));
  });

  it("is not included in the sums of any exchange", async () => {
    for (const table of ["exchange_sums", "exchange_token_sums", "exchange_tokens"]) {
      expect(await test.database.query(`SELECT FROM ${table}`), table).toEqual([]);
    }
    expect((await api.request("week/xy=k/ranges/pools/")).status).toBe(404);
  });
});

describe("actions of concentrated pools", () => {
  it("include all swaps and non-zero changes of liquidity, with the amounts of the events", async () => {
    const positive = (value: unknown): string => String(BigInt(String(value)) > 0n ? BigInt(String(value)) : 0n);
    const negative = (value: unknown): string => positive(-BigInt(String(value)));
    const expected = logs.flatMap(({ block, index: log_index, address, name, args }) => {
      const key = [block, log_index, address];
      if (name === "Swap") {
        const { amount0, amount1, sender, recipient } = args;
        return [
          [
            ...key,
            actCodes.swap,
            lower(String(sender)),
            lower(String(recipient)),
            positive(amount0),
            negative(amount0),
            positive(amount1),
            negative(amount1),
            null,
          ],
        ];
      }
      if ((name !== "Mint" && name !== "Burn") || args.amount === 0n) return [];
      const owner = lower(String(args.owner));
      const [amount0, amount1] = [String(args.amount0), String(args.amount1)];
      return name === "Mint"
        ? [[...key, actCodes.add, lower(String(args.sender)), owner, amount0, "0", amount1, "0", String(args.amount)]]
        : [[...key, actCodes.remove, owner, owner, "0", amount0, "0", amount1, String(args.amount)]];
    });
    const rows = await test.database.query<Record<string, unknown>>(
      `SELECT block_number, log_index, pool, act, sender, to_address, amount0_in, amount0_out, amount1_in, amount1_out, liquidity
       FROM pool_actions ORDER BY block_number, log_index`,
    );
    expect(rows.map((row) => Object.values(row))).toEqual(expected);
  });

  it("add up to the volumes in the pools' states", async () => {
    const states = await createPoolQueries(test.database).statesAt(31337, pools, [head]);
    for (const pool of pools) {
      const swaps = logs.filter(({ name, address }) => name === "Swap" && address === pool);
      const sum = (argument: "amount0" | "amount1", sign: bigint): string =>
        String(
          swaps.map(({ args }) => sign * BigInt(args[argument] ?? 0)).reduce((total, amount) => (amount > 0n ? total + amount : total), 0n),
        );
      expect(states(pool)[0]).toMatchObject({
        swaps: swaps.length,
        amount0_in: sum("amount0", 1n),
        amount0_out: sum("amount0", -1n),
        amount1_in: sum("amount1", 1n),
        amount1_out: sum("amount1", -1n),
      });
    }
  });
});

describe("the gas price of swaps in concentrated pools", () => {
  interface Receipt {
    readonly gasUsed: string;
    readonly effectiveGasPrice: string;
    readonly blockNumber: string;
  }
  const rank = <T>(values: readonly T[], percent: number): T | undefined => values[Math.ceil((percent * values.length) / 100) - 1];

  it("is computed from the receipts of transactions with swaps, each counted once", async () => {
    const hashes = [...new Set(logs.filter(({ name }) => name === "Swap").map(({ transaction }) => transaction))];
    const receipts = await chain.batch<Receipt>(hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })));
    const blocks = await chain.batch<{ baseFeePerGas: string }>(
      receipts.map(({ blockNumber }) => ({ method: "eth_getBlockByNumber", params: [blockNumber, false] })),
    );
    const ascending = (first: bigint, second: bigint): number => (first < second ? -1 : first > second ? 1 : 0);
    const tips = receipts
      .map(({ effectiveGasPrice }, position) => BigInt(effectiveGasPrice) - BigInt(blocks[position]?.baseFeePerGas ?? 0))
      .sort(ascending);
    const used = receipts.map(({ gasUsed }) => BigInt(gasUsed)).sort(ascending);
    const { baseFeePerGas } = await chain.rpc<{ baseFeePerGas: string }>("eth_getBlockByNumber", ["latest", false]);
    const response: ResponseData = await api.get("week/event/uniswapv3/gas_prices/");
    expect(response.base_fee).toBe(String(BigInt(baseFeePerGas)));
    expect(response.items.map((item: ResponseData) => [item.gas_price, item.gas_spent])).toEqual(
      [90, 50, 10].map((percent) => [String(BigInt(baseFeePerGas) + (rank(tips, percent) ?? 0n)), String(rank(used, 50))]),
    );
  });

  it("is sampled from the requested number of transactions, even if they swap in several pools", async () => {
    const swaps = logs.filter(({ name }) => name === "Swap").map(({ transaction }) => transaction);
    const newest = [...new Set([...swaps].reverse())];
    // Some of the newest twelve swaps are in the same transaction.
    expect(new Set([...swaps].reverse().slice(0, 12)).size).toBeLessThan(12);
    const receipts = await chain.batch<Receipt>(
      newest.slice(0, 12).map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
    );
    const samples = await createGasQueries(test.database).gasSamples(31337, "uniswapv3", 0, head, 12);
    const expected = receipts.map(({ gasUsed, effectiveGasPrice }) => [Number(gasUsed), String(BigInt(effectiveGasPrice))]);
    expect(samples.map((sample) => [sample.gas_used, sample.gas_price]).sort()).toEqual(expected.sort());
  });
});

describe("an index of concentrated pools", () => {
  it("is the same for any batch size and after a rebuild from the first version", async () => {
    const expected = await contents(test.database);
    expect(await contentsOfFreshIndex({ batchBlocks: 1, requestBlocks: 1 })).toEqual(expected);
    expect(await contentsOfFreshIndex({ batchBlocks: 7, requestBlocks: 3 })).toEqual(expected);
    await test.database.query("UPDATE pool_states SET reserve0 = NULL, reserve1 = NULL");
    await test.database.query("UPDATE projection_checkpoints SET version = 1 WHERE projection = 'pools'");
    await index(test);
    expect(await contents(test.database)).toEqual(expected);
  }, 60_000);

  it("equals a fresh one after a reorganisation that drops swaps", async () => {
    const [owner] = people as [Address];
    const states = async () => test.database.query("SELECT * FROM pool_states ORDER BY pool, block_number");
    const before = await states();
    await mineTransactions(chain, [exchange.swap(owner, 40n * unit, keys[0], 1), exchange.swapPath(owner, 9n * unit, tokens, 3000)]);
    await mineTransactions(chain, [exchange.collect(owner, 1n, [maxUint128, maxUint128]), exchange.swap(owner, 5n * unit, keys[1], 0)]);
    await index(test);
    expect((await states()).length).toBeGreaterThan(before.length);
    await chain.rpc("anvil_reorg", [2, []]);
    await index(test);
    expect(await states()).toEqual(before);
    expect(await contents(test.database)).toEqual(await contentsOfFreshIndex());
    // A deeper reorganisation drops earlier swaps; the states equal the node's again.
    await chain.rpc("anvil_reorg", [9, []]);
    await index(test);
    expect(await contents(test.database)).toEqual(await contentsOfFreshIndex());
    const height = await chain.head();
    const newest = await createPoolQueries(test.database).statesAt(31337, pools, [height]);
    const [a] = tokens;
    expect(newest(pools[1])[0]?.reserve0).toBe(String(await read<bigint>(chain, artifacts.erc20(), a, "balanceOf", [pools[1]], height)));
  }, 60_000);
});
