import { bytes } from "../../database/codecs.ts";
import type { Database } from "../../database/database.ts";
import type { Address } from "../../lib/hex.ts";
import { type BalanceSource, joinSource, sourceOf } from "./balance-source.ts";
import { pivotsOf } from "./periods.ts";

export interface HolderRow {
  readonly owner: Address;
  readonly balance: string;
}

/** How many held a token and how much of it there was, null where it is not known; and where balances of it come from. */
export interface TokenTotalsRow {
  readonly holders: number | null;
  readonly source: BalanceSource;
  readonly supply: string | null;
}

/** How much deeper than the page today's ranking is read for the balance at which the search in the past one ends, and how much deeper at each new try. */
const firstDepth = 2;
const deeper = 4;

/** A ranking is read from the end that is nearer: the largest first, or the smallest first. `all` is a balance that every one lies within. */
const directions = {
  largest: { order: "balance DESC, owner", within: ">=", all: "0" },
  smallest: { order: "balance, owner DESC", within: "<=", all: `1${"0".repeat(78)}` },
} as const;
type Direction = (typeof directions)[keyof typeof directions];

/** Questions about who holds a token. */
export function createHolderQueries({ query }: Pick<Database, "query">) {
  /**
   * The balance at a place of today's ranking, or one that all lie within where it has not so many or is the ranking that is asked for. The place is taken as
   * many times deeper as there are more holders today. Served by balances_rank and the primary key of holder_counts.
   */
  const balanceRanked = async (
    { order, all }: Direction,
    chainId: number,
    token: Address,
    standard: number,
    block: number,
    place: number,
  ): Promise<string> => {
    const holders = (when: string) =>
      `(SELECT holders FROM holder_counts WHERE chain_id = $1 AND token = $2 AND standard = $3 ${when} ORDER BY block_number DESC LIMIT 1)`;
    const rows = await query<{ balance: string | null }>(
      `SELECT CASE WHEN (SELECT number FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1) > $4 THEN (
         SELECT balance FROM balances WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0 ORDER BY ${order}
         OFFSET ceil($5::float8 * greatest(1, coalesce(${holders("")}::float8 / nullif(${holders("AND block_number <= $4")}, 0), 1)))::int8
         LIMIT 1) END AS balance`,
      [chainId, bytes(token), standard, block, place],
    );
    return rows[0]?.balance ?? all;
  };

  /**
   * The ranking after a block, up to a balance: rows set by then in the order of balances_rank, merged with the periods that the block is in, which stand
   * under a few pivots of balance_periods_rank, an owner at most once under each. At the head there are none of those.
   */
  const holdersWithin = (
    { order, within }: Direction,
    chainId: number,
    token: Address,
    standard: number,
    block: number,
    bound: string,
    limit: number,
    offset: number,
  ) =>
    query<HolderRow>(
      `(SELECT owner, balance FROM balances
        WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0 AND balance ${within} $5 AND since_block <= $4
        ORDER BY ${order})
       UNION ALL
       (SELECT p.owner, p.balance FROM unnest($6::int8[]) AS pivot(block) CROSS JOIN LATERAL (
          SELECT owner, balance FROM balance_periods
          WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0 AND balance ${within} $5
            AND pivot_block = pivot.block AND from_block <= $4 AND to_block >= $4
          ORDER BY ${order} LIMIT $7::int8 + $8::int8) p
        WHERE (SELECT number FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1) > $4
        ORDER BY ${order})
       ORDER BY ${order} LIMIT $7 OFFSET $8`,
      [chainId, bytes(token), standard, block, bound, pivotsOf(block), limit, offset],
    );

  const ranked = async (
    direction: Direction,
    chainId: number,
    token: Address,
    standard: number,
    block: number,
    limit: number,
    offset: number,
  ) => {
    for (let depth = firstDepth * (offset + limit); ; depth *= deeper) {
      const bound = await balanceRanked(direction, chainId, token, standard, block, depth);
      const rows = await holdersWithin(direction, chainId, token, standard, block, bound, limit, offset);
      if (rows.length === limit || bound === direction.all) return rows;
    }
  };

  /**
   * Who held a token after a block, the largest first, equal ones by address. `total` is how many there were, exactly, or null where that is not known: with
   * it, a page of the second half is counted from the end.
   */
  const holdersAt = async (
    chainId: number,
    token: Address,
    standard: number,
    block: number,
    limit: number,
    offset: number,
    total: number | null = null,
  ) => {
    if (total === null || offset < total / 2) return ranked(directions.largest, chainId, token, standard, block, limit, offset);
    const end = Math.min(offset + limit, total);
    if (end <= offset) return [];
    return (await ranked(directions.smallest, chainId, token, standard, block, end - offset, total - end)).reverse();
  };

  /** The totals of a token after a block; null where nothing had moved yet. Served by the primary key of holder_counts. */
  const tokenTotalsAt = async (chainId: number, token: Address, standard: number, block: number): Promise<TokenTotalsRow | null> => {
    const rows = await query<TokenTotalsRow>(
      `SELECT c.holders, c.supply, ${sourceOf("c")} AS source FROM (
         SELECT token, standard, holders, supply FROM holder_counts WHERE chain_id = $1 AND token = $2 AND standard = $3 AND block_number <= $4
         ORDER BY block_number DESC LIMIT 1) c ${joinSource("c")}`,
      [chainId, bytes(token), standard, block],
    );
    return rows[0] ?? null;
  };

  return { holdersAt, tokenTotalsAt };
}
