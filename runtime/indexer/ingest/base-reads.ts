import { callContracts, hasNoResponse } from "../../chain/call-contracts.ts";
import type { ContractBackoff } from "../../chain/contract-backoff.ts";
import { transientErrorOf, verifyNodeRunsCalls } from "../../chain/control-call.ts";
import { TransportError } from "../../chain/errors.ts";
import { toWord } from "../../chain/quantities.ts";
import type { CallOutcome, Source } from "../../chain/source.ts";
import { groupBy } from "../../lib/group-by.ts";
import { type Address, type Hex, zeroAddress } from "../../lib/hex.ts";
import { type BaseRead, baseReadKey, type ChainFacts, type Row, type StateLoad, type Table } from "../projection.ts";
import type { KeySet } from "../state/state.ts";
import type { StateCache } from "../state/state-cache.ts";
import { readWithControl } from "./read-with-control.ts";

/** The base reads table. */
export const baseReadsTable: Table = {
  kind: "queue",
  name: "base_reads",
  key: ["key"],
  columns: { key: "bytea", block_number: "int8", value: "bytea", reverted: "bool" },
};
export const baseReadsLoad: StateLoad = { table: "base_reads", key: { key: "bytea" }, valueColumns: ["value", "reverted"] };

export interface BaseReadings {
  readonly outcomes: ReadonlyMap<Hex, CallOutcome>;
  /** Rows that are not stored yet. */
  readonly rows: readonly Row[];
}

/** Native balances in a chain's genesis block; a missing account had the balance 0. */
export type GenesisAllocation = ReadonlyMap<Address, bigint>;

export interface BaseReadDeps {
  readonly source: Pick<Source, "balanceOutcomes" | "runCalls" | "head">;
  readonly facts: ChainFacts;
  readonly genesisAllocation: GenesisAllocation | undefined;
  /** Contracts that the node failed to read: their base reads are stored as unknown, and a job reads their balances later. */
  readonly unresponsiveContracts: ContractBackoff;
  readonly clock: () => Date;
}

/** The base state that projections require: stored, from the genesis allocation, or read from the node. */
export const readBaseState = async (cache: StateCache, deps: BaseReadDeps, reads: readonly BaseRead[]): Promise<BaseReadings> => {
  if (reads.length === 0) return { outcomes: new Map(), rows: [] };
  const readByKey = new Map<Hex, BaseRead>();
  for (const read of reads) {
    const key = baseReadKey(read);
    if (!readByKey.has(key)) readByKey.set(key, read);
  }
  const keys: KeySet = new Map([...readByKey.keys()].map((key) => [key, [key]]));
  await cache.prefetch(baseReadsLoad, keys);
  const outcomes = new Map<Hex, CallOutcome>();
  for (const key of readByKey.keys()) {
    const row = cache.get(baseReadsLoad, key);
    if (row !== undefined) outcomes.set(key, fromRow(row));
  }
  const missing = [...readByKey.values()].filter((read) => !outcomes.has(baseReadKey(read)));
  const results = await readMissing(deps, missing);
  const rows = missing.map((read): Row => {
    const outcome = results.get(read) ?? unknownOutcome;
    outcomes.set(baseReadKey(read), outcome);
    return { key: baseReadKey(read), block_number: read.firstBlock, ...toRow(outcome) };
  });
  cache.set(baseReadsTable.name, rows);
  return { outcomes, rows };
};

const unknownOutcome: CallOutcome = { ok: false, reverted: false };

const fromRow = (row: Row): CallOutcome =>
  row.value === null ? { ok: false, reverted: row.reverted === true } : { ok: true, data: row.value as Hex };

const toRow = (outcome: CallOutcome): Row =>
  outcome.ok ? { value: outcome.data, reverted: false } : { value: null, reverted: outcome.reverted };

const isUnknown = (outcome: CallOutcome | undefined): boolean => outcome === undefined || (!outcome.ok && !outcome.reverted);

