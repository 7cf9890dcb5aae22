import type { Knex } from "knex";

/**
 * What tokens and currencies were worth.
 * `feed_answers` is what contracts said in AnswerUpdated, the last word of each block: of all contracts, since anybody may emit such an event; which are
 * feeds, and of what, is the configuration's matter, so configuring one later needs no new index.
 * `price_hours` and `price_days` are in US dollars for one smallest unit of a token, so that no one's word on decimals is in them, and for one
 * whole unit of a currency. `asset` is a token's address (the native token's is 0xeeee…), or the three letters of a currency. A row stands where
 * something moved or ended in the hour (hours and days since 1970): an hour without one is worth what the last row closed at; a row of nulls says that the
 * price is not known from then on. Prices are cut after 40 significant digits. The row of the running hour is written again with each new block, its close is the price now.
 * `priced_assets` are those that ever had a price, so that the worth of a long list is looked up for these alone.
 * Their `block_number` is the block by which the chain had passed the hour, or the newest one while it runs; null for hours before the first block, which no
 * reorganisation reaches. `price_progress` has the hours that are done, and `price_settings` what they
 * were made by (null: it is to be said anew), and how often they were undone on purpose.
 * `price_imports` is the operator's own word: US dollars for one whole token or currency unit, from a time on; null: not known from then on.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE feed_answers (
      chain_id int8 NOT NULL,
      feed bytea NOT NULL,
      block_number int8 NOT NULL,
      answer numeric NOT NULL,
      PRIMARY KEY (chain_id, feed, block_number)
    );
    CREATE INDEX feed_answers_roll_back ON feed_answers USING brin (block_number);
    CREATE TABLE price_hours (
      chain_id int8 NOT NULL,
      asset bytea NOT NULL,
      hour int4 NOT NULL,
      open numeric,
      high numeric,
      low numeric,
      close numeric,
      block_number int8,
      PRIMARY KEY (chain_id, asset, hour)
    );
    CREATE INDEX price_hours_roll_back ON price_hours USING brin (block_number);
    CREATE TABLE price_days (
      chain_id int8 NOT NULL,
      asset bytea NOT NULL,
      day int4 NOT NULL,
      open numeric,
      high numeric,
      low numeric,
      close numeric,
      block_number int8,
      PRIMARY KEY (chain_id, asset, day)
    );
    CREATE INDEX price_days_roll_back ON price_days USING brin (block_number);
    CREATE TABLE priced_assets (
      chain_id int8 NOT NULL,
      asset bytea NOT NULL,
      hour int4 NOT NULL,
      block_number int8,
      PRIMARY KEY (chain_id, asset)
    );
    CREATE TABLE price_progress (
      chain_id int8 NOT NULL,
      hour int4 NOT NULL,
      block_number int8,
      PRIMARY KEY (chain_id, hour)
    );
    CREATE TABLE price_settings (
      chain_id int8 PRIMARY KEY,
      fingerprint text,
      revision int8 NOT NULL
    );
    CREATE TABLE price_imports (
      chain_id int8 NOT NULL,
      asset bytea NOT NULL,
      since int8 NOT NULL,
      price numeric,
      PRIMARY KEY (chain_id, asset, since)
    );
    -- What changed in a range of blocks, pool by pool: what prices are made of. It rolls back as well.
    CREATE INDEX pool_states_blocks ON pool_states (chain_id, block_number);
    DROP INDEX pool_states_roll_back;
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX pool_states_roll_back ON pool_states USING brin (block_number);
    DROP INDEX pool_states_blocks;
    DROP TABLE price_imports, price_settings, price_progress, priced_assets, price_days, price_hours, feed_answers;
  `);
}
