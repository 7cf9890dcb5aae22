import { bytesArray } from "../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../database/database.ts";
import { identifier, sql } from "../../../../database/sql.ts";
import { incrementAttempts } from "../../../../jobs/queue.ts";
import type { Address } from "../../../../lib/hex.ts";
import { hasSameArguments } from "../../queued-arguments.ts";
import { readsTable } from "../../relations.ts";
import type { DeclaredRead, DueRead } from "./declared-reads.ts";
import { maxConsidered, maxDropped, maxProbedBlocks, maxReads, maxReadsPerContract } from "./settings.ts";

/** The protocols' due reads, newest first so that a backlog does not delay new ones, with a limit per contract. Served by community_reads_due. */
export const dueReads = (
  database: Queryable,
  chainId: number,
  height: number,
  protocols: readonly string[],
  skipped: readonly Address[],
): Promise<DueRead[]> =>
  database.query<DueRead>(
    sql`SELECT protocol, read_name, contract, arguments, block_number, attempts FROM (
       SELECT *, row_number() OVER (PARTITION BY contract ORDER BY block_number DESC, protocol, read_name, arguments) AS place FROM (
         SELECT protocol, read_name, contract, arguments, block_number, attempts FROM community_reads
         WHERE chain_id = $1 AND block_number <= $2 AND protocol = ANY ($3) AND contract <> ALL ($4::bytea[])
         ORDER BY block_number DESC LIMIT ${maxConsidered}) newest) due
     WHERE place <= ${maxReadsPerContract} ORDER BY block_number DESC, protocol, read_name, contract, arguments LIMIT ${maxReads}`,
    [chainId, height, [...protocols], bytesArray(skipped)],
  );

/** Removes reads from the queue. Served by the primary key. */
export const removeReads = async (client: DatabaseClient, chainId: number, reads: readonly DueRead[]): Promise<void> => {
  if (reads.length === 0) return;
  await client.query(
    `DELETE FROM community_reads q
     USING unnest($2::text[], $3::text[], $4::bytea[], $5::text[], $6::int8[]) AS d(protocol, read_name, contract, arguments, block_number)
     WHERE q.chain_id = $1 AND q.protocol = d.protocol AND q.read_name = d.read_name AND q.contract = d.contract AND q.arguments = d.arguments
       AND q.block_number = d.block_number`,
    [
      chainId,
      reads.map(({ protocol }) => protocol),
      reads.map(({ read_name }) => read_name),
      bytesArray(reads.map(({ contract }) => contract)),
      reads.map((read) => read.arguments),
      reads.map(({ block_number }) => block_number),
    ],
  );
};

/** Counts a failed attempt for each read. */
export const recordFailedReads = (client: DatabaseClient, chainId: number, reads: readonly DueRead[]): Promise<void> =>
  incrementAttempts(
    client,
    { table: readsTable.name, key: { protocol: "text", read_name: "text", contract: "bytea", arguments: "text", block_number: "int8" } },
    chainId,
    reads,
  );

/** The newest blocks up to a height at which protocol reads are queued, with a limit. Served by community_reads_due. */
export const queuedBlocks = async (
  database: Queryable,
  chainId: number,
  protocols: readonly string[],
  height: number,
): Promise<number[]> => {
  const rows = await database.query<{ block_number: number }>(
    sql`SELECT DISTINCT block_number FROM community_reads WHERE chain_id = $1 AND protocol = ANY ($2) AND block_number <= $3
     ORDER BY block_number DESC LIMIT ${maxProbedBlocks}`,
    [chainId, [...protocols], height],
  );
  return rows.map(({ block_number }) => block_number);
};

/** The blocks whose state the node lacks: all blocks up to `highest`, or only those in `blocks`. */
export interface MissingStates {
  readonly highest: number;
  readonly blocks: readonly number[] | null;
}

/**
 * Removes reads at blocks whose state the node lacks, newest first, with a limit. A contract without a newer result or queued read for the same
 * arguments is read at the head instead. Served by community_reads_due and the primary keys.
 */
export const dropReads = async (
  client: DatabaseClient,
  chainId: number,
  { protocol, definition, table }: DeclaredRead,
  { highest, blocks }: MissingStates,
  head: number,
): Promise<void> => {
  await client.query(
    sql`WITH dropped AS (
       DELETE FROM community_reads WHERE chain_id = $1 AND protocol = $2 AND read_name = $3 AND (contract, arguments, block_number) IN (
         SELECT contract, arguments, block_number FROM community_reads
         WHERE chain_id = $1 AND protocol = $2 AND read_name = $3 AND block_number <= $4 AND ($6::int8[] IS NULL OR block_number = ANY ($6::int8[]))
         ORDER BY block_number DESC LIMIT ${maxDropped}) RETURNING contract, arguments)
     INSERT INTO community_reads (chain_id, protocol, read_name, contract, arguments, block_number, attempts)
     SELECT DISTINCT $1::int8, $2, $3, d.contract, d.arguments, $5::int8, 0 FROM dropped d
     WHERE NOT EXISTS (SELECT FROM ${identifier(table.name)} t
         WHERE t.chain_id = $1 AND t.contract = d.contract${hasSameArguments(definition, "t", "d")} AND t.block_number > $4)
       AND NOT EXISTS (SELECT FROM community_reads q WHERE q.chain_id = $1 AND q.protocol = $2 AND q.read_name = $3 AND q.contract = d.contract
         AND q.arguments = d.arguments AND q.block_number > $4)
     ON CONFLICT (chain_id, protocol, read_name, contract, arguments, block_number) DO NOTHING`,
    [chainId, protocol, definition.name, highest, head, blocks],
  );
};
