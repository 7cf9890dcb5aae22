import type { DatabaseClient, Queryable } from "../../../../database/database.ts";
import { identifier, sql } from "../../../../database/sql.ts";
import type { DeclaredRead } from "./declared-reads.ts";
import { maxScheduledBlocks } from "./settings.ts";

/** The blocks, inclusive, for which a periodic read has been queued. */
export interface ScheduledBlocks {
  readonly from: number;
  readonly to: number;
}

export interface NextBlocks {
  /** The blocks to queue reads for, multiples of the interval. */
  readonly blocks: readonly number[];
  readonly scheduled: ScheduledBlocks;
}

/**
 * The next blocks at which a periodic read is due: the newest multiple of the interval first, then multiples after the scheduled blocks, then
 * multiples before them down to `lowest`. Null if there are none.
 */
export const nextBlocks = (scheduled: ScheduledBlocks | null, interval: number, head: number, lowest: number): NextBlocks | null => {
  const newest = head - (head % interval);
  if (newest < lowest) return null;
  if (scheduled === null) return { blocks: [newest], scheduled: { from: newest, to: newest } };
  if (newest > scheduled.to) {
    const next = scheduled.to - (scheduled.to % interval) + interval;
    const blocks = multiples(next, interval, Math.min(maxScheduledBlocks, (newest - next) / interval + 1));
    return { blocks, scheduled: { ...scheduled, to: blocks.at(-1) ?? scheduled.to } };
  }
  const previous = scheduled.from - (scheduled.from % interval || interval);
  if (previous < lowest) return null;
  const blocks = multiples(previous, -interval, Math.min(maxScheduledBlocks, Math.floor((previous - lowest) / interval) + 1));
  return { blocks, scheduled: { ...scheduled, from: blocks.at(-1) ?? scheduled.from } };
};

const multiples = (first: number, step: number, count: number): number[] =>
  Array.from({ length: count }, (_, position) => first + position * step);

interface ScheduleRow {
  readonly from_block: number | null;
  readonly to_block: number | null;
  readonly lowest: number | null;
}

/**
 * A read's scheduled blocks, and the lowest first block of the contracts that it calls; null if there are none. Served by the primary key and
 * the kinds index.
 */
export const readSchedule = async (database: Queryable, chainId: number, { protocol, definition, contractsTable }: DeclaredRead) => {
  const [row] = await database.query<ScheduleRow>(
    sql`SELECT s.from_block, s.to_block, c.lowest FROM (
       SELECT min(block_number) AS lowest FROM ${identifier(contractsTable)} WHERE chain_id = $1 AND kind = $4) c
     LEFT JOIN community_read_schedule s ON s.chain_id = $1 AND s.protocol = $2 AND s.read_name = $3`,
    [chainId, protocol, definition.name, definition.contract],
  );
  if (row === undefined || row.lowest === null) return null;
  const { from_block: from, to_block: to, lowest } = row;
  return { lowest, scheduled: from === null || to === null ? null : { from, to } };
};

/** Queues a read for the contracts that exist at each of these blocks. Served by the kinds index. */
export const scheduleReads = async (
  client: DatabaseClient,
  chainId: number,
  { protocol, definition, contractsTable }: DeclaredRead,
  { blocks, scheduled }: NextBlocks,
): Promise<void> => {
  await client.query(
    sql`INSERT INTO community_reads (chain_id, protocol, read_name, contract, arguments, block_number, attempts)
     SELECT $1, $2, $3, c.address, '', b.number, 0 FROM unnest($5::int8[]) AS b(number)
     JOIN ${identifier(contractsTable)} c ON c.chain_id = $1 AND c.kind = $4 AND c.block_number <= b.number
     ON CONFLICT (chain_id, protocol, read_name, contract, arguments, block_number) DO NOTHING`,
    [chainId, protocol, definition.name, definition.contract, [...blocks]],
  );
  await client.query(
    `INSERT INTO community_read_schedule (chain_id, protocol, read_name, from_block, to_block) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (chain_id, protocol, read_name) DO UPDATE SET from_block = excluded.from_block, to_block = excluded.to_block`,
    [chainId, protocol, definition.name, scheduled.from, scheduled.to],
  );
};

/** Whether more than `count` reads are queued. Served by community_reads_due. */
export const hasMoreQueuedThan = async (database: Queryable, chainId: number, count: number): Promise<boolean> =>
  (await database.query("SELECT 1 FROM community_reads WHERE chain_id = $1 OFFSET $2 LIMIT 1", [chainId, count])).length > 0;
