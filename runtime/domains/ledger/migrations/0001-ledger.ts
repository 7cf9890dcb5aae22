import type { Knex } from "knex";

/**
 * The ledger: blocks as the node returns them, in append-only tables.
 * Only `blocks` stores times, in unix seconds; other tables refer to it by block number (one primary-key probe per block).
 * `ordinal` numbers an address's transactions from 0 without gaps, so that page N is a range of the primary key.
 * The BRIN indexes on block_number serve roll-backs only: rows arrive in block order, so the indexes stay small and selective.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE chains (
      chain_id int8 PRIMARY KEY,
      name text NOT NULL UNIQUE,
      genesis_hash bytea NOT NULL,
      indexed_from int8 NOT NULL,
      backfilled_at timestamptz,
      latest_block int8,
      latest_timestamp int8,
      finalized_block int8,
      seen_at timestamptz,
      missing text[] NOT NULL DEFAULT '{}'
    );
    CREATE TABLE blocks (
      chain_id int8 NOT NULL,
      number int8 NOT NULL,
      hash bytea NOT NULL,
      parent_hash bytea NOT NULL,
      timestamp int8 NOT NULL,
      miner bytea NOT NULL,
      extra_data bytea NOT NULL,
      gas_used int8 NOT NULL,
      gas_limit numeric(78,0) NOT NULL,
      base_fee numeric(78,0),
      size int8 NOT NULL,
      transaction_count int4 NOT NULL,
      PRIMARY KEY (chain_id, number)
    );
    CREATE INDEX blocks_timestamp ON blocks (chain_id, timestamp, number);
    CREATE INDEX blocks_hash ON blocks (chain_id, hash);
    CREATE TABLE transactions (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      transaction_index int4 NOT NULL,
      hash bytea NOT NULL,
      from_address bytea NOT NULL,
      to_address bytea,
      created_contract bytea,
      value numeric(78,0) NOT NULL,
      nonce int8 NOT NULL,
      gas_limit int8 NOT NULL,
      gas_used int8 NOT NULL,
      gas_price numeric(78,0) NOT NULL,
      type int2 NOT NULL,
      successful boolean,
      input bytea NOT NULL,
      l1_fee numeric(78,0),
      blob_fee numeric(78,0),
      PRIMARY KEY (chain_id, block_number, transaction_index)
    );
    CREATE INDEX transactions_hash ON transactions (chain_id, hash);
    CREATE TABLE logs (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      log_index int4 NOT NULL,
      transaction_index int4 NOT NULL,
      address bytea NOT NULL,
      topic0 bytea,
      topic1 bytea,
      topic2 bytea,
      topic3 bytea,
      data bytea NOT NULL,
      PRIMARY KEY (chain_id, block_number, log_index)
    );
    CREATE INDEX logs_topic0 ON logs (chain_id, topic0, block_number, log_index);
    CREATE INDEX logs_address ON logs (chain_id, address, block_number, log_index);
    CREATE TABLE traces (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      transaction_index int4 NOT NULL,
      trace_index int4 NOT NULL,
      type text NOT NULL,
      from_address bytea NOT NULL,
      to_address bytea NOT NULL,
      value numeric(78,0) NOT NULL,
      PRIMARY KEY (chain_id, block_number, transaction_index, trace_index)
    );
    CREATE TABLE withdrawals (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      withdrawal_index int8 NOT NULL,
      validator_index int8 NOT NULL,
      address bytea NOT NULL,
      amount_gwei numeric(78,0) NOT NULL,
      PRIMARY KEY (chain_id, block_number, withdrawal_index)
    );
    CREATE TABLE address_transactions (
      chain_id int8 NOT NULL,
      address bytea NOT NULL,
      ordinal int8 NOT NULL,
      block_number int8 NOT NULL,
      transaction_index int4 NOT NULL,
      PRIMARY KEY (chain_id, address, ordinal)
    );
    CREATE INDEX address_transactions_block ON address_transactions (chain_id, address, block_number, ordinal);
    CREATE INDEX address_transactions_roll_back ON address_transactions USING brin (block_number);
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE address_transactions, withdrawals, traces, logs, transactions, blocks, chains");
}
