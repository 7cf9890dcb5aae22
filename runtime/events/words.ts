import type { Address, Hex } from "../lib/hex.ts";

/** Hex digits of one 32-byte word. */
const digits = 64;
const paddingOfAddress = "0".repeat(24);

/** Whole words of ABI data, or -1 where it is not made of whole words. */
export const wordCount = (data: Hex): number => ((data.length - 2) % digits === 0 ? (data.length - 2) / digits : -1);

/** Whole words of ABI data, whatever follows them. */
export const wholeWords = (data: Hex): number => Math.floor((data.length - 2) / digits);

/** Whether ABI data has that many words. What follows them is no part of what an event declares, and no ABI decoder minds it. */
export const hasWords = (data: Hex, count: number): boolean => wholeWords(data) >= count;

/** Word number `index` as an unsigned number. */
export const wordAt = (data: Hex, index: number): bigint => BigInt(`0x${data.slice(2 + index * digits, 2 + (index + 1) * digits)}`);

/** Word number `index` as a number, or -1 where it is beyond what an offset or a length can be. */
export const smallWordAt = (data: Hex, index: number): number => {
  const start = 2 + index * digits;
  // Anything with a digit above the lowest eight would point beyond any log.
  if (!/^0{56}$/.test(data.slice(start, start + 56))) return -1;
  return Number.parseInt(data.slice(start + 56, start + digits), 16);
};

/** Word number `index` as an address, or null where its upper bytes are not zero. */
export const addressAt = (data: Hex, index: number): Address | null => {
  const start = 2 + index * digits;
  if (data.slice(start, start + 24) !== paddingOfAddress) return null;
  return `0x${data.slice(start + 24, start + digits)}`;
};

/** Reads a topic as an address, or null. */
export type TopicReader = (topic: Hex | undefined) => Address | null;

/** A topic as an address, or null. */
export const topicAddress: TopicReader = (topic) => (topic === undefined ? null : addressAt(topic, 0));

/** Topics that one reader remembers at once. */
const remembered = 100_000;

/** Reads topics as `topicAddress` does, and gives the same text object for the same topic: what is looked up by it is found sooner. */
export const createTopicReader = (): TopicReader => {
  const known = new Map<Hex | undefined, Address | null>();
  return (topic) => {
    const found = known.get(topic);
    if (found !== undefined) return found;
    const address = topicAddress(topic);
    if (known.size >= remembered) known.clear();
    known.set(topic, address);
    return address;
  };
};
