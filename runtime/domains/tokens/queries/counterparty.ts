import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";
import type { Counterparty } from "../classification/poisoning.ts";

/** Queries for a wallet's counterparties and for airdropped tokens. */
export function createCounterpartyQueries({ query }: Pick<Database, "query">) {
  /**
   * The accounts with which a wallet exchanged nonzero ERC-20 amounts or native value up to a block: in its newest `max` transactions with transfers, and in
   * the newest `max` transactions that it is a party to. Served by transfer_transactions_block, address_transactions_block and the primary keys of the rows
   * that they refer to. `max` bounds the cost.
   */
  const counterparties = (chainId: number, wallet: Address, block: number, max: number) =>
    query<Counterparty>(
      `SELECT address, min(block_number) AS since, min(block_number) FILTER (WHERE sender = $2) AS "sentSince"
       FROM (
         SELECT CASE WHEN t.from_address = $2 THEN t.to_address ELSE t.from_address END AS address, t.block_number, x.from_address AS sender
         FROM (SELECT block_number, transaction_index FROM transfer_transactions
           WHERE chain_id = $1 AND address = $2 AND block_number <= $3 ORDER BY block_number DESC, ordinal DESC LIMIT $4) listed
         JOIN transfers t ON t.chain_id = $1 AND t.block_number = listed.block_number AND t.transaction_index = listed.transaction_index
         JOIN transactions x ON x.chain_id = $1 AND x.block_number = listed.block_number AND x.transaction_index = listed.transaction_index
         WHERE t.standard = 1 AND t.amount > 0 AND $2 IN (t.from_address, t.to_address) AND t.from_address <> t.to_address
         UNION ALL
         SELECT CASE WHEN x.from_address = $2 THEN x.to_address ELSE x.from_address END, x.block_number, x.from_address
         FROM (SELECT block_number, transaction_index FROM address_transactions
           WHERE chain_id = $1 AND address = $2 AND block_number <= $3 ORDER BY block_number DESC, ordinal DESC LIMIT $4) listed
         JOIN transactions x ON x.chain_id = $1 AND x.block_number = listed.block_number AND x.transaction_index = listed.transaction_index
         WHERE x.value > 0 AND x.successful IS NOT FALSE AND $2 IN (x.from_address, x.to_address) AND x.from_address <> x.to_address
       ) contacts GROUP BY address`,
      [chainId, bytes(wallet), block, max],
    );

  /**
   * The contracts among `tokens` that have at least `logs` logs, and whose first `logs` logs average at least `perTransaction` per transaction. Served by an
   * index-only scan of logs_address that reads at most `logs` entries per contract.
   */
  const airdroppedTokens = async (
    chainId: number,
    tokens: readonly Address[],
    { transfers: logs, perTransaction }: { readonly transfers: number; readonly perTransaction: number },
  ): Promise<ReadonlySet<Address>> => {
    if (tokens.length === 0) return new Set();
    const rows = await query<{ token: Address }>(
      `SELECT k.token FROM unnest($2::bytea[]) AS k(token)
       CROSS JOIN LATERAL (
         SELECT count(*) AS logs, count(DISTINCT (block_number, transaction_index)) AS transactions
         FROM (SELECT block_number, transaction_index FROM logs
           WHERE chain_id = $1 AND address = k.token ORDER BY block_number, log_index LIMIT $3) first) seen
       WHERE seen.logs = $3 AND seen.logs >= seen.transactions * $4::int8`,
      [chainId, tokens.map(bytes), logs, perTransaction],
    );
    return new Set(rows.map(({ token }) => token));
  };

  return { counterparties, airdroppedTokens };
}
