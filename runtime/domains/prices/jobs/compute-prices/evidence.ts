import { bytesArray } from "../../../../database/codecs.ts";
import type { Queryable } from "../../../../database/database.ts";
import { type Decimal, decimalOf } from "../../../../lib/decimal.ts";
import type { Address, Hash } from "../../../../lib/hex.ts";
import { familyCodes } from "../../../pools/projection/tables.ts";
import { tokenMetadataKind } from "../../../tokens/projection/reads-metadata.ts";
import type { Asset } from "../../engine/assets.ts";
import type { FeedObservation, FileObservation, Observation, PoolObservation, PricedPool } from "../../engine/observations.ts";

/** A block that the making of prices has come to. */
export interface Height {
  readonly number: number;
  readonly hash: Hash;
  readonly time: number;
}

interface StateRow {
  readonly pool: Address;
  readonly block_number: number;
  readonly hash: Hash;
  readonly timestamp: number;
  readonly reserve0: string | null;
  readonly reserve1: string | null;
  readonly sqrt_price_x96: string | null;
  readonly liquidity: string | null;
  readonly supply: string | null;
}

const stateColumns = "s.pool, s.block_number, b.hash, b.timestamp, s.reserve0, s.reserve1, s.sqrt_price_x96, s.liquidity, s.supply";
const defaultStatesAtOnce = 10_000;

/** What prices are made of, as the tables have it. */
export type EvidenceQueries = ReturnType<typeof createEvidenceQueries>;

