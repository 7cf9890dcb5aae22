import { bytes, bytesArray } from "../../../../database/codecs.ts";
import type { DatabaseClient } from "../../../../database/database.ts";
import { sql } from "../../../../database/sql.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import { incrementAttempts } from "../../../../jobs/queue.ts";
import type { AllowanceReading } from "./call-allowances.ts";
import type { OwnerTokenPair } from "./pairs.ts";

const readingRows = sql`unnest($3::bytea[], $4::bytea[], $5::bytea[], $6::int8[], $7::numeric[]) AS k(owner, token, spender, since, reading)`;
const isUnchanged = sql`a.chain_id = $1 AND a.owner = k.owner AND a.token = k.token AND a.spender = k.spender AND a.since_block = k.since`;

const insertPeriods = sql`INSERT INTO allowance_periods
     (chain_id, owner, token, spender, from_block, to_block, approved_block, transaction_index, log_index, amount)
   SELECT $1, a.owner, a.token, a.spender, a.since_block, $2 - 1, a.approved_block, a.transaction_index, a.log_index, a.amount
   FROM ${readingRows} JOIN allowances a ON ${isUnchanged} WHERE k.since < $2`;
const updateAmounts = sql`UPDATE allowances a SET since_block = $2, amount = k.reading FROM ${readingRows} WHERE ${isUnchanged}`;

/**
 * Writes amounts that contracts returned as of a block: they hold from that block on, and the periods of the previous amounts end before it. Rows that changed
 * after the read are left unchanged. Served by the primary keys.
 */
export const writeReadings = async (
  client: DatabaseClient,
  chainId: number,
  height: number,
  readings: readonly AllowanceReading[],
): Promise<void> => {
  if (readings.length === 0) return;
  const parameters = [
    chainId,
    height,
    bytesArray(readings.map(({ owner }) => owner)),
    bytesArray(readings.map(({ token }) => token)),
    bytesArray(readings.map(({ spender }) => spender)),
    readings.map(({ since }) => since),
    readings.map(({ reading }) => reading.toString()),
  ];
  await client.query(insertPeriods, parameters);
  await client.query(updateAmounts, parameters);
};

/** Marks pairs as read as of a block, and deletes pairs that were read at finalized blocks. Served by the primary keys and allowance_reads_done. */
export const markRead = async (
  client: DatabaseClient,
  chainId: number,
  { number, hash }: IndexedBlock,
  pairs: readonly OwnerTokenPair[],
): Promise<void> => {
  await client.query(
    `UPDATE allowance_reads r SET read_at_block = $2, read_at_hash = $3, attempts = 0 FROM unnest($4::bytea[], $5::bytea[]) AS k(owner, token)
     WHERE r.chain_id = $1 AND r.owner = k.owner AND r.token = k.token AND r.block_number <= $2`,
    [chainId, number, bytes(hash), ...columnsOf(pairs)],
  );
  await client.query(
    "DELETE FROM allowance_reads WHERE chain_id = $1 AND read_at_block <= (SELECT finalized_block FROM chains WHERE chain_id = $1)",
    [chainId],
  );
};

/** Counts a failed attempt for each pair. */
export const recordFailures = (client: DatabaseClient, chainId: number, pairs: readonly OwnerTokenPair[]): Promise<void> =>
  incrementAttempts(client, { table: "allowance_reads", key: { owner: "bytea", token: "bytea" } }, chainId, pairs);

/**
 * Requeues pairs read at a block that a reorganisation removed. Pairs that a removed block above the head put in doubt are due immediately, because the chain
 * may need time to reach that height again. Served by allowance_reads_done, allowance_reads_due and the primary key of blocks.
 */
export const requeueReorgedReads = async (client: DatabaseClient, chainId: number): Promise<void> => {
  await client.query(
    `UPDATE allowance_reads r SET read_at_block = NULL, read_at_hash = NULL WHERE r.chain_id = $1 AND r.read_at_block IS NOT NULL
       AND NOT EXISTS (SELECT FROM blocks b WHERE b.chain_id = $1 AND b.number = r.read_at_block AND b.hash = r.read_at_hash)`,
    [chainId],
  );
  await client.query(
    `UPDATE allowance_reads SET block_number = h.number FROM (SELECT max(number) AS number FROM blocks WHERE chain_id = $1) h
     WHERE chain_id = $1 AND read_at_block IS NULL AND block_number > h.number`,
    [chainId],
  );
};

const columnsOf = (pairs: readonly OwnerTokenPair[]): [string, string] => [
  bytesArray(pairs.map(({ owner }) => owner)),
  bytesArray(pairs.map(({ token }) => token)),
];
