import type { Knex } from "knex";

/**
 * Bitcoin chains. Amounts are satoshi: all bitcoins are below 2^53. Hashes are in the byte order that Bitcoin displays. A transaction id is not unique: two
 * coinbases were repeated before BIP 30. `fee` is null for a coinbase, and if an input spends an unknown output.
 *
 * An input has the value and the script of the output that it spends, null if they are unknown because the output is before the first indexed block.
 * `bitcoin_address_transactions` has a row for each script with an address that a transaction pays (`received`) or whose outputs it spends (`sent`): its
 * primary key serves the pages of a wallet. The other tables are rolled back by their primary keys, this one by its BRIN index.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE bitcoin_blocks (
      chain_id int8 NOT NULL,
      number int8 NOT NULL,
      hash bytea NOT NULL,
      parent_hash bytea NOT NULL,
      timestamp int8 NOT NULL,
      transaction_count int4 NOT NULL,
      PRIMARY KEY (chain_id, number)
    );
    CREATE TABLE bitcoin_transactions (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      transaction_index int4 NOT NULL,
      txid bytea NOT NULL,
      coinbase boolean NOT NULL,
      fee int8,
      PRIMARY KEY (chain_id, block_number, transaction_index)
    );
    CREATE INDEX bitcoin_transactions_txid ON bitcoin_transactions (chain_id, txid, block_number);
    CREATE TABLE bitcoin_outputs (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      transaction_index int4 NOT NULL,
      output_index int4 NOT NULL,
      value int8 NOT NULL,
      script bytea NOT NULL,
      PRIMARY KEY (chain_id, block_number, transaction_index, output_index)
    );
    CREATE TABLE bitcoin_inputs (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      transaction_index int4 NOT NULL,
      input_index int4 NOT NULL,
      spent_txid bytea NOT NULL,
      spent_index int8 NOT NULL,
      value int8,
      script bytea,
      PRIMARY KEY (chain_id, block_number, transaction_index, input_index)
    );
    CREATE TABLE bitcoin_address_transactions (
      chain_id int8 NOT NULL,
      script bytea NOT NULL,
      block_number int8 NOT NULL,
      transaction_index int4 NOT NULL,
      received int8 NOT NULL,
      sent int8 NOT NULL,
      PRIMARY KEY (chain_id, script, block_number, transaction_index)
    );
    CREATE INDEX bitcoin_address_transactions_roll_back ON bitcoin_address_transactions USING brin (block_number);
    CREATE VIEW api.bitcoin_blocks AS SELECT chain_id, number, hash, parent_hash, timestamp, transaction_count FROM public.bitcoin_blocks;
    CREATE VIEW api.bitcoin_transactions AS
      SELECT chain_id, block_number, transaction_index, txid, coinbase, fee FROM public.bitcoin_transactions;
    CREATE VIEW api.bitcoin_outputs AS
      SELECT chain_id, block_number, transaction_index, output_index, value, script FROM public.bitcoin_outputs;
    CREATE VIEW api.bitcoin_inputs AS
      SELECT chain_id, block_number, transaction_index, input_index, spent_txid, spent_index, value, script FROM public.bitcoin_inputs;
    CREATE VIEW api.bitcoin_address_transactions AS
      SELECT chain_id, script, block_number, transaction_index, received, sent FROM public.bitcoin_address_transactions;
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP VIEW api.bitcoin_address_transactions, api.bitcoin_inputs, api.bitcoin_outputs, api.bitcoin_transactions, api.bitcoin_blocks;
    DROP TABLE bitcoin_address_transactions, bitcoin_inputs, bitcoin_outputs, bitcoin_transactions, bitcoin_blocks`);
}
