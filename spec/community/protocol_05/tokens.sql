-- The wallet's pool tokens with their share of the balances.
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
    AND (:pool::bytea IS NULL OR p.pool = :pool)
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
), redeemable AS (
  SELECT o.pool, o.i, o.coin, div(h.balance * o.amount, NULLIF(h.supply, 0)) AS amount
  FROM holdings o JOIN held h ON h.pool = o.pool
), totals AS (
  SELECT r.pool,
    json_agg(json_build_object(
      'contract_address', '0x' || encode(r.coin, 'hex'),
      'contract_name', token.name,
      'contract_ticker_symbol', token.symbol,
      'contract_decimals', own.decimals,
      'balance', r.amount::text,
      'quote_rate', own.price,
      'quote', own.quote) ORDER BY r.i) AS tokens,
    CASE WHEN count(own.quote) = count(*) THEN sum(own.quote) END AS quote
  FROM redeemable r
  LEFT JOIN prices p ON p.coin = r.coin
  LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = r.coin
  -- The native currency has 18 decimals and no contract.
  CROSS JOIN LATERAL (
    SELECT r.coin = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea AS is_native) coin_kind
  CROSS JOIN LATERAL (
    SELECT CASE WHEN coin_kind.is_native THEN 18 ELSE token.decimals END AS decimals,
      CASE WHEN coin_kind.is_native THEN p.unit_price * 1e18 ELSE p.price END AS price,
      CASE WHEN coin_kind.is_native OR p.price IS NOT NULL THEN r.amount * p.unit_price END AS quote) own
  GROUP BY r.pool
)
SELECT
  h.pool AS pool_address,
  COALESCE(own.name, shares.name) AS pool_name,
  h.lp_token AS lp_token_address,
  shares.decimals AS lp_token_decimals,
  h.balance AS lp_token_balance,
  COALESCE(t.tokens, '[]') AS tokens,
  t.quote AS total_quote
FROM held h
LEFT JOIN totals t ON t.pool = h.pool
LEFT JOIN api.tokens own ON own.chain_id = :chain AND own.address = h.pool
LEFT JOIN api.tokens shares ON shares.chain_id = :chain AND shares.address = h.lp_token
ORDER BY t.quote DESC NULLS LAST, h.pool
LIMIT :limit OFFSET :offset
