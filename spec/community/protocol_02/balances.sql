-- The wallet's shares of each pool, valued at their part of the pool's tokens.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), shares AS MATERIALIZED (
  SELECT p.contract, p.pool_id, p.pool_address AS pool, b.balance
  FROM api.balances_at(:chain, :as_of_block) b
  JOIN pools p ON p.chain_id = :chain AND p.pool_address = b.token AND p.block_number <= :as_of_block
  WHERE b.owner = :wallet AND b.balance IS DISTINCT FROM 0
), holdings AS MATERIALIZED (
  SELECT s.contract, s.pool_id, s.pool, h.token, h.balance
  FROM shares s
  CROSS JOIN LATERAL (
    SELECT r.tokens, r.balances FROM pool_tokens r
    WHERE r.chain_id = :chain AND r.contract = s.contract AND r.pool_id = s.pool_id AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) held
  CROSS JOIN LATERAL unnest(held.tokens, held.balances) AS h (token, balance)
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
)
SELECT
  s.pool AS pool_address,
  share.name AS pool_name,
  'liquidity' AS position,
  s.pool AS contract_address,
  share.name AS contract_name,
  share.symbol AS contract_ticker_symbol,
  share.decimals AS contract_decimals,
  s.balance,
  t.quote * power(10::numeric, share.decimals) / NULLIF(COALESCE(actual.shares, issued.shares - t.own), 0) AS quote_rate,
  t.quote * s.balance / NULLIF(COALESCE(actual.shares, issued.shares - t.own), 0) AS quote
FROM shares s
LEFT JOIN totals t ON t.contract = s.contract AND t.pool_id = s.pool_id
-- The supply without the shares that the vault holds; older pools report only the total supply.
LEFT JOIN LATERAL (
  SELECT r.shares FROM actual_supply r
  WHERE r.chain_id = :chain AND r.contract = s.pool AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) actual ON true
LEFT JOIN LATERAL (
  SELECT r.shares FROM share_supply r
  WHERE r.chain_id = :chain AND r.contract = s.pool AND r.block_number <= :as_of_block
  ORDER BY r.block_number DESC LIMIT 1) issued ON true
LEFT JOIN api.tokens share ON share.chain_id = :chain AND share.address = s.pool
ORDER BY quote DESC NULLS LAST, s.pool, s.pool_id, s.contract
LIMIT :limit OFFSET :offset
