import { bytes } from "../../database/codecs.ts";
import type { Database } from "../../database/database.ts";
import type { Address } from "../../lib/hex.ts";
import { standards } from "./standards.ts";

/** The other side of ERC-20 transfers that moved something. */
export interface CounterpartyRow {
  readonly address: Address;
  readonly token: Address;
  /** Whether the wallet itself sent one of those transactions; others' tokens may claim anything. */
  readonly sent: boolean;
}

/** Questions about whom a wallet deals with. */
export function createCounterpartyQueries({ query }: Pick<Database, "query">) {
  /**
   * With whom, and in which tokens, a wallet moved ERC-20 amounts other than zero in its newest transactions with transfers up to a block.
   * Served by transfer_transactions_block and the primary keys of transfer_transactions, transfers and transactions: what it costs is bounded by `most`.
   */
  const counterparties = (chainId: number, wallet: Address, block: number, most = 500) =>
    query<CounterpartyRow>(
      `SELECT CASE WHEN t.from_address = $2 THEN t.to_address ELSE t.from_address END AS address, t.token, bool_or(x.from_address = $2) AS sent
       FROM (SELECT block_number, transaction_index FROM transfer_transactions
         WHERE chain_id = $1 AND address = $2 AND block_number <= $3 ORDER BY block_number DESC, ordinal DESC LIMIT $4) place
       JOIN transfers t ON t.chain_id = $1 AND t.block_number = place.block_number AND t.transaction_index = place.transaction_index
       JOIN transactions x ON x.chain_id = $1 AND x.block_number = place.block_number AND x.transaction_index = place.transaction_index
       WHERE t.standard = ${standards.erc20} AND t.amount > 0 AND $2 IN (t.from_address, t.to_address) AND t.from_address <> t.to_address
       GROUP BY 1, 2`,
      [chainId, bytes(wallet), block, most],
    );

  return { counterparties };
}
