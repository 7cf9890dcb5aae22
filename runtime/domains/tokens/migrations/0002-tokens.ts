import type { Knex } from "knex";

/**
 * Tokens: who moved what, and who has what.
 * `standard`: 0 native, 1 ERC-20, 2 ERC-721, 3 ERC-1155; it stands in every key, because one contract may be two things at once.
 * `balances` holds native and ERC-20 amounts and, for collections, the number of tokens held; what is held by id is in `nft_balances`.
 * A history row is the balance after the block that changed it; `change` is what that block moved. A null balance is not known (an index that
 * started late, on a node without the state before). The row at the block before the first indexed one is the balance read from the node there.
 * `from_balance` and `to_balance` are the balances right after that transfer, null where unknown or where the side is the zero address of a mint or burn.
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
      block_number int8 NOT NULL,
      balance numeric(78,0),
      PRIMARY KEY (chain_id, owner, token, standard)
    ) WITH (fillfactor = 85);
    CREATE TABLE balance_history (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      standard int2 NOT NULL,
      block_number int8 NOT NULL,
      balance numeric(78,0),
      change numeric(79,0) NOT NULL,
      PRIMARY KEY (chain_id, owner, token, standard, block_number)
    );
    CREATE INDEX balance_history_roll_back ON balance_history USING brin (block_number);
    CREATE TABLE nft_balances (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      standard int2 NOT NULL,
      block_number int8 NOT NULL,
      balance numeric(78,0),
      PRIMARY KEY (chain_id, owner, token, token_id, standard)
    ) WITH (fillfactor = 85);
    CREATE TABLE nft_balance_history (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      standard int2 NOT NULL,
      block_number int8 NOT NULL,
      balance numeric(78,0),
      change numeric(79,0) NOT NULL,
      PRIMARY KEY (chain_id, owner, token, token_id, standard, block_number)
    );
    CREATE INDEX nft_balance_history_roll_back ON nft_balance_history USING brin (block_number);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    "DROP TABLE nft_balance_history, nft_balances, balance_history, balances, transfer_transactions, transfers, token_metadata, token_standards",
  );
}
