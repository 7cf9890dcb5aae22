import { type AbiEvent, type AbiParameter, decodeAbiParameters, parseAbiItem, toEventSelector } from "viem";
import type { Address, Hash, Hex } from "../lib/hex.ts";
import { maxDataBytes } from "./abi-parameters.ts";
import { knownEvents } from "./known-events.ts";
import { renderValue } from "./render-value.ts";
import { type WordReader, wordDigits, wordReaderOf } from "./word-readers.ts";

/** A parameter of a decoded log. `decoded` is false if the log only contains the hash of the value. */
export interface DecodedParameter {
  readonly name: string;
  readonly type: string;
  readonly indexed: boolean;
  readonly decoded: boolean;
  readonly value: string;
}

export interface DecodedLog {
  readonly name: string;
  /** The declaration in Solidity syntax: `Transfer(indexed address from, indexed address to, uint256 value)`. */
  readonly signature: string;
  readonly params: readonly DecodedParameter[];
}

export interface RawLog {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
}

export interface AbiRegistry {
  /** Decodes a log with the known event that matches its topics and data; null if there is none. Never throws. */
  decodeLog(log: RawLog): DecodedLog | null;
}

/** An ABI file that cannot be parsed. */
export class AbiFileError extends Error {
  override readonly name = "AbiFileError";

  constructor(name: string, reason: string) {
    super(`Invalid ABI file ${name}: ${reason}. Expected a JSON array of ABI entries, or an object with this array in "abi".`);
  }
}

interface Fragment {
  readonly name: string;
  readonly signature: string;
  readonly inputs: readonly AbiParameter[];
  readonly indexed: readonly boolean[];
  readonly dataInputs: readonly AbiParameter[];
  readonly maxDataBytes: number;
  /** A reader for each one-word parameter; null for the others. */
  readonly readers: readonly (WordReader | null)[];
  /** Whether each parameter in the data is one word. */
  readonly hasOnlyWords: boolean;
}

/** Creates a registry of the events in the operator's ABI files, in their order, followed by the built-in ones. @throws {AbiFileError} */
export const createAbiRegistry = (abiFiles: readonly { readonly name: string; readonly json: string }[] = []): AbiRegistry => {
  const fragments = new Map<string, Fragment[]>();
  const add = (event: AbiEvent) => {
    if (event.anonymous === true) return;
    const fragment = toFragment(event);
    const key = keyOf(toEventSelector(event), fragment.indexed.filter(Boolean).length);
    fragments.set(key, [...(fragments.get(key) ?? []), fragment]);
  };
  for (const file of abiFiles) eventsOf(file).forEach(add);
  for (const signature of knownEvents) add(parseAbiItem(signature as string) as AbiEvent);
  return {
    decodeLog: (log) => {
      const topic0 = log.topics[0];
      if (topic0 === undefined) return null;
      for (const fragment of fragments.get(keyOf(topic0, log.topics.length - 1)) ?? []) {
        const decoded = decodeBy(fragment, log);
        if (decoded !== null) return decoded;
      }
      return null;
    },
  };
};

const keyOf = (topic0: string, indexedCount: number): string => `${topic0}:${indexedCount}`;

const eventsOf = ({ name, json }: { readonly name: string; readonly json: string }): AbiEvent[] => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new AbiFileError(name, "it is not JSON");
  }
  const list = Array.isArray(parsed) ? parsed : (parsed as { abi?: unknown } | null)?.abi;
  if (!Array.isArray(list)) throw new AbiFileError(name, "it contains no ABI");
  const events = list.filter((entry) => (entry as { type?: unknown } | null)?.type === "event") as AbiEvent[];
  try {
    events.forEach((event) => void toEventSelector(event));
  } catch {
    throw new AbiFileError(name, "one of its events is malformed");
  }
  return events;
};

const toFragment = (event: AbiEvent): Fragment => {
  const indexed = event.inputs.map((input) => input.indexed === true);
  const parts = event.inputs.map((input, position) => `${indexed[position] ? "indexed " : ""}${input.type} ${input.name ?? ""}`.trimEnd());
  const dataInputs = event.inputs.filter((_, position) => !indexed[position]);
  const readers = event.inputs.map(({ type }) => wordReaderOf(type));
  return {
    name: event.name,
    signature: `${event.name}(${parts.join(", ")})`,
    inputs: event.inputs,
    indexed,
    dataInputs,
    maxDataBytes: maxDataBytes(dataInputs),
    readers,
    hasOnlyWords: readers.every((reader, position) => indexed[position] || reader !== null),
  };
};

const decodeBy = (fragment: Fragment, log: RawLog): DecodedLog | null => {
  if (log.data.length > 2 + 2 * fragment.maxDataBytes) return null;
  const inData = fragment.hasOnlyWords ? wordsOf(fragment, log.data) : decodedData(fragment, log.data);
  if (inData === null) return null;
  const params: DecodedParameter[] = [];
  let topic = 0;
  let next = 0;
  for (const [position, input] of fragment.inputs.entries()) {
    const name = input.name ?? "";
    const { type } = input;
    if (fragment.indexed[position] !== true) {
      params.push({ name, type, indexed: false, decoded: true, value: inData[next] ?? "" });
      next += 1;
      continue;
    }
    topic += 1;
    const raw = log.topics[topic] ?? "0x";
    // For an indexed value longer than a word, the log contains its hash (Solidity ABI, "Events").
    const hashed = isHashed(type);
    const value = hashed ? raw : (fragment.readers[position]?.(raw.slice(2)) ?? null);
    if (value === null) return null;
    params.push({ name, type, indexed: true, decoded: !hashed, value });
  }
  return { name: fragment.name, signature: fragment.signature, params };
};

/** The values in the data, one word each; null if the data is too short, or a word is not a value of its type. */
const wordsOf = ({ readers, indexed, dataInputs }: Fragment, data: Hex): readonly string[] | null => {
  if (data.length < 2 + dataInputs.length * wordDigits) return null;
  const values: string[] = [];
  for (const [position, read] of readers.entries()) {
    if (indexed[position] === true || read === null) continue;
    const start = 2 + values.length * wordDigits;
    const value = read(data.slice(start, start + wordDigits));
    if (value === null) return null;
    values.push(value);
  }
  return values;
};

/** The values in data with arrays, tuples or texts; null if the data does not match their types. */
const decodedData = ({ dataInputs }: Fragment, data: Hex): readonly string[] | null => {
  try {
    const values = decodeAbiParameters(dataInputs, data);
    return dataInputs.map((input, position) => renderValue(input, values[position]));
  } catch {
    // The log was emitted by a different event.
    return null;
  }
};

const isHashed = (type: string): boolean => type === "string" || type === "bytes" || type.startsWith("tuple") || type.endsWith("]");
