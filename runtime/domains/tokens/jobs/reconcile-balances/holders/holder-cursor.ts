import { bytes } from "../../../../../database/codecs.ts";
import type { Queryable } from "../../../../../database/database.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";

/** A holder of an ERC-20 token, as the index has it. */
export interface Holder {
  readonly owner: Address;
  readonly balance: string;
  readonly since: number;
}

/** Where a walk goes on: after a current holder in the order of balances_rank, or after a past balance in the order of balance_periods_rank. */
type Cursor =
  | { readonly of: "holders"; readonly after: Holder | null }
  | { readonly of: "former holders"; readonly after: PastBalance | null };

interface PastBalance {
  readonly owner: Address;
  readonly balance: string;
  readonly pivot: number;
}

/** A part of a walk: the owners that it found, how many rows it read, and where the next one begins; null at the end. */
interface Part {
  readonly holders: readonly Holder[];
  readonly rows: number;
  readonly next: Cursor | null;
}

/** Tokens of which it is remembered how far they were walked through. */
const maxTokens = 1_000;

/**
 * Walks through the holders of one token after another, the largest first, then through those that had some once and have none now: a contract may give it
 * back without an event. A token with more of them than a turn has goes on in its next turn where the last one ended, so that it keeps no other token waiting.
 */
export const createHolderCursor = (holdersOfTurn: number) => {
  const cursors = new Map<Address, Cursor>();
  let turn: { readonly token: Address; readonly start: Cursor; cursor: Cursor; count: number } | null = null;
  let last: { readonly token: Address; readonly start: Cursor } | null = null;
  return {
    /** Has the last turn taken again from its start when its token has the next one. */
    putBack: (): void => {
      if (last !== null) remember(cursors, last.token, last.start);
      turn = null;
    },
    /** The token whose turn it is, or null between two turns. */
    token: (): Address | null => turn?.token ?? null,
    begin: (token: Address): void => {
      const start = cursors.get(token) ?? { of: "holders", after: null };
      turn = { token, start, cursor: start, count: 0 };
      cursors.delete(token);
    },
    /** The next owners of the turn, and whether they end it; `isEnd` where they are the last of the token, `isEmpty` where the token never had a holder. */
    take: async (
      database: Queryable,
      chainId: number,
      limit: number,
    ): Promise<{ holders: readonly Holder[]; isOver: boolean; isEnd: boolean; isEmpty: boolean }> => {
      if (turn === null) return { holders: [], isOver: true, isEnd: true, isEmpty: true };
      const { token, start } = turn;
      last = turn;
      const { holders, rows, next } = await readPart(database, chainId, token, turn.cursor, limit);
      const isEmpty = rows === 0 && turn.count === 0 && start.of === "holders" && start.after === null;
      turn.count += rows;
      const isOver = next === null || turn.count >= holdersOfTurn;
      if (isOver) turn = null;
      else turn.cursor = next;
      if (isOver && next !== null) remember(cursors, token, next);
      return { holders, isOver, isEnd: next === null, isEmpty };
    },
  };
};

const remember = (cursors: Map<Address, Cursor>, token: Address, cursor: Cursor): void => {
  cursors.set(token, cursor);
  const oldest = cursors.keys().next().value;
  if (cursors.size > maxTokens && oldest !== undefined) cursors.delete(oldest);
};

/** The next owners of a walk; few holders leave room for those of the past. */
const readPart = async (database: Queryable, chainId: number, token: Address, cursor: Cursor, limit: number): Promise<Part> => {
  const first = await partAfter(database, chainId, token, cursor, limit);
  if (first.next === null || first.rows === limit) return first;
  const second = await partAfter(database, chainId, token, first.next, limit - first.rows);
  return { holders: [...first.holders, ...second.holders], rows: first.rows + second.rows, next: second.next };
};

const partAfter = (database: Queryable, chainId: number, token: Address, cursor: Cursor, limit: number): Promise<Part> =>
  cursor.of === "holders"
    ? holdersAfter(database, chainId, token, cursor.after, limit)
    : formerAfter(database, chainId, token, cursor.after, limit);

/** Served by balances_rank. */
const holdersAfter = async (database: Queryable, chainId: number, token: Address, after: Holder | null, limit: number): Promise<Part> => {
  const holders = await database.query<Holder>(
    `SELECT owner, balance, since_block AS since FROM balances
     WHERE chain_id = $1 AND token = $2 AND standard = ${standards.erc20} AND balance > 0 AND standard > 0 AND owner <> $6
       AND ($3::numeric IS NULL OR (balance <= $3 AND (balance < $3 OR owner > $4)))
     ORDER BY balance DESC, owner LIMIT $5`,
    [chainId, bytes(token), after?.balance ?? null, after === null ? null : bytes(after.owner), limit, bytes(zeroAddress)],
  );
  const isEnd = holders.length < limit;
  return {
    holders,
    rows: holders.length,
    next: isEnd ? { of: "former holders", after: null } : { of: "holders", after: holders.at(-1) ?? null },
  };
};

/** An owner's past balances are several rows, of which each finds it. Served by balance_periods_rank, then by the primary key of balances. */
const formerAfter = async (
  database: Queryable,
  chainId: number,
  token: Address,
  after: PastBalance | null,
  limit: number,
): Promise<Part> => {
  const past = `SELECT owner, balance, pivot_block FROM balance_periods
    WHERE chain_id = $1 AND token = $2 AND standard = ${standards.erc20} AND balance > 0 AND standard > 0 AND owner <> $6`;
  const rows = await database.query<PastBalance & { readonly since: number | null }>(
    `SELECT p.owner, p.balance, p.pivot_block AS pivot, b.since_block AS since FROM (
       (${past} AND pivot_block = $7 AND balance <= $3::numeric AND (balance < $3 OR owner > $4) ORDER BY pivot_block, balance DESC, owner LIMIT $5)
       UNION ALL
       (${past} AND pivot_block > $7 ORDER BY pivot_block, balance DESC, owner LIMIT $5)
       ORDER BY pivot_block, balance DESC, owner LIMIT $5) p
     LEFT JOIN balances b ON b.chain_id = $1 AND b.owner = p.owner AND b.token = $2 AND b.standard = ${standards.erc20} AND b.balance = 0
     ORDER BY p.pivot_block, p.balance DESC, p.owner`,
    [
      chainId,
      bytes(token),
      after?.balance ?? null,
      after === null ? null : bytes(after.owner),
      limit,
      bytes(zeroAddress),
      after?.pivot ?? -1,
    ],
  );
  const drained = new Map(rows.flatMap(({ owner, since }) => (since === null ? [] : [[owner, since] as const])));
  return {
    holders: [...drained].map(([owner, since]) => ({ owner, balance: "0", since })),
    rows: rows.length,
    next: rows.length < limit ? null : { of: "former holders", after: rows.at(-1) ?? null },
  };
};
