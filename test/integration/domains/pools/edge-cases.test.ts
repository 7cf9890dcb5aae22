import { encodeAbiParameters, keccak256 } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { poolsProjection } from "../../../../runtime/domains/pools/projection/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { hashContents } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { compileSolidity } from "../../../support/solidity.ts";
import { type ResponseData, servePools, type TestApi } from "./serve-pools.ts";
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
} from "./support.ts";

/** A contract that uses pairs directly, without a router. */
const contracts = compileSolidity(`
pragma solidity ^0.8.0;
interface Token {
  function transfer(address, uint256) external returns (bool);
}
interface Pair {
  function swap(uint256, uint256, address, bytes calldata) external;
  function mint(address) external;
  function burn(address) external;
}
contract Borrower {
  Token owed;
  constructor(Token token) { owed = token; }
  function borrow(Pair pair, uint256 amount) external { pair.swap(amount, 0, address(this), "back"); }
  function uniswapV2Call(address, uint256 amount, uint256, bytes calldata) external { owed.transfer(msg.sender, amount + amount / 100 + 1); }
  function depositAndWithdraw(Pair pair, Token a, Token b, uint256 amount, address to) external {
    deposit(pair, a, b, amount);
    pair.mint(to);
    deposit(pair, a, b, amount);
    pair.mint(address(pair));
    pair.burn(to);
  }
  function deposit(Pair pair, Token a, Token b, uint256 amount) private {
    a.transfer(address(pair), amount);
    b.transfer(address(pair), amount);
  }
}`);

let chain: TestChain;
let exchange: TestExchange;
let testDatabase: TestDatabase;
let api: TestApi;
let tokens: readonly [Address, Address];
let people: readonly [Address, Address, Address];
let pair: Address;
let borrower: Address;
const toLower = (address: string): Address => address.toLowerCase() as Address;

const createIndex = async (tuning: Record<string, number> = {}): Promise<TestDatabase> => {
  const created = await createTestDatabase();
  const indexer = await createTestIndexer(chain.url, created.database, { projections: [tokensProjection, poolsProjection], tuning });
  await indexer.runToHead(await chain.head());
  await indexer.close();
  return created;
};

