import type { JobContext } from "../../../../../jobs/job.ts";
import type { Address } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";
import { isCanonical, readBalances } from "../as-of-head.ts";
import type { CheckState, Suspects } from "../check-state.ts";
import { type EventBalance, eventBalances, recordChecks, type TokenHolder } from "./check-schedule.ts";
import { type Difference, markNodeSourced } from "./mark-node-sourced.ts";

/** What a comparison of balances found. */
export interface Comparison {
  /** False where the node does not have the indexed block, so that nothing was compared. */
  readonly isDone: boolean;
  readonly differing: ReadonlySet<Address>;
  /** Tokens of which a balance other than zero was compared. */
  readonly conclusive: ReadonlySet<Address>;
  /** Tokens of which balances were asked and none was answered. */
  readonly unresponsive: ReadonlySet<Address>;
}

const emptyComparison: Comparison = { isDone: true, differing: new Set(), conclusive: new Set(), unresponsive: new Set() };

/**
 * Compares balances as events have them with what the contracts say after the same block. A token that differs is looked at again later; one that differs then
 * as well is the node's from there on. A contract that gives no answer does not differ. A zero that both have
 * proves nothing, and does not count as a check of the token: a rebasing token has the same zeros as any other.
 */
export const compareBalances = async (
  context: JobContext,
  pairs: readonly TokenHolder[],
  { backoff: deferral, suspects }: CheckState,
): Promise<Comparison> => {
  if (pairs.length === 0) return emptyComparison;
  const { chainId, clock, database } = context;
  const known = await eventBalances(database, chainId, pairs);
  if (known === null) {
    clearUnconfirmed(suspects, pairs, new Map());
    return emptyComparison;
  }
  const { head, balances } = known;
  const told = await readBalances(
    context,
    balances.map(({ owner, token }) => ({ owner, token, standard: standards.erc20, tokenId: null })),
    head.number,
  );
  if (!(await isCanonical(context, head))) return { ...emptyComparison, isDone: false };
  const differences = new Map<Address, Difference>();
  const silent = new Set<Address>();
  const answered = new Set<Address>();
  for (const [position, balance] of balances.entries()) {
    const node = told[position] ?? null;
    (node === null ? silent : answered).add(balance.token);
    if (node === null) continue;
    if (isSame(balance, node)) suspects.clear(balance.token, balance.owner);
    else differences.set(balance.token, differenceOf(balance, node));
  }
  for (const token of silent) deferral.put(token, clock());
  clearUnconfirmed(suspects, pairs, differences);
  for (const difference of differences.values()) {
    if (suspects.isConfirmed(difference.token, difference.owner, clock())) await markNodeSourced(context, head, difference);
  }
  const proven = new Set(
    balances.flatMap(({ token, balance }, position) => (isConclusive(balance, told[position] ?? null) ? [token] : [])),
  );
  await recordChecks(database, chainId, [...proven], head.number, clock());
  return {
    isDone: true,
    differing: new Set(differences.keys()),
    conclusive: proven,
    unresponsive: new Set([...silent].filter((token) => !answered.has(token))),
  };
};

/** What a second look does not bear out, for whatever reason, waits for no third one: tokens that fall silent would take all places of a look. */
const clearUnconfirmed = (suspects: Suspects, pairs: readonly TokenHolder[], differences: ReadonlyMap<Address, Difference>): void => {
  for (const { token, owner } of pairs) if (!differences.has(token)) suspects.clear(token, owner);
};

/** An answer, and not zero on both sides. */
const isConclusive = (balance: string | null, node: bigint | null): boolean => node !== null && (balance !== "0" || node > 0n);

const isSame = ({ balance }: EventBalance, node: bigint): boolean => balance !== null && BigInt(balance) === node;

const differenceOf = ({ token, owner, balance }: EventBalance, nodeBalance: bigint): Difference => ({
  token,
  owner,
  eventBalance: balance === null ? null : BigInt(balance),
  nodeBalance,
});
