import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { identifier, nothing, plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import { type Address, zeroAddress } from "../../../lib/hex.ts";
import { maxUint256 } from "../projection/balances.ts";
import { pivotsOf } from "../projection/periods.ts";
import { standards } from "../projection/standards.ts";
import { type BalanceSource, joinSource, sourceOf } from "./balance-source.ts";

export interface HolderRow {
  readonly owner: Address;
  readonly balance: string;
}

/** The number of holders and the supply of a token, null if unknown, and the source of its balances. */
export interface TokenTotalsRow {
  readonly holders: number | null;
  readonly source: BalanceSource;
  readonly supply: string | null;
}

/** A past ranking's first slice ends at the balance that the current ranking has at this multiple of the page's end. */
const firstDepth = 2;
/** The ratio between the end balances of the first two slices: small, because a slice may contain many more rows than the previous one. */
const firstFactor = 1.5;
/** Expected rows in the next slice per missing row, and the min and max ratio between its end balances. */
const surplus = 1.25;
const minFactor = 1.05;
const maxFactor = 2 ** 64;

/** A ranking is read from the nearer end, largest or smallest first. Each slice extends to $5 and excludes $6, the end of the previous one. */
export const directions = {
  largest: { order: sql`balance DESC, owner`, slice: sql`balance >= $5 AND balance < $6`, begin: 10n ** 78n, end: 0n, step: -1 },
  smallest: { order: sql`balance, owner DESC`, slice: sql`balance <= $5 AND balance > $6`, begin: 0n, end: 10n ** 78n, step: 1 },
} as const;
type Direction = (typeof directions)[keyof typeof directions];

/** The balance moved towards the end of a ranking by `factor`. */
const nextBoundary = ({ step, end }: Direction, balance: bigint, factor: number): bigint => {
  const [numerator, denominator] = [BigInt(Math.ceil(factor * 2 ** 20)), 2n ** 20n];
  if (step < 0) return (balance * denominator) / numerator;
  const next = (balance * numerator) / denominator + 1n;
  return next < end ? next : end;
};

/**
 * Chooses the ratio between the next slice's end balances: large enough to fill the page if the holder count grows by the same power of the balance as between
 * the ends of the last two slices, as in most rankings. If that power cannot be estimated, the ratio grows with each slice, so that few slices reach any
 * balance.
 */
const nextFactor = (last: number, previousCount: number, count: number, needed: number): number => {
  const max = Math.min(maxFactor, last * last);
  if (previousCount === 0 || count <= previousCount) return max;
  const power = Math.log(count / previousCount) / Math.log(last);
  return Math.min(max, Math.max(minFactor, ((surplus * needed) / count) ** (1 / power)));
};

/** The current balances of a slice that were set by block $4, in the order of balances_rank. */
const currentHolders = ({ slice }: Direction): Sql =>
  sql`SELECT owner, balance FROM balances
    WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0 AND ${slice} AND since_block <= $4`;

/** The periods of a slice that contain the block: they are stored under a few pivots ($7) of balance_periods_rank, at most one per owner and pivot. */
const pastHolders = ({ slice, order }: Direction): Sql =>
  sql`SELECT p.owner, p.balance FROM unnest($7::int8[]) AS pivot(block) CROSS JOIN LATERAL (
    SELECT owner, balance FROM balance_periods
    WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0 AND ${slice}
      AND pivot_block = pivot.block AND from_block <= $4 AND to_block >= $4
    ORDER BY ${order} LIMIT $8::int8 + $9::int8) p`;

const lastBlock = sql`(SELECT number FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1)`;

const selectRanked = ({ order }: Direction): Sql =>
  plannedOnce(sql`SELECT ${lastBlock} > $4 AS past, CASE WHEN ${lastBlock} > $4 THEN (
    SELECT balance FROM balances WHERE chain_id = $1 AND token = $2 AND standard = $3 AND balance > 0 AND standard > 0
    ORDER BY ${order} OFFSET $5 LIMIT 1) END AS balance`);

/** The ranking as of the last block, in index order; its slice is always the entire ranking. */
export const newestRanking = (direction: Direction): Sql =>
  sql`(${currentHolders(direction)} ORDER BY ${direction.order})
    UNION ALL
    (SELECT * FROM (${pastHolders(direction)}) past WHERE ${lastBlock} > $4 ORDER BY ${direction.order})
    ORDER BY ${direction.order} LIMIT $8 OFFSET $9`;
const selectNewest = (direction: Direction): Sql => plannedOnce(newestRanking(direction));

const selectSlice = (direction: Direction): Sql =>
  sql`WITH slice AS MATERIALIZED (
      (${currentHolders(direction)} ORDER BY ${direction.order})
      UNION ALL (SELECT * FROM (${pastHolders(direction)}) past ORDER BY ${direction.order})
      ORDER BY ${direction.order} LIMIT $8::int8 + $9::int8)
    SELECT found.count, page.owner, page.balance FROM (SELECT count(*) AS count FROM slice) found
    LEFT JOIN (SELECT owner, balance FROM slice ORDER BY ${direction.order} LIMIT $8 OFFSET $9) page ON true ORDER BY ${direction.order}`;

const newestOf = (table: string, columns: Sql, where: Sql = nothing): Sql =>
  sql`(SELECT ${columns} FROM ${identifier(table)} WHERE chain_id = $1 AND token = $2 ${where} AND block_number <= $4 ORDER BY block_number DESC LIMIT 1)`;
const withStandard = sql`AND standard = $3`;
/** The totals of a token. A supply above the largest uint256 cannot be a value of the contract. */
export const selectTokenTotals = (zeroOwner: Sql, maxSupply: Sql): Sql =>
  sql`SELECT CASE WHEN c.block_number IS NULL THEN 0 ELSE c.holders END + coalesce((z.balance > 0)::int4, 0) AS holders,
    CASE WHEN k.standard <> ${standards.erc20} THEN CASE WHEN s.block_number IS NULL THEN i.initial ELSE s.supply END
      WHEN e.supply >= 0 AND e.supply <= ${maxSupply}::numeric THEN e.supply END AS supply, ${sourceOf("k")} AS source
  FROM (SELECT $2::bytea AS token, $3::int2 AS standard) k ${joinSource("k")}
  LEFT JOIN ${newestOf("holder_counts", sql`block_number, holders`, withStandard)} c ON true
  LEFT JOIN LATERAL (
    SELECT CASE WHEN b.since_block <= $4 THEN b.balance ELSE (
      SELECT CASE WHEN p.to_block >= $4 THEN p.balance END FROM balance_periods p
      WHERE p.chain_id = $1 AND p.owner = ${zeroOwner} AND p.token = $2 AND p.standard = $3 AND p.from_block <= $4 ORDER BY p.from_block DESC LIMIT 1) END AS balance
    FROM balances b WHERE b.chain_id = $1 AND b.owner = ${zeroOwner} AND b.token = $2 AND b.standard = $3 AND $3 = ${standards.erc20}) z ON true
  LEFT JOIN ${newestOf("token_supplies", sql`block_number, supply`, withStandard)} s ON true
  LEFT JOIN ${newestOf("supply_offsets", sql`block_number, difference`)} o ON true
  CROSS JOIN LATERAL (SELECT CASE WHEN coalesce((SELECT indexed_from FROM chains WHERE chain_id = $1), 0) = 0 THEN 0 END AS initial) i
  CROSS JOIN LATERAL (SELECT coalesce(s.supply, 0) + CASE WHEN o.block_number IS NOT NULL THEN o.difference
      WHEN sourced.token IS NULL THEN i.initial END AS supply) e
  WHERE c.block_number IS NOT NULL OR z.balance > 0`;
const selectTotals = plannedOnce(selectTokenTotals(sql`$5`, sql`$6`));

/** The parameters of a slice that is the entire ranking. */
export const wholeRankingParameters = ({ end, begin }: Direction, block: number) => [String(end), String(begin), pivotsOf(block)];

/** A page of a holder list, and known properties of the list. */
export interface HolderPageRequest {
  readonly limit: number;
  readonly offset: number;
  /** The exact number of holders, or null if it is unknown. If it is known, a page in the second half is read from the end. */
  readonly total?: number | null;
  /** Whether the block was the last one; the current ranking is then read without checking for newer blocks. */
  readonly isLastBlock?: boolean;
}

/** A token's holders as of a block. */
interface Ranking {
  readonly chainId: number;
  readonly token: Address;
  readonly standard: number;
  readonly block: number;
  readonly isLastBlock: boolean;
}

/** Queries for a page of a ranking, the current one or a past one. */
const createRankingQueries = ({ query }: Pick<Database, "query">) => {
  const keyOf = ({ chainId, token, standard, block }: Ranking) => [chainId, bytes(token), standard, block];

  /**
   * Returns the balance at a rank of the current ranking if a past ranking is requested, otherwise null. If the current ranking is shorter, returns the
   * direction's end. Served by balances_rank.
   */
  const balanceRanked = async (direction: Direction, ranking: Ranking, rank: number): Promise<bigint | null> => {
    const [row] = await query<{ past: boolean; balance: string | null }>(selectRanked(direction), [...keyOf(ranking), rank]);
    if (row?.past !== true) return null;
    return row.balance === null ? direction.end : BigInt(row.balance);
  };

  /** A page of the ranking as of the last block, in index order, with the periods that a block indexed in the meantime ended. */
  const readNewest = (direction: Direction, ranking: Ranking, limit: number, offset: number) =>
    query<HolderRow>(selectNewest(direction), [...keyOf(ranking), ...wholeRankingParameters(direction, ranking.block), limit, offset]);

  /** A page's rows in a slice of a past ranking, and the slice's row count, counted only as far as the page requires. */
  const readSlice = async (direction: Direction, ranking: Ranking, to: bigint, from: bigint, limit: number, offset: number) => {
    const rows = await query<{ count: number; owner: Address | null; balance: string }>(selectSlice(direction), [
      ...keyOf(ranking),
      String(to),
      String(from),
      pivotsOf(ranking.block),
      limit,
      offset,
    ]);
    return {
      count: rows[0]?.count ?? 0,
      page: rows.flatMap(({ owner, balance }): HolderRow[] => (owner === null ? [] : [{ owner, balance }])),
    };
  };

  /**
   * A page of the ranking as of a block. The rows of a past ranking are scattered among later ones, so it is read in balance slices, each once, until the page
   * is full. This reads few rows outside the page.
   */
  const readRanking = async (direction: Direction, ranking: Ranking, limit: number, offset: number): Promise<HolderRow[]> => {
    let to = ranking.isLastBlock ? null : await balanceRanked(direction, ranking, firstDepth * (offset + limit));
    if (to === null) return readNewest(direction, ranking, limit, offset);
    const rows: HolderRow[] = [];
    let [from, found, factor]: [bigint, number, number] = [direction.begin, 0, firstFactor];
    for (let first = true; ; first = false) {
      const { count, page } = await readSlice(direction, ranking, to, from, limit - rows.length, Math.max(0, offset - found));
      rows.push(...page);
      if (rows.length >= limit || to === direction.end) return rows;
      if (!first) factor = nextFactor(factor, found, found + count, offset + limit);
      found += count;
      [from, to] = [to, nextBoundary(direction, to, factor)];
    }
  };

  return { readRanking };
};

/** Queries for the holders of tokens. */
export function createHolderQueries(database: Pick<Database, "query">) {
  const { readRanking } = createRankingQueries(database);

  /** A token's holders as of a block, largest first, ties by address. */
  const holdersAt = async (
    chainId: number,
    token: Address,
    standard: number,
    block: number,
    { limit, offset, total = null, isLastBlock = false }: HolderPageRequest,
  ) => {
    const ranking = { chainId, token, standard, block, isLastBlock };
    if (total === null || offset < total / 2) return readRanking(directions.largest, ranking, limit, offset);
    const end = Math.min(offset + limit, total);
    if (end <= offset) return [];
    return (await readRanking(directions.smallest, ranking, end - offset, total - end)).reverse();
  };

  /**
   * A token's totals as of a block; null before its first movement. The supply of an ERC-20 token is the sum of its events plus the offset that was read from
   * the contract. Before that read, it is the sum of events in a complete index, otherwise unknown. The zero address is counted as a holder of an ERC-20 token
   * if it is known to have a balance, as in the list of holders. Served by the primary keys of holder_counts, token_supplies, supply_offsets, balances and
   * balance_periods.
   */
  const tokenTotalsAt = async (chainId: number, token: Address, standard: number, block: number): Promise<TokenTotalsRow | null> => {
    const parameters = [chainId, bytes(token), standard, block, bytes(zeroAddress), maxUint256];
    const rows = await database.query<TokenTotalsRow>(selectTotals, parameters);
    return rows[0] ?? null;
  };

  return { holdersAt, tokenTotalsAt };
}
