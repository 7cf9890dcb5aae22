import type { Knex } from "knex";

/**
 * Approvals to transfer tokens: `allowances` of ERC-20 tokens, `nft_approvals` of single ERC-721 tokens, and `nft_operators` for all tokens of an owner in a
 * collection. These tables hold the current values, valid from `since_block`; the tables of periods hold earlier ones. An approval that was never granted has
 * no row; a revoked one has a row with an empty value (0, no spender, false), preceded by the period that it ended.
 * An allowance is the value of its last Approval event, at `approved_block`, `transaction_index` and `log_index`, or, from a later `since_block` on, the value
 * read from the contract: most tokens emit no event when a transfer lowers an allowance.
 * `allowance_reads` lists owners whose tokens were transferred in a way that may have lowered an allowance, with the last block that did so. The allowances of
 * such a pair are in doubt until they are read from the contract at that block or a later one, `read_at_block`. The row is deleted when that block is final;
 * if a reorganisation removes that block, the allowances are in doubt again. `attempts` counts reads for which the contract returned no value.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE allowances (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      spender bytea NOT NULL,
      since_block int8 NOT NULL,
      approved_block int8 NOT NULL,
      transaction_index int4 NOT NULL,
      log_index int4 NOT NULL,
      amount numeric(78,0) NOT NULL,
      PRIMARY KEY (chain_id, owner, token, spender)
    ) WITH (fillfactor = 85);
    CREATE INDEX allowances_roll_back ON allowances (chain_id, since_block);
    CREATE TABLE allowance_periods (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      spender bytea NOT NULL,
      from_block int8 NOT NULL,
      to_block int8 NOT NULL,
      approved_block int8 NOT NULL,
      transaction_index int4 NOT NULL,
      log_index int4 NOT NULL,
      amount numeric(78,0) NOT NULL,
      PRIMARY KEY (chain_id, owner, token, spender, from_block)
    );
    CREATE TABLE nft_approvals (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      since_block int8 NOT NULL,
      transaction_index int4 NOT NULL,
      log_index int4 NOT NULL,
      owner bytea NOT NULL,
      spender bytea,
      PRIMARY KEY (chain_id, token, token_id)
    ) WITH (fillfactor = 85);
    CREATE INDEX nft_approvals_owner ON nft_approvals (chain_id, owner) WHERE spender IS NOT NULL;
    CREATE INDEX nft_approvals_roll_back ON nft_approvals (chain_id, since_block);
    CREATE TABLE nft_approval_periods (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      from_block int8 NOT NULL,
      to_block int8 NOT NULL,
      transaction_index int4 NOT NULL,
      log_index int4 NOT NULL,
      owner bytea NOT NULL,
      spender bytea,
      PRIMARY KEY (chain_id, token, token_id, from_block)
    );
    CREATE TABLE nft_operators (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      operator bytea NOT NULL,
      since_block int8 NOT NULL,
      transaction_index int4 NOT NULL,
      log_index int4 NOT NULL,
      approved boolean NOT NULL,
      PRIMARY KEY (chain_id, owner, token, operator)
    ) WITH (fillfactor = 85);
    CREATE INDEX nft_operators_roll_back ON nft_operators (chain_id, since_block);
    CREATE TABLE nft_operator_periods (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      operator bytea NOT NULL,
      from_block int8 NOT NULL,
      to_block int8 NOT NULL,
      transaction_index int4 NOT NULL,
      log_index int4 NOT NULL,
      approved boolean NOT NULL,
      PRIMARY KEY (chain_id, owner, token, operator, from_block)
    );
    CREATE TABLE allowance_reads (
      chain_id int8 NOT NULL,
      owner bytea NOT NULL,
      token bytea NOT NULL,
      block_number int8 NOT NULL,
      read_at_block int8,
      read_at_hash bytea,
      attempts int2 NOT NULL,
      PRIMARY KEY (chain_id, owner, token)
    );
    CREATE INDEX allowance_reads_due ON allowance_reads (chain_id, block_number) WHERE read_at_block IS NULL;
    CREATE INDEX allowance_reads_done ON allowance_reads (chain_id, read_at_block) WHERE read_at_block IS NOT NULL;
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    "DROP TABLE allowance_reads, nft_operator_periods, nft_operators, nft_approval_periods, nft_approvals, allowance_periods, allowances",
  );
}
