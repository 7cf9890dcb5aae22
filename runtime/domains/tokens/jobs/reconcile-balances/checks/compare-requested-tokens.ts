import { bytes } from "../../../../../database/codecs.ts";
import type { Queryable } from "../../../../../database/database.ts";
import type { Job } from "../../../../../jobs/job.ts";
import type { Address } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";
import { indexedHead } from "../as-of-head.ts";
import type { CheckState } from "../check-state.ts";
import { createHolderCursor } from "../holders/holder-cursor.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { expediteChecks } from "./check-schedule.ts";
import { compareBalances } from "./compare-balances.ts";

/** Holders of one look, which is a token's turn, and of one round of a token. */
const holdersPerRun = 450;
const holdersPerRound = 18_000;
/** Tokens whose round is remembered while others have their turns. */
const maxRounds = 1_000;
/** Looks in a row without any answer after which the holders of a look are taken again; then the round goes on without them. */
const maxFailures = 3;

/** How many holders a round has been through, and the looks in a row that had no answer. */
interface Round {
  readonly compared: number;
  readonly failures: number;
}
/** Between two looks for requests that are too old to matter, and their age then. */
const pruneMilliseconds = 600_000;
const retentionMilliseconds = 86_400_000;

/**
 * Compares the balances of all holders of tokens that requests asked for within the last day: so a balance that changed without an event is found in time even
 * where no sample of holders has it. Tokens take turns of one look, the one whose turn is longest ago first, until their round is over.
 */
export const createCompareRequested = (settings: ReconciliationSettings, patience: CheckState): Job => {
  const walk = createHolderCursor(holdersPerRun);
  /** Rounds that are not over. */
  const rounds = new Map<Address, Round>();
  let pruned = Number.NEGATIVE_INFINITY;
  return {
    name: "compare-requested-tokens",
    everyMilliseconds: settings.refreshMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      if ((await indexedHead(context)) === null) return false;
      const now = clock().getTime();
      if (now - pruned >= pruneMilliseconds) {
        await pruneRequests(database, chainId, new Date(now - retentionMilliseconds));
        pruned = now;
      }
      // Half of the time that the answer promises: the other half is for the rounds themselves.
      const before = new Date(now - settings.requestedMilliseconds / 2);
      const token = await nextToken(database, chainId, before, patience.backoff.tokens(clock()));
      if (token === null) return false;
      if (!rounds.has(token)) await expediteChecks(database, chainId, [token], clock(), settings.quietMilliseconds / 1000);
      walk.begin(token);
      const { holders, isEnd } = await walk.take(database, chainId, holdersPerRun);
      const { isDone, unresponsive: silent } = await compareBalances(
        context,
        holders.map(({ owner }) => ({ token, owner })),
        patience,
      );
      if (!isDone) {
        walk.putBack();
        return false;
      }
      await recordTurn(database, chainId, token, clock());
      const next = nextRound(rounds.get(token), silent.has(token));
      rounds.delete(token);
      if (next.failures > 0) walk.putBack();
      const isOver = next.failures === 0 && (isEnd || next.compared >= holdersPerRound);
      if (isOver) await recordRound(database, chainId, token, clock());
      else rememberRound(rounds, token, next);
      // Of tokens with few holders, the next one follows at once.
      return isOver && isEnd;
    },
  };
};

/** A silent contract is left alone for a while (patience), and the same holders are compared then, unless it was silent too often. */
const nextRound = ({ compared, failures: silences }: Round = { compared: 0, failures: 0 }, isSilent: boolean): Round =>
  isSilent && silences < maxFailures ? { compared, failures: silences + 1 } : { compared: compared + holdersPerRun, failures: 0 };

const rememberRound = (rounds: Map<Address, Round>, token: Address, round: Round): void => {
  rounds.set(token, round);
  const oldest = rounds.keys().next().value;
  if (rounds.size > maxRounds && oldest !== undefined) rounds.delete(oldest);
};

/** Served by token_requests_due. */
const nextToken = async (database: Queryable, chainId: number, before: Date, deferred: readonly Address[]): Promise<Address | null> => {
  const [row] = await database.query<{ token: Address }>(
    `SELECT r.token FROM token_requests r
     WHERE r.chain_id = $1 AND (r.compared_at IS NULL OR r.compared_at < $2) AND r.token <> ALL ($3)
       AND NOT EXISTS (SELECT FROM node_sourced_tokens n WHERE n.chain_id = $1 AND n.token = r.token AND n.standard = ${standards.erc20})
       AND EXISTS (SELECT FROM token_standards s WHERE s.chain_id = $1 AND s.address = r.token AND s.standard = ${standards.erc20})
     ORDER BY r.turn_at NULLS FIRST, r.token LIMIT 1`,
    [chainId, before, deferred.map(bytes)],
  );
  return row?.token ?? null;
};

const recordTurn = async (database: Queryable, chainId: number, token: Address, now: Date): Promise<void> => {
  await database.query("UPDATE token_requests SET turn_at = $3 WHERE chain_id = $1 AND token = $2", [chainId, bytes(token), now]);
};

const recordRound = async (database: Queryable, chainId: number, token: Address, now: Date): Promise<void> => {
  await database.query("UPDATE token_requests SET compared_at = $3 WHERE chain_id = $1 AND token = $2", [chainId, bytes(token), now]);
};

/** The table has the tokens of one day. */
const pruneRequests = async (database: Queryable, chainId: number, before: Date): Promise<void> => {
  await database.query("DELETE FROM token_requests WHERE chain_id = $1 AND asked_at < $2", [chainId, before]);
};
