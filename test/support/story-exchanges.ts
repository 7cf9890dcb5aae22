import { toEventSelector, toFunctionSelector } from "viem";
import { addressOf, balanceOf, callNode, logsOf, type NodeLog, nodeBatch, readWords, storyValue } from "./story-node.ts";

/** The story's exchanges: the name in request paths and the factory's story value. */
export const factories = { demo_exchange: "exchangeFactory", demo_swap: "rivalFactory" } as const;
export type ExchangeName = keyof typeof factories;
export const exchanges = Object.keys(factories) as ExchangeName[];

const pairCreated = toEventSelector("PairCreated(address,address,address,uint256)");
const swapped = toEventSelector("Swap(address,uint256,uint256,uint256,uint256,address)");
const minted = toEventSelector("Mint(address,uint256,uint256)");
const burnt = toEventSelector("Burn(address,uint256,uint256,address)");
const synced = toEventSelector("Sync(uint112,uint112)");
const answered = toEventSelector("AnswerUpdated(int256,uint256,uint256)");

export const secondsPerDay = 86_400;

/** A pair from the factory's event. */
export interface StoryPool {
  readonly pool: string;
  readonly token0: string;
  readonly token1: string;
}

/** A decoded pair log: amounts in and out for a swap, in or out for a liquidity change. */
export interface StoryAction {
  readonly pool: string;
  readonly action: "SWAP" | "ADD_LIQUIDITY" | "REMOVE_LIQUIDITY";
  readonly hash: string;
  readonly time: number;
  /** The amounts of the first and the second token. */
  readonly amountsIn: readonly [bigint, bigint];
  readonly amountsOut: readonly [bigint, bigint];
  readonly sender: string;
  /** Null if the log does not contain it. */
  readonly to: string | null;
}

const wordsOf = ({ data }: NodeLog): bigint[] => (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
const pairOf = (words: readonly bigint[]): readonly [bigint, bigint] => [words[0] ?? 0n, words[1] ?? 0n];
const compareLogs = (a: NodeLog, b: NodeLog): number =>
  Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);

/** An exchange's pairs in creation order. */
export async function poolsOf(exchange: ExchangeName): Promise<StoryPool[]> {
  const logs = await logsOf({ address: storyValue(factories[exchange]), topics: [pairCreated] });
  return logs.map(({ topics, data }) => ({
    pool: addressOf(data.slice(0, 66)),
    token0: addressOf(topics[1]),
    token1: addressOf(topics[2]),
  }));
}

/** The story's block times, by height. */
export async function blockTimes(): Promise<number[]> {
  const head = Number(await callNode<string>("eth_blockNumber"));
  const heights = Array.from({ length: head + 1 }, (_, height) => [`0x${height.toString(16)}`, false]);
  const blocks = await nodeBatch<{ readonly timestamp: string }>("eth_getBlockByNumber", heights);
  return blocks.map(({ timestamp }) => Number(timestamp));
}

/** getReserves() in Uniswap V2's pairs. */
export const reservesOf = async (pool: string): Promise<readonly [bigint, bigint]> =>
  pairOf(await readWords(pool, toFunctionSelector("getReserves()")));

/** totalSupply(), EIP-20. */
export const supplyOf = async (token: string): Promise<bigint> => (await readWords(token, toFunctionSelector("totalSupply()")))[0] ?? 0n;

/** decimals(), EIP-20. */
export const decimalsOf = async (token: string): Promise<number> => Number((await readWords(token, toFunctionSelector("decimals()")))[0]);

/** Returns the pools that an owner has shares in. */
export async function poolsHeld(pools: readonly StoryPool[], owner: string): Promise<(StoryPool & { readonly balance: bigint })[]> {
  const held = await Promise.all(pools.map(async (pool) => ({ ...pool, balance: await balanceOf(pool.pool, owner) })));
  return held.filter(({ balance }) => balance > 0n);
}

