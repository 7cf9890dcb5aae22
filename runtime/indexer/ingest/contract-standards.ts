import { transientErrorOf, verifyNodeRunsCalls } from "../../chain/control-call.ts";
import type { CallOutcome, Source } from "../../chain/source.ts";
import {
  type ContractEvidence,
  claimCalls,
  claimsCollection,
  type EvidenceSubject,
  evidenceOf,
  functionCalls,
  subjectsOf,
  withStandards,
} from "../../events/contract-standards.ts";
import type { DecodedBlock } from "../../events/decoded-block.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Address, Hex } from "../../lib/hex.ts";
import type { Row, StateLoad, Table } from "../projection.ts";
import type { StateCache } from "../state/state-cache.ts";
import { readWithControl } from "./read-with-control.ts";

/** Contracts' standards, as read from them. The rows are kept when a projection is rebuilt, so that it uses the same standards again. */
export const contractStandardsTable: Table = {
  kind: "queue",
  name: "contract_standards",
  key: ["address"],
  columns: { address: "bytea", block_number: "int8", is_coin: "bool", is_collection: "bool", read_at_block: "int8" },
};

export const contractStandardsLoad: StateLoad = {
  table: contractStandardsTable.name,
  key: { address: "bytea" },
  valueColumns: ["is_coin", "is_collection"],
};

/**
 * Each call's gas limit. Every called function reads a few words; EIP-165 allows 30,000 gas for supportsInterface. Because memory costs gas, it
 * also limits the response length.
 */
const callGas = 500_000;
/** Max contracts per request, and max concurrent requests. A response may be a megabyte long, but only its first word is used. */
const [maxContracts, maxRequests] = [10, 4];

export interface StandardReadings {
  readonly blocks: readonly DecodedBlock[];
  /** Rows that are not stored yet. */
  readonly rows: readonly Row[];
  /**
   * Contracts that the node could not call, because it runs no calls or lacks the state. Their rows have no `read_at_block`, and they are not read again, even
   * if a different node could: earlier and later events would be folded under different standards, which a rebuild could not reproduce.
   */
  readonly unreadContracts: readonly Address[];
}

type Node = Pick<Source, "runCalls" | "head">;

/**
 * Decodes blocks' ambiguous events by their contracts' standards. Each contract is read once, at the block of its first ambiguous event.
 */
export const readStandards = async (cache: StateCache, source: Node, blocks: readonly DecodedBlock[]): Promise<StandardReadings> => {
  const subjects = subjectsOf(blocks);
  if (subjects.size === 0) return { blocks, rows: [], unreadContracts: [] };
  await cache.prefetch(contractStandardsLoad, new Map([...subjects.keys()].map((address) => [address, [address]])));
  const evidence = new Map<Address, ContractEvidence>();
  const unread: EvidenceSubject[] = [];
  for (const [address, subject] of subjects) {
    const row = cache.get(contractStandardsLoad, address);
    if (row === undefined) unread.push(subject);
    else evidence.set(address, { isCoin: row.is_coin === true, isCollection: row.is_collection === true });
  }
  const readings = await readContracts(source, unread);
  const rows = unread.map(({ address, block }): Row => {
    const reading = readings.get(address);
    const { isCoin, isCollection } = reading?.evidence ?? { isCoin: false, isCollection: false };
    evidence.set(address, { isCoin, isCollection });
    return { address, block_number: block, is_coin: isCoin, is_collection: isCollection, read_at_block: reading?.height ?? null };
  });
  cache.set(contractStandardsTable.name, rows);
  const unreadContracts = unread.flatMap(({ address }) => (readings.has(address) ? [] : [address]));
  return { blocks: withStandards(blocks, (address) => evidence.get(address)), rows, unreadContracts };
};

interface Reading {
  readonly evidence: ContractEvidence;
  readonly height: number;
}

/** A contract and the block at which it is read. */
interface StandardRead {
  readonly subject: EvidenceSubject;
  readonly height: number;
}

/** Reads contracts at their block; if the node lacks that state, at its head, because code rarely changes. */
const readContracts = async (source: Node, subjects: readonly EvidenceSubject[]): Promise<Map<Address, Reading>> => {
  const readings = new Map<Address, Reading>();
  const readOnce = (reads: readonly StandardRead[]) => readInRequests(source, reads, readings);
  await readWithControl(
    source,
    verifyNodeRunsCalls,
    subjects.map((subject) => ({ subject, height: subject.block })),
    readOnce,
  );
  const pending = subjects.filter(({ address }) => !readings.has(address));
  if (pending.length === 0) return readings;
  const { number: height } = await source.head();
  await readWithControl(
    source,
    verifyNodeRunsCalls,
    pending.map((subject) => ({ subject, height })),
    readOnce,
  );
  return readings;
};

const readInRequests = async (source: Node, reads: readonly StandardRead[], readings: Map<Address, Reading>): Promise<StandardRead[]> => {
  const requests = [...groupBy(reads, ({ height }) => height)].flatMap(([height, group]) =>
    Array.from({ length: Math.ceil(group.length / maxContracts) }, (_, position) => ({
      height,
      subjects: group.slice(position * maxContracts, (position + 1) * maxContracts).map(({ subject }) => subject),
    })),
  );
  const failed: StandardRead[] = [];
  for (let start = 0; start < requests.length; start += maxRequests) {
    const running = requests.slice(start, start + maxRequests).map(({ height, subjects }) => readAt(source, subjects, height, readings));
    failed.push(...(await Promise.all(running)).flat());
  }
  return failed;
};

const readAt = async (
  source: Node,
  subjects: readonly EvidenceSubject[],
  height: number,
  readings: Map<Address, Reading>,
): Promise<StandardRead[]> => {
  const claims = await callsTo(source, subjects, () => claimCalls, height);
  const undeclared = subjects.filter((_, position) => !claimsCollection(claims[position] ?? []));
  const results = await callsTo(source, undeclared, functionCalls, height);
  const functions = new Map(undeclared.map(({ address }, position) => [address, results[position] ?? []]));
  const failed: StandardRead[] = [];
  for (const [position, subject] of subjects.entries()) {
    const [claim, rest] = [claims[position] ?? [], functions.get(subject.address) ?? []];
    const outcomes = [...claim, ...rest];
    if (outcomes.some((outcome) => transientErrorOf(outcome) !== undefined)) failed.push({ subject, height });
    else if (!outcomes.some(isUnknown)) readings.set(subject.address, { evidence: evidenceOf(subject, claim, rest), height });
  }
  return failed;
};

/** The outcomes of each subject's calls; all subjects' calls are sent as one batch. */
const callsTo = async (
  source: Node,
  subjects: readonly EvidenceSubject[],
  dataOf: (subject: EvidenceSubject) => readonly Hex[],
  height: number,
): Promise<CallOutcome[][]> => {
  // An empty batch would still be a request.
  if (subjects.length === 0) return [];
  const calls = subjects.map((subject) => dataOf(subject).map((data) => ({ to: subject.address, data, gas: callGas })));
  const outcomes = (await source.runCalls(calls.flat(), height)).values();
  return calls.map((callsOfSubject) => callsOfSubject.map(() => outcomes.next().value ?? { ok: false, reverted: false }));
};

/** Whether an outcome is neither a result nor a revert, because the node failed or no longer has the state. */
const isUnknown = (outcome: CallOutcome): boolean => !outcome.ok && !outcome.reverted;
