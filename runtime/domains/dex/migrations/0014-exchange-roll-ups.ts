import type { Knex } from "knex";

/**
 * What exchanges were worth hour by hour, so that answers about a whole exchange need not look at each of its pools.
 * `exchange_hours` has one row for an exchange at the end of an hour (hours since 1970): of the last hours, and for ever of the last hour of each UTC day.
 * `volume` and `swaps` are of the 24 hours that end with it, `day_volume` and `day_swaps` of the UTC day up to it. `pools` are those with a swap in the configured
 * days, `week_pools` those with one in seven; `tokens` is null above what is counted, and `ranked_tokens` are those whose worth is known. Worths are in US dollars
 * at the prices of the hour's end, sums of those pools whose worth is known; null where there is something and no worth of it is known.
 * `exchange_hour_pools` has the active pools of such an hour and `exchange_hour_tokens` the tokens whose worth is known, from the most liquidity to the least, unknown
 * ones last, equal ones by address. `week_volume` is the sum of seven spans of 24 hours, each at the prices of its own end. A token's `reserve` and
 * `volume` are amounts in its smallest unit.
 * `block_number` is the block by which the chain had passed the hour: what a reorganisation takes it back by. `fingerprint` says what the row was made by.
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
