import type { Knex } from "knex";

/**
 * Tokens: transfers and balances.
 * `standard`: 0 native, 1 ERC-20, 2 ERC-721, 3 ERC-1155. It is part of every key, because one contract may implement two standards.
 * `balances` has native and ERC-20 amounts and, for collections, the number of tokens held; balances by token id are in `nft_balances`. These tables hold
 * the current values, valid from `since_block`: the last block that touched the balance (for a token, the block of its last transfer). Earlier values are in
 * the tables of periods, each written once, when it ended; the periods of a key and its row are contiguous. A null balance is unknown (in an index that started
 * late on a node without earlier state). A period that begins at the block before the first indexed one is the balance read from the node there.
 * The rank indexes serve lists of holders. `pivot_block` is the block of a period that is divisible by the highest power of two: all periods that contain a
 * given block have one of about thirty pivots, and an owner has at most one period with the same pivot.
 * `holder_counts` has a row for each block that changed the number of holders or the supply of a token; `supply` is null if it does not follow from mints
 * and burns.
 * In `transfers`, `from_balance` and `to_balance` are the balances right after the transfer, null if unknown or for the zero address of a mint or burn.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE token_standards (
      chain_id int8 NOT NULL,
      address bytea NOT NULL,
      standard int2 NOT NULL,
      block_number int8 NOT NULL,
      PRIMARY KEY (chain_id, address, standard)
    );
    CREATE INDEX token_standards_roll_back ON token_standards USING brin (block_number);
    CREATE TABLE token_metadata (
      chain_id int8 NOT NULL,
      address bytea NOT NULL,
      block_number int8 NOT NULL,
      name text,
      symbol text,
      decimals int2,
      read_at_block int8 NOT NULL,
      PRIMARY KEY (chain_id, address)
    );
    CREATE INDEX token_metadata_roll_back ON token_metadata USING brin (block_number);
    CREATE TABLE transfers (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      ordinal int4 NOT NULL,
      transaction_index int4 NOT NULL,
      log_index int4,
      standard int2 NOT NULL,
      token bytea NOT NULL,
      from_address bytea NOT NULL,
      to_address bytea NOT NULL,
      token_id numeric(78,0),
      amount numeric(78,0) NOT NULL,
      from_balance numeric(78,0),
      to_balance numeric(78,0),
      PRIMARY KEY (chain_id, block_number, ordinal)
    );
    CREATE INDEX transfers_from ON transfers (chain_id, from_address, token, block_number, ordinal);
    CREATE INDEX transfers_to ON transfers (chain_id, to_address, token, block_number, ordinal);
    CREATE TABLE transfer_transactions (
      chain_id int8 NOT NULL,
      address bytea NOT NULL,
      ordinal int8 NOT NULL,
      block_number int8 NOT NULL,
      transaction_index int4 NOT NULL,
      PRIMARY KEY (chain_id, address, ordinal)
    );
    CREATE INDEX transfer_transactions_block ON transfer_transactions (chain_id, address, block_number, ordinal);
    CREATE INDEX transfer_transactions_roll_back ON transfer_transactions USING brin (block_number);
    CREATE TABLE balances (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      standard int2 NOT NULL,
      since_block int8 NOT NULL,
      balance numeric(78,0),
      PRIMARY KEY (chain_id, owner, token, standard)
    ) WITH (fillfactor = 85);
    CREATE INDEX balances_rank ON balances (chain_id, token, standard, balance DESC, owner) INCLUDE (since_block) WHERE balance > 0 AND standard > 0;
    CREATE INDEX balances_roll_back ON balances (chain_id, since_block);
    CREATE TABLE balance_periods (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      standard int2 NOT NULL,
      from_block int8 NOT NULL,
      to_block int8 NOT NULL,
      pivot_block int8 NOT NULL,
      balance numeric(78,0),
      PRIMARY KEY (chain_id, owner, token, standard, from_block) INCLUDE (balance)
    );
    CREATE INDEX balance_periods_rank ON balance_periods (chain_id, token, standard, pivot_block, balance DESC, owner)
      INCLUDE (from_block, to_block) WHERE balance > 0 AND standard > 0;
    CREATE TABLE nft_balances (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      standard int2 NOT NULL,
      since_block int8 NOT NULL,
      balance numeric(78,0),
      PRIMARY KEY (chain_id, owner, token, token_id, standard)
    ) WITH (fillfactor = 85);
    CREATE INDEX nft_balances_roll_back ON nft_balances (chain_id, since_block);
    CREATE TABLE nft_balance_periods (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      standard int2 NOT NULL,
      from_block int8 NOT NULL,
      to_block int8 NOT NULL,
      balance numeric(78,0),
      PRIMARY KEY (chain_id, owner, token, token_id, standard, from_block)
    );
    CREATE TABLE holder_counts (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      standard int2 NOT NULL,
      block_number int8 NOT NULL,
      holders int8 NOT NULL,
      supply numeric(78,0),
      PRIMARY KEY (chain_id, token, standard, block_number)
    );
    CREATE INDEX holder_counts_roll_back ON holder_counts USING brin (block_number);
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    "DROP TABLE holder_counts, nft_balance_periods, nft_balances, balance_periods, balances, transfer_transactions, transfers, token_metadata, token_standards",
  );
}