/** Questions of the making of prices about one chain. */
export function createEvidenceQueries({ query }: Queryable, chainId: number, statesAtOnce = defaultStatesAtOnce) {
  const one = async (sql: string, parameters: readonly unknown[]): Promise<Height | null> =>
    (await query<Height>(`SELECT number, hash, timestamp AS time FROM blocks WHERE chain_id = $1 ${sql}`, [chainId, ...parameters]))[0] ??
    null;

  /**
   * The words about pools and feeds after one block, up to where they are complete; null where the chain was reorganised meanwhile. Served by
   * pool_states_blocks, and the primary key of feed_answers.
   */
  const wordsAfter = async (
    after: Height | null,
    head: Height,
    feeds: readonly Address[],
  ): Promise<{ words: Observation[]; upTo: Height } | null> => {
    const from = after?.number ?? -1;
    const states = await statesAfter(from, head.number);
    const [first, last] = [states[0], states.at(-1)];
    // The last block of a full page may go on beyond it.
    const isCut = states.length >= statesAtOnce && last !== undefined && last.block_number < head.number;
    const whole =
      isCut && last.block_number !== first?.block_number ? states.filter((row) => row.block_number < last.block_number) : states;
    const lastWhole = whole.at(-1);
    const upTo = isCut && lastWhole !== undefined ? heightOf(lastWhole) : head;
    const answers = feeds.length === 0 ? [] : await answersBetween(from, upTo.number, feeds);
    // Words of a branch that is gone, or that go on from one, are good for nothing.
    if (!(await stand(after === null ? [upTo] : [after, upTo]))) return null;
    return { words: [...whole.map(poolWord), ...answers].sort((left, right) => left.time - right.time), upTo };
  };
  /** Whether all of some blocks are the chain's. Served by the primary key of blocks. */
  const stand = async (heights: readonly Height[]): Promise<boolean> => {
    const rows = await query(
      "SELECT FROM blocks WHERE chain_id = $1 AND (number, hash) IN (SELECT * FROM unnest($2::int8[], $3::bytea[]))",
      [chainId, heights.map(({ number }) => number), bytesArray(heights.map(({ hash }) => hash))],
    );
    return rows.length === heights.length;
  };
  const statesAfter = async (after: number, head: number): Promise<StateRow[]> => {
    // Bounds of both tables, so that a join that goes along both does not begin with the first block.
    const between = "s.chain_id = $1 AND s.block_number > $2 AND s.block_number <= $3 AND b.number > $2 AND b.number <= $3";
    const from = "FROM pool_states s JOIN blocks b ON b.chain_id = s.chain_id AND b.number = s.block_number";
    const page = await query<StateRow>(`SELECT ${stateColumns} ${from} WHERE ${between} ORDER BY s.block_number LIMIT ${statesAtOnce}`, [
      chainId,
      after,
      head,
    ]);
    const [first, last] = [page[0], page.at(-1)];
    if (page.length < statesAtOnce || first?.block_number !== last?.block_number) return page;
    // One block alone fills the page: it is read whole.
    return query<StateRow>(`SELECT ${stateColumns} ${from} WHERE ${between}`, [chainId, after, first?.block_number]);
  };
  const answersBetween = async (after: number, upTo: number, feeds: readonly Address[]): Promise<FeedObservation[]> => {
    const rows = await query<{ feed: Address; timestamp: number; answer: string }>(
      `SELECT f.feed, b.timestamp, f.answer FROM feed_answers f JOIN blocks b ON b.chain_id = f.chain_id AND b.number = f.block_number
       WHERE f.chain_id = $1 AND f.feed = ANY ($4::bytea[]) AND f.block_number > $2 AND f.block_number <= $3
         AND b.number > $2 AND b.number <= $3 ORDER BY f.block_number`,
      [chainId, after, upTo, bytesArray(feeds)],
    );
    return rows.map(feedWord);
  };

  /** The last word of each pool of some factories, and of each feed, up to a block. Served by the primary keys, one probe a pool or feed. */
  const wordsAt = async (block: number, factories: readonly Address[], feeds: readonly Address[]): Promise<Observation[]> => {
    const [states, answers] = await Promise.all([
      query<StateRow>(
        `SELECT ${stateColumns} FROM pools p CROSS JOIN LATERAL (
           SELECT * FROM pool_states s WHERE s.chain_id = $1 AND s.pool = p.pool AND s.block_number <= $2 ORDER BY s.block_number DESC LIMIT 1) s
         JOIN blocks b ON b.chain_id = $1 AND b.number = s.block_number
         WHERE p.chain_id = $1 AND p.factory = ANY ($3::bytea[]) AND p.block_number <= $2`,
        [chainId, block, bytesArray(factories)],
      ),
      query<{ feed: Address; timestamp: number; answer: string }>(
        `SELECT f.feed, b.timestamp, f.answer FROM unnest($3::bytea[]) AS k(feed) CROSS JOIN LATERAL (
           SELECT * FROM feed_answers f WHERE f.chain_id = $1 AND f.feed = k.feed AND f.block_number <= $2 ORDER BY f.block_number DESC LIMIT 1) f
         JOIN blocks b ON b.chain_id = $1 AND b.number = f.block_number`,
        [chainId, block, bytesArray(feeds)],
      ),
    ]);
    return [...states.map(poolWord), ...answers.map(feedWord)].sort((left, right) => left.time - right.time);
  };

  /** Those of some contracts that are pools of the factories. Served by pools_factory. */
  const poolsAmong = async (contracts: readonly Address[], factories: readonly Address[]): Promise<PricedPool[]> => {
    const rows = await query<{ pool: Address; token0: Address; token1: Address; family: number }>(
      `SELECT DISTINCT ON (pool) pool, token0, token1, family FROM pools
       WHERE chain_id = $1 AND factory = ANY ($2::bytea[]) AND pool = ANY ($3::bytea[]) ORDER BY pool, announcement`,
      [chainId, bytesArray(factories), bytesArray(contracts)],
    );
    return rows.map(({ family, ...pool }) => ({ ...pool, isConcentrated: family === familyCodes.concentrated }));
  };

  /** All that the operator's file says, in the order of its times. */
  const fileWords = async (): Promise<FileObservation[]> => {
    const rows = await query<{ asset: Asset; since: number; price: string | null }>(
      "SELECT asset, since, price FROM price_imports WHERE chain_id = $1 ORDER BY since, asset",
      [chainId],
    );
    return rows.map(({ asset, since, price }) => ({ kind: "file", time: since, asset, price }));
  };

  /** What contracts say of their decimals; `isPending` while one of them has yet to be asked. */
  const decimalsOf = async (tokens: readonly Address[]) => {
    const [rows, pending] = await Promise.all([
      query<{ address: Address; decimals: number | null }>(
        "SELECT address, decimals FROM token_metadata WHERE chain_id = $1 AND address = ANY ($2::bytea[])",
        [chainId, bytesArray(tokens)],
      ),
      query("SELECT FROM node_reads WHERE chain_id = $1 AND kind = $2 AND key = ANY ($3::bytea[]) AND attempts = 0 LIMIT 1", [
        chainId,
        tokenMetadataKind,
        bytesArray(tokens),
      ]),
    ]);
    return { isPending: pending.length > 0, decimals: new Map(rows.map(({ address, decimals }) => [address, decimals])) };
  };

  /** The last hour that is done, and the block by which the chain had passed it. */
  const progress = async (): Promise<Progress | null> =>
    (
      await query<Progress>("SELECT hour, block_number AS block FROM price_progress WHERE chain_id = $1 ORDER BY hour DESC LIMIT 1", [
        chainId,
      ])
    )[0] ?? null;

  /** What is known to have been worth something by the end of an hour, and what it was worth before a day began. Served by the primary keys, one probe an asset. */
  const pricesBefore = async (day: number, hour: number): Promise<{ prices: Map<Asset, Decimal>; known: Set<Asset> }> => {
    const rows = await query<{ asset: Asset; close: string | null }>(
      `SELECT a.asset, (SELECT close FROM price_days p WHERE p.chain_id = $1 AND p.asset = a.asset AND p.day < $2 ORDER BY p.day DESC LIMIT 1) AS close
       FROM priced_assets a WHERE a.chain_id = $1 AND a.hour <= $3`,
      [chainId, day, hour],
    );
    const prices = new Map(rows.flatMap(({ asset, close }) => (close === null ? [] : [[asset, decimalOf(close)] as const])));
    return { prices, known: new Set(rows.map(({ asset }) => asset)) };
  };

  /** The first block at or after each time (unix seconds), or null before the first block or after the last. Served by blocks_timestamp. */
  const blocksFrom = async (times: readonly number[]): Promise<Map<number, number | null>> => {
    const rows = await query<{ time: number; number: number | null }>(
      `SELECT t.time, CASE WHEN (SELECT timestamp FROM blocks b WHERE b.chain_id = $1 ORDER BY b.number LIMIT 1) < t.time THEN
         (SELECT number FROM blocks b WHERE b.chain_id = $1 AND b.timestamp >= t.time ORDER BY b.timestamp, b.number LIMIT 1) END AS number
       FROM unnest($2::int8[]) AS t(time)`,
      [chainId, times],
    );
    return new Map(rows.map(({ time, number }) => [time, number]));
  };

  return {
    head: () => one("ORDER BY number DESC LIMIT 1", []),
    first: () => one("ORDER BY number LIMIT 1", []),
    /** The last block before a time. Served by blocks_timestamp. */
    lastBefore: (time: number) => one("AND timestamp < $2 ORDER BY timestamp DESC, number DESC LIMIT 1", [time]),
    stand,
    wordsAfter,
    wordsAt,
    poolsAmong,
    fileWords,
    decimalsOf,
    progress,
    pricesBefore,
    blocksFrom,
  };
}

/** An hour since 1970 that is done, and the block by which the chain had passed it; null before the first block. */
export interface Progress {
  readonly hour: number;
  readonly block: number | null;
}

/** The day (since 1970) that an hour is in. */
export const dayOfHour = (hour: number): number => Math.floor(hour / 24);

const heightOf = ({ block_number, hash, timestamp }: StateRow): Height => ({ number: block_number, hash, time: timestamp });

const bigintOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

const poolWord = (row: StateRow): PoolObservation => ({
  kind: "pool",
  time: row.timestamp,
  pool: row.pool,
  reserve0: bigintOf(row.reserve0),
  reserve1: bigintOf(row.reserve1),
  sqrtPriceX96: bigintOf(row.sqrt_price_x96),
  liquidity: bigintOf(row.liquidity),
  supply: bigintOf(row.supply),
});

const feedWord = ({ feed, timestamp, answer }: { feed: Address; timestamp: number; answer: string }): FeedObservation => ({
  kind: "feed",
  time: timestamp,
  feed,
  answer: BigInt(answer),
});
