import type { ChainLog } from "../../../chain/types.ts";
import type { AbiValue } from "../../../declarations/abi/decode-abi.ts";
import { createLogDecoder } from "../../../declarations/abi/decode-log.ts";
import type { Column, EventSignature, Protocol } from "../../../declarations/protocol.ts";
import type { Row } from "../../../indexer/projection.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import { toCell } from "../cell.ts";
import type { FirstBlocks, FixedContracts } from "../contracts-on-chain.ts";
import type { EventRelations } from "../relations.ts";

/** The contracts of one kind. */
export interface Emitter {
  readonly kind: string;
  /** Contracts at fixed addresses. */
  readonly fixed: FirstBlocks;
  readonly isDiscovered: boolean;
}

/** A use of an event's logs: they announce contracts of a kind, or become rows of a table. */
export type EventUse = { readonly emitter: Emitter } & (
  | { readonly announces: string; readonly decode: (log: ChainLog) => Announcement }
  | {
      readonly announces: null;
      readonly relations: EventRelations;
      /** The topic counts of the same event in other tables, which index other parameters. */
      readonly otherTopicCounts: ReadonlySet<number>;
      readonly decode: (log: ChainLog) => Values;
    }
);

type Problem = { readonly problem: string };
type Announcement = { readonly address: Address } | Problem;
/** An event's parameter values, and the shape of its variant's rows. */
interface EventValues {
  readonly values: readonly AbiValue[];
  readonly shape: RowShape;
}
type Values = EventValues | Problem;

/** The uses of each event by its first topic; announcements first, so that a contract's own announcement counts as one of its events. */
export const usesByTopic = (
  protocol: Protocol,
  tables: readonly EventRelations[],
  contracts: FixedContracts,
): ReadonlyMap<Hash, readonly EventUse[]> => {
  const emitterOf = (kind: string): Emitter => ({
    kind,
    fixed: contracts.get(kind) ?? new Map(),
    isDiscovered: isDiscovered(protocol, kind),
  });
  const uses = new Map<Hash, EventUse[]>();
  const add = (topic: Hash, use: EventUse): void => void uses.set(topic, [...(uses.get(topic) ?? []), use]);
  for (const [kind, { discoveredBy }] of Object.entries(protocol.contracts)) {
    for (const variants of variantsOf(discoveredBy)) {
      const [{ contract, event }] = variants;
      add(event.topic0, { emitter: emitterOf(contract), announces: kind, decode: cachedDecoder(announcementDecoder(variants)) });
    }
  }
  for (const relations of tables) {
    const { contract, events, columns } = relations.definition;
    const emitter = emitterOf(contract);
    for (const topic of new Set(events.map(({ topic0 }) => topic0))) {
      const variants = events.filter(({ topic0 }) => topic0 === topic);
      const decode = rowDecoder(variants, columns);
      const otherTopicCounts = new Set(tables.flatMap((other) => (other === relations ? [] : topicCounts(other, contract, topic))));
      const decodeRow = relations.latest === null ? decode : cachedDecoder(decode);
      add(topic, { emitter, announces: null, relations, otherTopicCounts, decode: decodeRow });
    }
  }
  return uses;
};

/** Whether contracts of a kind are found while the chain is indexed: by events or by reads. */
const isDiscovered = ({ contracts }: Protocol, kind: string): boolean => {
  const { discoveredBy = [], listedBy = [] } = contracts[kind] ?? {};
  return discoveredBy.length > 0 || listedBy.length > 0;
};

/** The topic counts of an event's logs in a table. */
const topicCounts = ({ definition: { contract, events } }: EventRelations, kind: string, topic: Hash): number[] =>
  contract === kind
    ? events.filter(({ topic0 }) => topic0 === topic).map(({ parameters }) => 1 + parameters.filter(({ indexed }) => indexed).length)
    : [];

