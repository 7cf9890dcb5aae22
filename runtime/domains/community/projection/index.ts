import type { Protocol } from "../../../declarations/protocol.ts";
import type { DecodedBlock } from "../../../events/decoded-block.ts";
import { type ChainFacts, defineProjection, type Projection, type StateLoad } from "../../../indexer/projection.ts";
import { createKeySet, type KeySet } from "../../../indexer/state/state.ts";
import { groupBy } from "../../../lib/group-by.ts";
import type { Address } from "../../../lib/hex.ts";
import type { FixedContracts } from "../contracts-on-chain.ts";
import { allRelations, type EventRelations, type ProtocolRelations, projectionIdOf, readsTable, relationsOf } from "../relations.ts";
import { type Candidate, createCandidates, positionOf } from "./candidates.ts";
import { contractsLoad, type DeclaredFold, readTriggersOf } from "./declared-fold.ts";
import { type Emitter, rowOf, usesByTopic } from "./event-uses.ts";
import { foldEvents } from "./fold.ts";
import { latestKeyOf, latestLoad } from "./latest-rows.ts";
import { versionOf } from "./version.ts";

/**
 * A declared protocol's projection: a row for each event of its contracts. Contracts are at fixed addresses or announced by events; events of an
 * announced contract count after the announcement, in log order. Logs are selected by first topic, then by contract, and decoded strictly; a log that
 * cannot be decoded becomes a row of `skipped`. The version is a hash of the declaration and the fixed contracts, so the tables are rebuilt when
 * either changes.
 */
export const declaredProjection = (protocol: Protocol, contracts: FixedContracts): Projection => {
  const fold = createDeclaredFold(protocol, contracts);
  const { relations } = fold;
  return defineProjection({
    id: projectionIdOf(protocol.id),
    version: versionOf(protocol, contracts),
    isIsolated: true,
    topics: fold.topics,
    events: [],
    // A job writes the results of reads.
    tables: [...allRelations({ ...relations, reads: [] }).map(({ table }) => table), ...(protocol.reads.length === 0 ? [] : [readsTable])],
    loads: loadsOf(relations),
    keysToLoad: (blocks, chain) => neededKeys(fold, blocks, chain),
    fold: (blocks, input) => foldEvents(fold, blocks, input),
  });
};

/** The fold of a protocol's events on a chain. */
export const createDeclaredFold = (protocol: Protocol, contracts: FixedContracts): DeclaredFold => {
  const relations = relationsOf(protocol);
  const uses = usesByTopic(protocol, relations.events, contracts);
  return {
    protocol,
    relations,
    readTriggers: readTriggersOf(protocol),
    topics: [...uses.keys()],
    candidatesIn: createCandidates(uses),
    contractsStartingAt: createStartLookup(contracts),
  };
};

const loadsOf = ({ contracts, events }: ProtocolRelations): Record<string, StateLoad> => ({
  [contractsLoad]: { table: contracts.table.name, key: { address: "bytea", kind: "text" }, valueColumns: ["block_number"] },
  ...Object.fromEntries(
    events.flatMap(({ latest }) => (latest === null ? [] : [[latest.current.table.name, latestLoad(latest.current.table)]])),
  ),
});

/** The stored rows that these blocks depend on. Any contract that emits an event of an announced kind may be of that kind. */
const neededKeys = (fold: DeclaredFold, blocks: readonly DecodedBlock[], chain: ChainFacts): Record<string, KeySet> => {
  const contracts = createKeySet();
  const seen = new Map<string, Set<Address>>();
  const latest = new Map(fold.relations.events.map((relations) => [relations, createKeySet()]));
  for (const { block } of blocks) {
    for (const { address, kind } of fold.contractsStartingAt(block.number, chain)) contracts.add(address, kind);
  }
  for (const candidate of fold.candidatesIn(blocks)) {
    const { use, log } = candidate;
    addOnce(seen, use.emitter, log.address, contracts);
    if (use.announces === null) {
      const key = latestKey(use.relations, use.decode, candidate);
      if (key !== null) latest.get(use.relations)?.add(...key);
    } else {
      const announcement = use.decode(log);
      if ("address" in announcement) contracts.add(announcement.address, use.announces);
    }
  }
  return {
    [contractsLoad]: contracts.keys,
    ...Object.fromEntries(
      [...latest].flatMap(([relations, { keys }]) => (relations.latest === null ? [] : [[relations.latest.current.table.name, keys]])),
    ),
  };
};

/** Adds an address once: a common event such as Transfer has many logs per address. */
const addOnce = (
  seen: Map<string, Set<Address>>,
  { kind }: Emitter,
  address: Address,
  contracts: ReturnType<typeof createKeySet>,
): void => {
  const addresses = seen.get(kind) ?? new Set<Address>();
  if (addresses.has(address)) return;
  seen.set(kind, addresses.add(address));
  contracts.add(address, kind);
};

/** The key of a log's row in the table of newest rows; null if the event has no such table. */
const latestKey = ({ latest }: EventRelations, decode: Extract<Candidate["use"], { announces: null }>["decode"], candidate: Candidate) => {
  if (latest === null) return null;
  const values = decode(candidate.log);
  return "problem" in values ? null : latestKeyOf(latest.current.table, rowOf(positionOf(candidate), values));
};

/** Creates a lookup of fixed contracts by their first block. */
const createStartLookup = (contracts: FixedContracts): DeclaredFold["contractsStartingAt"] => {
  const all = [...contracts].flatMap(([kind, addresses]) =>
    [...addresses].flatMap(([address, from]) => (from === null ? [] : [{ address, kind, from }])),
  );
  const groupByFirst = (first: number) => groupBy(all, ({ from }) => Math.max(from, first));
  const byFirstBlock = new Map<number, ReturnType<typeof groupByFirst>>();
  return (block, { from: first }) => {
    const groups = byFirstBlock.get(first) ?? groupByFirst(first);
    byFirstBlock.set(first, groups);
    return groups.get(block) ?? [];
  };
};
