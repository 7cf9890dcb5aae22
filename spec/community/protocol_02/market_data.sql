-- Pools with the value of their tokens at the newest readings, largest first.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), month AS (
  SELECT number FROM api.blocks
  WHERE chain_id = :chain AND timestamp >= (SELECT timestamp FROM current_block) - 2592000
  ORDER BY timestamp, number LIMIT 1
), states AS MATERIALIZED (
  SELECT p.contract, p.pool_id, p.pool_address AS pool, held.tokens, held.balances, held.block_number
  FROM pools p
  LEFT JOIN LATERAL (
    SELECT r.tokens, r.balances, r.block_number FROM pool_tokens r
    WHERE r.chain_id = :chain AND r.contract = p.contract AND r.pool_id = p.pool_id AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) held ON true
  WHERE p.chain_id = :chain AND p.block_number <= :as_of_block AND (:pool::bytea IS NULL OR p.pool_address = :pool)
), holdings AS MATERIALIZED (
  SELECT s.contract, s.pool_id, s.pool, h.token, h.balance
  FROM states s CROSS JOIN LATERAL unnest(s.tokens, s.balances) AS h (token, balance)
), prices AS MATERIALIZED (
  SELECT t.token, (SELECT p.unit_price FROM api.prices_at(:chain, b.timestamp) p WHERE p.token = t.token) AS unit_price
  FROM (SELECT DISTINCT token FROM holdings WHERE token <> pool) t CROSS JOIN current_block b
), totals AS (
  SELECT h.contract, h.pool_id,
    CASE WHEN bool_and(h.balance = 0 OR p.unit_price IS NOT NULL) FILTER (WHERE h.token <> h.pool)
      THEN sum(COALESCE(h.balance * p.unit_price, 0)) FILTER (WHERE h.token <> h.pool) END AS quote,
    COALESCE(sum(h.balance) FILTER (WHERE h.token = h.pool), 0) AS own
  FROM holdings h LEFT JOIN prices p ON p.token = h.token
  GROUP BY h.contract, h.pool_id
), page AS (
  SELECT s.contract, s.pool_id, s.pool, s.block_number, t.quote, t.own
  FROM states s LEFT JOIN totals t ON t.contract = s.contract AND t.pool_id = s.pool_id
  ORDER BY t.quote DESC NULLS LAST, s.pool, s.pool_id, s.contract
  LIMIT :limit OFFSET :offset
)
SELECT
  p.pool AS pool_address,
  share.name,
  NULL AS asset_address,
  NULL AS asset_name,
  NULL AS asset_ticker_symbol,
  NULL AS asset_decimals,
  p.quote AS total_value_locked_quote,
  -- Annualized growth of the rate since its first reading within 30 days, with 365 days per year.
  (newest.rate / NULLIF(earlier.rate, 0) - 1) * 31536000 / NULLIF(newest.timestamp - earlier.timestamp, 0) AS supply_rate,
  NULL AS borrow_rate,
  NULL AS total_supply,
  NULL AS total_borrow,
  NULL AS available_liquidity,
  p.quote AS total_supply_quote,
  NULL AS total_borrow_quote,
  NULL AS utilization_rate,
  p.pool AS lp_token_address,
  COALESCE(actual.shares, issued.shares - p.own) AS lp_token_total_supply,
  p.block_number AS block_height
FROM page p
LEFT JOIN LATERAL (
  SELECT r.shares FROM actual_supply r
  WHERE r.chain_id = :chain AND r.contract = p.pool AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) actual ON true
LEFT JOIN LATERAL (
  SELECT r.shares FROM share_supply r
  WHERE r.chain_id = :chain AND r.contract = p.pool AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) issued ON true
LEFT JOIN LATERAL (
  SELECT r.rate, b.timestamp FROM share_rate r JOIN api.blocks b ON b.chain_id = :chain AND b.number = r.block_number
  WHERE r.chain_id = :chain AND r.contract = p.pool AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) newest ON true
LEFT JOIN LATERAL (
  SELECT r.rate, b.timestamp FROM share_rate r JOIN api.blocks b ON b.chain_id = :chain AND b.number = r.block_number
  WHERE r.chain_id = :chain AND r.contract = p.pool AND r.block_number >= (SELECT number FROM month) AND r.block_number <= :as_of_block AND r.rate > 0
  ORDER BY r.block_number LIMIT 1) earlier ON true
LEFT JOIN api.tokens share ON share.chain_id = :chain AND share.address = p.pool
ORDER BY p.quote DESC NULLS LAST, p.pool, p.pool_id, p.contract
