import type { CallOutcome, Source } from "../../chain/source.ts";
import type { Address, Hex } from "../../lib/hex.ts";
import { type BaseRead, baseReadKey, type ChainFacts, type Row, type StateLoad, type Table } from "../projection.ts";
import type { KeySet } from "../state/state.ts";
import type { StateCache } from "../state/state-cache.ts";

/** Where base reads are stored. */
export const baseReadsTable: Table = {
  kind: "queue",
  name: "base_reads",
  key: ["key"],
  columns: { key: "bytea", block_number: "int8", value: "bytea", reverted: "bool" },
};
/** How they are found again. */
export const baseReadsLoad: StateLoad = { table: "base_reads", key: { key: "bytea" }, values: ["value", "reverted"] };

export interface BaseReadings {
  readonly outcomes: ReadonlyMap<Hex, CallOutcome>;
  /** Rows that were not stored before. */
  readonly rows: readonly Row[];
}

/** The native balances of a chain's genesis block, where the operator knows them: an account that is not in it had nothing. */
export type GenesisAllocation = ReadonlyMap<Address, bigint>;

/** The base state that projections ask for: from what is stored, else from the genesis allocation, else from the node. */
export const readBase = async (
  cache: StateCache,
  source: Pick<Source, "balances" | "calls">,
  chain: ChainFacts,
  reads: readonly BaseRead[],
  allocation: GenesisAllocation | undefined,
): Promise<BaseReadings> => {
  if (reads.length === 0) return { outcomes: new Map(), rows: [] };
  const wanted = new Map<Hex, BaseRead>();
  for (const read of reads) {
    const key = baseReadKey(read);
    if (!wanted.has(key)) wanted.set(key, read);
  }
  const keys: KeySet = new Map([...wanted.keys()].map((key) => [key, [key]]));
  await cache.prefetch(baseReadsLoad, keys);
  const outcomes = new Map<Hex, CallOutcome>();
  for (const key of wanted.keys()) {
    const row = cache.get(baseReadsLoad, key);
    if (row !== undefined) outcomes.set(key, fromRow(row));
  }
  const missing = [...wanted.values()].filter((read) => !outcomes.has(baseReadKey(read)));
  const answers = await ask(source, chain, missing, allocation);
  const rows = missing.map((read, position): Row => {
    const outcome = answers[position] ?? unknown;
    outcomes.set(baseReadKey(read), outcome);
    return { key: baseReadKey(read), block_number: read.firstBlock, ...toRow(outcome) };
  });
  cache.set(baseReadsTable.name, rows);
  return { outcomes, rows };
};

const unknown: CallOutcome = { ok: false, reverted: false };

const fromRow = (row: Row): CallOutcome =>
  row.value === null ? { ok: false, reverted: row.reverted === true } : { ok: true, data: row.value as Hex };

const toRow = (outcome: CallOutcome): Row =>
  outcome.ok ? { value: outcome.data, reverted: false } : { value: null, reverted: outcome.reverted };

const toWord = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`;

/**
 * What the node says at the base block; where it has that state no more, at the block before the first that touches the account,
 * which is the same state, and which a node without an archive has while it follows the head.
 */
const ask = async (
  source: Pick<Source, "balances" | "calls">,
  chain: ChainFacts,
  reads: readonly BaseRead[],
  allocation: GenesisAllocation | undefined,
): Promise<CallOutcome[]> => {
  const answers = new Map<BaseRead, CallOutcome>();
  if (allocation !== undefined && chain.from === 0) {
    for (const read of reads) if ("address" in read) answers.set(read, { ok: true, data: toWord(allocation.get(read.address) ?? 0n) });
  }
  const unanswered = () => reads.filter((read) => answers.get(read) === undefined || isUnknown(answers.get(read)));
  await askAt(source, unanswered(), chain.baseBlock, answers);
  // Where not every change of a native balance is seen, the state before the first one that was seen is no word on the base.
  const isSame = (read: BaseRead): boolean => !("address" in read) || chain.nativeAccounting !== "state";
  const later = unanswered().filter((read) => isSame(read) && read.firstBlock - 1 > chain.baseBlock);
  for (const height of new Set(later.map((read) => read.firstBlock - 1))) {
    const group = later.filter((read) => read.firstBlock - 1 === height);
    await askAt(source, group, height, answers);
  }
  return reads.map((read) => answers.get(read) ?? unknown);
};

const isUnknown = (outcome: CallOutcome | undefined): boolean => outcome !== undefined && !outcome.ok && !outcome.reverted;

const askAt = async (
  source: Pick<Source, "balances" | "calls">,
  reads: readonly BaseRead[],
  height: number,
  answers: Map<BaseRead, CallOutcome>,
): Promise<void> => {
  const balances = reads.filter((read) => "address" in read);
  const calls = reads.filter((read) => "to" in read);
  const [values, outcomes] = await Promise.all([
    source.balances(
      balances.map((read) => read.address),
      height,
    ),
    source.calls(calls, height),
  ]);
  balances.forEach((read, position) => {
    const value = values[position] ?? null;
    answers.set(read, value === null ? unknown : { ok: true, data: toWord(value) });
  });
  for (const [position, read] of calls.entries()) answers.set(read, outcomes[position] ?? unknown);
};
