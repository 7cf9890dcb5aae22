-- Pools by the value of their reserves, largest first.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), month AS (
  SELECT number FROM api.blocks
  WHERE chain_id = :chain AND timestamp <= (SELECT timestamp FROM current_block) - 2592000
  ORDER BY timestamp DESC, number DESC LIMIT 1
), pools AS MATERIALIZED (
  SELECT DISTINCT ON (p.pool) p.pool, p.token0, p.token1
  FROM contracts f
  JOIN api.pools p ON p.chain_id = :chain AND p.factory = f.address AND p.family = 0 AND p.block_number <= :as_of_block
  WHERE f.chain_id = :chain AND f.kind = 'factory' AND f.block_number <= :as_of_block
  ORDER BY p.pool, p.block_number, p.factory
), prices AS MATERIALIZED (
  SELECT t.token, q.unit_price
  FROM (SELECT token0 AS token FROM pools UNION SELECT token1 FROM pools) t
  CROSS JOIN LATERAL (
    SELECT p.price, p.unit_price FROM current_block, api.prices_at(:chain, current_block.timestamp) p WHERE p.token = t.token LIMIT 1) q
  WHERE q.price IS NOT NULL
), valued AS (
  SELECT p.pool, s.reserve0, s.reserve1, s.supply,
    -- A pool without a state has no reserves yet.
    CASE WHEN s.block_number IS NULL THEN 0 ELSE s.reserve0 * first.unit_price + s.reserve1 * second.unit_price END AS value
  FROM pools p
  LEFT JOIN LATERAL (
    SELECT s.block_number, s.reserve0, s.reserve1, s.supply FROM api.pool_states s
    WHERE s.chain_id = :chain AND s.pool = p.pool AND s.block_number <= :as_of_block
    ORDER BY s.block_number DESC LIMIT 1) s ON true
  LEFT JOIN prices first ON first.token = p.token0
  LEFT JOIN prices second ON second.token = p.token1
  ORDER BY value DESC NULLS LAST, p.pool
  LIMIT :limit OFFSET :offset
)
SELECT
  v.pool AS pool_address,
  lp.name,
  NULL AS asset_address,
  NULL AS asset_name,
  NULL AS asset_ticker_symbol,
  NULL AS asset_decimals,
  v.value AS total_value_locked_quote,
  -- Annualized growth of √(reserve0 × reserve1) per pool token within 30 days, with 365 days per year.
  (sqrt(v.reserve0 * v.reserve1) / NULLIF(v.supply, 0) / NULLIF(COALESCE(earlier.share, beginning.share), 0) - 1) * 31536000
    / NULLIF(CASE WHEN earlier.share IS NULL THEN (SELECT timestamp FROM current_block) - beginning.timestamp ELSE 2592000 END, 0) AS supply_rate,
  NULL AS borrow_rate
FROM valued v
LEFT JOIN LATERAL (
  SELECT sqrt(s.reserve0 * s.reserve1) / NULLIF(s.supply, 0) AS share FROM api.pool_states s
  WHERE s.chain_id = :chain AND s.pool = v.pool AND s.block_number <= (SELECT number FROM month)
  ORDER BY s.block_number DESC LIMIT 1) earlier ON true
LEFT JOIN LATERAL (
  SELECT sqrt(s.reserve0 * s.reserve1) / s.supply AS share, b.timestamp
  FROM api.pool_states s JOIN api.blocks b ON b.chain_id = :chain AND b.number = s.block_number
  WHERE earlier.share IS NULL AND s.chain_id = :chain AND s.pool = v.pool AND s.supply > 0 AND s.block_number <= :as_of_block
  ORDER BY s.block_number LIMIT 1) beginning ON true
LEFT JOIN api.tokens lp ON lp.chain_id = :chain AND lp.address = v.pool
ORDER BY v.value DESC NULLS LAST, v.pool
