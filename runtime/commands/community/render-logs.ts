import { parseAbiItem, toEventSelector } from "viem";
import { canonicalSignature, similarSignature } from "../../declarations/abi/similar-signature.ts";
import type { EventSignature, Protocol } from "../../declarations/protocol.ts";
import type { EmittedLogs, EmittedTopic, ProtocolLogs } from "../../domains/community/queries/emitted-logs.ts";
import { knownEvents } from "../../events/known-events.ts";
import type { Hash } from "../../lib/hex.ts";
import { pluralize } from "../../lib/pluralize.ts";

/** Events that a declaration expects from a kind of contract, for a table or to discover contracts. */
interface ExpectedEvents {
  readonly name: string;
  readonly kind: string;
  readonly events: readonly EventSignature[];
}

const maxTopics = 8;

/**
 * Renders what a protocol's author should examine: declared events without a matching log, undeclared topics of the same contracts,
 * and skipped logs.
 */
export function renderLogs(protocol: Protocol, { emitted, skipped }: ProtocolLogs): string[] {
  const expectedOfAll = expectedEvents(protocol);
  const declared = new Set(expectedOfAll.flatMap(({ events }) => events.map(({ topic0 }) => topic0)));
  const unmatched = expectedOfAll.filter((expected) => !isMatched(expected, topicsOf(expected, emitted)));
  const kinds = new Set(unmatched.map(({ kind }) => kind));
  return [
    ...unmatched.map((expected) => renderUnmatched(expected, emitted)),
    ...emitted.filter(({ kind }) => kinds.has(kind)).flatMap((logs) => renderUndeclared(logs, declared, unmatched)),
    ...skipped.map(({ table, reason, logs }) => `  skipped     ${count(logs)} of ${table}: ${reason}`),
  ];
}

const expectedEvents = ({ contracts, tables }: Protocol): ExpectedEvents[] => [
  ...Object.entries(contracts).flatMap(([announced, { discoveredBy }]) =>
    [...new Set(discoveredBy.map(({ contract }) => contract))].map((kind) => ({
      name: `contracts of ${announced}`,
      kind,
      events: discoveredBy.filter(({ contract }) => contract === kind).map(({ event }) => event),
    })),
  ),
  ...tables.map(({ name, contract, events }) => ({ name, kind: contract, events })),
];

const topicsOf = ({ kind }: ExpectedEvents, emitted: readonly EmittedLogs[]): readonly EmittedTopic[] =>
  emitted.find((logs) => logs.kind === kind)?.topics ?? [];

const indexedOf = ({ parameters }: EventSignature): number => parameters.filter(({ indexed }) => indexed).length;

const isMatched = ({ events }: ExpectedEvents, topics: readonly EmittedTopic[]): boolean =>
  topics.some(({ logs, early, ...topic }) => logs > early && events.some((event) => isEvent(event, topic)));

const isEvent = (event: EventSignature, { topic0, indexed }: Pick<EmittedTopic, "topic0" | "indexed">): boolean =>
  event.topic0 === topic0 && indexedOf(event) === indexed;

const renderUnmatched = (expected: ExpectedEvents, emitted: readonly EmittedLogs[]): string => {
  const { name, kind, events } = expected;
  const { contractCount = 0, isSample = false } = emitted.find((logs) => logs.kind === kind) ?? {};
  const topics = topicsOf(expected, emitted);
  const total = topics.reduce((sum, { logs }) => sum + logs, 0);
  const line = (reason: string): string => `  no logs     ${name}: ${reason}`;
  if (contractCount === 0) return line(`no contract of kind ${kind} is known`);
  const early = topics.find((topic) => topic.early > 0 && events.some((event) => isEvent(event, topic)));
  if (early !== undefined) return line(`${count(early.early)} of ${kind} precede the first block of their contracts`);
  const sameTopic = topics.find(({ topic0 }) => events.some((event) => event.topic0 === topic0));
  const sameEvent = events.find(({ topic0 }) => topic0 === sameTopic?.topic0);
  if (sameTopic !== undefined && sameEvent !== undefined)
    return line(
      `${count(sameTopic.logs)} of ${kind} are ${canonicalSignature(sameEvent)} with ${sameTopic.indexed} indexed parameters, not ${indexedOf(sameEvent)}`,
    );
  return line(`none of the ${isSample ? "newest " : ""}${count(total)} of ${kind} is ${events.map(canonicalSignature).join(" or ")}`);
};

const renderUndeclared = ({ kind, topics }: EmittedLogs, declared: ReadonlySet<Hash>, unmatched: readonly ExpectedEvents[]): string[] => {
  const undeclared = topics.filter(({ topic0 }) => topic0 === null || !declared.has(topic0));
  const similar = similarSignatures(
    unmatched.filter((expected) => expected.kind === kind),
    undeclared,
  );
  const lines = undeclared.slice(0, maxTopics).map(({ topic0, indexed, logs }) => {
    const signature = topic0 === null ? undefined : (similar.get(topic0) ?? commonSignatures().get(topic0));
    const name = topic0 === null ? "no topic" : `topic ${topic0}${signature === undefined ? "" : `, ${signature},`}`;
    return `  undeclared  ${count(logs)} of ${kind} with ${name} and ${indexed} indexed parameters`;
  });
  const rest = undeclared.slice(maxTopics);
  return rest.length === 0
    ? lines
    : [...lines, `  undeclared  ${count(rest.reduce((sum, { logs }) => sum + logs, 0))} of ${kind} with ${rest.length} other topics`];
};

/** Signatures similar to declared ones, by topic. */
const similarSignatures = (unmatched: readonly ExpectedEvents[], undeclared: readonly EmittedTopic[]): ReadonlyMap<Hash, string> => {
  const topics = new Set(undeclared.flatMap(({ topic0 }) => topic0 ?? []));
  const signatures = unmatched.flatMap(({ events }) => events.flatMap((event) => similarSignature(event, topics) ?? []));
  return new Map(signatures.map((text) => [toEventSelector(text), text]));
};

let knownSignatures: ReadonlyMap<Hash, string> | undefined;

/** Canonical signatures of common events, by topic. */
const commonSignatures = (): ReadonlyMap<Hash, string> => {
  knownSignatures ??= new Map(
    knownEvents.map((text) => {
      const { name, inputs } = parseAbiItem(text);
      return [toEventSelector(text), `${name}(${inputs.map(({ type }) => type).join(",")})`];
    }),
  );
  return knownSignatures;
};

const count = (logs: number): string => pluralize(logs, "log");
