import type { RpcError } from "../../chain/errors.ts";
import type { CallOutcome, Source } from "../../chain/source.ts";
import type { DatabaseClient, Queryable } from "../../database/database.ts";
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
import { type Address, type Hex, zeroAddress } from "../../lib/hex.ts";
import type { Row, StateLoad, Table } from "../projection.ts";
import type { StateCache } from "../state/state-cache.ts";
import { writeRows } from "../storage/write-rows.ts";

/** Survives a projection that is rebuilt, so that it is rebuilt from the same answers. */
const table: Table = {
  kind: "queue",
  name: "contract_standards",
  key: ["address"],
  columns: { address: "bytea", block_number: "int8", is_coin: "bool", is_collection: "bool", read_at_block: "int8" },
};

/** How they are found again. */
export const contractStandardsLoad: StateLoad = {
  table: table.name,
  key: { address: "bytea" },
  values: ["is_coin", "is_collection"],
};

/**
 * Gas of each call. Every function that is asked for reads a few words; EIP-165 allows 30,000 for the first one. It also bounds the length of an answer, as memory
 * costs gas.
 */
const callGas = 500_000;
/** Contracts in one question, and questions at once. An answer may have a megabyte, and is dropped once its first word is looked at. */
const [portion, inFlight] = [10, 4];

export interface StandardReadings {
  readonly blocks: readonly DecodedBlock[];
  /** Rows that were not stored before. */
  readonly rows: readonly Row[];
  /**
   * Contracts that the node gave no answer for: it runs no contracts, or lacks the state. Their rows have no `read_at_block`, and they are not asked again, even when
   * another node could answer: events before would have been folded by one verdict and events after by another, which no rebuild gives.
   */
  readonly unanswered: readonly Address[];
}

type Node = Pick<Source, "calls" | "head">;

/**
 * Blocks with their ambiguous events read by what their contracts answer: each contract is asked once, at the first block that has such an event of it. Blocks
 * without one cost nothing but a look at their events.
 */
export const readStandards = async (
  cache: StateCache,
  database: Queryable,
  source: Node,
  chainId: number,
  blocks: readonly DecodedBlock[],
): Promise<StandardReadings> => {
  const subjects = subjectsOf(blocks);
  if (subjects.size === 0) return { blocks, rows: [], unanswered: [] };
  const keys = new Map([...subjects.keys()].map((address) => [address, [address]]));
  const stored = await cache.rows(database, chainId, contractStandardsLoad, keys);
  const evidence = new Map<Address, ContractEvidence>();
  const unknown: EvidenceSubject[] = [];
  for (const [address, subject] of subjects) {
    const row = stored.get(address);
    if (row === undefined) unknown.push(subject);
    else evidence.set(address, { isCoin: row.is_coin === true, isCollection: row.is_collection === true });
  }
  const readings = await ask(source, unknown);
  const rows = unknown.map(({ address, block }): Row => {
    const reading = readings.get(address);
    const { isCoin, isCollection } = reading?.evidence ?? { isCoin: false, isCollection: false };
    evidence.set(address, { isCoin, isCollection });
    return { address, block_number: block, is_coin: isCoin, is_collection: isCollection, read_at_block: reading?.height ?? null };
  });
  cache.keep(contractStandardsLoad, rows);
  const unanswered = unknown.flatMap(({ address }) => (readings.has(address) ? [] : [address]));
  return { blocks: withStandards(blocks, (address) => evidence.get(address)), rows, unanswered };
};

/** Keeps what contracts answered beside the rows that were folded from it. */
export const writeStandards = (client: DatabaseClient, chainId: number, rows: readonly Row[]): Promise<number> =>
  writeRows(client, chainId, [table], { [table.name]: rows });

interface Reading {
  readonly evidence: ContractEvidence;
  readonly height: number;
}

/** Contracts by the block after which they are asked. */
type ByHeight = ReadonlyMap<number, readonly EvidenceSubject[]>;

/** A contract that was not read at a height because of an error of the node that may pass. */
interface Trouble {
  readonly subject: EvidenceSubject;
  readonly height: number;
}

