import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { type IndexCache, noIndexCache } from "../../../database/index-cache.ts";
import { plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import { features } from "../../../indexer/storage/chain-record.ts";
import type { Address, Hash, Hex } from "../../../lib/hex.ts";
import { shareLoads } from "../../../lib/share-loads.ts";

/** A row of `blocks`; times are unix seconds. */
export interface BlockRow {
  readonly number: number;
  readonly hash: Hash;
  readonly parent_hash: Hash;
  readonly timestamp: number;
  readonly miner: Address;
  readonly extra_data: Hex;
  readonly gas_used: number;
  readonly gas_limit: string;
  readonly transaction_count: number;
}

/** A time range in unix seconds; `before` is exclusive. */
export interface TimeRange {
  readonly from: number;
  readonly before: number;
}

/** A page of a range's blocks, and the total number of blocks in the range. */
export interface BlockPage {
  readonly total: number;
  readonly blocks: readonly BlockRow[];
}

/** An indexed chain, and the last observed state of its node. */
export interface ChainRow {
  readonly chain_id: number;
  readonly name: string;
  readonly indexed_from: number;
  readonly backfilled_at: Date | null;
  readonly latest_block: number | null;
  readonly finalized_block: number | null;
  readonly missing: readonly string[];
  /** The native accounting of the index; null for an index that predates the column. */
  readonly native_accounting: "traces" | "state" | "none" | null;
}

const columns = sql`number, hash, parent_hash, timestamp, miner, extra_data, gas_used, gas_limit, transaction_count`;
const selectBlocks = sql`SELECT ${columns} FROM blocks WHERE chain_id = $1`;
const selectHead = plannedOnce(sql`${selectBlocks} ORDER BY number DESC LIMIT 1`);
const selectFirstBlock = plannedOnce(sql`${selectBlocks} ORDER BY number LIMIT 1`);
const selectByNumber = plannedOnce(sql`${selectBlocks} AND number = $2`);
const selectByHash = plannedOnce(sql`${selectBlocks} AND hash = $2`);
const selectLastBefore = plannedOnce(sql`${selectBlocks} AND timestamp < $2 ORDER BY timestamp DESC, number DESC LIMIT 1`);
const selectFirstFrom = plannedOnce(sql`${selectBlocks} AND timestamp >= $2 ORDER BY timestamp, number LIMIT 1`);
/** The heights of a time range, and a page of its blocks; one row without a block if the page is empty. */
const selectOfTimes = plannedOnce(sql`SELECT range.first, range.last, b.* FROM (
    SELECT (SELECT number FROM blocks WHERE chain_id = $1 AND timestamp >= $2 ORDER BY timestamp, number LIMIT 1) AS first,
      (SELECT least($4::int8, number) FROM blocks WHERE chain_id = $1 AND timestamp < $3 ORDER BY timestamp DESC, number DESC LIMIT 1) AS last) range
  LEFT JOIN LATERAL (SELECT ${columns} FROM blocks
    WHERE chain_id = $1 AND number BETWEEN range.first + $5::int8 AND range.first + $5::int8 + $6::int8 - 1 AND number <= range.last) b ON true
  ORDER BY b.number`);

const selectChains = plannedOnce(
  sql`SELECT chain_id, name, indexed_from, backfilled_at, latest_block, finalized_block, missing, native_accounting FROM chains`,
);

/** Max cached blocks of a chain per selecting statement. */
const maxCached = 1_000;

const nativeBalanceIssues: readonly string[] = [features.nativeBalances, features.nativeBalancesDiffer];

/** Block and chain queries. */
export function createBlockQueries({ query }: Pick<Database, "query">, cache: IndexCache = noIndexCache) {
  const selectOne = async (statement: Sql, parameters: readonly unknown[]): Promise<BlockRow | null> =>
    (await query<BlockRow>(statement, parameters))[0] ?? null;

  /** One block of each chain that has blocks. */
  const blockOfEach = (statement: Sql) =>
    cache.loads("blocks")(async (chainIds: readonly number[]): Promise<ReadonlyMap<number, BlockRow>> => {
      const blocks = await Promise.all(chainIds.map(async (chainId) => [chainId, await selectOne(statement, [chainId])] as const));
      return new Map(blocks.flatMap(([chainId, block]) => (block === null ? [] : [[chainId, block] as const])));
    });
  /** The block that a number selects, cached: requests repeatedly read the anchor's block and the block one day before the head. */
  const blockOfNumber = (statement: Sql) => {
    const lookUp = cache.lookups("blocks")<BlockRow>(async (chainId, keys) => {
      const blocks = await Promise.all(keys.map(async (key) => [key, await selectOne(statement, [chainId, Number(key)])] as const));
      return new Map(blocks.flatMap(([key, block]) => (block === null ? [] : [[key, block] as const])));
    }, maxCached);
    return async (chainId: number, number: number): Promise<BlockRow | null> => {
      const key = String(number);
      return (await lookUp(chainId, [key])).get(key) ?? null;
    };
  };
  const headOfEach = blockOfEach(selectHead);
  const firstBlockOfEach = blockOfEach(selectFirstBlock);

  /** The highest indexed block. Served by the primary key. */
  const head = async (chainId: number): Promise<BlockRow | null> => (await headOfEach([chainId])).get(chainId) ?? null;

  /** The lowest indexed block. Served by the primary key. */
  const firstBlock = async (chainId: number): Promise<BlockRow | null> => (await firstBlockOfEach([chainId])).get(chainId) ?? null;

  /** The block with a number, or null. Served by the primary key. */
  const blockByNumber = blockOfNumber(selectByNumber);

  /** The block with the given hash, or null. Served by blocks_hash. */
  const blockByHash = (chainId: number, hash: Hash) => selectOne(selectByHash, [chainId, bytes(hash)]);

  /** The first block at or after a time (unix seconds), or null. Served by blocks_timestamp. */
  const firstBlockFrom = (chainId: number, timestamp: number) => selectOne(selectFirstFrom, [chainId, timestamp]);

  /** The last block before a time (unix seconds), or null. Served by blocks_timestamp. */
  const lastBlockBefore = blockOfNumber(selectLastBefore);

  /** A page of the blocks in a time range up to a height, ascending; heights are contiguous. Served by blocks_timestamp and the primary key. */
  const blocksInTimeRange = async (
    chainId: number,
    times: TimeRange,
    highest: number,
    offset: number,
    limit: number,
  ): Promise<BlockPage> => {
    const rows = await query<{ first: number | null; last: number | null } & (BlockRow | { number: null })>(selectOfTimes, [
      chainId,
      times.from,
      times.before,
      highest,
      offset,
      limit,
    ]);
    const { first = null, last = null } = rows[0] ?? {};
    const total = first === null || last === null ? 0 : Math.max(0, last - first + 1);
    return { total, blocks: rows.filter((row) => row.number !== null) };
  };

  /** All chains that have an index. Served by a scan: one row per chain. */
  const loadChains = shareLoads<never, ChainRow[]>(() => query<ChainRow>(selectChains, []));
  const chains = (): Promise<readonly ChainRow[]> => loadChains([]);
  const missingOf = cache.loads("chains")(
    async (_chainIds: readonly number[]) => new Map((await chains()).map(({ chain_id: id, missing }) => [id, missing] as const)),
  );

  /** Whether a chain's index has native balances that can be served: false if it has none, or if they differ from the node's. */
  const hasNativeBalances = async (chainId: number): Promise<boolean> => {
    const missing = (await missingOf([chainId])).get(chainId) ?? [];
    return !missing.some((feature) => nativeBalanceIssues.includes(feature));
  };

  return {
    head,
    firstBlock,
    blockByNumber,
    blockByHash,
    firstBlockFrom,
    lastBlockBefore,
    blocksInTimeRange,
    chains,
    hasNativeBalances,
  };
}
