import { type AbiEvent, encodeAbiParameters, encodeEventTopics, parseAbiItem, toEventSelector } from "viem";
import { describe, expect, it } from "vitest";
import type { ChainBlock, ChainLog } from "../../../runtime/chain/types.ts";
import { createEventDecoder } from "../../../runtime/events/event-decoder.ts";
import { knownEvents } from "../../../runtime/events/known-events.ts";
import * as pools from "../../../runtime/events/pools.ts";
import type { Hex } from "../../../runtime/lib/hex.ts";

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [low, high, pool, sender, to] = ["1", "2", "3", "4", "5"].map(address) as [Hex, Hex, Hex, Hex, Hex];
const { pairCreated, pairSync, pairSwap, pairMint, pairBurn, poolCreated, poolInitialize, poolSwap, poolMint, poolBurn } = pools;
const { poolCollect, poolCollectProtocol, poolFlash, poolSwapWithFees } = pools;

/** Returns an event as its contract declares it; the number of parameters distinguishes versions with the same name. */
const abiEvent = (name: string, parameterCount: number): AbiEvent => {
  const definition = knownEvents
    .map((text) => parseAbiItem(text) as unknown as AbiEvent)
    .find((event) => event.name === name && event.inputs.length === parameterCount);
  if (definition === undefined) throw new Error(`No event ${name} with ${parameterCount} parameters.`);
  return definition;
};
const events = {
  PairCreated: abiEvent("PairCreated", 4),
  Sync: abiEvent("Sync", 2),
  PairSwap: abiEvent("Swap", 6),
  PairMint: abiEvent("Mint", 3),
  PairBurn: abiEvent("Burn", 4),
  PoolCreated: abiEvent("PoolCreated", 5),
  Initialize: abiEvent("Initialize", 2),
  PoolSwap: abiEvent("Swap", 7),
  PoolSwapWithFees: abiEvent("Swap", 9),
  PoolMint: abiEvent("Mint", 7),
  PoolBurn: abiEvent("Burn", 6),
  PoolCollect: abiEvent("Collect", 6),
  PoolCollectProtocol: abiEvent("CollectProtocol", 4),
  PoolFlash: abiEvent("Flash", 6),
};

/** A log encoded by viem's ABI encoder. */
const logOf = (event: AbiEvent, values: readonly unknown[]): ChainLog => {
  const nonIndexed = event.inputs.flatMap((input, position) => (input.indexed ? [] : [{ input, value: values[position] }]));
  const args = Object.fromEntries(event.inputs.map((input, position) => [input.name ?? "", values[position]]));
  return {
    index: 7,
    address: pool,
    topics: encodeEventTopics({ abi: [event], args }) as Hex[],
    data: encodeAbiParameters(
      nonIndexed.map(({ input }) => input),
      nonIndexed.map(({ value }) => value),
    ),
  };
};
const decode = (log: ChainLog) =>
  createEventDecoder(Object.values(pools))({ transactions: [{ index: 3, logs: [log] }] } as unknown as ChainBlock).events;
const logPosition = { address: pool, transactionIndex: 3, logIndex: 7 };

describe("pool event topics", () => {
  it.each([
    [events.PairCreated, pairCreated],
    [events.Sync, pairSync],
    [events.PairSwap, pairSwap],
    [events.PairMint, pairMint],
    [events.PairBurn, pairBurn],
    [events.PoolCreated, poolCreated],
    [events.Initialize, poolInitialize],
    [events.PoolSwap, poolSwap],
    [events.PoolSwapWithFees, poolSwapWithFees],
    [events.PoolMint, poolMint],
    [events.PoolBurn, poolBurn],
    [events.PoolCollect, poolCollect],
    [events.PoolCollectProtocol, poolCollectProtocol],
    [events.PoolFlash, poolFlash],
  ] as const)("are the hashes of their signatures: $name", (event, { topic0 }) => {
    expect(topic0).toBe(toEventSelector(event));
  });
});

