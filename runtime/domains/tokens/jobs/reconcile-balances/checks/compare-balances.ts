import type { JobContext } from "../../../../../jobs/job.ts";
import type { Address } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";
import { isCanonical, readBalances } from "../as-of-head.ts";
import type { CheckState, Suspects } from "../check-state.ts";
import { type EventBalance, eventBalances, recordChecks, type TokenHolder } from "./check-schedule.ts";
import { type Difference, markNodeSourced } from "./mark-node-sourced.ts";

/** The result of comparing balances. */
export interface BalanceComparison {
  /** False if the node does not have the indexed block; then nothing was compared. */
  readonly isDone: boolean;
  readonly differingTokens: ReadonlySet<Address>;
  /** Tokens with at least one comparison of a non-zero balance. */
  readonly conclusiveTokens: ReadonlySet<Address>;
  /** Tokens whose contracts returned no balance at all. */
  readonly unresponsiveTokens: ReadonlySet<Address>;
}

const emptyComparison: BalanceComparison = {
  isDone: true,
  differingTokens: new Set(),
  conclusiveTokens: new Set(),
  unresponsiveTokens: new Set(),
};

/**
 * Compares event-sourced balances with `balanceOf` as of the same block. A token that differs becomes a suspect; one that differs again later becomes
 * node-sourced. A missing response is not a difference. A zero on both sides is inconclusive and is not recorded as a check of the token: a rebasing
 * token has the same zeros as any other.
 */
export const compareBalances = async (
  context: JobContext,
  holders: readonly TokenHolder[],
  { backoff, suspects }: CheckState,
): Promise<BalanceComparison> => {
  if (holders.length === 0) return emptyComparison;
  const { chainId, clock, database } = context;
  const stored = await eventBalances(database, chainId, holders);
  if (stored === null) {
    clearUnconfirmed(suspects, holders, new Map());
    return emptyComparison;
  }
  const { head, balances } = stored;
  const nodeBalances = await readBalances(
    context,
    balances.map(({ owner, token }) => ({ owner, token, standard: standards.erc20, tokenId: null })),
    head.number,
  );
  if (!(await isCanonical(context, head))) return { ...emptyComparison, isDone: false };
  const differences = new Map<Address, Difference>();
  const failed = new Set<Address>();
  const responsive = new Set<Address>();
  for (const [position, balance] of balances.entries()) {
    const node = nodeBalances[position] ?? null;
    (node === null ? failed : responsive).add(balance.token);
    if (node === null) continue;
    if (isSame(balance, node)) suspects.clear(balance.token, balance.owner);
    else differences.set(balance.token, differenceOf(balance, node));
  }
  for (const token of failed) backoff.recordFailure(token, clock());
  clearUnconfirmed(suspects, holders, differences);
  for (const difference of differences.values()) {
    if (suspects.recordDifference(difference.token, difference.owner, clock())) await markNodeSourced(context, head, difference);
  }
  const conclusiveTokens = new Set(
    balances.flatMap(({ token, balance }, position) => (isConclusive(balance, nodeBalances[position] ?? null) ? [token] : [])),
  );
  await recordChecks(database, chainId, [...conclusiveTokens], head.number, clock());
  return {
    isDone: true,
    differingTokens: new Set(differences.keys()),
    conclusiveTokens,
    unresponsiveTokens: new Set([...failed].filter((token) => !responsive.has(token))),
  };
};

/** Drops suspects that the second comparison did not confirm, for any reason: unresponsive tokens would otherwise fill every run. */
const clearUnconfirmed = (suspects: Suspects, holders: readonly TokenHolder[], differences: ReadonlyMap<Address, Difference>): void => {
  for (const { token, owner } of holders) if (!differences.has(token)) suspects.clear(token, owner);
};

const isConclusive = (balance: string | null, node: bigint | null): boolean => node !== null && (balance !== "0" || node > 0n);

const isSame = ({ balance }: EventBalance, node: bigint): boolean => balance !== null && BigInt(balance) === node;

const differenceOf = ({ token, owner, balance }: EventBalance, nodeBalance: bigint): Difference => ({
  token,
  owner,
  eventBalance: balance === null ? null : BigInt(balance),
  nodeBalance,
});
