import type { CallOutcome } from "../../../../chain/source.ts";
import type { JobContext } from "../../../../jobs/job.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import type { Address, Hex } from "../../../../lib/hex.ts";
import { type Pair, type Position, type StandingAllowance, standingAllowances } from "./pairs.ts";
import { maxSlices, slice } from "./settings.ts";

/** What a contract said of an allowance, where the index has another amount. */
export interface AllowanceReading extends StandingAllowance {
  readonly told: bigint;
}

/** What came of asking for the allowances of pairs. */
export interface Asked {
  readonly readings: readonly AllowanceReading[];
  readonly answered: readonly Pair[];
  /** Pairs of which at least one allowance was not told. */
  readonly silent: readonly Pair[];
  /** Those of them whose contract is to blame: the node ran it, or told of other contracts and not of this one. */
  readonly refused: readonly Pair[];
}

/** EIP-20 allowance(address,address). */
export const allowanceCall = ({ owner, token, spender }: Pair & { readonly spender: Address }): { to: Address; data: Hex } => ({
  to: token,
  data: `0xdd62ed3e${owner.slice(2).padStart(64, "0")}${spender.slice(2).padStart(64, "0")}`,
});

/** Hex digits of one word with their 0x: what is shorter is no uint256. */
const wordLength = 66;

/** The first word of an answer, as a contract reads it; null where there is none. */
export const wordTold = (outcome: CallOutcome | undefined): bigint | null =>
  outcome?.ok === true && outcome.data.length >= wordLength ? BigInt(outcome.data.slice(0, wordLength)) : null;

export const pairKey = ({ owner, token }: Pair): string => `${owner}${token}`;

/** Asks the contracts for all standing allowances of pairs as of a block, slice by slice. */
export const askAllowances = async (context: JobContext, height: number, pairs: readonly Pair[]): Promise<Asked> => {
  const readings: AllowanceReading[] = [];
  const silent = new Set<string>();
  const refused = new Set<string>();
  let open = pairs.map((pair): Position => ({ ...pair, after: "0x" }));
  for (let turn = 0; open.length > 0 && turn < maxSlices; turn += 1) {
    const standing = await standingAllowances(context.database, context.chainId, height, open);
    const outcomes = await context.multicall(standing.map(allowanceCall), height);
    for (const [position, one] of standing.entries()) {
      const outcome = outcomes[position];
      const told = wordTold(outcome);
      if (told === null) {
        silent.add(pairKey(one));
        if (outcome?.ok === true || outcome?.reverted === true) refused.add(pairKey(one));
      } else if (BigInt(one.amount) !== told) readings.push({ ...one, told });
    }
    open = [...groupBy(standing, pairKey)].flatMap(([key, rows]): Position[] => {
      const last = rows.at(-1);
      return last === undefined || rows.length < slice || silent.has(key)
        ? []
        : [{ owner: last.owner, token: last.token, after: last.spender }];
    });
  }
  for (const pair of open) {
    silent.add(pairKey(pair));
    refused.add(pairKey(pair));
  }
  const answered = pairs.filter((pair) => !silent.has(pairKey(pair)));
  const isNodeUp = answered.length > 0 || refused.size > 0;
  return {
    readings,
    answered,
    silent: pairs.filter((pair) => silent.has(pairKey(pair))),
    refused: pairs.filter((pair) => (isNodeUp ? silent : refused).has(pairKey(pair))),
  };
};
