import type { Address, Hex } from "../lib/hex.ts";

/** Hex digits of one 32-byte word. */
const digits = 64;
const paddingOfAddress = "0".repeat(24);

/** The number of words in ABI data; -1 if the data is not a whole number of words. */
export const wordCount = (data: Hex): number => ((data.length - 2) % digits === 0 ? (data.length - 2) / digits : -1);

/** The number of whole words in ABI data of any length. */
export const wholeWordCount = (data: Hex): number => Math.floor((data.length - 2) / digits);

/** Whether ABI data has at least `count` words. ABI decoders ignore data after the declared values. */
export const hasWords = (data: Hex, count: number): boolean => wholeWordCount(data) >= count;

/** The word at `index` as an unsigned number. */
export const wordAt = (data: Hex, index: number): bigint => BigInt(`0x${data.slice(2 + index * digits, 2 + (index + 1) * digits)}`);

/** The word at `index` as a number; -1 if it is too large for an offset or a length. */
export const smallWordAt = (data: Hex, index: number): number => {
  const start = 2 + index * digits;
  // A value of more than eight digits would point beyond any log.
  if (!/^0{56}$/.test(data.slice(start, start + 56))) return -1;
  return Number.parseInt(data.slice(start + 56, start + digits), 16);
};

/** The word at `index` as an address; null if its upper bytes are not zero. */
export const addressAt = (data: Hex, index: number): Address | null => {
  const start = 2 + index * digits;
  if (data.slice(start, start + 24) !== paddingOfAddress) return null;
  return `0x${data.slice(start + 24, start + digits)}`;
};

/** Decodes a topic as an address; null if the topic is missing or is not an address. */
export type TopicReader = (topic: Hex | undefined) => Address | null;

/** A topic as an address; null if the topic is missing or is not an address. */
export const topicAddress: TopicReader = (topic) => (topic === undefined ? null : addressAt(topic, 0));

/** Max topics that one reader caches. */
const maxCached = 100_000;

/** Decodes topics as `topicAddress` does, but returns the same string object for the same topic, which makes later lookups by address faster. */
export const createTopicReader = (): TopicReader => {
  const cache = new Map<Hex | undefined, Address | null>();
  return (topic) => {
    const cached = cache.get(topic);
    if (cached !== undefined) return cached;
    const address = topicAddress(topic);
    if (cache.size >= maxCached) cache.clear();
    cache.set(topic, address);
    return address;
  };
};