const amountsOf = (log: NodeLog): Pick<StoryAction, "action" | "amountsIn" | "amountsOut" | "to"> => {
  const words = wordsOf(log);
  const [nothing, to] = [[0n, 0n] as const, log.topics[2] === undefined ? null : addressOf(log.topics[2])];
  if (log.topics[0] === swapped) return { action: "SWAP", amountsIn: pairOf(words), amountsOut: pairOf(words.slice(2)), to };
  if (log.topics[0] === minted) return { action: "ADD_LIQUIDITY", amountsIn: pairOf(words), amountsOut: nothing, to: null };
  return { action: "REMOVE_LIQUIDITY", amountsIn: nothing, amountsOut: pairOf(words), to };
};

/** The actions of pairs, oldest first. */
export async function actionsOf(pools: readonly StoryPool[], times: readonly number[]): Promise<StoryAction[]> {
  const logs = (await Promise.all(pools.map(({ pool }) => logsOf({ address: pool })))).flat().sort(compareLogs);
  return logs
    .filter(({ topics: [topic = ""] }) => [swapped, minted, burnt].includes(topic as typeof swapped))
    .map((log) => ({
      ...amountsOf(log),
      pool: log.address,
      hash: log.transactionHash,
      time: times[Number(log.blockNumber)] ?? Number.NaN,
      sender: addressOf(log.topics[1]),
    }));
}

/** The swaps in a number of days up to a time (exclusive). */
export const swapsWithin = (actions: readonly StoryAction[], end: number, days: number): StoryAction[] =>
  actions.filter(({ action, time }) => action === "SWAP" && time >= end - days * secondsPerDay && time < end);

/** The swap volume into or out of one side of the pairs. */
export const volumeOf = (swaps: readonly StoryAction[], direction: "amountsIn" | "amountsOut", side: 0 | 1): bigint =>
  swaps.reduce((sum, swap) => sum + swap[direction][side], 0n);

/** A pair's reserves since a time. */
interface ReservesSince {
  readonly time: number;
  readonly reserves: readonly [bigint, bigint];
}

/** A pair's reserves from its Sync logs, the last of each block, oldest first. */
export async function reservesOverTime(pool: string, times: readonly number[]): Promise<readonly ReservesSince[]> {
  const syncs = (await logsOf({ address: pool, topics: [synced] })).map((log): [number, readonly [bigint, bigint]] => [
    times[Number(log.blockNumber)] ?? Number.NaN,
    pairOf(wordsOf(log)),
  ]);
  return [...new Map(syncs)].map(([time, reserves]) => ({ time, reserves }));
}

/** Returns a function from a time to a pair's reserves right before it. */
export async function reservesByTime(pool: string, times: readonly number[]): Promise<(before: number) => readonly [bigint, bigint]> {
  const states = await reservesOverTime(pool, times);
  return (before) => states.filter(({ time }) => time < before).at(-1)?.reserves ?? [0n, 0n];
}

/** Returns a function from a time to the last answer of a feed before it, with eight decimals; null if there is none. */
export async function answersOf(name: "etherFeed" | "euroFeed", times: readonly number[]): Promise<(before: number) => bigint | null> {
  const answers = (await logsOf({ address: storyValue(name), topics: [answered] })).map(({ topics, blockNumber }) => ({
    time: times[Number(blockNumber)] ?? Number.NaN,
    answer: BigInt(topics[1] ?? "0x"),
  }));
  return (before) => answers.filter(({ time }) => time < before).at(-1)?.answer ?? null;
}

/** Like `answersOf`, but returns prices as numbers; NaN if there is none. */
export async function feedOf(name: "etherFeed" | "euroFeed", times: readonly number[]): Promise<(before: number) => number> {
  const answerAt = await answersOf(name, times);
  return (before) => Number(`${answerAt(before)}e-8`);
}

/** Converts an amount to whole tokens. */
export const toWholeTokens = (amount: bigint | string, decimals: number): number => Number(`${amount}e-${decimals}`);

/** A pair's token with its rate, as responses contain it. */
interface Side {
  readonly contract_address: string;
  readonly contract_decimals: number;
  readonly quote_rate: number | null;
}

/** The value of both amounts at the response's rates. */
export const quotedValue = ([first, second]: readonly [Side, Side], amounts: readonly [bigint, bigint]): number =>
  toWholeTokens(amounts[0], first.contract_decimals) * (first.quote_rate ?? Number.NaN) +
  toWholeTokens(amounts[1], second.contract_decimals) * (second.quote_rate ?? Number.NaN);
