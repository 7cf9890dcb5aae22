import { bytes } from "../../../../../database/codecs.ts";
import type { Queryable } from "../../../../../database/database.ts";
import { sql } from "../../../../../database/sql.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";

/** A holder of an ERC-20 token with the stored balance. */
export interface Holder {
  readonly owner: Address;
  readonly balance: string;
  readonly since: number;
}

/** A position after a current holder in balances_rank order, or after a past balance in balance_periods_rank order. */
type Position =
  | { readonly kind: "holders"; readonly after: Holder | null }
  | { readonly kind: "former holders"; readonly after: PastBalance | null };

interface PastBalance {
  readonly owner: Address;
  readonly balance: string;
  readonly pivot: number;
}

/** A page of holders, the number of rows read, and the next position, which is null at the end. */
interface Page {
  readonly holders: readonly Holder[];
  readonly rows: number;
  readonly next: Position | null;
}

/** A turn of one token. */
interface Turn {
  readonly token: Address;
  readonly start: Position;
  position: Position;
  count: number;
}

/** Max tokens whose position is remembered. */
const maxTokens = 1_000;

/**
 * Iterates over the holders of one token after another: current holders, largest first, then former holders, whose balances a contract may restore without an
 * event. A token with more than `holdersPerTurn` holders continues from the same position in its next turn, so that it does not delay other tokens.
 */
export const createHolderCursor = (holdersPerTurn: number) => {
  const positions = new Map<Address, Position>();
  let turn: Turn | null = null;
  let last: Turn | null = null;
  return {
    /** Ends the turn; the token's next turn starts from the same position as this one. */
    repeatTurn: (): void => {
      if (last !== null) remember(positions, last.token, last.start);
      turn = null;
    },
    /** The token of the current turn; null between two turns. */
    token: (): Address | null => turn?.token ?? null,
    startTurn: (token: Address): void => {
      const start = positions.get(token) ?? { kind: "holders", after: null };
      turn = { token, start, position: start, count: 0 };
      positions.delete(token);
    },
    /** The next holders. `isTurnFinished`: the turn has ended. `isLastPage`: the token has no more holders. `isEmpty`: the token never had a holder. */
    next: async (
      database: Queryable,
      chainId: number,
      limit: number,
    ): Promise<{ holders: readonly Holder[]; isTurnFinished: boolean; isLastPage: boolean; isEmpty: boolean }> => {
      if (turn === null) return { holders: [], isTurnFinished: true, isLastPage: true, isEmpty: true };
      const { token, start } = turn;
      last = turn;
      const { holders, rows, next } = await readPage(database, chainId, token, turn.position, limit);
      const isEmpty = rows === 0 && turn.count === 0 && start.kind === "holders" && start.after === null;
      turn.count += rows;
      const isTurnFinished = next === null || turn.count >= holdersPerTurn;
      if (isTurnFinished) turn = null;
      else turn.position = next;
      if (isTurnFinished && next !== null) remember(positions, token, next);
      return { holders, isTurnFinished, isLastPage: next === null, isEmpty };
    },
  };
};

const remember = (positions: Map<Address, Position>, token: Address, position: Position): void => {
  positions.set(token, position);
  const oldest = positions.keys().next().value;
  if (positions.size > maxTokens && oldest !== undefined) positions.delete(oldest);
};

/** The next holders; after the last current holder, the page is filled with former holders. */
const readPage = async (database: Queryable, chainId: number, token: Address, position: Position, limit: number): Promise<Page> => {
  const first = await pageAfter(database, chainId, token, position, limit);
  if (first.next === null || first.rows === limit) return first;
  const second = await pageAfter(database, chainId, token, first.next, limit - first.rows);
  return { holders: [...first.holders, ...second.holders], rows: first.rows + second.rows, next: second.next };
};

const pageAfter = (database: Queryable, chainId: number, token: Address, position: Position, limit: number): Promise<Page> =>
  position.kind === "holders"
    ? holdersAfter(database, chainId, token, position.after, limit)
    : formerHoldersAfter(database, chainId, token, position.after, limit);

const holdersSql = sql`SELECT owner, balance, since_block AS since FROM balances
   WHERE chain_id = $1 AND token = $2 AND standard = ${standards.erc20} AND balance > 0 AND standard > 0 AND owner <> $6
     AND ($3::numeric IS NULL OR (balance <= $3 AND (balance < $3 OR owner > $4)))
   ORDER BY balance DESC, owner LIMIT $5`;

/** The current holders after a given one. Served by balances_rank. */
const holdersAfter = async (database: Queryable, chainId: number, token: Address, after: Holder | null, limit: number): Promise<Page> => {
  const holders = await database.query<Holder>(holdersSql, [
    chainId,
    bytes(token),
    after?.balance ?? null,
    after === null ? null : bytes(after.owner),
    limit,
    bytes(zeroAddress),
  ]);
  const isEnd = holders.length < limit;
  return {
    holders,
    rows: holders.length,
    next: isEnd ? { kind: "former holders", after: null } : { kind: "holders", after: holders.at(-1) ?? null },
  };
};

const pastBalances = sql`SELECT owner, balance, pivot_block FROM balance_periods
   WHERE chain_id = $1 AND token = $2 AND standard = ${standards.erc20} AND balance > 0 AND standard > 0 AND owner <> $6`;
const formerHoldersSql = sql`SELECT p.owner, p.balance, p.pivot_block AS pivot, b.since_block AS since FROM (
     (${pastBalances} AND pivot_block = $7 AND balance <= $3::numeric AND (balance < $3 OR owner > $4) ORDER BY pivot_block, balance DESC, owner LIMIT $5)
     UNION ALL
     (${pastBalances} AND pivot_block > $7 ORDER BY pivot_block, balance DESC, owner LIMIT $5)
     ORDER BY pivot_block, balance DESC, owner LIMIT $5) p
   LEFT JOIN balances b ON b.chain_id = $1 AND b.owner = p.owner AND b.token = $2 AND b.standard = ${standards.erc20} AND b.balance = 0
   ORDER BY p.pivot_block, p.balance DESC, p.owner`;

/**
 * The former holders after a past balance. An owner with several past balances may appear on several pages. Served by balance_periods_rank, then the primary
 * key of balances.
 */
const formerHoldersAfter = async (
  database: Queryable,
  chainId: number,
  token: Address,
  after: PastBalance | null,
  limit: number,
): Promise<Page> => {
  const rows = await database.query<PastBalance & { readonly since: number | null }>(formerHoldersSql, [
    chainId,
    bytes(token),
    after?.balance ?? null,
    after === null ? null : bytes(after.owner),
    limit,
    bytes(zeroAddress),
    after?.pivot ?? -1,
  ]);
  const former = new Map(rows.flatMap(({ owner, since }) => (since === null ? [] : [[owner, since] as const])));
  return {
    holders: [...former].map(([owner, since]) => ({ owner, balance: "0", since })),
    rows: rows.length,
    next: rows.length < limit ? null : { kind: "former holders", after: rows.at(-1) ?? null },
  };
};
