import { bytes } from "../../../../../database/codecs.ts";
import type { DatabaseClient } from "../../../../../database/database.ts";
import { identifier, sql } from "../../../../../database/sql.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { JobContext } from "../../../../../jobs/job.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";
import { writeIfCanonical } from "../as-of-head.ts";
import { recountHolders } from "../holders/holder-counts.ts";

/** A difference between a token's events and its contract; the event-sourced balance is null if it is out of range. */
export interface Difference {
  readonly token: Address;
  readonly owner: Address;
  readonly eventBalance: bigint | null;
  readonly nodeBalance: bigint;
}

/** Marks a token whose balances do not follow from its events as node-sourced, as of a block. */
export const markNodeSourced = async (context: JobContext, head: IndexedBlock, difference: Difference): Promise<void> => {
  const { chainId, clock, logger } = context;
  const isMarked = await writeIfCanonical(context, head, (client) => writeMark(client, chainId, head.number, difference, clock()));
  if (isMarked === true) {
    logger.info(
      `Balances of token ${difference.token} are read from the node from block ${head.number} on: they do not follow from its events.`,
    );
  }
};

/**
 * Marks an ERC-20 token and sets its owners' and transfers' balances to unknown; returns false if the token was already marked. Owners are found by its
 * transfers, transfers by its logs (logs_address, then the primary key of transfers), and the rows of owners by the primary keys.
 */
const writeMark = async (
  client: DatabaseClient,
  chainId: number,
  block: number,
  { token, owner, eventBalance, nodeBalance }: Difference,
  now: Date,
): Promise<boolean> => {
  const standard = standards.erc20;
  const marked = await client.query(
    `INSERT INTO node_sourced_tokens (chain_id, token, standard, found_at_block, owner, events_balance, node_balance, found_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING 1`,
    [chainId, bytes(token), standard, block, bytes(owner), eventBalance?.toString() ?? null, nodeBalance.toString(), now],
  );
  if (marked.length === 0) return false;
  await clearEventBalances(client, chainId, token);
  // Events that do not determine balances may not determine the supply either: it is compared next.
  await client.query("UPDATE token_checks SET urgent_at = $4 WHERE chain_id = $1 AND token = $2 AND standard = $3", [
    chainId,
    bytes(token),
    standard,
    now,
  ]);
  await recountHolders(client, chainId, [{ token, standard }]);
  return true;
};

const clearEventBalances = async (client: DatabaseClient, chainId: number, token: Address): Promise<void> => {
  await client.query(
    "CREATE TEMP TABLE node_sourced_transfers (block_number int8, ordinal int4, from_address bytea, to_address bytea) ON COMMIT DROP",
  );
  await client.query(
    `INSERT INTO node_sourced_transfers SELECT t.block_number, t.ordinal, t.from_address, t.to_address
     FROM (SELECT DISTINCT block_number FROM logs WHERE chain_id = $1 AND address = $2) h
     JOIN transfers t ON t.chain_id = $1 AND t.block_number = h.block_number AND t.token = $2 AND t.standard = $3`,
    [chainId, bytes(token), standards.erc20],
  );
  await client.query("ANALYZE node_sourced_transfers");
  await client.query(
    `UPDATE transfers t SET from_balance = NULL, to_balance = NULL FROM node_sourced_transfers h
     WHERE t.chain_id = $1 AND t.block_number = h.block_number AND t.ordinal = h.ordinal AND (t.from_balance IS NOT NULL OR t.to_balance IS NOT NULL)`,
    [chainId],
  );
  for (const table of ["balances", "balance_periods"]) {
    await client.query(
      sql`UPDATE ${identifier(table)} b SET balance = NULL, net_change = NULL
        FROM (SELECT from_address AS owner FROM node_sourced_transfers UNION SELECT to_address FROM node_sourced_transfers) o
        WHERE b.chain_id = $1 AND b.owner = o.owner AND b.owner <> $4 AND b.token = $2 AND b.standard = $3`,
      [chainId, bytes(token), standards.erc20, bytes(zeroAddress)],
    );
  }
  await client.query("DROP TABLE node_sourced_transfers");
};
