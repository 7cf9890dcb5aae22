-- Pools with the value of their balances at the newest readings, largest first.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), month AS (
  SELECT number FROM api.blocks
  WHERE chain_id = :chain AND timestamp >= (SELECT timestamp FROM current_block) - 2592000
  ORDER BY timestamp, number LIMIT 1
), coins AS MATERIALIZED (
  SELECT DISTINCT ON (c.contract, c.i) c.contract AS pool, c.i, c.coin
  FROM (
    SELECT contract, i, coin FROM coin
    WHERE chain_id = :chain AND block_number <= :as_of_block AND coin IS NOT NULL AND (:pool::bytea IS NULL OR contract = :pool)
    UNION ALL
    SELECT contract, i, coin FROM early_coin
    WHERE chain_id = :chain AND block_number <= :as_of_block AND coin IS NOT NULL AND (:pool::bytea IS NULL OR contract = :pool)
  ) c
  ORDER BY c.contract, c.i
), prices AS MATERIALIZED (
  SELECT t.coin, quote.unit_price
  FROM (SELECT DISTINCT coin FROM coins) t
  CROSS JOIN LATERAL (
    SELECT p.unit_price FROM current_block, api.prices_at(:chain, current_block.timestamp) p WHERE p.token = t.coin LIMIT 1) quote
), totals AS MATERIALIZED (
  SELECT c.pool,
    CASE WHEN bool_and(held.amount = 0 OR held.amount * p.unit_price IS NOT NULL) THEN sum(COALESCE(held.amount * p.unit_price, 0)) END AS quote,
    min(held.block_number) AS block_number
  FROM coins c
  LEFT JOIN prices p ON p.coin = c.coin
  LEFT JOIN balance_at(:chain, :as_of_block) newest ON newest.contract = c.pool AND newest.i = c.i
  LEFT JOIN early_balance_at(:chain, :as_of_block) early ON early.contract = c.pool AND early.i = c.i
  CROSS JOIN LATERAL (
    SELECT COALESCE(newest.amount, early.amount) AS amount,
      CASE WHEN newest.amount IS NULL THEN early.block_number ELSE newest.block_number END AS block_number) held
  GROUP BY c.pool
), page AS (
  SELECT c.address AS pool, t.quote, t.block_number
  FROM contracts c
  LEFT JOIN totals t ON t.pool = c.address
  WHERE c.chain_id = :chain AND c.kind = 'pool' AND c.block_number <= :as_of_block AND (:pool::bytea IS NULL OR c.address = :pool)
  ORDER BY t.quote DESC NULLS LAST, c.address
  LIMIT :limit OFFSET :offset
)
SELECT
  p.pool AS pool_address,
  COALESCE(own.name, shares.name) AS name,
  NULL AS asset_address,
  NULL AS asset_name,
  NULL AS asset_ticker_symbol,
  NULL AS asset_decimals,
  p.quote AS total_value_locked_quote,
  -- Annualized growth of the virtual price since its first reading within 30 days, with 365 days per year.
  (price.price / NULLIF(earlier.price, 0) - 1) * 31536000 / NULLIF(price.timestamp - earlier.timestamp, 0) AS supply_rate,
  NULL AS borrow_rate,
  NULL AS total_supply,
  NULL AS total_borrow,
  NULL AS available_liquidity,
  p.quote AS total_supply_quote,
  NULL AS total_borrow_quote,
  NULL AS utilization_rate,
  lp.token AS lp_token_address,
  issued.supply AS lp_token_total_supply,
  p.block_number AS block_height
FROM page p
LEFT JOIN LATERAL (
  SELECT NULLIF(r.token, '\x0000000000000000000000000000000000000000'::bytea) AS token
  FROM contracts g JOIN registered_token r ON r.chain_id = :chain AND r.contract = g.address AND r.pool = p.pool
  WHERE g.chain_id = :chain AND g.kind = 'registry' AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC, r.contract LIMIT 1) registered ON true
LEFT JOIN LATERAL (
  SELECT true AS is_read, r.token FROM lp_token r
  WHERE registered.token IS NULL AND r.chain_id = :chain AND r.contract = p.pool AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) named ON true
LEFT JOIN LATERAL (
  SELECT true AS is_read, r.token FROM pool_token r
  WHERE registered.token IS NULL AND named.token IS NULL AND r.chain_id = :chain AND r.contract = p.pool AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) other ON true
-- A pool without a separate pool token is its own pool token.
CROSS JOIN LATERAL (
  SELECT COALESCE(registered.token, named.token, other.token, CASE WHEN named.is_read AND other.is_read THEN p.pool END) AS token) lp
LEFT JOIN LATERAL (
  SELECT s.supply FROM api.supplies s
  WHERE s.chain_id = :chain AND s.token = lp.token AND s.block_number <= :as_of_block
  ORDER BY s.block_number DESC LIMIT 1) issued ON true
LEFT JOIN LATERAL (
  SELECT r.price, b.timestamp FROM virtual_price r JOIN api.blocks b ON b.chain_id = :chain AND b.number = r.block_number
  WHERE r.chain_id = :chain AND r.contract = p.pool AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) price ON true
LEFT JOIN LATERAL (
  SELECT r.price, b.timestamp FROM virtual_price r JOIN api.blocks b ON b.chain_id = :chain AND b.number = r.block_number
  WHERE r.chain_id = :chain AND r.contract = p.pool AND r.block_number >= (SELECT number FROM month) AND r.block_number <= :as_of_block AND r.price > 0
  ORDER BY r.block_number LIMIT 1) earlier ON true
LEFT JOIN api.tokens own ON own.chain_id = :chain AND own.address = p.pool
LEFT JOIN api.tokens shares ON shares.chain_id = :chain AND shares.address = lp.token
ORDER BY p.quote DESC NULLS LAST, p.pool
