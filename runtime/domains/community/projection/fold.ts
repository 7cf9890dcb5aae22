import type { ChainFacts, Row } from "../../../indexer/projection.ts";
import { keyText, type State } from "../../../indexer/state/state.ts";
import type { Address } from "../../../lib/hex.ts";
import { type EventRelations, readsTable } from "../relations.ts";
import { type BlockWithLogs, type Candidate, isFixed, positionOf } from "./candidates.ts";
import { contractsLoad, type DeclaredFold, type ReadTrigger } from "./declared-fold.ts";
import { rowOf } from "./event-uses.ts";
import { createLatestRows } from "./latest-rows.ts";

/** The rows of a protocol's events. */
export const foldEvents = (
  fold: DeclaredFold,
  blocks: readonly BlockWithLogs[],
  { state, chain }: { readonly state: State; readonly chain: Pick<ChainFacts, "from"> },
): Record<string, readonly Row[]> => {
  const target = createTarget(fold, state);
  const candidates = fold.candidatesIn(blocks);
  let next = 0;
  for (const { block } of blocks) {
    const { number } = block;
    for (const { address, kind } of fold.contractsStartingAt(number, chain)) target.addContract(address, kind, number, null);
    for (let candidate = candidates[next]; candidate?.block === number; candidate = candidates[next]) {
      applyCandidate(target, candidate);
      next += 1;
    }
    target.endBlock(number);
  }
  return target.rows();
};

type Target = ReturnType<typeof createTarget>;

const applyCandidate = (target: Target, candidate: Candidate): void => {
  const { use, log, block } = candidate;
  const { emitter } = use;
  // A contract with an unknown deployment block exists from its first event on.
  if (isFixed(emitter, log.address, block)) target.addContract(log.address, emitter.kind, block, null);
  else if (!target.isContract(log.address, emitter.kind)) return;
  if (use.announces !== null) {
    const announcement = use.decode(log);
    if ("problem" in announcement) target.skip(block, log.index, "contracts", announcement.problem);
    else target.addContract(announcement.address, use.announces, block, log.index);
    return;
  }
  const values = use.decode(log);
  if ("problem" in values) {
    target.skip(block, log.index, use.relations.definition.name, values.problem);
    return;
  }
  target.addRow(use.relations, log.address, block, rowOf(positionOf(candidate), values));
};

/** Collects rows by table. */
const createTarget = ({ protocol, relations, readTriggers }: DeclaredFold, state: State) => {
  const contracts: Row[] = [];
  const knownContracts = createKnownContracts(state);
  const skipped = new Map<string, Row>();
  const queued = new Map<string, Row>();
  const rows = new Map(relations.events.map((eventRelations): [EventRelations, Row[]] => [eventRelations, []]));
  const latest = new Map(
    relations.events.flatMap((eventRelations) => {
      const found = createLatestRows(eventRelations, state);
      return found === null ? [] : [[eventRelations, found] as const];
    }),
  );
  const histories = [...latest.values()];
  const queue = (due: readonly ReadTrigger[] | undefined, contract: Address, block: number, row: Row): void => {
    for (const { name, argumentsOf, contractOf } of due ?? []) {
      const values = argumentsOf(row);
      const called = contractOf(row) ?? contract;
      const key = `${name}|${called}|${values}|${block}`;
      if (queued.has(key)) continue;
      queued.set(key, { protocol: protocol.id, read_name: name, contract: called, arguments: values, block_number: block, attempts: 0 });
    }
  };
  return {
    isContract: knownContracts.has,
    /** Adds a contract unless it is known, and queues its reads at its first block, except those with arguments from event rows. */
    addContract: (address: Address, kind: string, block: number, logIndex: number | null): void => {
      if (knownContracts.has(address, kind)) return;
      knownContracts.add(address, kind);
      contracts.push({ address, kind, block_number: block, log_index: logIndex });
      queue(readTriggers.byKind.get(kind), address, block, {});
    },
    skip: (block: number, logIndex: number, table: string, reason: string): void =>
      void skipped.set(keyText([block, logIndex, table]), { block_number: block, log_index: logIndex, table_name: table, reason }),
    addRow: (eventRelations: EventRelations, contract: Address, block: number, row: Row): void => {
      rows.get(eventRelations)?.push(row);
      latest.get(eventRelations)?.add(row);
      queue(readTriggers.byTable.get(eventRelations.definition.name), contract, block, row);
    },
    endBlock: (block: number): void => {
      for (const { endBlock } of histories) endBlock(block);
    },
    rows: (): Record<string, readonly Row[]> => ({
      [relations.contracts.table.name]: contracts,
      [relations.skipped.table.name]: [...skipped.values()],
      ...Object.fromEntries([...rows].map(([eventRelations, found]) => [eventRelations.rows.table.name, found])),
      ...Object.assign({}, ...histories.map((found) => found.rows())),
      [readsTable.name]: [...queued.values()],
    }),
  };
};

/** Stored contracts, and contracts that these blocks add, by kind. */
const createKnownContracts = (state: State) => {
  const byKind = new Map<string, Map<Address, boolean>>();
  const ofKind = (kind: string): Map<Address, boolean> => {
    const known = byKind.get(kind) ?? new Map<Address, boolean>();
    byKind.set(kind, known);
    return known;
  };
  return {
    has: (address: Address, kind: string): boolean => {
      const known = ofKind(kind);
      const isKnown = known.get(address) ?? state.get(contractsLoad, address, kind) !== undefined;
      known.set(address, isKnown);
      return isKnown;
    },
    add: (address: Address, kind: string): void => void ofKind(kind).set(address, true),
  };
};
