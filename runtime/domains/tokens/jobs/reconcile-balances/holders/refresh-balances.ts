import { bytes } from "../../../../../database/codecs.ts";
import type { Queryable } from "../../../../../database/database.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import type { Address } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";
import { indexedHead, readBalances, writeIfCanonical } from "../as-of-head.ts";
import { createChangeLocator, type EventlessChange } from "../quiet-calls/locate-changes.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { updateHolderCounts } from "./holder-counts.ts";
import { createHolderCursor, type Holder } from "./holder-cursor.ts";
import { type NodeReading, writeReadings } from "./readings.ts";

/** Max holders per run, and in all runs for one token before the next token. */
const holdersPerRun = 450;
const holdersPerTurn = 4_500;

/** Refreshes balances of node-sourced tokens, the least recently refreshed token first. */
export const createRefreshBalancesJob = (settings: ReconciliationSettings): Job => {
  const cursor = createHolderCursor(holdersPerTurn);
  const locate = createChangeLocator(settings);
  return {
    name: "refresh-balances",
    intervalMilliseconds: settings.refreshMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const token =
        cursor.token() ?? (await nextToken(database, chainId, new Date(clock().getTime() - settings.tokenRefreshIntervalMilliseconds)));
      if (token === null) return false;
      if (cursor.token() === null) cursor.startTurn(token);
      const { holders, isTurnFinished, isEmpty } = await cursor.next(database, chainId, holdersPerRun);
      if (holders.length > 0) await locate(context, head, await refreshHolders(context, head, token, holders));
      if (!isTurnFinished) return false;
      await recordRefresh(database, chainId, token, clock());
      // Continues without a pause if the token has no holders: there may be thousands of such tokens.
      return isEmpty;
    },
  };
};

/** The token with the oldest refresh; null if none is due. Scans the chain's rows of node_sourced_tokens, which is small. */
const nextToken = async (database: Queryable, chainId: number, before: Date): Promise<Address | null> => {
  const [row] = await database.query<{ token: Address }>(
    `SELECT token FROM node_sourced_tokens WHERE chain_id = $1 AND standard = $3 AND coalesce(refreshed_at, found_at) < $2
     ORDER BY coalesce(refreshed_at, found_at), token LIMIT 1`,
    [chainId, before, standards.erc20],
  );
  return row?.token ?? null;
};

/** Reads the holders' balances again; stores those that have changed, and returns the changes. */
const refreshHolders = async (
  context: JobContext,
  head: IndexedBlock,
  token: Address,
  holders: readonly Holder[],
): Promise<readonly EventlessChange[]> => {
  const keys = holders.map(({ owner }) => ({ owner, token, standard: standards.erc20, tokenId: null }));
  const balances = await readBalances(context, keys, head.number);
  const readings = keys.flatMap((key, position): NodeReading[] => {
    const [holder, balance] = [holders[position], balances[position] ?? null];
    if (holder === undefined || balance === null || BigInt(holder.balance) === balance || holder.since > head.number) return [];
    return [{ key, since: holder.since, balance, readAt: head.number }];
  });
  if (readings.length === 0) return [];
  const before = new Map(holders.map(({ owner, balance }) => [owner, BigInt(balance)]));
  await writeIfCanonical(context, head, async (client) => {
    await writeReadings(client, context.chainId, readings);
    if (readings.some(({ key, balance }) => balance === 0n || before.get(key.owner) === 0n)) {
      await updateHolderCounts(client, context.chainId, [{ token, standard: standards.erc20, since: head.number }], head.number);
    }
  });
  return readings.map(({ key: { owner }, since, balance }) => ({ token, owner, since, before: before.get(owner) ?? 0n, after: balance }));
};

const recordRefresh = async (database: Queryable, chainId: number, token: Address, now: Date): Promise<void> => {
  await database.query("UPDATE node_sourced_tokens SET refreshed_at = $3 WHERE chain_id = $1 AND token = $2 AND standard = $4", [
    chainId,
    bytes(token),
    now,
    standards.erc20,
  ]);
};
