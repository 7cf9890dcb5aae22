import type { ContractBackoff } from "../../../../../chain/contract-backoff.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import type { Address } from "../../../../../lib/hex.ts";
import type { BalanceKey } from "../../../projection/base-reads.ts";
import { standards } from "../../../projection/standards.ts";
import { indexedHead, readBalances, writeIfCanonical } from "../as-of-head.ts";
import { type CheckState, createCheckState } from "../check-state.ts";
import { markNodeSourced } from "../checks/mark-node-sourced.ts";
import { recountHolders } from "../holders/holder-counts.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { applyBases, type BalanceReading, balancesWithoutBase, balanceTables, markUnknown, nftBalanceTables } from "./apply-bases.ts";
import type { BalanceTables } from "./base-statements.ts";

/** Max balances per transaction, because it recounts the holders of all their tokens. */
const maxKeys = 1_350;

/**
 * Determines base balances of an index that started late, or without the state before its first block: the balance at the head minus the net change
 * since.
 */
export const createReadBasesJob = (settings: ReconciliationSettings): Job => {
  const state = createCheckState(settings);
  return {
    name: "read-base-balances",
    intervalMilliseconds: settings.readMilliseconds,
    run: async (context) => {
      const hasMore = await readPortion(context, balanceTables, state);
      const hasMoreNfts = await readPortion(context, nftBalanceTables, state);
      return hasMore || hasMoreNfts;
    },
  };
};

/** Reads and applies a portion of bases; true if a full portion was applied, so that there may be more. */
const readPortion = async (context: JobContext, tables: BalanceTables, { backoff, suspects }: CheckState): Promise<boolean> => {
  const { database, chainId, clock } = context;
  const head = await indexedHead(context);
  if (head === null) return false;
  const keys = await balancesWithoutBase(database, chainId, tables, backoff.contractsToSkip(clock()), maxKeys);
  if (keys.length === 0) return false;
  const readings = await readKeys(context, keys, head.number, backoff);
  if (readings.length === 0) return false;
  const result = await writeIfCanonical(context, head, async (client) => {
    const applied = await applyBases(client, chainId, tables, head, readings);
    if (tables === balanceTables) await recountHolders(client, chainId, applied.resolved);
    return applied;
  });
  if (result === null) return false;
  for (const { token, owner, standard } of result.resolved) {
    backoff.clear(token);
    suspects.clear(standard === standards.native ? owner : token, owner);
  }
  const confirmed = new Map<Address, boolean>();
  for (const reading of result.inconsistent) {
    // One inconsistent holder shows that none of the token's events are reliable; native balances are independent of each other.
    const isNative = reading.key.standard === standards.native;
    const subject = isNative ? reading.key.owner : reading.key.token;
    if (!confirmed.has(subject)) confirmed.set(subject, suspects.recordDifference(subject, reading.key.owner, clock()));
    if (confirmed.get(subject) === true) await rejectInconsistent(context, tables, reading, head);
    else if (!isNative) backoff.recordFailure(subject, clock());
  }
  return result.resolved.length > 0 && keys.length === maxKeys;
};

const readKeys = async (
  context: JobContext,
  keys: readonly BalanceKey[],
  height: number,
  backoff: ContractBackoff,
): Promise<BalanceReading[]> => {
  const balances = await readBalances(context, keys, height);
  return keys.flatMap((key, position) => {
    const balance = balances[position] ?? null;
    if (balance === null) backoff.recordFailure(key.token, context.clock());
    return balance === null ? [] : [{ key, balance }];
  });
};

/** Handles a balance that was inconsistent twice: an ERC-20 token becomes node-sourced, any other balance stays unknown. */
const rejectInconsistent = async (
  context: JobContext,
  tables: BalanceTables,
  { key, balance }: BalanceReading,
  head: IndexedBlock,
): Promise<void> => {
  const difference = { token: key.token, owner: key.owner, eventBalance: null, nodeBalance: balance };
  if (key.standard === standards.erc20) await markNodeSourced(context, head, difference);
  else await writeIfCanonical(context, head, (client) => markUnknown(client, context.chainId, tables, key));
};
