-- The wallet's actions on the exchange's pools, newest first.
WITH factories AS MATERIALIZED (
  SELECT address FROM contracts WHERE chain_id = :chain AND kind = 'factory' AND block_number <= :as_of_block
), exchanges AS (
  SELECT address AS exchange FROM factories
  UNION SELECT s.pool FROM factories f JOIN api.shared_pools s ON s.chain_id = :chain AND s.factory = f.address
), page AS (
  SELECT newest.block_number, newest.log_index
  FROM exchanges e
  CROSS JOIN LATERAL (
    SELECT a.block_number, a.log_index FROM api.pool_action_accounts a
    WHERE a.chain_id = :chain AND a.account = :wallet AND a.exchange = e.exchange AND a.block_number <= :as_of_block
    ORDER BY a.block_number DESC, a.log_index DESC LIMIT :limit::int8 + :offset::int8) newest
  ORDER BY newest.block_number DESC, newest.log_index DESC
  LIMIT :limit OFFSET :offset
), actions AS MATERIALIZED (
  SELECT a.block_number, a.log_index, a.transaction_index, a.pool, a.act, a.amount0_in, a.amount0_out, a.amount1_in, a.amount1_out, a.liquidity,
    b.timestamp, t.hash, t.from_address, announced.token0, announced.token1, given.pays,
    -- A router, a caller of the pool or the next pool receives amounts on behalf of the account that pays.
    a.to_address = :wallet OR given.pays AND (a.to_address IN (a.sender, t.to_address)
      OR EXISTS (SELECT 1 FROM api.pools next WHERE next.chain_id = :chain AND next.pool = a.to_address)) AS receives
  FROM page p
  JOIN api.pool_actions a ON a.chain_id = :chain AND a.block_number = p.block_number AND a.log_index = p.log_index
  JOIN api.blocks b ON b.chain_id = :chain AND b.number = a.block_number
  JOIN api.transactions t ON t.chain_id = :chain AND t.block_number = a.block_number AND t.transaction_index = a.transaction_index
  CROSS JOIN LATERAL (SELECT :wallet IN (t.from_address, a.sender) AS pays) given
  CROSS JOIN LATERAL (
    SELECT o.token0, o.token1 FROM api.pools o
    WHERE o.chain_id = :chain AND o.pool = a.pool AND o.factory IN (SELECT address FROM factories)
    ORDER BY o.block_number, o.factory LIMIT 1) announced
), prices AS MATERIALIZED (
  SELECT t.token, t.hour, q.price
  FROM (SELECT token0 AS token, timestamp / 3600 AS hour FROM actions UNION SELECT token1, timestamp / 3600 FROM actions) t
  CROSS JOIN LATERAL (SELECT p.price FROM api.prices_at(:chain, t.hour * 3600) p WHERE p.token = t.token LIMIT 1) q
), valued AS (
  SELECT a.*, first.name AS name0, first.symbol AS symbol0, first.decimals AS decimals0, price0.price AS price0,
    second.name AS name1, second.symbol AS symbol1, second.decimals AS decimals1, price1.price AS price1,
    lp.name AS lp_name, lp.symbol AS lp_symbol, lp.decimals AS lp_decimals,
    price0.price / power(10::numeric, first.decimals) AS unit0, price1.price / power(10::numeric, second.decimals) AS unit1
  FROM actions a
  LEFT JOIN api.tokens first ON first.chain_id = :chain AND first.address = a.token0
  LEFT JOIN api.tokens second ON second.chain_id = :chain AND second.address = a.token1
  LEFT JOIN api.tokens lp ON lp.chain_id = :chain AND lp.address = a.pool
  LEFT JOIN prices price0 ON price0.token = a.token0 AND price0.hour = a.timestamp / 3600
  LEFT JOIN prices price1 ON price1.token = a.token1 AND price1.hour = a.timestamp / 3600
)
SELECT
  v.timestamp AS block_signed_at,
  v.block_number AS block_height,
  v.hash AS tx_hash,
  v.transaction_index AS tx_offset,
  v.log_index AS log_offset,
  CASE v.act WHEN 0 THEN 'swap' WHEN 1 THEN 'add_liquidity' ELSE 'remove_liquidity' END AS action,
  v.pool AS pool_address,
  v.from_address,
  legs.amounts,
  legs.total_quote
FROM valued v
-- Pool tokens are valued at the amounts for which they were exchanged.
CROSS JOIN LATERAL (
  SELECT (v.amount0_in + v.amount0_out) * v.unit0 + (v.amount1_in + v.amount1_out) * v.unit1 AS quote) liquidity
CROSS JOIN LATERAL (
  SELECT
    COALESCE(json_agg(json_build_object(
      'direction', leg.direction,
      'contract_address', '0x' || encode(leg.token, 'hex'),
      'contract_name', leg.name,
      'contract_ticker_symbol', leg.symbol,
      'contract_decimals', leg.decimals,
      'amount', leg.amount::text,
      'quote_rate', leg.rate,
      'quote', leg.quote) ORDER BY leg.number), '[]') AS amounts,
    CASE WHEN bool_or(leg.direction = 'OUT') THEN
      CASE WHEN bool_and(leg.quote IS NOT NULL) FILTER (WHERE leg.direction = 'OUT') THEN sum(leg.quote) FILTER (WHERE leg.direction = 'OUT') END
    WHEN bool_and(leg.quote IS NOT NULL) THEN sum(leg.quote) END AS total_quote
  FROM (VALUES
    (0, 'OUT', v.pays, v.token0, v.name0, v.symbol0, v.decimals0, v.amount0_in, v.price0, v.amount0_in * v.unit0),
    (1, 'OUT', v.pays, v.token1, v.name1, v.symbol1, v.decimals1, v.amount1_in, v.price1, v.amount1_in * v.unit1),
    (2, 'OUT', v.pays AND v.act = 2, v.pool, v.lp_name, v.lp_symbol, v.lp_decimals, v.liquidity,
      liquidity.quote * power(10::numeric, v.lp_decimals) / NULLIF(v.liquidity, 0), liquidity.quote),
    (3, 'IN', v.receives, v.token0, v.name0, v.symbol0, v.decimals0, v.amount0_out, v.price0, v.amount0_out * v.unit0),
    (4, 'IN', v.receives, v.token1, v.name1, v.symbol1, v.decimals1, v.amount1_out, v.price1, v.amount1_out * v.unit1),
    (5, 'IN', v.receives AND v.act = 1, v.pool, v.lp_name, v.lp_symbol, v.lp_decimals, v.liquidity,
      liquidity.quote * power(10::numeric, v.lp_decimals) / NULLIF(v.liquidity, 0), liquidity.quote)
  ) AS leg (number, direction, moved, token, name, symbol, decimals, amount, rate, quote)
  WHERE leg.moved AND leg.amount IS DISTINCT FROM 0
) legs
ORDER BY v.block_number DESC, v.log_index DESC
