import { pad } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPoolQueries } from "../../../../runtime/domains/pools/queries/index.ts";
import { pairSync, poolCreated } from "../../../../runtime/events/pools.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { artifacts, type TestChain } from "../../../support/chain.ts";
import { hashContents } from "../../../support/contents.ts";
import type { TestDatabase } from "../../../support/database.ts";
import {
  type ClaimedExchange,
  encodeWord,
  encodeWords,
  impostor,
  openClaimedExchange,
  otherFactory,
  toLower,
  unlistedPool,
} from "./hostile/claimed-exchange.ts";
import type { ResponseData, TestApi } from "./serve-pools.ts";
import { approve, emit, mineTransactions, mint, type TestExchange } from "./support.ts";

// Contracts emit incorrect events about an exchange whose expected values are computed here.
let claimed: ClaimedExchange;
let chain: TestChain;
let exchange: TestExchange;
let testDatabase: TestDatabase;
let api: TestApi;
let tokens: readonly [Address, Address];
let person: Address;
let pair: Address;

beforeAll(async () => {
  claimed = await openClaimedExchange();
  ({ chain, exchange, testDatabase, api, tokens, person } = claimed);
});
afterAll(() => claimed?.end());

const poolItem = async (): Promise<ResponseData> => (await api.get(`week/xy=k/swap/pools/address/${pair}/`)).items[0];
/** Constant product with a fee of 0.3 percent, as the contract computes it. */
const amountOut = (amount: bigint, reserveIn: bigint, reserveOut: bigint): bigint =>
  (amount * 997n * reserveOut) / (reserveIn * 1_000n + amount * 997n);

