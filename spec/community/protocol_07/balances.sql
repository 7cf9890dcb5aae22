-- The wallet's pool tokens with the value of their share of the reserves, largest first.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), held AS MATERIALIZED (
  SELECT DISTINCT ON (p.pool) p.pool, p.token0, p.token1, b.balance
  FROM api.balances_at(:chain, :as_of_block) b
  JOIN api.pools p ON p.chain_id = :chain AND p.pool = b.token AND p.family = 0 AND p.block_number <= :as_of_block
  JOIN contracts f ON f.chain_id = :chain AND f.address = p.factory AND f.kind = 'factory' AND f.block_number <= :as_of_block
  WHERE b.owner = :wallet AND b.balance IS DISTINCT FROM 0
  ORDER BY p.pool, p.block_number, p.factory
), prices AS MATERIALIZED (
  SELECT t.token, q.unit_price
  FROM (SELECT token0 AS token FROM held UNION SELECT token1 FROM held) t
  CROSS JOIN LATERAL (
    SELECT p.price, p.unit_price FROM current_block, api.prices_at(:chain, current_block.timestamp) p WHERE p.token = t.token LIMIT 1) q
  WHERE q.price IS NOT NULL
), valued AS (
  SELECT h.pool, h.balance, lp.name, lp.symbol, lp.decimals, (s.reserve0 * first.unit_price + s.reserve1 * second.unit_price) / NULLIF(s.supply, 0) AS rate
  FROM held h
  LEFT JOIN LATERAL (
    SELECT s.reserve0, s.reserve1, s.supply FROM api.pool_states s
    WHERE s.chain_id = :chain AND s.pool = h.pool AND s.block_number <= :as_of_block
    ORDER BY s.block_number DESC LIMIT 1) s ON true
  LEFT JOIN prices first ON first.token = h.token0
  LEFT JOIN prices second ON second.token = h.token1
  LEFT JOIN api.tokens lp ON lp.chain_id = :chain AND lp.address = h.pool
)
SELECT
  pool AS pool_address,
  name AS pool_name,
  'liquidity' AS position,
  pool AS contract_address,
  name AS contract_name,
  symbol AS contract_ticker_symbol,
  decimals AS contract_decimals,
  balance,
  rate * power(10::numeric, decimals) AS quote_rate,
  CASE WHEN decimals IS NOT NULL THEN balance * rate END AS quote
FROM valued
ORDER BY quote DESC NULLS LAST, pool
LIMIT :limit OFFSET :offset
