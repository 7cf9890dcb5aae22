import type { Knex } from "knex";

/**
 * The token ids of collections.
 * `nft_tokens` has each id that was ever transferred, with the block and the recipient of the first transfer. `original_owner` is null if that transfer was
 * not a mint, as in an index that starts late. A burned id keeps its row. `standard` is part of the key because a contract may implement two standards.
 * `nft_collection_sizes` has a row for each block in which a collection grew, with the number of its ids as of that block.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE nft_tokens (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      standard int2 NOT NULL,
      block_number int8 NOT NULL,
      original_owner bytea,
      PRIMARY KEY (chain_id, token, token_id, standard) INCLUDE (block_number)
    );
    CREATE INDEX nft_tokens_roll_back ON nft_tokens USING brin (block_number);
    CREATE TABLE nft_collection_sizes (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      block_number int8 NOT NULL,
      tokens int8 NOT NULL,
      PRIMARY KEY (chain_id, token, block_number) INCLUDE (tokens)
    );
    CREATE INDEX nft_collection_sizes_roll_back ON nft_collection_sizes USING brin (block_number);
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE nft_collection_sizes, nft_tokens");
}
