import { bytes, bytesArray } from "../../../../database/codecs.ts";
import type { DatabaseClient } from "../../../../database/database.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import { countAttempts } from "../../../../jobs/queue.ts";
import type { AllowanceReading } from "./ask-allowances.ts";
import type { Pair } from "./pairs.ts";

/**
 * Writes what contracts said after a block: it holds from that block on, and what was before ends there. A row that was touched since it was read is left alone.
 * Served by the primary keys.
 */
export const writeReadings = async (
  client: DatabaseClient,
  chainId: number,
  height: number,
  readings: readonly AllowanceReading[],
): Promise<void> => {
  if (readings.length === 0) return;
  const given = `unnest($3::bytea[], $4::bytea[], $5::bytea[], $6::int8[], $7::numeric[]) AS k(owner, token, spender, since, told)`;
  const same = "a.chain_id = $1 AND a.owner = k.owner AND a.token = k.token AND a.spender = k.spender AND a.since_block = k.since";
  const parameters = [
    chainId,
    height,
    bytesArray(readings.map(({ owner }) => owner)),
    bytesArray(readings.map(({ token }) => token)),
    bytesArray(readings.map(({ spender }) => spender)),
    readings.map(({ since }) => since),
    readings.map(({ told }) => told.toString()),
  ];
  await client.query(
    `INSERT INTO allowance_periods (chain_id, owner, token, spender, from_block, to_block, approved_block, transaction_index, log_index, amount)
     SELECT $1, a.owner, a.token, a.spender, a.since_block, $2 - 1, a.approved_block, a.transaction_index, a.log_index, a.amount
     FROM ${given} JOIN allowances a ON ${same} WHERE k.since < $2`,
    parameters,
  );
  await client.query(`UPDATE allowances a SET since_block = $2, amount = k.told FROM ${given} WHERE ${same}`, parameters);
};

/** Says of pairs that their allowances were read after a block, and forgets those that were read at blocks that are final. Served by the primary keys and allowance_reads_done. */
export const markRead = async (
  client: DatabaseClient,
  chainId: number,
  { number, hash }: IndexedBlock,
  pairs: readonly Pair[],
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

/** Counts the looks in which contracts gave no answer. */
export const markSilent = (client: DatabaseClient, chainId: number, pairs: readonly Pair[]): Promise<void> =>
  countAttempts(client, { table: "allowance_reads", key: { owner: "bytea", token: "bytea" } }, chainId, pairs);

/**
 * Has those read again whose reading was of a block that a reorganisation took, and those at once that were put in doubt by a block that is no more, above the head: the
 * chain may take its time to get there again. Served by allowance_reads_done, allowance_reads_due and the primary key of blocks.
 */
export const takeReadsBack = async (client: DatabaseClient, chainId: number): Promise<void> => {
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

const columnsOf = (pairs: readonly Pair[]): [string, string] => [
  bytesArray(pairs.map(({ owner }) => owner)),
  bytesArray(pairs.map(({ token }) => token)),
];
