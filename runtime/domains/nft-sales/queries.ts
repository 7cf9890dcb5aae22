import { bytesArray } from "../../database/codecs.ts";
import type { Queryable } from "../../database/database.ts";
import { plannedOnce, sql } from "../../database/sql.ts";
import { type CacheLookups, type Lookup, uncachedLookups } from "../../lib/cache-lookups.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Address } from "../../lib/hex.ts";
import { portionsOf } from "../../lib/portions.ts";
import type { TransactionPosition } from "../ledger/queries/transaction.ts";
import { saleNumberRangeOf } from "./projection/index.ts";

/** A collection's sales on one day in one payment token; amounts in its smallest unit. */
export interface DaySalesRow {
  readonly day: number;
  /** The zero address if the price is unknown. */
  readonly payment_token: Address;
  readonly sales: number;
  readonly wash_sales: number;
  readonly amount: string;
  readonly wash_amount: string;
  /** The lowest price of a unit, excluding wash trades. */
  readonly lowest: string | null;
}

/** The lowest unit price in a collection over a range of days, in one payment token. */
export interface LowestPriceRow {
  readonly collection: Address;
  readonly payment_token: Address;
  readonly lowest: string;
}

/** A sale of a transaction. */
export interface SaleRow {
  readonly log_index: number;
  readonly marketplace: Address;
  readonly protocol: number;
  readonly collection: Address;
  readonly token_id: string;
  readonly units: string;
  readonly seller: Address;
  readonly buyer: Address;
  readonly maker_is_buyer: boolean;
  readonly payment_token: Address | null;
  readonly unit_price: string | null;
  readonly is_wash: boolean;
}

/** The last price of one unit of a token, in the smallest unit of the native token or a wrapped native token. */
export interface LastSaleRow {
  readonly collection: Address;
  readonly token_id: string;
  readonly unit_price: string;
}

/**
 * The days of collections $2 at marketplaces $3 from day $4 to day $5 as of block $6; $7 is the lowest number of a later sale. Day $5 is the day of the block:
 * later sales are on that day or on later ones. Sales that later sales marked as wash trades count as wash trades; if one had the lowest price of its day,
 * the lowest other price is looked up. Served by the primary key of nft_market_days and by nft_sale_marks_day, a range per collection, by nft_sales_cheapest,
 * and by the primary key of nft_market_day_periods, a probe per day that changed after the block. OFFSET 0 makes the planner probe: its generic plan,
 * for any number of collections, would read those days of all collections instead.
 */