describe("constant-product pool events", () => {
  it("are decoded as viem encodes them", () => {
    expect(decode(logOf(events.PairCreated, [low, high, to, 9n]))).toEqual([
      { kind: "poolCreated", ...logPosition, family: "xy=k", pool: to, token0: low, token1: high, feePpm: null },
    ]);
    expect(decode(logOf(events.Sync, [2n ** 112n - 1n, 0n]))).toEqual([
      { kind: "poolReserves", ...logPosition, reserve0: 2n ** 112n - 1n, reserve1: 0n },
    ]);
    expect(decode(logOf(events.PairSwap, [sender, 1n, 2n, 3n, 2n ** 256n - 1n, to]))).toEqual([
      {
        kind: "poolSwap",
        ...logPosition,
        sender,
        to,
        amount0In: 1n,
        amount1In: 2n,
        amount0Out: 3n,
        amount1Out: 2n ** 256n - 1n,
        price: null,
      },
    ]);
    expect(decode(logOf(events.PairMint, [sender, 5n, 6n]))).toEqual([
      { kind: "poolDeposit", ...logPosition, sender, to: null, amount0: 5n, amount1: 6n, position: null },
    ]);
    expect(decode(logOf(events.PairBurn, [sender, 5n, 6n, to]))).toEqual([
      { kind: "poolWithdrawal", ...logPosition, sender, to, amount0: 5n, amount1: 6n, position: null },
    ]);
  });
});

describe("concentrated-liquidity pool events", () => {
  it("are decoded as viem encodes them", () => {
    expect(decode(logOf(events.PoolCreated, [low, high, 3000, 60, to]))).toEqual([
      { kind: "poolCreated", ...logPosition, family: "concentrated", pool: to, token0: low, token1: high, feePpm: 3000 },
    ]);
    expect(decode(logOf(events.Initialize, [2n ** 160n - 1n, -887272]))).toEqual([
      { kind: "poolPrice", ...logPosition, sqrtPriceX96: 2n ** 160n - 1n, tick: -887272 },
    ]);
    const position = { tickLower: -60, tickUpper: 120, liquidity: 9n };
    expect(decode(logOf(events.PoolMint, [sender, to, -60, 120, 9n, 5n, 6n]))).toEqual([
      { kind: "poolDeposit", ...logPosition, sender, to, amount0: 5n, amount1: 6n, position },
    ]);
    expect(decode(logOf(events.PoolBurn, [to, -60, 120, 9n, 5n, 6n]))).toEqual([
      { kind: "poolWithdrawal", ...logPosition, sender: to, to, amount0: 5n, amount1: 6n, position },
    ]);
  });

  it("report collected amounts as outgoing, and flash loan fees as incoming", () => {
    const noMovement = { kind: "poolBalanceChange", ...logPosition, amount0In: 0n, amount1In: 0n, amount0Out: 0n, amount1Out: 0n };
    const maxAmount = 2n ** 128n - 1n;
    expect(decode(logOf(events.PoolCollect, [sender, to, -60, 120, maxAmount, 6n]))).toEqual([
      { ...noMovement, amount0Out: maxAmount, amount1Out: 6n },
    ]);
    expect(decode(logOf(events.PoolCollectProtocol, [sender, to, 5n, maxAmount]))).toEqual([
      { ...noMovement, amount0Out: 5n, amount1Out: maxAmount },
    ]);
    expect(decode(logOf(events.PoolFlash, [sender, to, 100n, 200n, 3n, 2n ** 256n - 1n]))).toEqual([
      { ...noMovement, amount0In: 3n, amount1In: 2n ** 256n - 1n },
    ]);
  });

  it("report what the pool receives as incoming and what it pays as outgoing", () => {
    const price = { sqrtPriceX96: 1n, liquidity: 2n ** 128n - 1n, tick: 8388607 };
    const swap = (amount0: bigint, amount1: bigint) =>
      decode(logOf(events.PoolSwap, [sender, to, amount0, amount1, price.sqrtPriceX96, price.liquidity, price.tick]));
    const shared = { kind: "poolSwap", ...logPosition, sender, to, price };
    expect(swap(5n, -4n)).toEqual([{ ...shared, amount0In: 5n, amount0Out: 0n, amount1In: 0n, amount1Out: 4n }]);
    const values = [sender, to, 5n, -4n, price.sqrtPriceX96, price.liquidity, price.tick, 2n ** 128n - 1n, 0n];
    expect(decode(logOf(events.PoolSwapWithFees, values))).toEqual(swap(5n, -4n));
    expect(swap(-(2n ** 255n), 4n)).toEqual([{ ...shared, amount0In: 0n, amount0Out: 2n ** 255n, amount1In: 4n, amount1Out: 0n }]);
  });
});

