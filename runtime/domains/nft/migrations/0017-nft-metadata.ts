import type { Knex } from "knex";

/**
 * What tokens' metadata says.
 * `nft_reads` is the queue of tokens whose metadata is to be read, one row a token: `block_number` is the block that the token was first seen in, with which the row goes;
 * what is read must be of `wanted_block` or later. A worker that takes a row holds it until `leased_until`; what it did not finish by then is anybody's. `url` is where the
 * document is, once the contract was asked.
 * `nft_metadata_updates` has what contracts announced of changed metadata (EIP-4906, EIP-1155's URI), ids from and to.
 * `nft_metadata` has one row a token that was read: `token_url` as the contract gives it, null where it gives none; `refusal` the reason why there is no document or
 * what of it was left out; `document` the text as it came. `read_at_block` is the block whose state was asked: a reorganisation below it drops the row, and the token is read again.
 * `attributes` are the traits in the form that answers have. `asset_bytes` is the size of an asset that the document itself contains.
 * `nft_attributes` has the same traits one by one, for filters; trait and value are cut to 256 characters there, which is what an index entry can hold. `number` is
 * the value where it is one.
 * `nft_trait_values` and `nft_traits` count tokens by trait and value and by trait, and `nft_documents` what is kept of a collection; triggers keep all three, since what
 * writes, reads anew and rolls back need not know of sums then.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE nft_reads (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      standard int2 NOT NULL,
      block_number int8 NOT NULL,
      wanted_block int8 NOT NULL DEFAULT 0,
      url text,
      attempts int4 NOT NULL DEFAULT 0,
      run_after timestamptz NOT NULL DEFAULT now(),
      leased_until timestamptz,
      PRIMARY KEY (chain_id, token, token_id)
    );
    CREATE INDEX nft_reads_due ON nft_reads (chain_id, run_after);
    CREATE INDEX nft_reads_roll_back ON nft_reads USING brin (block_number);
    CREATE TABLE nft_metadata_updates (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      log_index int4 NOT NULL,
      token bytea NOT NULL,
      from_id numeric(78,0) NOT NULL,
      to_id numeric(78,0) NOT NULL,
      PRIMARY KEY (chain_id, block_number, log_index)
    );
    CREATE TABLE nft_metadata (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      block_number int8 NOT NULL,
      read_at_block int8 NOT NULL,
      read_at timestamptz NOT NULL,
      token_url text,
      refusal text,
      document text,
      name text,
      description text,
      image text,
      animation_url text,
      external_url text,
      owner text,
      attributes jsonb,
      asset_bytes int8,
      PRIMARY KEY (chain_id, token, token_id)
    );
    CREATE INDEX nft_metadata_roll_back ON nft_metadata (chain_id, read_at_block);
    CREATE TABLE nft_attributes (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      position int2 NOT NULL,
      read_at_block int8 NOT NULL,
      trait text NOT NULL,
      value text,
      number numeric,
      PRIMARY KEY (chain_id, token, token_id, position)
    );
    CREATE INDEX nft_attributes_by_value ON nft_attributes (chain_id, token, trait, value, token_id);
    CREATE INDEX nft_attributes_roll_back ON nft_attributes (chain_id, read_at_block);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE nft_attributes, nft_metadata, nft_metadata_updates, nft_reads");
}
