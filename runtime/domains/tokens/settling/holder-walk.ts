import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { type Address, zeroAddress } from "../../../lib/hex.ts";
import { standards } from "../standards.ts";

/** A holder of an ERC-20 token, as the index has it. */
export interface Holder {
  readonly owner: Address;
  readonly balance: string;
  readonly since: number;
}

/** Tokens of which it is remembered how far they were walked through. */
const mostTokens = 1_000;

/**
 * Walks through the holders of one token after another, the largest first. A token with more of them than a turn has goes on in its next turn where the
 * last one ended, so that it keeps no other token waiting.
 */
export const createHolderWalk = (holdersOfTurn: number) => {
  const cursors = new Map<Address, Holder>();
  let turn: { readonly token: Address; after: Holder | null; count: number } | null = null;
  return {
    /** The token whose turn it is, or null between two turns. */
    token: (): Address | null => turn?.token ?? null,
    begin: (token: Address): void => {
      turn = { token, after: cursors.get(token) ?? null, count: 0 };
      cursors.delete(token);
    },
    /** The next holders of the turn, and whether they end it. */
    take: async (
      database: Queryable,
      chainId: number,
      limit: number,
    ): Promise<{ holders: readonly Holder[]; isOver: boolean; isEmpty: boolean }> => {
      if (turn === null) return { holders: [], isOver: true, isEmpty: true };
      const { token, after } = turn;
      const holders = await holdersAfter(database, chainId, token, after, limit);
      turn.count += holders.length;
      turn.after = holders.at(-1) ?? null;
      const isEnd = holders.length < limit;
      const isOver = isEnd || turn.count >= holdersOfTurn;
      if (isOver && !isEnd && turn.after !== null) cursors.set(token, turn.after);
      const oldest = cursors.keys().next().value;
      if (cursors.size > mostTokens && oldest !== undefined) cursors.delete(oldest);
      if (isOver) turn = null;
      return { holders, isOver, isEmpty: holders.length === 0 && after === null };
    },
  };
};

/** Served by balances_rank. */
const holdersAfter = (database: Queryable, chainId: number, token: Address, after: Holder | null, limit: number): Promise<Holder[]> =>
  database.query<Holder>(
    `SELECT owner, balance, since_block AS since FROM balances
     WHERE chain_id = $1 AND token = $2 AND standard = ${standards.erc20} AND balance > 0 AND standard > 0 AND owner <> $6
       AND ($3::numeric IS NULL OR (balance <= $3 AND (balance < $3 OR owner > $4)))
     ORDER BY balance DESC, owner LIMIT $5`,
    [chainId, bytes(token), after?.balance ?? null, after === null ? null : bytes(after.owner), limit, bytes(zeroAddress)],
  );