/** Caches decoded logs: they determine the keys of stored rows before they are folded. */
const cachedDecoder = <Decoded>(decode: (log: ChainLog) => Decoded): ((log: ChainLog) => Decoded) => {
  const cache = new WeakMap<ChainLog, Decoded>();
  return (log) => {
    const existing = cache.get(log);
    if (existing !== undefined) return existing;
    const decoded = decode(log);
    cache.set(log, decoded);
    return decoded;
  };
};

type Discovery = Protocol["contracts"][string]["discoveredBy"][number];

/** Groups announcements by contract and first topic. */
const variantsOf = (discoveries: readonly Discovery[]): Iterable<[Discovery, ...Discovery[]]> => {
  const groups = new Map<string, [Discovery, ...Discovery[]]>();
  for (const discovery of discoveries) {
    const key = `${discovery.contract} ${discovery.event.topic0}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [discovery]);
    else group.push(discovery);
  }
  return groups.values();
};

const announcementDecoder = (variants: readonly Discovery[]): ((log: ChainLog) => Announcement) => {
  const decodeVariant = variantDecoder(variants.map(({ event }) => event));
  return (log) => {
    const decoded = decodeVariant(log);
    if ("problem" in decoded) return decoded;
    const { event, parameter } = variants[decoded.variant] as Discovery;
    const address = decoded.values[event.parameters.findIndex(({ name }) => name === parameter)];
    // Copied, because a slice would keep the log's data in memory for as long as the address is cached.
    return { address: Buffer.from(String(address), "latin1").toString("latin1") as Address };
  };
};

const rowDecoder = (variants: readonly EventSignature[], columns: readonly Column[]): ((log: ChainLog) => Values) => {
  const decodeVariant = variantDecoder(variants);
  const shapes = variants.map((event) => shapeOf(event, columns));
  return (log) => {
    const decoded = decodeVariant(log);
    return "problem" in decoded ? decoded : { values: decoded.values, shape: shapes[decoded.variant] as RowShape };
  };
};

/** Variants with the same first topic differ in which parameters are indexed. */
const variantDecoder = (variants: readonly EventSignature[]) => {
  const decoders = variants.map(createLogDecoder);
  return (log: ChainLog): { readonly variant: number; readonly values: readonly AbiValue[] } | Problem => {
    let problem: Problem = { problem: "" };
    let variant = 0;
    for (const { decode, topicCount } of decoders) {
      const decoded = decode(log);
      if ("values" in decoded) return { variant, values: decoded.values };
      if (problem.problem === "" || topicCount === log.topics.length) problem = decoded;
      variant += 1;
    }
    return problem;
  };
};

interface ColumnPosition extends Pick<Column, "name" | "type"> {
  /** The position of the parameter; -1 if the variant lacks it. */
  readonly position: number;
}

/** The position of an event in the chain, and its contract. */
export interface EventPosition {
  readonly contract: Address;
  readonly block_number: number;
  readonly transaction_index: number;
  readonly log_index: number;
}

/** The rows of an event variant. */
interface RowShape {
  readonly columns: readonly ColumnPosition[];
  /** A row without values: copying it takes less time and memory than adding columns one by one. */
  readonly empty: Row;
}

const shapeOf = ({ parameters }: EventSignature, columns: readonly Column[]): RowShape => ({
  columns: columns.map(({ name, type, parameter }) => ({ name, type, position: parameters.findIndex((item) => item.name === parameter) })),
  empty: Object.fromEntries(
    ["contract", "block_number", "transaction_index", "log_index", ...columns.map(({ name }) => name)].map((name) => [name, null]),
  ),
});

/** An event's row: its position in the chain, and the declared columns. */
export const rowOf = (position: EventPosition, { values, shape: { columns, empty } }: EventValues): Row => {
  const row: Record<string, Row[string]> = { ...empty };
  row.contract = position.contract;
  row.block_number = position.block_number;
  row.transaction_index = position.transaction_index;
  row.log_index = position.log_index;
  for (const { name, type, position: index } of columns) row[name] = toCell(values[index], type);
  return row;
};
