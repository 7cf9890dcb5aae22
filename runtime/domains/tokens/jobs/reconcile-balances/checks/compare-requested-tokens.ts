import { bytes } from "../../../../../database/codecs.ts";
import type { Queryable } from "../../../../../database/database.ts";
import { sql } from "../../../../../database/sql.ts";
import type { Job } from "../../../../../jobs/job.ts";
import type { Address } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";
import { indexedHead } from "../as-of-head.ts";
import type { CheckState } from "../check-state.ts";
import { createHolderCursor } from "../holders/holder-cursor.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { expediteChecks } from "./check-schedule.ts";
import { compareBalances } from "./compare-balances.ts";

/** Max holders per run, which is one turn of a token. */
const holdersPerRun = 450;
/** Max holders per round of a token, which takes several turns. */
const holdersPerRound = 18_000;
/** Max tokens whose unfinished round is remembered. */
const maxRounds = 1_000;
/** Max retries of a turn's holders if the contract does not respond; after that the round skips them. */
const maxFailures = 3;

/** Holders that a round has compared, and the number of consecutive turns without a response. */
interface Round {
  readonly compared: number;
  readonly failures: number;
}

/** The interval between two deletions of old requests. */
const pruneMilliseconds = 600_000;
/** The age at which a request is deleted. */
const retentionMilliseconds = 86_400_000;

/**
 * Compares the balances of all holders of tokens that were requested within the last day, which finds balances that changed without an event even if no
 * sample contains them. Tokens take turns of one run each, the longest-waiting first, until their round ends.
 */
export const createCompareRequestedTokensJob = (settings: ReconciliationSettings, state: CheckState): Job => {
  const cursor = createHolderCursor(holdersPerRun);
  const openRounds = new Map<Address, Round>();
  let prunedAt = Number.NEGATIVE_INFINITY;
  return {
    name: "compare-requested-tokens",
    intervalMilliseconds: settings.refreshMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      if ((await indexedHead(context)) === null) return false;
      const now = clock().getTime();
      if (now - prunedAt >= pruneMilliseconds) {
        await pruneRequests(database, chainId, new Date(now - retentionMilliseconds));
        prunedAt = now;
      }
      // Half of the configured interval; the other half is for the rounds themselves.
      const before = new Date(now - settings.requestedTokenIntervalMilliseconds / 2);
      const token = await nextToken(database, chainId, before, state.backoff.contractsToSkip(clock()));
      if (token === null) return false;
      if (!openRounds.has(token))
        await expediteChecks(database, chainId, [token], clock(), settings.minQuietCallIntervalMilliseconds / 1000);
      cursor.startTurn(token);
      const { holders, isLastPage } = await cursor.next(database, chainId, holdersPerRun);
      const { isDone, unresponsiveTokens } = await compareBalances(
        context,
        holders.map(({ owner }) => ({ token, owner })),
        state,
      );
      if (!isDone) {
        cursor.repeatTurn();
        return false;
      }
      await recordTurn(database, chainId, token, clock());
      const round = nextRound(openRounds.get(token), unresponsiveTokens.has(token));
      openRounds.delete(token);
      if (round.failures > 0) cursor.repeatTurn();
      const isRoundFinished = round.failures === 0 && (isLastPage || round.compared >= holdersPerRound);
      if (isRoundFinished) await recordRound(database, chainId, token, clock());
      else rememberRound(openRounds, token, round);
      // A token with few holders leaves time for the next one.
      return isRoundFinished && isLastPage;
    },
  };
};

/** The round after a turn. After a turn without a response, the same holders are compared again after the backoff, up to `maxFailures` times. */
const nextRound = ({ compared, failures }: Round = { compared: 0, failures: 0 }, isUnresponsive: boolean): Round =>
  isUnresponsive && failures < maxFailures ? { compared, failures: failures + 1 } : { compared: compared + holdersPerRun, failures: 0 };

const rememberRound = (rounds: Map<Address, Round>, token: Address, round: Round): void => {
  rounds.set(token, round);
  const oldest = rounds.keys().next().value;
  if (rounds.size > maxRounds && oldest !== undefined) rounds.delete(oldest);
};

const nextTokenSql = sql`
  SELECT r.token FROM token_requests r
  WHERE r.chain_id = $1 AND (r.compared_at IS NULL OR r.compared_at < $2) AND r.token <> ALL ($3)
    AND NOT EXISTS (SELECT FROM node_sourced_tokens n WHERE n.chain_id = $1 AND n.token = r.token AND n.standard = ${standards.erc20})
    AND EXISTS (SELECT FROM token_standards s WHERE s.chain_id = $1 AND s.address = r.token AND s.standard = ${standards.erc20})
  ORDER BY r.turn_at NULLS FIRST, r.token LIMIT 1`;

/** The token whose turn is next; null if no token is due. Served by token_requests_due. */
const nextToken = async (database: Queryable, chainId: number, before: Date, skipped: readonly Address[]): Promise<Address | null> => {
  const [row] = await database.query<{ token: Address }>(nextTokenSql, [chainId, before, skipped.map(bytes)]);
  return row?.token ?? null;
};

const recordTurn = async (database: Queryable, chainId: number, token: Address, now: Date): Promise<void> => {
  await database.query("UPDATE token_requests SET turn_at = $3 WHERE chain_id = $1 AND token = $2", [chainId, bytes(token), now]);
};

const recordRound = async (database: Queryable, chainId: number, token: Address, now: Date): Promise<void> => {
  await database.query("UPDATE token_requests SET compared_at = $3 WHERE chain_id = $1 AND token = $2", [chainId, bytes(token), now]);
};

/** Deletes old requests. Scans the table, which contains the requests of one day. */
const pruneRequests = async (database: Queryable, chainId: number, before: Date): Promise<void> => {
  await database.query("DELETE FROM token_requests WHERE chain_id = $1 AND asked_at < $2", [chainId, before]);
};
