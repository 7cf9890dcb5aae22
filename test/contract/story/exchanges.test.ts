import { type Abi, decodeEventLog, encodeFunctionData, parseAbi } from "viem";
import { afterAll, describe, expect, it } from "vitest";
import { demoChainConfig } from "../../../demo/chain-config.ts";
import { createNodeClient } from "../../../demo/node/client.ts";
import { readContract } from "../../../demo/story/read-contract.ts";
import type { Address, Hash, Hex } from "../../../runtime/lib/hex.ts";
import { useApp } from "../../support/app.ts";

const abi = parseAbi([
  "function allPairsLength() view returns (uint256)",
  "function getPair(address, address) view returns (address)",
  "function getPool(address, address, uint24) view returns (address)",
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function token0() view returns (address)",
  "function totalSupply() view returns (uint256)",
  "function decimals() view returns (uint8)",
  "function slot0() view returns (uint160, int24)",
  "function liquidity() view returns (uint128)",
  "function ownerOf(uint256) view returns (address)",
  "function tokenURI(uint256) view returns (string)",
  "function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)",
]);
const events = parseAbi([
  "event Sync(uint112 reserve0, uint112 reserve1)",
  "event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
  "event Mint(address indexed sender, uint256 amount0, uint256 amount1)",
  "event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)",
  "event PairCreated(address indexed token0, address indexed token1, address pair, uint256 position)",
  "event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)",
  "event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)",
  "event IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)",
  "event DecreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)",
  "event Collect(uint256 indexed tokenId, address recipient, uint256 amount0, uint256 amount1)",
]);
const rangeEvents = parseAbi([
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
]);
const secondsPerDay = 86_400;
const zeroAddress = `0x${"0".repeat(40)}`;

const app = await useApp();
const node = createNodeClient(app.rpcUrl);
afterAll(() => node.close());

interface NodeLog {
  readonly address: Address;
  readonly topics: [Hash, ...Hash[]];
  readonly data: Hex;
  readonly transactionHash: Hash;
  readonly blockNumber: Hex;
}

function storyValue(name: string): Address {
  const value = app.storyValues[name];
  if (value === undefined) throw new Error(`Unknown story value ${name}.`);
  return value as Address;
}

const read = <Result>(name: string, functionName: string, parameters: readonly unknown[] = []): Promise<Result> =>
  readContract<Result>(node, storyValue(name), abi, functionName, parameters);

/** A contract's decoded logs, in order, without events that the ABI does not contain. */
async function logsOf(name: string, eventAbi: Abi = events) {
  const logs = await node.request<readonly NodeLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest", address: storyValue(name) }]);
  return logs.flatMap((log) => {
    try {
      const { eventName, args } = decodeEventLog({ abi: eventAbi, topics: log.topics, data: log.data });
      return [{ ...log, eventName: eventName ?? "", args: args as unknown as Readonly<Record<string, bigint>> }];
    } catch {
      return [];
    }
  });
}
const namedLogs = async (name: string, eventName: string, eventAbi: Abi = events) =>
  (await logsOf(name, eventAbi)).filter((log) => log.eventName === eventName);

/** A pair's reserves, with the named token's first. */
const reservesFrom = async (pair: string, token: string): Promise<readonly [bigint, bigint]> => {
  const [reserve0, reserve1] = await read<readonly [bigint, bigint]>(pair, "getReserves");
  return (await read<string>(pair, "token0")).toLowerCase() === storyValue(token) ? [reserve0, reserve1] : [reserve1, reserve0];
};
/** Dollars per ether with eight decimals; the reserves have 6 and 18 decimals. */
const etherPriceIn = async (pair: string): Promise<number> => {
  const [dollars, weis] = await reservesFrom(pair, "usdToken");
  return Number((dollars * 10n ** 20n) / weis);
};
const endTime = async (): Promise<number> =>
  Number((await node.request<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false])).timestamp);

