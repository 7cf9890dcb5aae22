import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import type { TokenBackoff } from "../../../../../jobs/token-backoff.ts";
import type { Address } from "../../../../../lib/hex.ts";
import type { BalanceKey } from "../../../projection/reads-base.ts";
import { standards } from "../../../projection/standards.ts";
import { indexedHead, readBalances, writeAsOf } from "../as-of-head.ts";
import { type CheckState, createCheckState } from "../check-state.ts";
import { markNodeSourced } from "../checks/mark-node-sourced.ts";
import { recountHolders } from "../holders/holder-counts.ts";
import type { ReconciliationSettings } from "../settings.ts";
import {
  applyBases,
  type BalanceReading,
  type BalanceTables,
  balancesWithoutBase,
  balanceTables,
  markUnknown,
  nftBalanceTables,
} from "./apply-bases.ts";

/** Balances that are settled in one transaction: each counts the holders of its tokens anew. */
const maxKeys = 1_350;

/** Finds out what was before an index that began late, or without the state of its first block: the node's balance at the head, less what moved since. */
export const createReadBases = (settings: ReconciliationSettings): Job => {
  const patience = createCheckState(settings);
  return {
    name: "read-base-balances",
    everyMilliseconds: settings.readMilliseconds,
    run: async (context) => {
      const whole = await readPortion(context, balanceTables, patience);
      const byId = await readPortion(context, nftBalanceTables, patience);
      return whole || byId;
    },
  };
};

const readPortion = async (context: JobContext, tables: BalanceTables, { backoff: deferral, suspects }: CheckState): Promise<boolean> => {
  const { database, chainId, clock } = context;
  const head = await indexedHead(context);
  if (head === null) return false;
  const keys = await balancesWithoutBase(database, chainId, tables, deferral.tokens(clock()), maxKeys);
  if (keys.length === 0) return false;
  const told = await readKeys(context, keys, head.number, deferral);
  if (told.length === 0) return false;
  const settled = await writeAsOf(context, head, async (client) => {
    const outcome = await applyBases(client, chainId, tables, head, told);
    if (tables === balanceTables) await recountHolders(client, chainId, outcome.resolved);
    return outcome;
  });
  if (settled === null) return false;
  for (const { token, owner, standard } of settled.resolved) {
    deferral.clear(token);
    suspects.clear(standard === standards.native ? owner : token, owner);
  }
  const confirmed = new Map<Address, boolean>();
  for (const misfit of settled.inconsistent) {
    // A token lies for all its owners; a native balance stands for itself.
    const isNative = misfit.key.standard === standards.native;
    const subject = isNative ? misfit.key.owner : misfit.key.token;
    if (!confirmed.has(subject)) confirmed.set(subject, suspects.isConfirmed(subject, misfit.key.owner, clock()));
    if (confirmed.get(subject) === true) await rejectInconsistent(context, tables, misfit, head);
    else if (!isNative) deferral.put(subject, clock());
  }
  return settled.resolved.length > 0 && keys.length === maxKeys;
};

const readKeys = async (
  context: JobContext,
  keys: readonly BalanceKey[],
  height: number,
  deferral: TokenBackoff,
): Promise<BalanceReading[]> => {
  const balances = await readBalances(context, keys, height);
  return keys.flatMap((key, position) => {
    const balance = balances[position] ?? null;
    if (balance === null) deferral.put(key.token, context.clock());
    return balance === null ? [] : [{ key, balance }];
  });
};

/** What was found twice not to fit: an ERC-20 token is the node's from then on, another balance stays unknown. */
const rejectInconsistent = async (
  context: JobContext,
  tables: BalanceTables,
  { key, balance }: BalanceReading,
  head: IndexedBlock,
): Promise<void> => {
  const difference = { token: key.token, owner: key.owner, eventBalance: null, nodeBalance: balance };
  if (key.standard === standards.erc20) await markNodeSourced(context, head, difference);
  else await writeAsOf(context, head, (client) => markUnknown(client, context.chainId, tables, key));
};