type Outcomes = Map<BaseRead, CallOutcome>;

/**
 * Reads at the base block; if the node no longer has that state, at the block before the first one that touches the account or contract. The value there is
 * the same, and a node without archive state has that block's state while the index follows the head.
 */
const readMissing = async (deps: BaseReadDeps, reads: readonly BaseRead[]): Promise<Outcomes> => {
  const { facts, genesisAllocation, unresponsiveContracts, clock } = deps;
  const outcomes: Outcomes = new Map();
  if (genesisAllocation !== undefined && facts.from === 0) {
    for (const read of reads)
      if ("address" in read) outcomes.set(read, { ok: true, data: toWord(genesisAllocation.get(read.address) ?? 0n) });
  }
  const skipped = new Set(unresponsiveContracts.contractsToSkip(clock()));
  const pending = reads.filter((read) => !outcomes.has(read) && !("to" in read && skipped.has(read.to)));
  await readAt(deps, pending, facts.baseBlock, outcomes);
  // With state accounting, a native balance may also change in blocks that do not touch its account, even before the first block that does.
  const isSameState = (read: BaseRead): boolean => !("address" in read) || facts.nativeAccounting !== "state";
  const retried = pending.filter((read) => {
    const outcome = outcomes.get(read);
    return isUnknown(outcome) && !hasNoResponse(outcome) && isSameState(read) && read.firstBlock - 1 > facts.baseBlock;
  });
  for (const [firstBlock, group] of groupBy(retried, (read) => read.firstBlock)) await readAt(deps, group, firstBlock - 1, outcomes);
  if (pending.some((read) => "address" in read && isUnknown(outcomes.get(read)))) await verifyNodeReadsBalances(deps.source);
  skipUnresponsive(deps, pending, outcomes);
  return outcomes;
};

const readAt = async (deps: BaseReadDeps, reads: readonly BaseRead[], height: number, outcomes: Outcomes): Promise<void> => {
  const balances = reads.filter((read) => "address" in read);
  const calls = reads.filter((read) => "to" in read);
  const isPending = (read: BaseRead): boolean => transientErrorOf(outcomes.get(read)) !== undefined;
  const readBalances = readWithControl(deps.source, verifyNodeReadsBalances, balances, async (batch) => {
    const results = await deps.source.balanceOutcomes(
      batch.map(({ address }) => address),
      height,
    );
    for (const [position, read] of batch.entries()) outcomes.set(read, results[position] ?? unknownOutcome);
    return batch.filter(isPending);
  });
  const readCalls = readWithControl(deps.source, verifyNodeRunsCalls, calls, async (batch) => {
    const results = await callContracts(deps.source, batch, height);
    for (const [position, read] of batch.entries()) outcomes.set(read, results[position] ?? unknownOutcome);
    return batch.filter(isPending);
  });
  await Promise.all([readBalances, readCalls]);
};

/** Distinguishes missing state, which is stored as unknown, from an outage. @throws {TransportError} if the node returns no balance at its head. */
const verifyNodeReadsBalances = async (source: BaseReadDeps["source"]): Promise<void> => {
  const { number } = await source.head();
  const [control] = await source.balanceOutcomes([zeroAddress], number);
  if (control?.ok !== true) throw new TransportError(`The node returned no result for eth_getBalance at its head, block ${number}.`);
};

/** Skips contracts for a while if the node did not respond to any of their reads. */
const skipUnresponsive = ({ unresponsiveContracts, clock }: BaseReadDeps, reads: readonly BaseRead[], outcomes: Outcomes): void => {
  const calls = reads.filter((read) => "to" in read);
  for (const [contract, contractCalls] of groupBy(calls, ({ to }) => to)) {
    if (contractCalls.every((read) => hasNoResponse(outcomes.get(read)))) unresponsiveContracts.recordFailure(contract, clock());
    else unresponsiveContracts.clear(contract);
  }
};
