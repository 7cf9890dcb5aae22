import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { type Address, zeroAddress } from "../../../lib/hex.ts";
import { largestWord } from "../projection/balances.ts";
import { pivotsOf } from "../projection/periods.ts";
import { standards } from "../projection/standards.ts";
import { type BalanceSource, joinSource, sourceOf } from "./balance-source.ts";

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

/** How much deeper than the page today's ranking is read for the balance at which the first slice of a past one ends. */
const firstDepth = 2;
/** By how much the balances at the ends of the first two slices differ: little, as each may hold many more rows than the one before. */
const firstFactor = 1.5;
/** How many more rows than are missing the next slice should have by what the last ones had, and the least it differs by from the one before. */
const surplus = 1.25;
const minFactor = 1.05;
const maxFactor = 2 ** 64;

/** A ranking is read from the end that is nearer: the largest first, or the smallest first. Each slice is within $5 and beyond $6. */
const directions = {
  largest: { order: "balance DESC, owner", slice: "balance >= $5 AND balance < $6", begin: 10n ** 78n, end: 0n, step: -1 },
  smallest: { order: "balance, owner DESC", slice: "balance <= $5 AND balance > $6", begin: 0n, end: 10n ** 78n, step: 1 },
} as const;
type Direction = (typeof directions)[keyof typeof directions];

/** The balance by `factor` nearer to the end of a ranking. */
const further = ({ step, end }: Direction, balance: bigint, factor: number): bigint => {
  const [numerator, denominator] = [BigInt(Math.ceil(factor * 2 ** 20)), 2n ** 20n];
  if (step < 0) return (balance * denominator) / numerator;
  const next = (balance * numerator) / denominator + 1n;
  return next < end ? next : end;
};

/**
 * By how much the next slice goes further than the last one: so far that it fills the page, if the number of holders goes on to grow with the balance as it did
 * between the ends of the last two (by a power of it, as in most rankings); where these say nothing, ever further, so that any balance is soon reached.
 */
const nextFactor = (last: number, foundBefore: number, found: number, needed: number): number => {
  const most = Math.min(maxFactor, last * last);
  if (foundBefore === 0 || found <= foundBefore) return most;
  const power = Math.log(found / foundBefore) / Math.log(last);
  return Math.min(most, Math.max(minFactor, ((surplus * needed) / found) ** (1 / power)));
};

/** The rows after block $4, of balances that a condition picks: those set by then, in the order of balances_rank or by balances_roll_back. */
const currentHolders = (picked: string): string =>
  `SELECT owner, balance FROM balances
   WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0 AND ${picked} AND since_block <= $4`;

/** And the periods that the block is in: they stand under a few pivots ($7) of balance_periods_rank, an owner at most once under each. */
const pastHolders = (picked: string, { order }: Direction): string =>
  `SELECT p.owner, p.balance FROM unnest($7::int8[]) AS pivot(block) CROSS JOIN LATERAL (
     SELECT owner, balance FROM balance_periods
     WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0 AND ${picked}
       AND pivot_block = pivot.block AND from_block <= $4 AND to_block >= $4
     ORDER BY ${order} LIMIT $8::int8 + $9::int8) p`;

const lastBlock = "(SELECT number FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1)";

/** A page of a ranking. */
interface Ranking {
  readonly chainId: number;
  readonly token: Address;
  readonly standard: number;
  readonly block: number;
}

