-- The wallet's pool tokens with their share of the reserves.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), held AS MATERIALIZED (
  SELECT DISTINCT ON (p.pool) p.pool, p.token0, p.token1, b.balance
  FROM api.balances_at(:chain, :as_of_block) b
  JOIN api.pools p ON p.chain_id = :chain AND p.pool = b.token AND p.family = 0 AND p.block_number <= :as_of_block
  JOIN contracts f ON f.chain_id = :chain AND f.address = p.factory AND f.kind = 'factory' AND f.block_number <= :as_of_block
  WHERE b.owner = :wallet AND b.balance IS DISTINCT FROM 0 AND (:pool::bytea IS NULL OR b.token = :pool)
  ORDER BY p.pool, p.block_number, p.factory
), redeemable AS (
  SELECT h.pool, h.balance, side.number, side.token, div(h.balance * side.reserve, NULLIF(s.supply, 0)) AS amount
  FROM held h
  LEFT JOIN LATERAL (
    SELECT s.reserve0, s.reserve1, s.supply FROM api.pool_states s
    WHERE s.chain_id = :chain AND s.pool = h.pool AND s.block_number <= :as_of_block
    ORDER BY s.block_number DESC LIMIT 1) s ON true
  CROSS JOIN LATERAL (VALUES (0, h.token0, s.reserve0), (1, h.token1, s.reserve1)) AS side (number, token, reserve)
), prices AS MATERIALIZED (
  SELECT t.token, q.price
  FROM (SELECT DISTINCT token FROM redeemable) t
  CROSS JOIN LATERAL (SELECT p.price FROM current_block, api.prices_at(:chain, current_block.timestamp) p WHERE p.token = t.token LIMIT 1) q
), valued AS (
  SELECT r.*, token.name, token.symbol, token.decimals, prices.price, r.amount / power(10::numeric, token.decimals) * prices.price AS quote
  FROM redeemable r
  LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = r.token
  LEFT JOIN prices ON prices.token = r.token
)
SELECT
  v.pool AS pool_address,
  lp.name AS pool_name,
  v.pool AS lp_token_address,
  lp.decimals AS lp_token_decimals,
  v.balance AS lp_token_balance,
  json_agg(json_build_object(
    'contract_address', '0x' || encode(v.token, 'hex'),
    'contract_name', v.name,
    'contract_ticker_symbol', v.symbol,
    'contract_decimals', v.decimals,
    'balance', v.amount::text,
    'quote_rate', v.price,
    'quote', v.quote) ORDER BY v.number) AS tokens,
  CASE WHEN count(v.quote) = count(*) THEN sum(v.quote) END AS total_quote
FROM valued v
LEFT JOIN api.tokens lp ON lp.chain_id = :chain AND lp.address = v.pool
GROUP BY v.pool, v.balance, lp.name, lp.decimals
ORDER BY total_quote DESC NULLS LAST, v.pool
LIMIT :limit OFFSET :offset
