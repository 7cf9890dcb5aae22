import { bytes, bytesArray } from "../../../database/codecs.ts";
import type { Composition } from "../../../database/compose.ts";
import type { Address, Hash } from "../../../lib/hex.ts";

/** Selects the logs in a block range (both ends included) that match all given conditions. */
export interface LogFilter {
  readonly first: number;
  readonly last: number;
  readonly address?: Address | null;
  /** By topic position; null matches any topic. */
  readonly topics?: readonly (Hash | null)[];
  /** Topics that a log must have as its second, third or fourth topic. */
  readonly otherTopics?: readonly Hash[];
}

/** The parameters of a filter, named after their columns. */
export interface FilterValues {
  readonly chainId: number;
  readonly first: number;
  readonly last: number;
  readonly address?: Buffer | undefined;
  readonly topic0?: Buffer | undefined;
  readonly topic1?: Buffer | undefined;
  readonly topic2?: Buffer | undefined;
  readonly topic3?: Buffer | undefined;
  readonly otherTopics?: string | undefined;
}

/** The values of a filter. */
export const bindFilter = (chainId: number, { first, last, address, topics = [], otherTopics = [] }: LogFilter): FilterValues => {
  const [topic0, topic1, topic2, topic3] = topics.map((topic) => (topic === null ? undefined : bytes(topic)));
  return {
    chainId,
    first,
    last,
    address: address ? bytes(address) : undefined,
    topic0,
    topic1,
    topic2,
    topic3,
    otherTopics: otherTopics.length === 0 ? undefined : bytesArray(otherTopics),
  };
};

/** The logs that match a filter, without columns. */
export const selectMatching = <Values extends FilterValues>({ from, value, has }: Composition<Values>) => {
  const logs = from("logs")
    .where("chain_id", value("chainId"))
    .whereBetween("block_number", [value("first"), value("last")]);
  for (const column of ["address", "topic0", "topic1", "topic2", "topic3"] as const) if (has(column)) logs.where(column, value(column));
  if (has("otherTopics")) logs.whereRaw("ARRAY[topic1, topic2, topic3] @> ?::bytea[]", [value("otherTopics")]);
  return logs;
};
