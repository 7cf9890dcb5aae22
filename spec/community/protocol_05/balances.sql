-- The wallet's pool tokens with the value of their share of the balances, largest first.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), registries AS MATERIALIZED (
  SELECT address FROM contracts WHERE chain_id = :chain AND kind = 'registry'
), registered AS MATERIALIZED (
  SELECT DISTINCT ON (r.pool) r.pool, NULLIF(r.token, '\x0000000000000000000000000000000000000000'::bytea) AS token
  FROM registries g JOIN registered_token r ON r.chain_id = :chain AND r.contract = g.address AND r.block_number <= :as_of_block
  ORDER BY r.pool, r.block_number DESC, r.contract
), named AS MATERIALIZED (
  SELECT DISTINCT ON (contract) contract AS pool, token FROM lp_token
  WHERE chain_id = :chain AND block_number <= :as_of_block ORDER BY contract DESC, block_number DESC
), other AS MATERIALIZED (
  SELECT DISTINCT ON (contract) contract AS pool, token FROM pool_token
  WHERE chain_id = :chain AND block_number <= :as_of_block ORDER BY contract DESC, block_number DESC
), pools AS MATERIALIZED (
  -- A pool without a separate pool token is its own pool token.
  SELECT c.address AS pool,
    COALESCE(r.token, n.token, o.token, CASE WHEN n.pool IS NOT NULL AND o.pool IS NOT NULL THEN c.address END) AS lp_token
  FROM contracts c
  LEFT JOIN registered r ON r.pool = c.address
  LEFT JOIN named n ON n.pool = c.address
  LEFT JOIN other o ON o.pool = c.address
  WHERE c.chain_id = :chain AND c.kind = 'pool' AND c.block_number <= :as_of_block
), held AS MATERIALIZED (
  SELECT p.pool, p.lp_token, b.balance, issued.supply
  FROM pools p
  JOIN api.balances_at(:chain, :as_of_block) b ON b.owner = :wallet AND b.token = p.lp_token
  LEFT JOIN LATERAL (
    SELECT s.supply FROM api.supplies s
    WHERE s.chain_id = :chain AND s.token = p.lp_token AND s.block_number <= :as_of_block
    ORDER BY s.block_number DESC LIMIT 1) issued ON true
  WHERE b.balance IS DISTINCT FROM 0
), holdings AS MATERIALIZED (
  SELECT h.pool, c.i, c.coin, COALESCE(newest.amount, early.amount) AS amount
  FROM held h
  CROSS JOIN LATERAL (
    SELECT DISTINCT ON (known.i) known.i, known.coin
    FROM (
      SELECT r.i, r.coin FROM coin r
      WHERE r.chain_id = :chain AND r.contract = h.pool AND r.block_number <= :as_of_block AND r.coin IS NOT NULL
      UNION ALL
      SELECT r.i, r.coin FROM early_coin r
      WHERE r.chain_id = :chain AND r.contract = h.pool AND r.block_number <= :as_of_block AND r.coin IS NOT NULL
    ) known
    ORDER BY known.i) c
  LEFT JOIN balance_at(:chain, :as_of_block) newest ON newest.contract = h.pool AND newest.i = c.i
  LEFT JOIN early_balance_at(:chain, :as_of_block) early ON early.contract = h.pool AND early.i = c.i
), prices AS MATERIALIZED (
  SELECT t.coin, quote.price, quote.unit_price
  FROM (SELECT DISTINCT coin FROM holdings) t
  CROSS JOIN LATERAL (
    SELECT p.price, p.unit_price FROM current_block, api.prices_at(:chain, current_block.timestamp) p WHERE p.token = t.coin LIMIT 1) quote
), totals AS (
  SELECT h.pool,
    CASE WHEN bool_and(h.amount = 0 OR h.amount * p.unit_price IS NOT NULL) THEN sum(COALESCE(h.amount * p.unit_price, 0)) END AS quote
  FROM holdings h LEFT JOIN prices p ON p.coin = h.coin
  GROUP BY h.pool
), valued AS (
  SELECT h.pool, h.lp_token, h.balance, COALESCE(own.name, shares.name) AS pool_name, shares.name, shares.symbol, shares.decimals,
    t.quote / NULLIF(h.supply, 0) AS rate
  FROM held h
  LEFT JOIN totals t ON t.pool = h.pool
  LEFT JOIN api.tokens own ON own.chain_id = :chain AND own.address = h.pool
  LEFT JOIN api.tokens shares ON shares.chain_id = :chain AND shares.address = h.lp_token
)
SELECT
  pool AS pool_address,
  pool_name,
  'liquidity' AS position,
  lp_token AS contract_address,
  name AS contract_name,
  symbol AS contract_ticker_symbol,
  decimals AS contract_decimals,
  balance,
  rate * power(10::numeric, decimals) AS quote_rate,
  CASE WHEN decimals IS NOT NULL THEN balance * rate END AS quote
FROM valued
ORDER BY quote DESC NULLS LAST, pool
LIMIT :limit OFFSET :offset
