import { bytesArray } from "../../../../database/codecs.ts";
import type { Queryable } from "../../../../database/database.ts";
import { sql } from "../../../../database/sql.ts";
import type { Address, Hash } from "../../../../lib/hex.ts";
import type { FeedObservation, Observation, PoolObservation } from "../../engine/observations.ts";
import { type BlockRef, createBlockEvidence } from "./evidence-blocks.ts";

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

interface AnswerRow {
  readonly feed: Address;
  readonly timestamp: number;
  readonly answer: string;
}

/** Observations up to and including block `upTo`, the last one with complete observations. */
export interface ObservationPage {
  readonly observations: Observation[];
  readonly upTo: BlockRef;
}

const stateColumns = sql`s.pool, s.block_number, b.hash, b.timestamp, s.reserve0, s.reserve1, s.sqrt_price_x96, s.liquidity, s.supply`;
const defaultPageSize = 10_000;

/** Price computation's queries for a chain's observations. `pageSize` bounds the pool states of one page. */
export function createObservationEvidence(queryable: Queryable, chainId: number, pageSize = defaultPageSize) {
  const { query } = queryable;
  const { areCanonical } = createBlockEvidence(queryable, chainId);

  /**
   * The pool states in a block range. Served by pool_states_blocks. Both tables have the bounds, so that a merge join does not start at the first block.
   */
  const statesBetween = (after: number, upTo: number, limit: number | null) =>
    query<StateRow>(
      sql`SELECT ${stateColumns} FROM pool_states s JOIN blocks b ON b.chain_id = s.chain_id AND b.number = s.block_number
          WHERE s.chain_id = $1 AND s.block_number > $2 AND s.block_number <= $3 AND b.number > $2 AND b.number <= $3
          ORDER BY s.block_number LIMIT $4`,
      [chainId, after, upTo, limit],
    );
  const statesAfter = async (after: number, head: number): Promise<StateRow[]> => {
    const page = await statesBetween(after, head, pageSize);
    const [first, last] = [page[0], page.at(-1)];
    if (first === undefined || page.length < pageSize || first.block_number !== last?.block_number) return page;
    // A single block fills the page: all of its states are needed.
    return statesBetween(after, first.block_number, null);
  };
  /** The feed answers in a block range. Served by the primary key of feed_answers. */
  const answersBetween = async (after: number, upTo: number, feeds: readonly Address[]): Promise<FeedObservation[]> => {
    const rows = await query<AnswerRow>(
      `SELECT f.feed, b.timestamp, f.answer FROM feed_answers f JOIN blocks b ON b.chain_id = f.chain_id AND b.number = f.block_number
       WHERE f.chain_id = $1 AND f.feed = ANY ($4::bytea[]) AND f.block_number > $2 AND f.block_number <= $3
         AND b.number > $2 AND b.number <= $3 ORDER BY f.block_number`,
      [chainId, after, upTo, bytesArray(feeds)],
    );
    return rows.map(feedObservation);
  };

  return {
    /** A page of the observations after a block; null if the chain was reorganised in the meantime. */
    observationsAfter: async (after: BlockRef | null, head: BlockRef, feeds: readonly Address[]): Promise<ObservationPage | null> => {
      const from = after?.number ?? -1;
      const states = await statesAfter(from, head.number);
      const [first, last] = [states[0], states.at(-1)];
      // The last block of a full page may have more states than the page.
      const isTruncated = states.length >= pageSize && last !== undefined && last.block_number < head.number;
      const complete =
        isTruncated && last.block_number !== first?.block_number ? states.filter((row) => row.block_number < last.block_number) : states;
      const lastComplete = complete.at(-1);
      const upTo = isTruncated && lastComplete !== undefined ? blockOf(lastComplete) : head;
      const answers = feeds.length === 0 ? [] : await answersBetween(from, upTo.number, feeds);
      // Observations of replaced blocks, or after a replaced block, must not be used.
      if (!(await areCanonical(after === null ? [upTo] : [after, upTo]))) return null;
      return { observations: inOrder([...complete.map(poolObservation), ...answers]), upTo };
    },
    /** The latest observation of each of the factories' pools and each feed, up to a block. Served by the primary keys, one probe per pool or feed. */
    observationsAt: async (block: number, factories: readonly Address[], feeds: readonly Address[]): Promise<Observation[]> => {
      const [states, answers] = await Promise.all([
        query<StateRow>(
          sql`SELECT ${stateColumns} FROM pools p CROSS JOIN LATERAL (
                SELECT * FROM pool_states s WHERE s.chain_id = $1 AND s.pool = p.pool AND s.block_number <= $2
                ORDER BY s.block_number DESC LIMIT 1) s
              JOIN blocks b ON b.chain_id = $1 AND b.number = s.block_number
              WHERE p.chain_id = $1 AND p.factory = ANY ($3::bytea[]) AND p.block_number <= $2`,
          [chainId, block, bytesArray(factories)],
        ),
        query<AnswerRow>(
          `SELECT f.feed, b.timestamp, f.answer FROM unnest($3::bytea[]) AS k(feed) CROSS JOIN LATERAL (
             SELECT * FROM feed_answers f WHERE f.chain_id = $1 AND f.feed = k.feed AND f.block_number <= $2 ORDER BY f.block_number DESC LIMIT 1) f
           JOIN blocks b ON b.chain_id = $1 AND b.number = f.block_number`,
          [chainId, block, bytesArray(feeds)],
        ),
      ]);
      return inOrder([...states.map(poolObservation), ...answers.map(feedObservation)]);
    },
  };
}

const inOrder = (observations: Observation[]): Observation[] => observations.sort((left, right) => left.time - right.time);

const blockOf = ({ block_number, hash, timestamp }: StateRow): BlockRef => ({ number: block_number, hash, time: timestamp });

const bigintOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

const poolObservation = (row: StateRow): PoolObservation => ({
  kind: "pool",
  time: row.timestamp,
  pool: row.pool,
  reserve0: bigintOf(row.reserve0),
  reserve1: bigintOf(row.reserve1),
  sqrtPriceX96: bigintOf(row.sqrt_price_x96),
  liquidity: bigintOf(row.liquidity),
  supply: bigintOf(row.supply),
});

const feedObservation = ({ feed, timestamp, answer }: AnswerRow): FeedObservation => ({
  kind: "feed",
  time: timestamp,
  feed,
  answer: BigInt(answer),
});