/** After each contract's own block where the node has that state, else at its head: code seldom changes. */
const ask = async (source: Node, subjects: readonly EvidenceSubject[]): Promise<Map<Address, Reading>> => {
  const readings = new Map<Address, Reading>();
  await askPatiently(
    source,
    groupBy(subjects, ({ block }) => block),
    readings,
  );
  const open = subjects.filter(({ address }) => !readings.has(address));
  if (open.length > 0) await askPatiently(source, new Map([[(await source.head()).number, open]]), readings);
  return readings;
};

/**
 * A short failure of the node must not decide a contract's standard, because the verdict is stored and never asked for again. An error that may pass therefore fails
 * the batch, which the indexer tries again, as long as the node cannot run any call. Once it runs a call to an account without code, the contracts are asked once
 * more: an error that only they cause, such as an answer longer than the node returns, must not stop the index.
 * @throws {RpcError} the node's error, when it cannot run calls at the moment.
 */
const askPatiently = async (source: Node, byHeight: ByHeight, readings: Map<Address, Reading>): Promise<void> => {
  const troubles = await askInPortions(source, byHeight, readings);
  if (troubles.length === 0) return;
  const [control] = await source.calls([{ to: zeroAddress, data: "0x", gas: callGas }], (await source.head()).number);
  const error = passingErrorOf(control);
  if (error !== undefined) throw error;
  const again = groupBy(troubles, ({ height }) => height);
  await askInPortions(source, new Map([...again].map(([height, own]) => [height, own.map(({ subject }) => subject)])), readings);
};

const askInPortions = async (source: Node, byHeight: ByHeight, readings: Map<Address, Reading>): Promise<Trouble[]> => {
  const portions = [...byHeight].flatMap(([height, subjects]) =>
    Array.from({ length: Math.ceil(subjects.length / portion) }, (_, place) => ({
      height,
      subjects: subjects.slice(place * portion, (place + 1) * portion),
    })),
  );
  const troubles: Trouble[] = [];
  for (let start = 0; start < portions.length; start += inFlight) {
    const asked = portions.slice(start, start + inFlight).map(({ height, subjects }) => askAt(source, subjects, height, readings));
    troubles.push(...(await Promise.all(asked)).flat());
  }
  return troubles;
};

const askAt = async (
  source: Node,
  subjects: readonly EvidenceSubject[],
  height: number,
  readings: Map<Address, Reading>,
): Promise<Trouble[]> => {
  const claims = await callsTo(source, subjects, () => claimCalls, height);
  const silent = subjects.filter((_, position) => !claimsCollection(claims[position] ?? []));
  const answers = await callsTo(source, silent, functionCalls, height);
  const functions = new Map(silent.map(({ address }, position) => [address, answers[position] ?? []]));
  const troubles: Trouble[] = [];
  for (const [position, subject] of subjects.entries()) {
    const [claim, rest] = [claims[position] ?? [], functions.get(subject.address) ?? []];
    const outcomes = [...claim, ...rest];
    if (outcomes.some((outcome) => passingErrorOf(outcome) !== undefined)) troubles.push({ subject, height });
    else if (!outcomes.some(isUnknown)) readings.set(subject.address, { evidence: evidenceOf(subject, claim, rest), height });
  }
  return troubles;
};

/** The outcomes of each subject's calls, all subjects' in one batch. */
const callsTo = async (
  source: Node,
  subjects: readonly EvidenceSubject[],
  dataOf: (subject: EvidenceSubject) => readonly Hex[],
  height: number,
): Promise<CallOutcome[][]> => {
  // An empty batch is a request, too.
  if (subjects.length === 0) return [];
  const calls = subjects.map((subject) => dataOf(subject).map((data) => ({ to: subject.address, data, gas: callGas })));
  const outcomes = (await source.calls(calls.flat(), height)).values();
  return calls.map((own) => own.map(() => outcomes.next().value ?? { ok: false, reverted: false }));
};

/** Neither an answer nor the contract's refusal: the node's own trouble, or a state that it no longer has. */
const isUnknown = (outcome: CallOutcome): boolean => !outcome.ok && !outcome.reverted;

const passingErrorOf = (outcome: CallOutcome | undefined): RpcError | undefined =>
  outcome === undefined || outcome.ok ? undefined : outcome.passing;
