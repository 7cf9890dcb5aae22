import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import type { Chore } from "../../../jobs/chore.ts";
import type { Address } from "../../../lib/hex.ts";
import { standards } from "../standards.ts";
import { bringForward } from "./check-tokens.ts";
import { comparePairs } from "./compare.ts";
import { createHolderWalk } from "./holder-walk.ts";
import { indexedHead } from "./node-words.ts";
import type { Patience } from "./patience.ts";
import type { SettlingSettings } from "./settings.ts";

/** Holders of one look, and of one turn of a token. */
const holdersOfLook = 450;
const holdersOfTurn = 18_000;
/** Between two looks for requests that are too old to matter, and their age then. */
const pruneMilliseconds = 600_000;
const forgetMilliseconds = 86_400_000;

/**
 * Compares the balances of all holders of tokens that requests asked for within the last day: so a balance that changed without an event is found in time even
 * where no sample of holders has it. Tokens take turns, the one not compared for longest first.
 */
export const createCompareAsked = (settings: SettlingSettings, patience: Patience): Chore => {
  const walk = createHolderWalk(holdersOfTurn);
  let pruned = Number.NEGATIVE_INFINITY;
  return {
    name: "compare balances of tokens that requests ask for",
    everyMilliseconds: settings.refreshMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      if ((await indexedHead(context)) === null) return false;
      const now = clock().getTime();
      if (now - pruned >= pruneMilliseconds) {
        await forgetRequests(database, chainId, new Date(now - forgetMilliseconds));
        pruned = now;
      }
      // Half of the time that the answer promises: the other half is for the tokens that wait in front.
      const before = new Date(now - settings.askedMilliseconds / 2);
      const token = walk.token() ?? (await nextToken(database, chainId, before, patience.deferral.tokens(clock())));
      if (token === null) return false;
      if (walk.token() === null) {
        await bringForward(database, chainId, [token], clock(), settings.quietMilliseconds / 1000);
        walk.begin(token);
      }
      const { holders, isOver } = await walk.take(database, chainId, holdersOfLook);
      await comparePairs(
        context,
        holders.map(({ owner }) => ({ token, owner })),
        patience,
      );
      if (isOver) await recordRound(database, chainId, token, clock());
      return isOver;
    },
  };
};

/** Served by token_requests_due. */
const nextToken = async (database: Queryable, chainId: number, before: Date, deferred: readonly Address[]): Promise<Address | null> => {
  const [row] = await database.query<{ token: Address }>(
    `SELECT r.token FROM token_requests r
     WHERE r.chain_id = $1 AND (r.compared_at IS NULL OR r.compared_at < $2) AND r.token <> ALL ($3)
       AND NOT EXISTS (SELECT FROM node_sourced_tokens n WHERE n.chain_id = $1 AND n.token = r.token AND n.standard = ${standards.erc20})
       AND EXISTS (SELECT FROM token_standards s WHERE s.chain_id = $1 AND s.address = r.token AND s.standard = ${standards.erc20})
     ORDER BY r.compared_at NULLS FIRST, r.token LIMIT 1`,
    [chainId, before, deferred.map(bytes)],
  );
  return row?.token ?? null;
};

const recordRound = async (database: Queryable, chainId: number, token: Address, now: Date): Promise<void> => {
  await database.query("UPDATE token_requests SET compared_at = $3 WHERE chain_id = $1 AND token = $2", [chainId, bytes(token), now]);
};

/** The table has the tokens of one day. */
const forgetRequests = async (database: Queryable, chainId: number, before: Date): Promise<void> => {
  await database.query("DELETE FROM token_requests WHERE chain_id = $1 AND asked_at < $2", [chainId, before]);
};
