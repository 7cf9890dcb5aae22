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

/** How much deeper than the page today's ranking is read for the balance above which the past one is searched, and how much deeper at each new try. */
const firstDepth = 2;
const deeper = 8;

/** Questions about who holds a token. */
export function createHolderQueries({ query }: Pick<Database, "query">) {
  /** The balance at a place of today's ranking, 0 below its end; 0 as well where the ranking asked for is today's. Served by balances_rank. */
  const balanceRanked = async (chainId: number, token: Address, standard: number, block: number, place: number): Promise<string> => {
    const rows = await query<{ balance: string | null }>(
      `SELECT CASE WHEN (SELECT number FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1) > $4 THEN (
         SELECT balance FROM balances WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0
         ORDER BY balance DESC, owner OFFSET $5 LIMIT 1) END AS balance`,
      [chainId, bytes(token), standard, block, place],
    );
    return rows[0]?.balance ?? "0";
  };

  /**
   * The ranking after a block, down to a balance: rows set by then in the order of balances_rank, merged with the periods that the block is in, which stand
   * under a few pivots of balance_periods_rank, an owner at most once under each. At the head there are none of those.
   */
  const holdersAbove = (chainId: number, token: Address, standard: number, block: number, least: string, limit: number, offset: number) =>
    query<HolderRow>(
      `(SELECT owner, balance FROM balances
        WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0 AND balance >= $5 AND since_block <= $4
        ORDER BY balance DESC, owner)
       UNION ALL
       (SELECT p.owner, p.balance FROM unnest($6::int8[]) AS pivot(block) CROSS JOIN LATERAL (
          SELECT owner, balance FROM balance_periods
          WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0 AND balance >= $5
            AND pivot_block = pivot.block AND from_block <= $4 AND to_block >= $4
          ORDER BY balance DESC, owner LIMIT $7::int8 + $8::int8) p
        WHERE (SELECT number FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1) > $4
        ORDER BY balance DESC, owner)
       ORDER BY balance DESC, owner LIMIT $7 OFFSET $8`,
      [chainId, bytes(token), standard, block, least, pivotsOf(block), limit, offset],
    );

  /** Who held a token after a block, the largest first, equal ones by address. */
  const holdersAt = async (chainId: number, token: Address, standard: number, block: number, limit: number, offset: number) => {
    for (let depth = firstDepth * (offset + limit); ; depth *= deeper) {
      const least = await balanceRanked(chainId, token, standard, block, depth);
      const rows = await holdersAbove(chainId, token, standard, block, least, limit, offset);
      if (rows.length === limit || least === "0") return rows;
    }
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
