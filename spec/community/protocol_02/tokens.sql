-- The amounts that a proportional exit would return for the wallet's shares of each pool.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), shares AS MATERIALIZED (
  SELECT p.contract, p.pool_id, p.pool_address AS pool, b.balance, held.tokens, held.balances, actual.shares AS actual, issued.shares AS issued
  FROM api.balances_at(:chain, :as_of_block) b
  JOIN pools p ON p.chain_id = :chain AND p.pool_address = b.token AND p.block_number <= :as_of_block
  LEFT JOIN LATERAL (
    SELECT r.tokens, r.balances FROM pool_tokens r
    WHERE r.chain_id = :chain AND r.contract = p.contract AND r.pool_id = p.pool_id AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) held ON true
  LEFT JOIN LATERAL (
    SELECT r.shares FROM actual_supply r
    WHERE r.chain_id = :chain AND r.contract = p.pool_address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) actual ON true
  LEFT JOIN LATERAL (
    SELECT r.shares FROM share_supply r
    WHERE r.chain_id = :chain AND r.contract = p.pool_address AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) issued ON true
  WHERE b.owner = :wallet AND b.balance IS DISTINCT FROM 0 AND (:pool::bytea IS NULL OR p.pool_address = :pool)
), holdings AS MATERIALIZED (
  SELECT s.contract, s.pool_id, h.token, h.position,
    -- Pools calculate with 18 decimals: the wallet's part of the shares is rounded down before it is multiplied by a balance.
    div(h.balance * div(s.balance * 1e18, NULLIF(COALESCE(s.actual, s.issued - own.shares), 0)), 1e18) AS amount
  FROM shares s
  CROSS JOIN LATERAL (
    SELECT COALESCE(sum(o.balance), 0) AS shares FROM unnest(s.tokens, s.balances) AS o (token, balance) WHERE o.token = s.pool) own
  CROSS JOIN LATERAL unnest(s.tokens, s.balances) WITH ORDINALITY AS h (token, balance, position)
  WHERE h.token <> s.pool
), prices AS MATERIALIZED (
  SELECT t.token, (SELECT p.unit_price FROM api.prices_at(:chain, b.timestamp) p WHERE p.token = t.token) AS unit_price
  FROM (SELECT DISTINCT token FROM holdings) t CROSS JOIN current_block b
), totals AS (
  SELECT h.contract, h.pool_id,
    json_agg(json_build_object(
      'contract_address', '0x' || encode(h.token, 'hex'),
      'contract_name', token.name,
      'contract_ticker_symbol', token.symbol,
      'contract_decimals', token.decimals,
      'balance', h.amount::text,
      'quote_rate', p.unit_price * power(10::numeric, token.decimals),
      'quote', h.amount * p.unit_price) ORDER BY h.position) AS tokens,
    CASE WHEN bool_and(h.amount = 0 OR p.unit_price IS NOT NULL) THEN sum(COALESCE(h.amount * p.unit_price, 0)) END AS quote
  FROM holdings h
  LEFT JOIN prices p ON p.token = h.token
  LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = h.token
  GROUP BY h.contract, h.pool_id
)
SELECT
  s.pool AS pool_address,
  share.name AS pool_name,
  s.pool AS lp_token_address,
  share.decimals AS lp_token_decimals,
  s.balance AS lp_token_balance,
  COALESCE(t.tokens, '[]') AS tokens,
  t.quote AS total_quote
FROM shares s
LEFT JOIN totals t ON t.contract = s.contract AND t.pool_id = s.pool_id
LEFT JOIN api.tokens share ON share.chain_id = :chain AND share.address = s.pool
ORDER BY t.quote DESC NULLS LAST, s.pool, s.pool_id, s.contract
LIMIT :limit OFFSET :offset