/** Questions about who holds a token. */
export function createHolderQueries({ query }: Pick<Database, "query">) {
  const keyOf = ({ chainId, token, standard, block }: Ranking) => [chainId, bytes(token), standard, block];

  /**
   * The balance at a place of today's ranking, if another one is asked for; the end of all balances where it has not so many, null where it is the one.
   * Served by balances_rank.
   */
  const balanceRanked = async ({ order, end }: Direction, ranking: Ranking, place: number): Promise<bigint | null> => {
    const [found] = await query<{ past: boolean; balance: string | null }>(
      `SELECT ${lastBlock} > $4 AS past, CASE WHEN ${lastBlock} > $4 THEN (
         SELECT balance FROM balances WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0
         ORDER BY ${order} OFFSET $5 LIMIT 1) END AS balance`,
      [...keyOf(ranking), place],
    );
    if (found?.past !== true) return null;
    return found.balance === null ? end : BigInt(found.balance);
  };

  /** A page of the ranking after the last block, in the order of the index; where another block has come meanwhile, with what it ended. */
  const newest = (direction: Direction, ranking: Ranking, limit: number, offset: number) => {
    const { order, slice, begin, end } = direction;
    return query<HolderRow>(
      `(${currentHolders(slice)} ORDER BY ${order})
       UNION ALL
       (SELECT * FROM (${pastHolders(slice, direction)}) past WHERE ${lastBlock} > $4 ORDER BY ${order})
       ORDER BY ${order} LIMIT $8 OFFSET $9`,
      [...keyOf(ranking), String(end), String(begin), pivotsOf(ranking.block), limit, offset],
    );
  };

  /** The part of a page that a slice of a past ranking has, and how many the slice has in all, or enough for the page. */
  const sliced = async (direction: Direction, ranking: Ranking, to: bigint, from: bigint, limit: number, offset: number) => {
    const { order, slice } = direction;
    const rows = await query<{ count: number; owner: Address | null; balance: string }>(
      `WITH slice AS MATERIALIZED (
         (${currentHolders(slice)} ORDER BY ${order})
         UNION ALL (SELECT * FROM (${pastHolders(slice, direction)}) past ORDER BY ${order})
         ORDER BY ${order} LIMIT $8::int8 + $9::int8)
       SELECT found.count, page.owner, page.balance FROM (SELECT count(*) AS count FROM slice) found
       LEFT JOIN (SELECT owner, balance FROM slice ORDER BY ${order} LIMIT $8 OFFSET $9) page ON true ORDER BY ${order}`,
      [...keyOf(ranking), String(to), String(from), pivotsOf(ranking.block), limit, offset],
    );
    return {
      count: rows[0]?.count ?? 0,
      page: rows.flatMap(({ owner, balance }): HolderRow[] => (owner === null ? [] : [{ owner, balance }])),
    };
  };

  /**
   * A page of the ranking after a block. That of a past block lies scattered among what came later: it is read in slices of balances, each once, until the
   * page is full, so that as little as can be is read of what is smaller than the page.
   */
  const ranked = async (direction: Direction, ranking: Ranking, limit: number, offset: number): Promise<HolderRow[]> => {
    let to = await balanceRanked(direction, ranking, firstDepth * (offset + limit));
    if (to === null) return newest(direction, ranking, limit, offset);
    const rows: HolderRow[] = [];
    let [from, found, factor]: [bigint, number, number] = [direction.begin, 0, firstFactor];
    for (let first = true; ; first = false) {
      const { count, page } = await sliced(direction, ranking, to, from, limit - rows.length, Math.max(0, offset - found));
      rows.push(...page);
      if (rows.length >= limit || to === direction.end) return rows;
      if (!first) factor = nextFactor(factor, found, found + count, offset + limit);
      found += count;
      [from, to] = [to, further(direction, to, factor)];
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
    const ranking = { chainId, token, standard, block };
    if (total === null || offset < total / 2) return ranked(directions.largest, ranking, limit, offset);
    const end = Math.min(offset + limit, total);
    if (end <= offset) return [];
    return (await ranked(directions.smallest, ranking, end - offset, total - end)).reverse();
  };

  /**
   * The totals of a token after a block; null where nothing had moved yet. The supply of an ERC-20 token is what events add up to and what the contract has
   * beyond that; before its contract was asked, what events add up to in a complete index. The zero address is added to the holders of an ERC-20 token
   * where it is known to have some, as the list does. Served by the primary keys of holder_counts, token_supplies, supply_offsets, balances and
   * balance_periods.
   */
  const tokenTotalsAt = async (chainId: number, token: Address, standard: number, block: number): Promise<TokenTotalsRow | null> => {
    const newest = (table: string, columns: string, where = "") =>
      `(SELECT ${columns} FROM ${table} WHERE chain_id = $1 AND token = $2 ${where} AND block_number <= $4 ORDER BY block_number DESC LIMIT 1)`;
    const rows = await query<TokenTotalsRow>(
      `SELECT CASE WHEN c.block_number IS NULL THEN 0 ELSE c.holders END + coalesce((z.balance > 0)::int4, 0) AS holders, CASE WHEN k.standard <> ${standards.erc20} THEN CASE WHEN s.block_number IS NULL THEN i.initial ELSE s.supply END
           WHEN e.supply >= 0 AND e.supply <= ${largestWord} THEN e.supply END AS supply, ${sourceOf("k")} AS source
       FROM (SELECT $2::bytea AS token, $3::int2 AS standard) k ${joinSource("k")}
       LEFT JOIN ${newest("holder_counts", "block_number, holders", "AND standard = $3")} c ON true
       LEFT JOIN LATERAL (
         SELECT CASE WHEN b.since_block <= $4 THEN b.balance ELSE (
           SELECT CASE WHEN p.to_block >= $4 THEN p.balance END FROM balance_periods p
           WHERE p.chain_id = $1 AND p.owner = $5 AND p.token = $2 AND p.standard = $3 AND p.from_block <= $4 ORDER BY p.from_block DESC LIMIT 1) END AS balance
         FROM balances b WHERE b.chain_id = $1 AND b.owner = $5 AND b.token = $2 AND b.standard = $3 AND $3 = ${standards.erc20}) z ON true
       LEFT JOIN ${newest("token_supplies", "block_number, supply", "AND standard = $3")} s ON true
       LEFT JOIN ${newest("supply_offsets", "block_number, difference")} o ON true
       CROSS JOIN LATERAL (SELECT CASE WHEN coalesce((SELECT indexed_from FROM chains WHERE chain_id = $1), 0) = 0 THEN 0 END AS initial) i
       CROSS JOIN LATERAL (SELECT coalesce(s.supply, 0) + CASE WHEN o.block_number IS NOT NULL THEN o.difference
           WHEN sourced.token IS NULL THEN i.initial END AS supply) e
       WHERE c.block_number IS NOT NULL OR z.balance > 0`,
      [chainId, bytes(token), standard, block, bytes(zeroAddress)],
    );
    return rows[0] ?? null;
  };

  return { holdersAt, tokenTotalsAt };
}