const marketDays = sql`
  WITH marks AS MATERIALIZED (
    SELECT m.collection, m.day, m.marketplace, m.payment_token, count(*) AS sales, coalesce(sum(m.price), 0) AS amount, min(m.unit_price) AS lowest
    FROM unnest($2::bytea[]) AS c(collection) CROSS JOIN LATERAL (
      SELECT * FROM nft_sale_marks k
      WHERE k.chain_id = $1 AND k.collection = c.collection AND k.day BETWEEN $4 AND $5 AND k.marketplace = ANY ($3::bytea[]) AND k.block_number <= $6 OFFSET 0) m
    GROUP BY 1, 2, 3, 4
  ), sums AS (
    SELECT d.* FROM unnest($2::bytea[]) AS c(collection) CROSS JOIN LATERAL (
      SELECT collection, day, marketplace, payment_token, sales, amount, wash_sales, wash_amount, lowest FROM nft_market_days
      WHERE chain_id = $1 AND collection = c.collection AND day >= $4 AND day < $5 AND marketplace = ANY ($3::bytea[]) OFFSET 0) d
    UNION ALL
    SELECT d.collection, d.day, d.marketplace, d.payment_token, p.*
    FROM unnest($2::bytea[]) AS c(collection) CROSS JOIN LATERAL (
      SELECT * FROM nft_market_days WHERE chain_id = $1 AND collection = c.collection AND day = $5 AND marketplace = ANY ($3::bytea[]) OFFSET 0) d
    CROSS JOIN LATERAL (
      SELECT d.sales, d.amount, d.wash_sales, d.wash_amount, d.lowest WHERE d.since_block <= $6
      UNION ALL (
        SELECT h.sales, h.amount, h.wash_sales, h.wash_amount, h.lowest FROM nft_market_day_periods h
        WHERE d.since_block > $6 AND h.chain_id = $1 AND h.collection = d.collection AND h.day = d.day AND h.marketplace = d.marketplace
          AND h.payment_token = d.payment_token AND h.from_block <= $6 ORDER BY h.from_block DESC LIMIT 1)) p
  ), days AS (
    SELECT d.collection, d.day, d.payment_token, d.sales, d.amount,
      d.wash_sales + coalesce(m.sales, 0) AS wash_sales, d.wash_amount + coalesce(m.amount, 0) AS wash_amount,
      CASE WHEN m.lowest IS NULL OR m.lowest > d.lowest THEN d.lowest ELSE (
        SELECT s.unit_price FROM nft_sales s
        WHERE s.chain_id = $1 AND s.collection = d.collection AND s.day = d.day AND s.marketplace = d.marketplace AND s.payment_token = d.payment_token
          AND NOT s.is_wash AND s.unit_price IS NOT NULL AND s.sale < $7
          AND NOT EXISTS (SELECT FROM nft_sale_marks k WHERE k.chain_id = $1 AND k.sale = s.sale AND k.block_number <= $6 OFFSET 0)
        ORDER BY s.unit_price LIMIT 1) END AS lowest
    FROM sums d
    LEFT JOIN marks m ON m.collection = d.collection AND m.day = d.day AND m.marketplace = d.marketplace AND m.payment_token = d.payment_token
  )`;
const selectSales = sql`${marketDays} SELECT day, payment_token, sum(sales)::int8 AS sales, sum(wash_sales)::int8 AS wash_sales, sum(amount) AS amount,
    sum(wash_amount) AS wash_amount, min(lowest) AS lowest FROM days GROUP BY day, payment_token ORDER BY day, payment_token`;
const selectLowest =
  plannedOnce(sql`${marketDays} SELECT collection, payment_token, min(lowest) AS lowest FROM days WHERE lowest IS NOT NULL
  GROUP BY collection, payment_token ORDER BY collection, payment_token`);

/** The lowest possible number of a sale after a block. */
const firstSaleAfter = (block: number): number => saleNumberRangeOf(block)[1];

/** Max number of collections with cached lowest prices, for each choice of days and block. */
const maxCached = 10_000;

const lowestKeyOf = (collection: Address, [from, to]: readonly [number, number], block: number): string =>
  `${collection}:${from}:${to}:${block}`;

const loadLowest =
  (query: Queryable["query"], marketplaces: readonly Address[]) =>
  async (chainId: number, keys: readonly string[]): Promise<Map<string, LowestPriceRow[]>> => {
    const collections = keys.map((key) => key.split(":")[0] ?? "");
    const [from, to, block = -1] = (keys[0] ?? "").split(":").slice(1).map(Number);
    const parameters = [chainId, bytesArray(collections), bytesArray(marketplaces), from, to, block, firstSaleAfter(block)];
    const rows = groupBy(await query<LowestPriceRow>(selectLowest, parameters), ({ collection }) => String(collection));
    return new Map(keys.map((key, position) => [key, rows.get(collections[position] ?? "") ?? []]));
  };

/** Queries for the sales of collections' tokens. */
export type NftSaleQueries = ReturnType<typeof createNftSaleQueries>;

