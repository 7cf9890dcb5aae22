-- Pools by the value of their tokens at the newest readings, largest first.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), month AS (
  SELECT number FROM api.blocks
  WHERE chain_id = :chain AND timestamp >= (SELECT timestamp FROM current_block) - 2592000
  ORDER BY timestamp, number LIMIT 1
), states AS MATERIALIZED (
  SELECT p.contract, p.pool_id, p.pool_address AS pool, held.tokens, held.balances
  FROM pools p
  LEFT JOIN LATERAL (
    SELECT r.tokens, r.balances FROM pool_tokens r
    WHERE r.chain_id = :chain AND r.contract = p.contract AND r.pool_id = p.pool_id AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) held ON true
  WHERE p.chain_id = :chain AND p.block_number <= :as_of_block
), holdings AS MATERIALIZED (
  SELECT s.contract, s.pool_id, s.pool, h.token, h.balance
  FROM states s CROSS JOIN LATERAL unnest(s.tokens, s.balances) AS h (token, balance)
  WHERE h.token <> s.pool
), prices AS MATERIALIZED (
  SELECT t.token, (SELECT p.unit_price FROM api.prices_at(:chain, b.timestamp) p WHERE p.token = t.token) AS unit_price
  FROM (SELECT DISTINCT token FROM holdings) t CROSS JOIN current_block b
), totals AS (
  SELECT h.contract, h.pool_id,
    CASE WHEN bool_and(h.balance = 0 OR p.unit_price IS NOT NULL) THEN sum(COALESCE(h.balance * p.unit_price, 0)) END AS quote
  FROM holdings h LEFT JOIN prices p ON p.token = h.token
  GROUP BY h.contract, h.pool_id
), page AS (
  SELECT s.contract, s.pool_id, s.pool, t.quote
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
  NULL AS borrow_rate
FROM page p
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
