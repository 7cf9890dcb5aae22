import type { Hash, Hex } from "../../lib/hex.ts";
import type { EventParameter, EventSignature } from "../protocol.ts";
import { type AbiType, parseAbiType } from "./abi-type.ts";
import { type AbiValue, decodeAbi, decodeTopic } from "./decode-abi.ts";

/** A log with the event's first topic. */
interface EventLog {
  readonly topics: readonly Hash[];
  readonly data: Hex;
}

/** An event's parameter values in declaration order, or the reason why a log does not encode the event. */
export type DecodedLog = { readonly values: readonly AbiValue[] } | { readonly problem: string };

export interface LogDecoder {
  /** The number of topics in the event's logs. */
  readonly topicCount: number;
  readonly decode: (log: EventLog) => DecodedLog;
}

/** Longer data is not decoded, which limits the memory of decoded rows. */
const maxBytes = 65_536;

/** A strict decoder for one event. If an indexed parameter is not one word long, its value is its topic, a hash. */
export const createLogDecoder = (event: EventSignature): LogDecoder => {
  const parameters = event.parameters.map(({ type, indexed }) => ({ indexed, type: parseAbiType(type) }));
  const inTopics = parameters.filter(({ indexed }) => indexed).map(({ type }) => type);
  const inData = parameters.filter(({ indexed }) => !indexed).map(({ type }) => type);
  const topicCount = 1 + inTopics.length;
  const decode = (log: EventLog): DecodedLog => {
    if (log.topics.length !== topicCount) return { problem: `Expected ${topicCount} topics, found ${log.topics.length}` };
    const length = (log.data.length - 2) / 2;
    if (length > maxBytes) return { problem: `Expected at most ${maxBytes} bytes of data, found ${length}` };
    const indexed = inTopics.map((type, position) => topicValue(type, log.topics[position + 1] ?? "0x"));
    const invalid = indexed.indexOf(null);
    if (invalid >= 0) return { problem: `Topic ${invalid + 1} is not an encoding of ${typeNamed(event, invalid)}` };
    const decoded = decodeAbi(inData, log.data);
    if (decoded === null) return { problem: dataProblem(event, inData, length) };
    return { values: indexed.length === 0 ? decoded : inOrder(event.parameters, indexed, decoded) };
  };
  return { topicCount, decode };
};

const topicValue = (type: AbiType, topic: Hash): AbiValue | null => (hasHash(type) ? topic : decodeTopic(type, topic));

/** Whether an indexed parameter's topic is the hash of its encoding. */
const hasHash = ({ kind }: AbiType): boolean => kind === "bytes" || kind === "string" || kind === "list";

const typeNamed = ({ parameters }: EventSignature, position: number): string =>
  parameters.filter(({ indexed }) => indexed)[position]?.type ?? "";

const dataProblem = ({ parameters }: EventSignature, types: readonly AbiType[], length: number): string => {
  const expected = types.reduce<number | null>(
    (sum, { wordCount }) => (sum === null || wordCount === null ? null : sum + 32 * wordCount),
    0,
  );
  if (expected !== null && expected !== length) return `Expected ${expected} bytes of data, found ${length}`;
  const names = parameters.flatMap(({ type, indexed }) => (indexed ? [] : [type]));
  return `The data is not the encoding of (${names.join(",")})`;
};

const inOrder = (
  parameters: readonly EventParameter[],
  indexed: readonly (AbiValue | null)[],
  inData: readonly AbiValue[],
): readonly AbiValue[] => {
  let topics = 0;
  return parameters.map((parameter, position) => {
    if (parameter.indexed) topics += 1;
    return (parameter.indexed ? indexed[topics - 1] : inData[position - topics]) ?? "0x";
  });
};