/** Creates the queries for the sales of collections' tokens at the named marketplaces; `cache` may cache lowest prices. */
export function createNftSaleQueries({ query }: Pick<Queryable, "query">, cache: CacheLookups = uncachedLookups) {
  /** A collection's sales up to a block by day and payment token, from a UTC day (days since 1970) to the day of the block. */
  const salesOfDays = (
    chainId: number,
    collection: Address,
    marketplaces: readonly Address[],
    [from, to]: readonly [number, number],
    block: number,
  ) =>
    query<DaySalesRow>(selectSales, [chainId, bytesArray([collection]), bytesArray(marketplaces), from, to, block, firstSaleAfter(block)]);

  /** Lookups of lowest prices by list of marketplaces. Their keys are those of `lowestKeyOf`; all keys of a call have the same days and block. */
  const lookUpsOfMarketplaces = new Map<string, Lookup<readonly LowestPriceRow[]>>();
  const lookUpOf = (marketplaces: readonly Address[]): Lookup<readonly LowestPriceRow[]> => {
    const list = marketplaces.join();
    const lookUp = lookUpsOfMarketplaces.get(list) ?? cache<readonly LowestPriceRow[]>(loadLowest(query, marketplaces), maxCached);
    lookUpsOfMarketplaces.set(list, lookUp);
    return lookUp;
  };

  /**
   * The lowest unit prices in collections up to a block in each payment token, from a UTC day to the day of the block, by collection. There is a lookup
   * for each list of marketplaces: a chain's configuration has only one list.
   */
  const lowestPricesOfDays = async (
    chainId: number,
    collections: Iterable<Address>,
    marketplaces: readonly Address[],
    days: readonly [number, number],
    block: number,
  ): Promise<ReadonlyMap<Address, readonly LowestPriceRow[]>> => {
    const keys = new Map([...collections].map((collection) => [collection, lowestKeyOf(collection, days, block)]));
    const found = await lookUpOf(marketplaces)(chainId, keys.values());
    return new Map([...keys].flatMap(([collection, key]) => (found.has(key) ? [[collection, found.get(key) ?? []] as const] : [])));
  };

  /** The sales of a transaction, in order. Served by the primary key, a range for the block, and one probe of the marks per sale. */
  const salesOfTransaction = (chainId: number, position: TransactionPosition, marketplaces: readonly Address[]) =>
    query<SaleRow>(
      `SELECT log_index, marketplace, protocol, collection, token_id, units, seller, buyer, maker_is_buyer, payment_token, unit_price,
         is_wash OR EXISTS (SELECT FROM nft_sale_marks k WHERE k.chain_id = $1 AND k.sale = s.sale) AS is_wash
       FROM nft_sales s WHERE chain_id = $1 AND sale >= $2 AND sale < $3 AND transaction_index = $4 AND marketplace = ANY ($5::bytea[]) ORDER BY sale`,
      [chainId, ...saleNumberRangeOf(position.block_number), position.transaction_index, bytesArray(marketplaces)],
    );

  /**
   * Each token's last unit price up to a block in one of the payment tokens `paidIn`; tokens that were never sold for one of them are omitted.
   * Served by nft_sales_token, read from its end: one probe per token if its last sale was paid in one of them.
   */
  const lastSales = async (
    chainId: number,
    tokens: readonly { readonly collection: Address; readonly tokenId: string }[],
    marketplaces: readonly Address[],
    paidIn: readonly Address[],
    block: number,
  ): Promise<LastSaleRow[]> => {
    const sales: LastSaleRow[] = [];
    for (const portion of portionsOf(tokens)) {
      const rows = await query<LastSaleRow>(
        `SELECT k.collection, k.token_id, s.unit_price FROM unnest($2::bytea[], $3::numeric[]) AS k(collection, token_id) CROSS JOIN LATERAL (
         SELECT unit_price FROM nft_sales s
         WHERE s.chain_id = $1 AND s.collection = k.collection AND s.token_id = k.token_id AND s.marketplace = ANY ($4::bytea[]) AND s.payment_token = ANY ($5::bytea[]) AND s.sale < $6
         ORDER BY s.sale DESC LIMIT 1) s`,
        [
          chainId,
          bytesArray(portion.map(({ collection }) => collection)),
          portion.map(({ tokenId }) => tokenId),
          bytesArray(marketplaces),
          bytesArray(paidIn),
          firstSaleAfter(block),
        ],
      );
      sales.push(...rows);
    }
    return sales;
  };

  return { salesOfDays, lowestPricesOfDays, salesOfTransaction, lastSales };
}
