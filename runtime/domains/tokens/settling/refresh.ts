import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import type { IndexedBlock } from "../../../indexer/types.ts";
import type { Chore, ChoreContext } from "../../../jobs/chore.ts";
import type { Address } from "../../../lib/hex.ts";
import { standards } from "../standards.ts";
import { countOnHolders } from "./holder-counts.ts";
import { type NodeReading, writeReadings } from "./node-balances.ts";
import { askBalances, indexedHead, writeAsOf } from "./node-words.ts";
import { portion, type SettlingSettings } from "./settings.ts";

/** A holder of a token, as the node said last. */
interface Holder {
  readonly owner: Address;
  readonly balance: string;
  readonly since: number;
}

/** How far a token's holders have been asked anew: the last one asked, in the order of balances_rank. */
interface Round {
  readonly token: Address;
  readonly after: Holder | null;
}

/** Asks contracts again that change balances without an event: token by token, the one asked longest ago first, holder by holder. */
export const createRefresh = (settings: SettlingSettings): Chore => {
  let round: Round | null = null;
  return {
    name: "read balances again",
    everyMilliseconds: settings.refreshMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      round ??= await nextRound(database, chainId, new Date(clock().getTime() - settings.refreshAgainMilliseconds));
      if (round === null) return false;
      const holders = await holdersAfter(database, chainId, round, portion);
      if (holders.length > 0) await askAgain(context, head, round.token, holders);
      const last = holders.at(-1);
      if (last !== undefined && holders.length === portion) {
        round = { token: round.token, after: last };
        return false;
      }
      // Tokens that nobody has any more keep those waiting that somebody has: of them there may be thousands.
      const isEmpty = round.after === null && holders.length === 0;
      await finish(database, chainId, round.token, clock());
      round = null;
      return isEmpty;
    },
  };
};

/** The node-sourced tokens are few. */
const nextRound = async (database: Queryable, chainId: number, before: Date): Promise<Round | null> => {
  const [row] = await database.query<{ token: Address }>(
    `SELECT token FROM node_sourced_tokens WHERE chain_id = $1 AND standard = ${standards.erc20} AND coalesce(refreshed_at, found_at) < $2
     ORDER BY coalesce(refreshed_at, found_at), token LIMIT 1`,
    [chainId, before],
  );
  return row === undefined ? null : { token: row.token, after: null };
};

/** Served by balances_rank. */
const holdersAfter = (database: Queryable, chainId: number, { token, after }: Round, limit: number): Promise<Holder[]> =>
  database.query<Holder>(
    `SELECT owner, balance, since_block AS since FROM balances
     WHERE chain_id = $1 AND token = $2 AND standard = ${standards.erc20} AND balance > 0 AND standard > 0
       AND ($3::numeric IS NULL OR (balance <= $3 AND (balance < $3 OR owner > $4)))
     ORDER BY balance DESC, owner LIMIT $5`,
    [chainId, bytes(token), after?.balance ?? null, after === null ? null : bytes(after.owner), limit],
  );

const askAgain = async (context: ChoreContext, head: IndexedBlock, token: Address, holders: readonly Holder[]): Promise<void> => {
  const keys = holders.map(({ owner }) => ({ owner, token, standard: standards.erc20, tokenId: null }));
  const balances = await askBalances(context, keys, head.number);
  const readings = keys.flatMap((key, position): NodeReading[] => {
    const [holder, balance] = [holders[position], balances[position] ?? null];
    if (holder === undefined || balance === null || BigInt(holder.balance) === balance || holder.since > head.number) return [];
    return [{ key, since: holder.since, balance, readAt: head.number }];
  });
  if (readings.length === 0) return;
  await writeAsOf(context, head, async (client) => {
    await writeReadings(client, context.chainId, readings);
    if (readings.some(({ balance }) => balance === 0n)) {
      await countOnHolders(client, context.chainId, [{ token, standard: standards.erc20, since: head.number }], head.number);
    }
  });
};

const finish = async (database: Queryable, chainId: number, token: Address, now: Date): Promise<void> => {
  await database.query(
    `UPDATE node_sourced_tokens SET refreshed_at = $3 WHERE chain_id = $1 AND token = $2 AND standard = ${standards.erc20}`,
    [chainId, bytes(token), now],
  );
};
