import { bytesArray } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { identifier, joinSql, type Sql, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import type { ProtocolRelations } from "../relations.ts";

/** The limits of a sample: up to `sampleSize` blocks of each kind, up to a height. */
export interface Sampling {
  readonly chainId: number;
  readonly height: number;
  readonly sampleSize: number;
}

/**
 * The blocks to compare: blocks of sampled rows, to find wrong and surplus rows, and blocks with logs from the protocol's contracts, to find missing
 * rows.
 */
export const sampleBlocks = async (
  database: Queryable,
  relations: ProtocolRelations,
  fixed: readonly Address[],
  sampling: Sampling,
): Promise<number[]> => {
  const blocks = [...(await blocksOfRows(database, relations, sampling)), ...(await blocksOfLogs(database, relations, fixed, sampling))];
  return [...new Set(blocks)].sort((left, right) => left - right);
};

/** The blocks of the first rows in hash order: a deterministic sample from all parts of the tables. Scans the tables once. */
const blocksOfRows = async (
  database: Queryable,
  { contracts, events, skipped }: ProtocolRelations,
  sampling: Sampling,
): Promise<number[]> => {
  const rowsOf = (name: string, log: Sql): Sql =>
    sql`SELECT block_number, ${log} AS log FROM ${identifier(name)} WHERE chain_id = $1 AND block_number <= $2`;
  const parts = [
    rowsOf(contracts.table.name, sql`coalesce(log_index, -1)`),
    ...[...events.map(({ rows }) => rows), skipped].map(({ table }) => rowsOf(table.name, sql`log_index`)),
  ];
  const rows = await database.query<{ block: number }>(
    sql`SELECT DISTINCT block_number AS block FROM (
       SELECT block_number FROM (${joinSql(parts, sql` UNION ALL `)}) r ORDER BY md5(int8send(block_number) || int4send(log)) LIMIT $3) s`,
    [sampling.chainId, sampling.height, sampling.sampleSize],
  );
  return rows.map(({ block }) => block);
};

/** For each of `sampleSize` evenly spaced heights, the next block with a log from a contract, cycling through the contracts. Served by logs_address. */
const blocksOfLogs = async (
  database: Queryable,
  { contracts }: ProtocolRelations,
  fixed: readonly Address[],
  { chainId, height, sampleSize }: Sampling,
): Promise<number[]> => {
  const rows = await database.query<{ block: number }>(
    sql`WITH known AS (
       SELECT address, row_number() OVER (ORDER BY md5(address)) - 1 AS place, count(*) OVER () AS total FROM (
         SELECT address FROM ${identifier(contracts.table.name)} WHERE chain_id = $1 AND block_number <= $2 UNION SELECT unnest($4::bytea[])) a
     ), range AS (SELECT min(number) AS first FROM blocks WHERE chain_id = $1)
     SELECT DISTINCT found.block_number AS block
     FROM generate_series(0, $3::int8 - 1) turn
     JOIN known ON known.place = turn % known.total
     CROSS JOIN range
     CROSS JOIN LATERAL (
       SELECT l.block_number FROM logs l
       WHERE l.chain_id = $1 AND l.address = known.address AND l.block_number <= $2
         AND l.block_number >= range.first + ((($2::int8 - range.first + 1)::numeric * turn / $3::int8)::int8)
       ORDER BY l.block_number, l.log_index LIMIT 1) found`,
    [chainId, height, sampleSize, bytesArray(fixed)],
  );
  return rows.map(({ block }) => block);
};