describe("the story's exchanges", () => {
  const { exchanges, prices } = demoChainConfig(app.rpcUrl, app.storyValues);

  it("include two with constant-product pools and one with concentrated liquidity, with twelve pools in total", async () => {
    expect(exchanges.map(({ name, family, feePpm }) => [name, family, feePpm])).toEqual([
      ["demo_exchange", "xy=k", 3_000],
      ["demo_swap", "xy=k", 3_000],
      ["demo_range", "concentrated", undefined],
    ]);
    const pairs = await Promise.all(["exchangeFactory", "rivalFactory"].map((factory) => read<bigint>(factory, "allPairsLength")));
    expect(pairs).toEqual([4n, 6n]);
    const pools = await namedLogs("rangeFactory", "PoolCreated");
    expect(pools.map(({ args }) => [args.fee, String(args.pool).toLowerCase()])).toEqual([
      [500, storyValue("dollarRange")],
      [3_000, storyValue("goldRange")],
    ]);
  });

  it("have ether prices that differ slightly between three pools and the feed", async () => {
    const [first, second] = [await etherPriceIn("dollarPair"), await etherPriceIn("rivalDollarPair")];
    const [root] = await read<readonly [bigint]>("dollarRange", "slot0");
    const ratio = (Number(root) / 2 ** 96) ** 2;
    const third = (storyValue("usdToken") < storyValue("wrappedNative") ? 1 / ratio : ratio) * 1e20;
    const [, answer] = await read<readonly [bigint, bigint]>("etherFeed", "latestRoundData");
    expect(first).not.toBe(second);
    for (const price of [second, third, Number(answer)]) expect(Math.abs(price / first - 1)).toBeLessThan(0.05);
  });

  it("have swaps throughout the 60 days in every pool that is not drained", async () => {
    const end = await endTime();
    const count = async (name: string, eventAbi?: Abi) => {
      const blocks = (await namedLogs(name, "Swap", eventAbi)).map(({ blockNumber }) => blockNumber);
      const found = await node.batch<{ timestamp: Hex }>(
        [...new Set(blocks)].map((number) => ({ method: "eth_getBlockByNumber", parameters: [number, false] })),
      );
      return new Set(found.map(({ timestamp }) => Math.floor((end - Number(timestamp)) / secondsPerDay))).size;
    };
    expect(await count("dollarPair")).toBe(60);
    expect(await count("washPair")).toBe(60);
    for (const name of ["rivalDollarPair", "tollPair", "ticketPair", "saffronPair"]) expect(await count(name), name).toBeGreaterThan(30);
    for (const name of ["dollarRange", "goldRange"]) expect(await count(name, rangeEvents), name).toBeGreaterThan(40);
  });

  it("have tokens with 0 and 27 decimals, and one with a transfer fee", async () => {
    expect([await read("ticketToken", "decimals"), await read("saffronToken", "decimals")]).toEqual([0, 27]);
    // The router transfers the full amount from the sender; the pair's Swap reports 1 % less.
    const [swap] = (await namedLogs("tollPair", "Swap")).filter(({ args }) => {
      const side = storyValue("tollToken") < storyValue("usdToken") ? args.amount0In : args.amount1In;
      return (side ?? 0n) > 0n;
    });
    const { input } = await node.request<{ input: Hex }>("eth_getTransactionByHash", [swap?.transactionHash]);
    const sent = BigInt(`0x${input.slice(10, 74)}`);
    const received = storyValue("tollToken") < storyValue("usdToken") ? swap?.args.amount0In : swap?.args.amount1In;
    expect(received).toBe(sent - sent / 100n);
  });

  it("hold far more than the liquidity floor in priced pools, and always far less in the wash pool", async () => {
    const floor = BigInt(prices.liquidityFloor) * 10n ** 6n;
    for (const name of ["dollarPair", "goldPair", "rivalDollarPair", "tollPair", "ticketPair"])
      expect((await reservesFrom(name, "usdToken"))[0], name).toBeGreaterThan(3n * floor);
    const side = (await read<string>("washPair", "token0")).toLowerCase() === storyValue("usdToken") ? 0 : 1;
    const states = (await namedLogs("washPair", "Sync")).map(({ args }) => {
      const { reserve0 = 0n, reserve1 = 0n } = args;
      return side === 0 ? ([reserve0, reserve1] as const) : ([reserve1, reserve0] as const);
    });
    // A deposit, and two trades on each of 60 days.
    expect(states).toHaveLength(1 + 2 * 60);
    for (const [dollars] of states) expect(dollars * 10n).toBeLessThan(floor);
    const ratios = states.map(([dollars, coins]) => Number(dollars) / Number(coins));
    // Neither price is meaningful: the higher one is more than ten thousand times the lower.
    expect(Math.max(...ratios) / Math.min(...ratios)).toBeGreaterThan(10_000);
    // No other account trades in the wash pool.
    const traders = new Set((await namedLogs("washPair", "Swap")).map(({ args }) => String(args.to).toLowerCase()));
    expect([...traders].sort()).toEqual([storyValue("washTrader"), storyValue("otherWashTrader")].sort());
  });

  it("have a pool that was drained except for the 1,000 locked shares", async () => {
    expect(await read<bigint>("drainedPair", "totalSupply")).toBe(1_000n);
    const syncs = await namedLogs("drainedPair", "Sync");
    const [salt, weis] = await reservesFrom("drainedPair", "saltToken");
    expect(syncs.some(({ args }) => (args.reserve0 ?? 0n) > 10n ** 18n && (args.reserve1 ?? 0n) > 10n ** 18n)).toBe(true);
    // The first deposit of 4e23 and 4e19 minted sqrt(4e23 × 4e19) = 4e21 shares; the reserves of 1,000 shares are about 1e5 and 10.
    expect(salt < 10n ** 9n && weis < 10n ** 9n).toBe(true);
    expect((await namedLogs("drainedPair", "Burn")).length).toBe(3);
  });

  it("have liquidity that several accounts added and removed, in tokens and in ether, and a protocol fee", async () => {
    const pairs = ["rivalDollarPair", "tollPair", "ticketPair", "saffronPair"];
    const hashes = async (eventName: string) =>
      (await Promise.all(pairs.map((pair) => namedLogs(pair, eventName)))).flat().map(({ transactionHash }) => transactionHash);
    const sent = async (eventName: string) =>
      node.batch<{ from: Address; input: Hex }>(
        (await hashes(eventName)).map((hash) => ({ method: "eth_getTransactionByHash", parameters: [hash] })),
      );
    const [added, removed] = [await sent("Mint"), await sent("Burn")];
    expect(new Set(added.map(({ from }) => from)).size).toBeGreaterThan(3);
    expect(new Set(removed.map(({ from }) => from)).size).toBeGreaterThan(3);
    // The selectors of addLiquidity and addLiquidityETH in Uniswap V2's router.
    expect(new Set(added.map(({ input }) => input.slice(0, 10)))).toEqual(new Set(["0xe8e33700", "0xf305d719"]));
    const balanceOf = parseAbi(["function balanceOf(address) view returns (uint256)"]);
    const data = encodeFunctionData({ abi: balanceOf, args: [storyValue("deployer")] });
    expect(BigInt(await node.request<Hex>("eth_call", [{ to: storyValue("rivalDollarPair"), data }, "latest"]))).toBeGreaterThan(0n);
  });

  it("have positions that were increased, halved, or collected and burned", async () => {
    const idsOf = async (eventName: string) => (await namedLogs("rangePositions", eventName)).map(({ args }) => Number(args.tokenId));
    // The market maker opens positions 1 and 2, other accounts open the rest, and position 4 is increased.
    expect(await idsOf("IncreaseLiquidity")).toEqual([1, 2, 3, 4, 5, 6, 4]);
    expect(await idsOf("DecreaseLiquidity")).toEqual([3, 6]);
    expect(await idsOf("Collect")).toEqual([3, 3, 6]);
    await expect(read("rangePositions", "ownerOf", [3n])).rejects.toThrow(/revert/);
    expect((await read<string>("rangePositions", "ownerOf", [6n])).toLowerCase()).toBe(storyValue("trader"));
    expect(await read<string>("rangePositions", "tokenURI", [1n])).toMatch(/^data:application\/json;base64,/);
    for (const pool of ["dollarRange", "goldRange"]) expect(await read<bigint>(pool, "liquidity"), pool).toBeGreaterThan(0n);
  });

  it("have feeds with eight decimals and an answer on every day", async () => {
    const end = await endTime();
    expect(prices.feeds.map(({ of, in: currency, aggregators, decimals }) => [of, currency, aggregators, decimals])).toEqual([
      ["native", "USD", [storyValue("etherFeed")], 8],
      ["EUR", "USD", [storyValue("euroFeed")], 8],
    ]);
    for (const name of ["etherFeed", "euroFeed"]) {
      const answers = await namedLogs(name, "AnswerUpdated");
      const times = answers.map(({ args }) => Number(args.updatedAt));
      expect(new Set(times.map((time) => Math.floor((end - time) / secondsPerDay))).size).toBe(60);
      const [, answer, , updatedAt] = await read<readonly [bigint, bigint, bigint, bigint]>(name, "latestRoundData");
      expect([answer, updatedAt]).toEqual([answers.at(-1)?.args.current, answers.at(-1)?.args.updatedAt]);
    }
  });

  it("have the pairs named in the story values", async () => {
    const pairOf = async (factory: string, ...tokens: readonly string[]) =>
      (await read<string>(factory, "getPair", tokens.map(storyValue))).toLowerCase();
    expect(await pairOf("exchangeFactory", "usdToken", "wrappedNative")).toBe(storyValue("dollarPair"));
    expect(await pairOf("rivalFactory", "usdToken", "wrappedNative")).toBe(storyValue("rivalDollarPair"));
    expect(await pairOf("rivalFactory", "tollToken", "usdToken")).toBe(storyValue("tollPair"));
    expect(await pairOf("rivalFactory", "ticketToken", "usdToken")).toBe(storyValue("ticketPair"));
    expect(await pairOf("rivalFactory", "saffronToken", "wrappedNative")).toBe(storyValue("saffronPair"));
    expect(await pairOf("rivalFactory", "saltToken", "wrappedNative")).toBe(storyValue("drainedPair"));
    expect(await pairOf("rivalFactory", "bytes32Token", "usdToken")).toBe(storyValue("washPair"));
    expect(await pairOf("exchangeFactory", "bytes32Token", "usdToken")).toBe(zeroAddress);
  });
});