describe("an exchange with hostile contracts", () => {
  it("is empty, without an error, before its first block", async () => {
    for (const path of ["pools/", "tokens/", "transactions/", "ecosystem/", "health/"]) {
      expect((await api.request(`week/xy=k/swap/${path}`)).status, path).toBe(200);
    }
    expect((await api.request(`week/xy=k/swap/pools/address/${unlistedPool}/`)).status).toBe(404);
  });

  it("keeps its sums when other factories claim its pools", async () => {
    // Unannounced contracts emit events; then an impostor announces a pool of the exchange with a different token.
    await emit(chain, unlistedPool, [pairSync.topic0], encodeWords(5n, 6n));
    await claimed.swap(unlistedPool, [1n, 2n, 3n, 4n]);
    await mineTransactions(chain, [exchange.addLiquidity(person, tokens, [1_000_000n, 4_000_000n])]);
    pair = await exchange.pairOf(...tokens);
    await claimed.announce(impostor, pair, [tokens[0], unlistedPool]);
    await claimed.announce(impostor, unlistedPool, tokens);
    await claimed.announce(impostor, person, tokens);
    await claimed.announce(impostor, person, tokens);
    await mineTransactions(chain, [exchange.swap(person, 10_000n, tokens)]);
    await claimed.index();
    const out = amountOut(10_000n, 1_000_000n, 4_000_000n);
    const item = await poolItem();
    expect(item).toMatchObject({ swap_count_24h: 1, total_supply: "2000000" });
    expect(item.token_0).toMatchObject({ contract_address: tokens[0], reserve: "1010000", volume_in_24h: "10000", volume_out_24h: "0" });
    expect(item.token_1).toMatchObject({ contract_address: tokens[1], reserve: String(4_000_000n - out), volume_out_24h: String(out) });
    expect((await api.get("week/xy=k/swap/tokens/")).items.map((token: ResponseData) => token.contract_address)).toEqual(
      // The head's hour is not closed, so its tokens are not ranked yet.
      [],
    );
    expect((await api.get(`week/xy=k/address/${pair}/dex_name/`)).items).toMatchObject([{ dex_name: "swap" }]);
  });

  it("does not list pools announced by other factories, which list only their own pools", async () => {
    expect((await api.request(`week/xy=k/impostor/pools/address/${pair}/`)).status).toBe(404);
    const [item] = (await api.get(`week/xy=k/impostor/pools/address/${unlistedPool}/`)).items;
    // Events of the pool before its announcement are not included.
    expect(item).toMatchObject({ swap_count_24h: 0, total_supply: "0" });
    expect((await api.get(`week/xy=k/swap/tokens/address/${tokens[0]}/`)).items).toHaveLength(1);
    const pools = (await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/`)).items;
    expect(pools.map((pool: ResponseData) => [pool.dex_name, pool.exchange]).sort()).toEqual(
      [
        ["impostor", unlistedPool],
        ["impostor", person],
        ["swap", pair],
      ].sort(),
    );
  });

  it("supports amounts up to the max uint256", async () => {
    const maxUint256 = 2n ** 256n - 1n;
    for (let count = 0; count < 3; count += 1) await claimed.swap(unlistedPool, [maxUint256, maxUint256, maxUint256, maxUint256]);
    await emit(chain, unlistedPool, [pairSync.topic0], encodeWords(2n ** 112n, 1n));
    await emit(chain, unlistedPool, [pairSync.topic0], encodeWords(2n ** 112n - 1n, 1n));
    await claimed.index();
    const [item] = (await api.get(`week/xy=k/impostor/pools/address/${unlistedPool}/`)).items;
    expect(item.token_0).toMatchObject({ reserve: String(2n ** 112n - 1n), volume_in_24h: String(3n * maxUint256) });
    const [token] = (await api.get(`week/xy=k/impostor/tokens/address/${tokens[0]}/view/`)).items;
    expect([token.total_liquidity, token.total_volume_24h]).toEqual([String(2n ** 112n - 1n), String(6n * maxUint256)]);
    expect((await api.get("week/xy=k/impostor/transactions/")).items).toHaveLength(3);
    expect((await poolItem()).swap_count_24h).toBe(1);
  });

  it("has the full sums of a pool that another factory announced before its creation", async () => {
    const third = toLower(await chain.deploy(artifacts.erc20(), ["Three", "THREE"]));
    await mineTransactions(chain, [mint(third, person, 10n ** 9n), approve(person, third, exchange.router)]);
    const sorted = [tokens[0], third].sort() as [Address, Address];
    // The pool's address is known before its creation: the node simulates the creation.
    const snapshot = await chain.rpc<string>("evm_snapshot");
    await mineTransactions(chain, [exchange.addLiquidity(person, [tokens[0], third], [500n * 10n ** 3n, 500n * 10n ** 3n])]);
    const early = await exchange.pairOf(tokens[0], third);
    await chain.rpc("evm_revert", [snapshot]);
    await claimed.announce(impostor, early, [tokens[0], tokens[1]]);
    await emit(
      chain,
      otherFactory,
      [poolCreated.topic0, pad(sorted[0]), pad(sorted[1]), encodeWord(500n)],
      `${encodeWord(10n)}${pad(early).slice(2)}`,
    );
    await mineTransactions(chain, [exchange.addLiquidity(person, [tokens[0], third], [500_000n, 500_000n])]);
    expect(await exchange.pairOf(tokens[0], third)).toBe(early);
    await mineTransactions(chain, [exchange.swap(person, 1_000n, [tokens[0], third])]);
    await claimed.index();
    const out = amountOut(1_000n, 500_000n, 500_000n);
    const [view] = (await api.get(`week/xy=k/swap/tokens/address/${third}/view/`)).items;
    expect(view).toMatchObject({
      total_liquidity: String(500_000n - out),
      total_volume_24h: String(out),
      swap_count_24h: 1,
      transactions_24h: 1,
    });
    const [first] = (await api.get(`week/xy=k/swap/tokens/address/${tokens[0]}/view/`)).items;
    expect(first).toMatchObject({
      total_liquidity: String(1_010_000n + 501_000n),
      total_volume_24h: String(10_000n + 1_000n),
      swap_count_24h: 2,
    });
    expect((await api.get("week/xy=k/swap/ecosystem/")).items).toMatchObject([{ total_swaps_24h: 2, total_active_pairs_7d: 2 }]);
    const acts = (items: ResponseData[]) => items.map(({ act }) => act);
    const all = await api.get("week/xy=k/swap/transactions/");
    expect([acts(all.items), all.pagination.total_count]).toEqual([["SWAP", "ADD_LIQUIDITY", "SWAP", "ADD_LIQUIDITY"], 4]);
    const paged = await Promise.all([0, 1, 2, 3].map((page) => api.get(`week/xy=k/swap/transactions/?page-size=1&page-number=${page}`)));
    expect(paged.flatMap(({ items }) => items)).toEqual(all.items);
    expect(acts((await api.get(`week/xy=k/swap/address/${person}/transactions/`)).items)).toEqual(acts(all.items));
    expect(acts((await api.get(`week/xy=k/swap/tokens/address/${third}/transactions/`)).items)).toEqual(["SWAP", "ADD_LIQUIDITY"]);
    expect((await api.get(`week/xy=k/swap/pools/address/${early}/`)).items).toMatchObject([{ swap_count_24h: 1 }]);
    expect((await api.get("week/xy=k/impostor/transactions/")).items).toHaveLength(5);
  });

  it("reads only the rows of a page, regardless of the page number and of pools that other factories claim", async () => {
    const rowsRead: unknown[] = [];
    const queries = createPoolQueries({
      query: async (sql, parameters) => {
        const rows = await testDatabase.database.query<never>(sql, parameters);
        rowsRead.push(...rows);
        return rows;
      },
    });
    const head = await chain.head();
    const key = await queries.exchangeKey(31337, exchange.factory, head);
    expect(key.sharedPools).toHaveLength(1);
    rowsRead.length = 0;
    // The oldest of four actions: two are in an exclusive pool, two in the shared one.
    expect(await queries.actionsOfExchange(31337, key, head, 1, 3)).toMatchObject({ total: 4, rows: [{ pool: pair, act: 1 }] });
    // The rows are the total count and the action.
    expect(rowsRead).toHaveLength(2);
  });

  it("lists an hour's swaps once the hour is over", async () => {
    const { timestamp } = await chain.rpc<{ timestamp: string }>("eth_getBlockByNumber", ["latest", false]);
    await chain.mine(Number(timestamp) + 3_600);
    await claimed.index();
    const { items } = await api.get("week/xy=k/swap/pools/");
    expect(items.map((item: ResponseData) => item.swap_count_24h)).toEqual([1, 1]);
    expect((await api.get("week/xy=k/swap/tokens/")).items).toHaveLength(3);
    // Seven days later, the hour of the swaps is still within the seven days up to the last closed hour; another hour later it is not.
    await chain.mine(Number(timestamp) + 7 * 86_400);
    await claimed.index();
    expect((await api.get("week/xy=k/swap/pools/")).items).toHaveLength(2);
    await chain.mine(Number(timestamp) + 7 * 86_400 + 3_600);
    await claimed.index();
    expect((await api.get("week/xy=k/swap/pools/")).items).toEqual([]);
    expect((await api.get("week/xy=k/swap/ecosystem/")).items).toMatchObject([{ total_active_pairs_7d: 0 }]);
    expect(
      (await poolItem()).volume_timeseries_30d.map((point: ResponseData) => point.swap_count_24).reduce((a: number, b: number) => a + b, 0),
    ).toBe(1);
  });
});

describe("a transaction that swaps a token in both an exclusive and a claimed pool", () => {
  it("is counted once, as is one that swaps only in the claimed pool", async () => {
    const tokenView = async (token: Address) => (await api.get(`week/xy=k/swap/tokens/address/${token}/view/`)).items[0];
    expect(await tokenView(tokens[0])).toMatchObject({ swap_count_24h: 0, transactions_24h: 0 });
    // The claimed pool of an earlier test; its address and other token are read from the exchange's list.
    const pools = (await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/`)).items.filter(
      (pool: ResponseData) => pool.dex_name === "swap" && pool.exchange !== pair,
    );
    const [third] = [pools[0].token_0, pools[0].token_1].map((token) => token.contract_address).filter((token) => token !== tokens[0]);
    await mineTransactions(chain, [
      exchange.swap(person, 3_000n, [tokens[1], tokens[0], third]),
      exchange.swap(person, 900n, [tokens[0], third]),
      exchange.swap(person, 900n, tokens),
    ]);
    await claimed.index();
    expect(await tokenView(tokens[0])).toMatchObject({ swap_count_24h: 4, transactions_24h: 3 });
    expect(await tokenView(third)).toMatchObject({ swap_count_24h: 2, transactions_24h: 2 });
    expect(await tokenView(tokens[1])).toMatchObject({ swap_count_24h: 2, transactions_24h: 2 });
  });
});

