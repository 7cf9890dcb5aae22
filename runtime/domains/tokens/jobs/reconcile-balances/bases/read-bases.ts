import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import type { Address } from "../../../../../lib/hex.ts";
import type { BalanceKey } from "../../../projection/reads-base.ts";
import { standards } from "../../../projection/standards.ts";
import { indexedHead, readBalances, writeAsOf } from "../as-of-head.ts";
import { markNodeSourced } from "../checks/mark-node-sourced.ts";
import { type ContractBackoff, createContractBackoff, type Deferral } from "../contract-backoff.ts";
import { recountHolders } from "../holders/holder-counts.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { type BalanceTables, balancesById, giveUp, type ReadBalance, settleBases, wholeBalances, withoutBase } from "./apply-bases.ts";

/** Balances that are settled in one transaction: each counts the holders of its tokens anew. */
const largestPortion = 1_350;

/** Finds out what was before an index that began late, or without the state of its first block: the node's balance at the head, less what moved since. */
export const createSettleBases = (settings: ReconciliationSettings): Job => {
  const patience = createContractBackoff(settings);
  return {
    name: "settle what was before the index",
    everyMilliseconds: settings.settleMilliseconds,
    run: async (context) => {
      const whole = await settlePortion(context, wholeBalances, patience);
      const byId = await settlePortion(context, balancesById, patience);
      return whole || byId;
    },
  };
};

const settlePortion = async (context: JobContext, tables: BalanceTables, { deferral, suspects }: ContractBackoff): Promise<boolean> => {
  const { database, chainId, clock } = context;
  const head = await indexedHead(context);
  if (head === null) return false;
  const keys = await withoutBase(database, chainId, tables, deferral.tokens(clock()), largestPortion);
  if (keys.length === 0) return false;
  const told = await tell(context, keys, head.number, deferral);
  if (told.length === 0) return false;
  const settled = await writeAsOf(context, head, async (client) => {
    const outcome = await settleBases(client, chainId, tables, head, told);
    if (tables === wholeBalances) await recountHolders(client, chainId, outcome.known);
    return outcome;
  });
  if (settled === null) return false;
  for (const { token, owner, standard } of settled.known) {
    deferral.clear(token);
    suspects.clear(standard === standards.native ? owner : token, owner);
  }
  const confirmed = new Map<Address, boolean>();
  for (const misfit of settled.misfits) {
    // A token lies for all its owners; a native balance stands for itself.
    const isNative = misfit.key.standard === standards.native;
    const subject = isNative ? misfit.key.owner : misfit.key.token;
    if (!confirmed.has(subject)) confirmed.set(subject, suspects.isConfirmed(subject, misfit.key.owner, clock()));
    if (confirmed.get(subject) === true) await dismiss(context, tables, misfit, head);
    else if (!isNative) deferral.put(subject, clock());
  }
  return settled.known.length > 0 && keys.length === largestPortion;
};

const tell = async (context: JobContext, keys: readonly BalanceKey[], height: number, deferral: Deferral): Promise<ReadBalance[]> => {
  const balances = await readBalances(context, keys, height);
  return keys.flatMap((key, position) => {
    const balance = balances[position] ?? null;
    if (balance === null) deferral.put(key.token, context.clock());
    return balance === null ? [] : [{ key, balance }];
  });
};

/** What was found twice not to fit: an ERC-20 token is the node's from then on, another balance stays unknown. */
const dismiss = async (context: JobContext, tables: BalanceTables, { key, balance }: ReadBalance, head: IndexedBlock): Promise<void> => {
  const difference = { token: key.token, owner: key.owner, eventsBalance: null, nodeBalance: balance };
  if (key.standard === standards.erc20) await markNodeSourced(context, head, difference);
  else await writeAsOf(context, head, (client) => giveUp(client, context.chainId, tables, key));
};
