-- Reserves by the value of their supply, largest first. In integers, rayMul(a, b) is (a * b + 5e26) / 1e27, rayDiv(a, b) is (a * 1e27 + b / 2) / b.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), initialized AS (
  SELECT contract, asset, a_token, variable_debt_token, stable_debt_token, block_number, log_index, false AS is_v2
  FROM reserves WHERE chain_id = :chain AND block_number <= :as_of_block
  UNION ALL
  SELECT contract, asset, a_token, variable_debt_token, stable_debt_token, block_number, log_index, true
  FROM reserves_v2 WHERE chain_id = :chain AND block_number <= :as_of_block
), state AS (
  -- A reserve without an update has its initial indexes, and rates of zero.
  SELECT r.*, p.pool, COALESCE((SELECT timestamp FROM current_block) - b.timestamp, 0)::numeric AS seconds, u.liquidity_rate, u.variable_borrow_rate,
    CASE WHEN p.pool IS NOT NULL THEN COALESCE(u.liquidity_index, 1e27) END AS liquidity_index,
    CASE WHEN r.is_v2 THEN (
      SELECT e.stable_rate_enabled IS NOT NULL FROM borrowing_v2 e
      WHERE e.chain_id = :chain AND e.contract = r.contract AND e.asset = r.asset AND e.block_number <= :as_of_block
      ORDER BY e.block_number DESC, e.log_index DESC LIMIT 1)
    ELSE (
      SELECT e.enabled FROM borrowing e
      WHERE e.chain_id = :chain AND e.contract = r.contract AND e.asset = r.asset AND e.block_number <= :as_of_block
      ORDER BY e.block_number DESC, e.log_index DESC LIMIT 1) END AS is_borrowable
  FROM initialized r
  LEFT JOIN LATERAL (
    SELECT q.pool FROM a_token_pool q
    WHERE q.chain_id = :chain AND q.contract = r.a_token AND q.block_number <= :as_of_block
    ORDER BY q.block_number DESC LIMIT 1) p ON true
  LEFT JOIN LATERAL (
    SELECT n.liquidity_rate, n.variable_borrow_rate, n.liquidity_index, n.variable_borrow_index, n.block_number FROM reserve_updates n
    WHERE n.chain_id = :chain AND n.contract = p.pool AND n.reserve = r.asset AND n.block_number >= r.block_number AND n.block_number <= :as_of_block
    ORDER BY n.block_number DESC, n.log_index DESC LIMIT 1) u ON true
  LEFT JOIN api.blocks b ON b.chain_id = :chain AND b.number = u.block_number
  WHERE NOT EXISTS (
    SELECT FROM reserve_drops d
    WHERE d.chain_id = :chain AND d.contract = r.contract AND d.asset = r.asset AND d.block_number <= :as_of_block
      AND (d.block_number, d.log_index) > (r.block_number, r.log_index))
)
SELECT
  s.a_token AS pool_address,
  market.name,
  s.asset AS asset_address,
  token.name AS asset_name,
  token.symbol AS asset_ticker_symbol,
  token.decimals AS asset_decimals,
  supplied.amount / power(10::numeric, token.decimals) * quote.price AS total_value_locked_quote,
  CASE WHEN s.pool IS NOT NULL THEN COALESCE(s.liquidity_rate, 0) / 1e27 END AS supply_rate,
  CASE WHEN s.is_borrowable AND s.pool IS NOT NULL THEN COALESCE(s.variable_borrow_rate, 0) / 1e27 END AS borrow_rate
FROM state s
-- The newest reading of the scaled supply, and the changes since then.
LEFT JOIN LATERAL (
  SELECT q.scaled, q.block_number FROM a_token_supply q
  WHERE q.chain_id = :chain AND q.contract = s.a_token AND q.block_number <= :as_of_block
  ORDER BY q.block_number DESC LIMIT 1) issued ON true
LEFT JOIN LATERAL (
  SELECT sum(sign(c.amount) * div(abs(c.amount) * 1e27 + div(c.at_index, 2), NULLIF(c.at_index, 0))) AS scaled
  FROM (
    SELECT COALESCE(minted, 0) - COALESCE(burned, 0) - COALESCE(balance_increase, 0) AS amount, at_index FROM a_token_changes
    WHERE chain_id = :chain AND contract = s.a_token AND block_number > issued.block_number AND block_number <= :as_of_block) c) since ON true
CROSS JOIN LATERAL (
  SELECT div((issued.scaled + COALESCE(since.scaled, 0))
    * div((1e27 + div(COALESCE(s.liquidity_rate, 0) * s.seconds, 31536000)) * s.liquidity_index + 5e26, 1e27) + 5e26, 1e27) AS amount) supplied
LEFT JOIN api.tokens market ON market.chain_id = :chain AND market.address = s.a_token
LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = s.asset
CROSS JOIN current_block now
LEFT JOIN LATERAL (SELECT p.price FROM api.prices_at(:chain, now.timestamp) p WHERE p.token = s.asset) quote ON true
ORDER BY total_value_locked_quote DESC NULLS LAST, pool_address
LIMIT :limit OFFSET :offset