describe("pages of actions", () => {
  it("continue at the same position when actions are added between them", async () => {
    const before = (await api.get("week/xy=k/swap/transactions/?page-size=1000")).items;
    const page = async (number: number) => (await api.get(`week/xy=k/swap/transactions/?page-size=2&page-number=${number}`)).items;
    const first = await page(0);
    await mineTransactions(chain, [exchange.swap(person, 300n, tokens)]);
    await claimed.index();
    expect([...first, ...(await page(1))]).toEqual(before.slice(0, 4));
    expect((await page(0))[0]).toMatchObject({ act: "SWAP", amount_0_in: "300" });
  });
});

describe("an index of pools after a reorganisation", () => {
  it("equals a fresh one, and returns the same responses as before", async () => {
    const before = await api.get("week/xy=k/swap/transactions/");
    const pool = await poolItem();
    await mineTransactions(chain, [exchange.swap(person, 500n, tokens), exchange.swap(person, 700n, tokens)]);
    await mineTransactions(chain, [approve(person, pair, exchange.router), exchange.removeLiquidity(person, tokens, 10n)]);
    await claimed.index();
    expect((await api.get("week/xy=k/swap/transactions/")).pagination.total_count).toBe(before.pagination.total_count + 3);
    await chain.rpc("anvil_reorg", [2, []]);
    await claimed.index();
    const after = await api.get("week/xy=k/swap/transactions/");
    expect({ ...after, updated_at: "" }).toEqual({ ...before, updated_at: "" });
    expect(await hashContents(testDatabase.database)).toEqual(await claimed.contentsOfFreshIndex());
    expect((await poolItem()).token_0.reserve).toBe(pool.token_0.reserve);
    await chain.rpc("anvil_reorg", [12, []]);
    await claimed.index();
    expect(await hashContents(testDatabase.database)).toEqual(await claimed.contentsOfFreshIndex());
  });
});