const word = (value: bigint): string => value.toString(16).padStart(64, "0");
const words = (...values: bigint[]): Hex => `0x${values.map(word).join("")}`;
const topic = (value: bigint): Hex => `0x${word(value)}`;

describe("logs that resemble pool events", () => {
  const created = logOf(events.PairCreated, [low, high, to, 9n]);
  const v3Created = logOf(events.PoolCreated, [low, high, 3000, 60, to]);
  const swap = logOf(events.PairSwap, [sender, 1n, 2n, 3n, 4n, to]);
  const v3Swap = logOf(events.PoolSwap, [sender, to, 5n, -4n, 1n, 1n, 1]);
  const minted = logOf(events.PoolMint, [sender, to, -60, 120, 9n, 5n, 6n]);
  const collected = logOf(events.PoolCollect, [sender, to, -60, 120, 5n, 6n]);
  it.each<[string, ChainLog]>([
    ["a reserve above 112 bits", { ...created, topics: [pairSync.topic0], data: words(2n ** 112n, 1n) }],
    ["half a word", { ...created, topics: [pairSync.topic0], data: "0x00ff" }],
    ["one word too many", { ...created, topics: [pairSync.topic0], data: words(1n, 1n, 1n) }],
    ["no data", { ...created, topics: [pairSync.topic0], data: "0x" }],
    ["tokens in the wrong order", logOf(events.PairCreated, [high, low, to, 9n])],
    ["a pool with one token", logOf(events.PairCreated, [low, low, to, 9n])],
    ["an invalid pool address", { ...created, data: words(2n ** 255n, 1n) }],
    ["an invalid token address", { ...created, topics: [pairCreated.topic0, topic(2n ** 200n), topic(2n ** 201n)] }],
    ["a missing topic", { ...created, topics: created.topics.slice(0, 2) }],
    ["a fee above 24 bits", { ...v3Created, topics: [...v3Created.topics.slice(0, 3), topic(2n ** 24n)] }],
    ["an invalid sender address", { ...swap, topics: [pairSwap.topic0, topic(2n ** 200n), topic(1n)] }],
    ["a tick above 24 bits", { ...v3Swap, data: words(1n, 1n, 1n, 1n, 2n ** 23n) }],
    ["a price above 160 bits", { ...v3Swap, data: words(1n, 1n, 2n ** 160n, 1n, 1n) }],
    ["liquidity above 128 bits", { ...v3Swap, data: words(1n, 1n, 1n, 2n ** 128n, 1n) }],
    ["a range bound that is not a tick", { ...minted, topics: [...minted.topics.slice(0, 3), topic(2n ** 255n)] }],
    ["a collected amount above 128 bits", { ...collected, data: words(1n, 2n ** 128n, 1n) }],
    ["an invalid receiver address", { ...collected, data: words(2n ** 200n, 1n, 1n) }],
    ["a flash loan without the paid amounts", { ...collected, topics: [poolFlash.topic0, topic(1n), topic(1n)], data: words(1n, 1n) }],
  ])("are not decoded: %s", (_, log) => {
    expect(decode(log)).toEqual([]);
  });
});
