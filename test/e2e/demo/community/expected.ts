import type { Address } from "../../../../runtime/lib/hex.ts";
import type { ArchivedStory } from "./archived-story.ts";

/** The item fields that contracts determine. Numbers are compared up to double precision. */
export interface Fields {
  readonly [name: string]: string | number | null | readonly Fields[];
}

/** Expected items by pool, or by position and pool. */
export type ExpectedItems = Readonly<Record<string, Fields>>;

/** The responses for a protocol, computed from its contracts' views. */
export interface ExpectedResponses {
  markets(height: number): Promise<ExpectedItems>;
  balances(wallet: Address, height: number): Promise<ExpectedItems>;
  tokens?(wallet: Address, height: number): Promise<ExpectedItems>;
}

/** The chain and prices that expected responses are computed from. */
export interface ExpectationContext extends Pick<ArchivedStory, "rpc" | "values" | "times"> {
  /** Returns the value of a token amount in US dollars as of a block; null if the price is unknown. */
  valueAt(height: number): (token: Address, amount: bigint) => number | null;
}

/** The address that is a story value. @throws {Error} if the story has no value with this name. */
export const addressIn = ({ values }: Pick<ExpectationContext, "values">, name: string): Address => {
  const value = values[name];
  if (value === undefined) throw new Error(`Unknown story value ${name}.`);
  return value as Address;
};

/** The sum of values; null if one of them is unknown. */
export const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);

/** A proportional part of a value; null if the value is unknown. */
export const partOf = (value: number | null, part: bigint, total: bigint): number | null =>
  value === null ? null : (value * Number(part)) / Number(total);

/** Items by key, without null entries. */
export const itemsOf = (entries: readonly (readonly [string, Fields] | null)[]): ExpectedItems =>
  Object.fromEntries(entries.filter((entry) => entry !== null));

const secondsPerMonth = 30 * 86_400;
const secondsPerYear = 365 * 86_400;

/** The blocks with a contract's events with these topics, in ascending order. */
export const blocksOf = async (
  { rpc }: Pick<ExpectationContext, "rpc">,
  address: Address,
  topics: readonly (string | readonly string[] | null)[],
): Promise<number[]> => {
  const logs = await rpc<{ blockNumber: string }[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest", address, topics }]);
  return [...new Set(logs.map(({ blockNumber }) => Number(blockNumber)))];
};

/** The newest block up to a height, from blocks in ascending order. @throws {Error} if there is none. */
export const newestOf = (blocks: readonly number[], height: number): number => {
  const newest = blocks.findLast((block) => block <= height);
  if (newest === undefined) throw new Error(`No reading up to block ${height}`);
  return newest;
};

/** The annualized growth of a value since its first reading within 30 days; null without two readings at different times. */
export const growthOf = async (
  { times }: Pick<ExpectationContext, "times">,
  blocks: readonly number[],
  height: number,
  read: (block: number) => Promise<bigint>,
): Promise<number | null> => {
  const timeOf = (block: number): number => times[block] ?? Number.NaN;
  const last = newestOf(blocks, height);
  const first = blocks.find((block) => block <= height && timeOf(block) >= timeOf(height) - secondsPerMonth);
  if (first === undefined || timeOf(first) === timeOf(last)) return null;
  const [before, after] = [await read(first), await read(last)];
  return ((Number(after) / Number(before) - 1) * secondsPerYear) / (timeOf(last) - timeOf(first));
};
