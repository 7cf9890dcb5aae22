import { transientErrorOf } from "../../../../chain/control-call.ts";
import type { CallOutcome } from "../../../../chain/source.ts";
import type { JobContext } from "../../../../jobs/job.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import type { Address, Hex } from "../../../../lib/hex.ts";
import { type OwnerTokenPair, type PairCursor, type StoredAllowance, storedAllowances } from "./pairs.ts";
import { maxSlices, sliceSize } from "./settings.ts";

/** An allowance whose indexed amount differs from the contract's. */
export interface AllowanceReading extends StoredAllowance {
  readonly reading: bigint;
}

/** The result of reading pairs' allowances. */
export interface AllowanceReads {
  readonly readings: readonly AllowanceReading[];
  /** Pairs whose allowances were all read. */
  readonly completePairs: readonly OwnerTokenPair[];
  /** Pairs with at least one allowance that could not be read. */
  readonly incompletePairs: readonly OwnerTokenPair[];
  /** Incomplete pairs for which the contract failed, not the node: the node executed calls to other contracts. */
  readonly failedPairs: readonly OwnerTokenPair[];
}

/** EIP-20 allowance(address,address). */
export const allowanceCall = ({ owner, token, spender }: OwnerTokenPair & { readonly spender: Address }): { to: Address; data: Hex } => ({
  to: token,
  data: `0xdd62ed3e${owner.slice(2).padStart(64, "0")}${spender.slice(2).padStart(64, "0")}`,
});

/** The length of a word in hex, including 0x. */
const wordLength = 66;

/** The first word of a result, the only one that a calling contract would decode; null if the result is shorter. */
export const firstWord = (outcome: CallOutcome | undefined): bigint | null =>
  outcome?.ok === true && outcome.data.length >= wordLength ? BigInt(outcome.data.slice(0, wordLength)) : null;

export const pairKey = ({ owner, token }: OwnerTokenPair): string => `${owner}${token}`;

/** Reads the pairs' stored allowances from their contracts as of a block, slice by slice. */
export const callAllowances = async (context: JobContext, height: number, pairs: readonly OwnerTokenPair[]): Promise<AllowanceReads> => {
  const readings: AllowanceReading[] = [];
  const incomplete = new Set<string>();
  const failed = new Set<string>();
  let cursors = pairs.map((pair): PairCursor => ({ ...pair, after: "0x" }));
  for (let slice = 0; cursors.length > 0 && slice < maxSlices; slice += 1) {
    const stored = await storedAllowances(context.database, context.chainId, height, cursors);
    const outcomes = await context.multicall(stored.map(allowanceCall), height);
    for (const [position, allowance] of stored.entries()) {
      const outcome = outcomes[position];
      const reading = firstWord(outcome);
      if (reading === null) {
        incomplete.add(pairKey(allowance));
        if (isContractFailure(outcome)) failed.add(pairKey(allowance));
      } else if (BigInt(allowance.amount) !== reading) readings.push({ ...allowance, reading });
    }
    cursors = [...groupBy(stored, pairKey)].flatMap(([key, rows]): PairCursor[] => {
      const last = rows.at(-1);
      return last === undefined || rows.length < sliceSize || incomplete.has(key)
        ? []
        : [{ owner: last.owner, token: last.token, after: last.spender }];
    });
  }
  for (const pair of cursors) {
    incomplete.add(pairKey(pair));
    failed.add(pairKey(pair));
  }
  const completePairs = pairs.filter((pair) => !incomplete.has(pairKey(pair)));
  const isNodeUp = completePairs.length > 0 || failed.size > 0;
  return {
    readings,
    completePairs,
    incompletePairs: pairs.filter((pair) => incomplete.has(pairKey(pair))),
    failedPairs: pairs.filter((pair) => (isNodeUp ? incomplete : failed).has(pairKey(pair))),
  };
};

/** Whether the contract failed rather than the node: a multicall reports transient errors only if the node executes other calls. */
const isContractFailure = (outcome: CallOutcome | undefined): boolean =>
  outcome !== undefined && (outcome.ok || outcome.reverted || transientErrorOf(outcome) !== undefined);
