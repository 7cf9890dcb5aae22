import type { Knex } from "knex";

/**
 * Prices of tokens and currencies.
 * `feed_answers` has the last AnswerUpdated event of each contract and block. Any contract may emit that event; the configuration decides which contracts
 * are feeds, and of which asset, so adding a feed later does not require indexing again.
 * `price_hours` and `price_days` are in US dollars per smallest unit of a token, so that they do not depend on its decimals, and per whole unit of a
 * currency. `asset` is a token address (0xeeee… for the native token) or a currency code of three letters. There is a row for each hour in which the price
 * changed or its validity ended (hours and days since 1970): in an hour without a row, the price is the close of the last row; a row of nulls marks the
 * price as unknown from then on. Prices are rounded down to 40 significant digits. The row of the current hour is updated with each new block; its close is
 * the current price.
 * `priced_assets` has the assets that ever had a price, so that values of a long list are looked up for these only.
 * `block_number` is the first block after the hour, or the newest block during it; null for hours before the first block, which no reorganisation affects.
 * `price_progress` has the completed hours, and `price_settings` the settings that they were computed with (null until the next computation) and the number of
 * deliberate recomputations.
 * `price_imports` has prices set by the operator, in US dollars per whole token or currency unit, valid from a time on; null marks an unknown price.
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
    -- Serves reading the pool states of a range of blocks, from which prices are computed, and roll-backs.
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
