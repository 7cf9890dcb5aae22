import type { Knex } from "knex";

/**
 * Sales of collections' tokens, as emitted by any contract that acts as a marketplace. Each query chooses the marketplaces to include, so configuring another
 * one later does not require indexing again.
 * `nft_sales` has a row for each id that an order sold; the rows of a bundle share a log. `sale` numbers them: a million times the block, plus the position
 * in it. `price` is the payment for all units, `unit_price` for one, rounded down to 40 significant digits; both are in the smallest unit of
 * `payment_token`, and null together with it if the price is unknown or was paid in several tokens. `protocol` is the kind of marketplace. `is_wash` is
 * whether the sale was a wash trade given the sales before it.
 * `nft_sale_marks` has the sales that a later one turned into wash trades, by the block of the later one, so that they roll back with it.
 * `nft_market_days` has sums by UTC day (days since 1970), marketplace and payment token, the zero address if the price is unknown; `lowest` is the lowest
 * price of a unit whose sale was not a wash trade at the time. Queries apply the marks.
 * `nft_bids` has the bids for tokens, for sales that accept a bid without stating its amount; `bid` numbers them like sales.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE nft_sales (
      chain_id int8 NOT NULL,
      sale int8 NOT NULL,
      block_number int8 NOT NULL,
      transaction_index int4 NOT NULL,
      log_index int4 NOT NULL,
      day int4 NOT NULL,
      marketplace bytea NOT NULL,
      protocol int2 NOT NULL,
      collection bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      units numeric NOT NULL,
      seller bytea NOT NULL,
      buyer bytea NOT NULL,
      maker_is_buyer boolean NOT NULL,
      payment_token bytea,
      price numeric,
      unit_price numeric,
      is_wash boolean NOT NULL,
      PRIMARY KEY (chain_id, sale)
    );
    CREATE INDEX nft_sales_token ON nft_sales (chain_id, collection, token_id, sale);
    CREATE INDEX nft_sales_parties ON nft_sales (chain_id, collection, token_id, seller, buyer, sale);
    CREATE INDEX nft_sales_cheapest ON nft_sales (chain_id, collection, day, marketplace, payment_token, unit_price, sale)
      WHERE NOT is_wash AND unit_price IS NOT NULL;
    CREATE INDEX nft_sales_roll_back ON nft_sales USING brin (block_number);
    CREATE TABLE nft_sale_marks (
      chain_id int8 NOT NULL,
      sale int8 NOT NULL,
      block_number int8 NOT NULL,
      collection bytea NOT NULL,
      day int4 NOT NULL,
      marketplace bytea NOT NULL,
      payment_token bytea NOT NULL,
      price numeric,
      unit_price numeric,
      PRIMARY KEY (chain_id, sale)
    );
    CREATE INDEX nft_sale_marks_day ON nft_sale_marks (chain_id, collection, day) INCLUDE (marketplace, payment_token, price, unit_price);
    CREATE INDEX nft_sale_marks_roll_back ON nft_sale_marks USING brin (block_number);
    CREATE TABLE nft_market_days (
      chain_id int8 NOT NULL,
      collection bytea NOT NULL,
      day int4 NOT NULL,
      marketplace bytea NOT NULL,
      payment_token bytea NOT NULL,
      since_block int8 NOT NULL,
      sales int8 NOT NULL,
      wash_sales int8 NOT NULL,
      amount numeric NOT NULL,
      wash_amount numeric NOT NULL,
      lowest numeric,
      PRIMARY KEY (chain_id, collection, day, marketplace, payment_token) INCLUDE (sales, wash_sales, amount, wash_amount, lowest)
    );
    CREATE INDEX nft_market_days_roll_back ON nft_market_days (chain_id, since_block);
    CREATE TABLE nft_market_day_periods (
      chain_id int8 NOT NULL,
      collection bytea NOT NULL,
      day int4 NOT NULL,
      marketplace bytea NOT NULL,
      payment_token bytea NOT NULL,
      from_block int8 NOT NULL,
      to_block int8 NOT NULL,
      sales int8 NOT NULL,
      wash_sales int8 NOT NULL,
      amount numeric NOT NULL,
      wash_amount numeric NOT NULL,
      lowest numeric,
      PRIMARY KEY (chain_id, collection, day, marketplace, payment_token, from_block)
    );
    CREATE TABLE nft_bids (
      chain_id int8 NOT NULL,
      marketplace bytea NOT NULL,
      token_id numeric(78,0) NOT NULL,
      bid int8 NOT NULL,
      block_number int8 NOT NULL,
      bidder bytea NOT NULL,
      amount numeric NOT NULL,
      PRIMARY KEY (chain_id, marketplace, token_id, bid)
    );
    CREATE INDEX nft_bids_roll_back ON nft_bids USING brin (block_number);
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE nft_bids, nft_market_day_periods, nft_market_days, nft_sale_marks, nft_sales");
}
