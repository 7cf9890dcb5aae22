import type { Knex } from "knex";

/**
 * Hourly totals of exchanges, so that a query about a whole exchange does not have to read each of its pools.
 * `exchange_hours` has one row per exchange and hour (in hours since 1970), with the totals at the end of that hour. Rows of the last hour of each UTC day are
 * permanent; others are kept only while they are recent.
 * `volume` and `swaps` cover the 24 hours up to that end, `day_volume` and `day_swaps` the UTC day so far. `pools` counts pools with a swap in the configured
 * number of days, `week_pools` those with one in seven days; `tokens` is null above the maximum that is counted, and `ranked_tokens` counts tokens with a known
 * value. Values are in US dollars at the prices of the end of the hour, summed over the pools with a known value; null if there are pools but none has a
 * known value.
 * `exchange_hour_pools` has the active pools of that hour and `exchange_hour_tokens` the tokens with a known value, by descending liquidity, unknown ones
 * last, equal ones by address. `week_volume` is the sum of seven spans of 24 hours, each at the prices of its end. A token's `reserve` and `volume` are in
 * its smallest unit.
 * `block_number` is the first block after the hour, by which a roll-back deletes rows. `fingerprint` identifies the settings that the row was computed with.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE exchange_hours (
      chain_id int8 NOT NULL,
      factory bytea NOT NULL,
      hour int4 NOT NULL,
      block_number int8 NOT NULL,
      fingerprint text NOT NULL,
      pools int4 NOT NULL,
      week_pools int4 NOT NULL,
      tokens int4,
      ranked_tokens int4 NOT NULL,
      liquidity numeric,
      volume numeric,
      swaps int8 NOT NULL,
      day_volume numeric,
      day_swaps int8 NOT NULL,
      PRIMARY KEY (chain_id, factory, hour)
    );
    CREATE INDEX exchange_hours_roll_back ON exchange_hours USING brin (block_number);
    CREATE TABLE exchange_hour_pools (
      chain_id int8 NOT NULL,
      factory bytea NOT NULL,
      hour int4 NOT NULL,
      rank int4 NOT NULL,
      block_number int8 NOT NULL,
      pool bytea NOT NULL,
      liquidity numeric,
      volume numeric,
      week_volume numeric,
      PRIMARY KEY (chain_id, factory, hour, rank)
    );
    CREATE INDEX exchange_hour_pools_roll_back ON exchange_hour_pools USING brin (block_number);
    CREATE TABLE exchange_hour_tokens (
      chain_id int8 NOT NULL,
      factory bytea NOT NULL,
      hour int4 NOT NULL,
      rank int4 NOT NULL,
      block_number int8 NOT NULL,
      token bytea NOT NULL,
      reserve numeric NOT NULL,
      volume numeric NOT NULL,
      swaps int8 NOT NULL,
      PRIMARY KEY (chain_id, factory, hour, rank)
    );
    CREATE INDEX exchange_hour_tokens_roll_back ON exchange_hour_tokens USING brin (block_number);
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE exchange_hour_tokens, exchange_hour_pools, exchange_hours;");
}