beforeAll(async () => {
  chain = await startTestChain();
  people = chain.accounts.slice(1, 4).map(toLower) as unknown as typeof people;
  exchange = await deployExchange(chain, toLower(await chain.deploy(artifacts.weth())));
  tokens = [await chain.deploy(artifacts.erc20(), ["A", "A"]), await chain.deploy(artifacts.erc20(), ["B", "B"])]
    .map(toLower)
    .sort() as unknown as typeof tokens;
  borrower = toLower(await chain.deploy(contracts("Borrower"), [tokens[0]]));
  const [first, second, third] = people;
  await mineTransactions(chain, [
    ...people.flatMap((person) => tokens.flatMap((token) => [mint(token, person, 10n ** 12n), approve(person, token, exchange.router)])),
    ...tokens.map((token) => mint(token, borrower, 10n ** 12n)),
    encodeCall(uniswapV2.factory(), exchange.factory, "setFeeTo", [chain.accounts[9]]),
  ]);
  await mineTransactions(chain, [exchange.addLiquidity(first, tokens, [1_000_000n, 1_000_000n])]);
  pair = await exchange.pairOf(...tokens);
  const callPair = (from: Address, name: string, ...args: unknown[]) => ({
    from,
    gas: 900_000n,
    ...encodeCall(uniswapV2.pair(), pair, name, args),
  });
  await mineTransactions(chain, [exchange.swap(second, 50_000n, tokens), exchange.swap(second, 70_000n, [tokens[1], tokens[0]])]);
  // One account sends shares to the pair, another burns them for a third, and the protocol fee is minted in between.
  await mineTransactions(chain, [callPair(first, "transfer", pair, 1_234n)]);
  await mineTransactions(chain, [callPair(second, "burn", third)]);
  // A flash loan that is repaid in the same token.
  await mineTransactions(chain, [
    { from: second, gas: 900_000n, ...encodeCall(contracts("Borrower"), borrower, "borrow", [pair, 10_000n]) },
  ]);
  // Two deposits and a withdrawal of the second deposit's shares, in one transaction.
  await mineTransactions(chain, [
    {
      from: second,
      gas: 2_000_000n,
      ...encodeCall(contracts("Borrower"), borrower, "depositAndWithdraw", [pair, ...tokens, 5_000n, third]),
    },
    exchange.swap(first, 900n, tokens),
  ]);
  // All tokens are removed from the pair without an event, as a token contract may do.
  await mineTransactions(chain, [callPair(first, "sync")]);
  for (const token of tokens) {
    // The balance mapping is in one of the contract's first six storage slots.
    for (let slotIndex = 0n; slotIndex < 6n; slotIndex += 1n) {
      const slot = keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [pair, slotIndex]));
      const balance = BigInt(await chain.rpc<string>("eth_getStorageAt", [token, slot, "latest"]));
      if (balance > 0n) await chain.rpc("anvil_setStorageAt", [token, slot, `0x${"0".repeat(64)}`]);
    }
  }
  await mineTransactions(chain, [callPair(first, "sync")]);
  testDatabase = await createIndex();
  api = await servePools(testDatabase.database, [{ name: "swap", factory: exchange.factory }]);
}, 60_000);
afterAll(async () => {
  await api?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

const sum = (...amounts: readonly bigint[]): string => String(amounts.reduce((total, amount) => total + amount, 0n));
/** The pair's events with a name, in order. */
const eventsOf = async (name: string): Promise<PairLog["args"][]> =>
  (await pairLogs(chain, [pair], await chain.head())).filter((log) => log.name === name).map(({ args }) => args);

describe("a pair that is used without a router", () => {
  it("has the node's supply, and empty reserves after its tokens were removed", async () => {
    const head = await chain.head();
    const supply = await readContract<bigint>(chain, uniswapV2.pair(), pair, "totalSupply", [], head);
    const [item] = (await api.get(`week/xy=k/swap/pools/address/${pair}/`)).items;
    expect((await readContract<readonly bigint[]>(chain, uniswapV2.pair(), pair, "getReserves", [], head)).slice(0, 2)).toEqual([0n, 0n]);
    expect([item.total_supply, item.token_0.reserve, item.token_1.reserve]).toEqual([String(supply), "0", "0"]);
    expect(item.price_timeseries_30d.at(-1)).toMatchObject({ price_of_token0_in_token1: null, price_of_token1_in_token0: null });
    const balance = await readContract<bigint>(chain, uniswapV2.pair(), pair, "balanceOf", [people[2]], head);
    const [owned] = (await api.get(`week/xy=k/swap/address/${people[2]}/balances/`)).items;
    expect([owned.pool_token.balance, owned.token_0.balance, owned.token_1.balance]).toEqual([String(balance), "0", "0"]);
  });

  it("reports the sender and receiver of a burn, and counts the burnt shares without the protocol fee", async () => {
    const { items } = await api.get("week/xy=k/swap/transactions/");
    const [first, second, third] = people;
    const actual = items.map((item: ResponseData) => [item.act, item.from_address, item.sender_address, item.to_address]);
    expect(actual).toEqual([
      ["SWAP", first, exchange.router, first],
      ["REMOVE_LIQUIDITY", second, borrower, third],
      // The pair receives the second deposit's shares, so that it can burn them.
      ["ADD_LIQUIDITY", second, borrower, pair],
      ["ADD_LIQUIDITY", second, borrower, third],
      ["SWAP", second, borrower, borrower],
      ["REMOVE_LIQUIDITY", second, second, third],
      ["SWAP", second, exchange.router, second],
      ["SWAP", second, exchange.router, second],
      ["ADD_LIQUIDITY", first, exchange.router, first],
    ]);
    const zero = `0x${"0".repeat(40)}`;
    const collector = toLower(chain.accounts[9] as string);
    const transfers = await eventsOf("Transfer");
    // The protocol fee is a share of the growth from swaps.
    expect(transfers.some(({ from, to }) => from === zero && toLower(String(to)) === collector)).toBe(true);
    const [, ...minted] = transfers.filter(({ from, to }) => from === zero && toLower(String(to)) !== collector).map(({ value }) => value);
    const burnt = transfers.filter(({ from, to }) => toLower(String(from)) === pair && to === zero).map(({ value }) => value);
    const rows = await testDatabase.database.query<{ act: number; liquidity: string }>(
      "SELECT act, liquidity FROM pool_actions WHERE act <> 0 ORDER BY block_number, log_index",
    );
    const liquidityOf = (act: number) => rows.filter((row) => row.act === act).map(({ liquidity }) => liquidity);
    expect([liquidityOf(1), liquidityOf(2)]).toEqual([minted.map(String), burnt.map(String)]);
    expect(burnt[0]).toBe(1_234n);
  });

  it("counts both directions of a flash loan that is repaid in the same token", async () => {
    const swaps = await eventsOf("Swap");
    const amountsOf = (argument: string) => swaps.map((args) => args[argument] as bigint);
    // 10,000 are borrowed; 10,000 plus a hundredth plus 1 are repaid.
    expect([amountsOf("amount0Out")[2], amountsOf("amount0In")[2]]).toEqual([10_000n, 10_101n]);
    const [view] = (await api.get(`week/xy=k/swap/tokens/address/${tokens[0]}/view/`)).items;
    expect(view).toMatchObject({
      total_volume_24h: sum(...amountsOf("amount0In"), ...amountsOf("amount0Out")),
      swap_count_24h: 4,
      transactions_24h: 4,
      total_liquidity: "0",
    });
  });
});

describe("the index of pools", () => {
  it.each([
    [1, 1],
    [2, 1],
    [5, 2],
  ])("is the same in batches of %i blocks with requests of %i blocks", async (batchBlocks, requestBlocks) => {
    const other = await createIndex({ batchBlocks, requestBlocks });
    expect(await hashContents(other.database)).toEqual(await hashContents(testDatabase.database));
    await other.drop();
  });
});

describe("a request about an exchange", () => {
  it.each(["week/xy%3Dk/swap/pools/", "week/xy%3dk/swap/pools", "week/xy=k/%20swap%20/pools/?", "31337/xy=k/swap/pools/"])(
    "is accepted at the path %s",
    async (path) => {
      expect((await api.request(path)).status).toBe(200);
    },
  );

  it.each([
    { list: "pools", status: 400 },
    { list: "tokens", status: 400 },
    // Running sums locate pages at any depth.
    { list: "transactions", status: 200 },
  ])("is accepted for a page of $list after 100,000 rows, and receives $status for deeper pages", async ({ list, status }) => {
    const { items, pagination } = await api.get(`week/xy=k/swap/${list}/?page-number=100&page-size=1000`);
    expect([items, pagination.has_more]).toEqual([[], false]);
    expect((await api.request(`week/xy=k/swap/${list}/?page-number=10&page-size=10000&format=csv`)).status).toBe(200);
    for (const page of ["101", "2147483647"])
      expect((await api.request(`week/xy=k/swap/${list}/?page-number=${page}&page-size=1000`)).status).toBe(status);
  });
});
