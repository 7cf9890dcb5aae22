import type { Address, Hex } from "../lib/hex.ts";

/** Hex digits of one 32-byte word. */
const digits = 64;
const paddingOfAddress = "0".repeat(24);

/** Number of words in ABI data, or -1 where its length is not a multiple of a word. */
export const wordCount = (data: Hex): number => ((data.length - 2) % digits === 0 ? (data.length - 2) / digits : -1);

/** Number of whole words in ABI data of any length. */
export const wholeWords = (data: Hex): number => Math.floor((data.length - 2) / digits);

/** Whether ABI data has at least that many words. ABI decoders ignore what follows the declared values. */
export const hasWords = (data: Hex, count: number): boolean => wholeWords(data) >= count;

/** The word at `index` as an unsigned number. */
export const wordAt = (data: Hex, index: number): bigint => BigInt(`0x${data.slice(2 + index * digits, 2 + (index + 1) * digits)}`);

/** The word at `index` as a number, or -1 where it is too large for an offset or a length. */
export const smallWordAt = (data: Hex, index: number): number => {
  const start = 2 + index * digits;
  // A value of more than eight digits would point beyond any log.
  if (!/^0{56}$/.test(data.slice(start, start + 56))) return -1;
  return Number.parseInt(data.slice(start + 56, start + digits), 16);
};

/** The word at `index` as an address, or null where its upper bytes are not zero. */
export const addressAt = (data: Hex, index: number): Address | null => {
  const start = 2 + index * digits;
  if (data.slice(start, start + 24) !== paddingOfAddress) return null;
  return `0x${data.slice(start + 24, start + digits)}`;
};

/** Decodes a topic as an address, or null. */
export type TopicReader = (topic: Hex | undefined) => Address | null;

/** A topic as an address, or null. */
export const topicAddress: TopicReader = (topic) => (topic === undefined ? null : addressAt(topic, 0));

/** Topics that one reader caches. */
const maxCached = 100_000;

/** Decodes topics as `topicAddress` does, but returns the same string object for the same topic, which makes later look-ups by it faster. */
export const createTopicReader = (): TopicReader => {
  const known = new Map<Hex | undefined, Address | null>();
  return (topic) => {
    const found = known.get(topic);
    if (found !== undefined) return found;
    const address = topicAddress(topic);
    if (known.size >= maxCached) known.clear();
    known.set(topic, address);
    return address;
  };
};
