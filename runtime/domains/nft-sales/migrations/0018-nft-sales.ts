import type { Knex } from "knex";

/**
 * What collections' tokens were sold for, as the contracts tell that call themselves marketplaces, whoever they are: which of them count is chosen when it is asked, so
 * configuring one later needs no new index.
 * `nft_sales` has a row for each id that an order sold; a bundle's share a log. `sale` numbers them: a million times the block, and the place in it. `price` is what was
 * paid for all its units, `unit_price` for one, cut after 40 significant digits; both in the smallest unit of `payment_token`, and null with it where the price is not
 * known or was paid in several tokens. `protocol` is the kind of marketplace. `is_wash` is what was known of a wash trade when it happened.
 * `nft_sale_marks` has the sales that a later one made a wash trade, by the block of the later one, so that they roll back with it.
 * `nft_market_days` sums them up by UTC day (days since 1970), marketplace and payment token, the zero address where the price is not known; `lowest` is the lowest price of
 * a unit that is no wash trade by what was known when it happened. Marks are not in it: they are added when it is asked.
 * `nft_bids` has what was bid for tokens, where a sale does not say for how much a bid was accepted; `bid` numbers them as sales are.
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
