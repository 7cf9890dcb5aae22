-- Reserves with their amounts, including interest up to the block, largest first.
-- In integers, rayMul(a, b) is (a * b + 5e26) / 1e27 and rayDiv(a, b) is (a * 1e27 + b / 2) / b.
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
    CASE WHEN p.pool IS NOT NULL THEN COALESCE(u.variable_borrow_index, 1e27) END AS borrow_index,
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
    AND (:pool::bytea IS NULL OR r.a_token = :pool OR p.pool = :pool)
), debts AS (
  SELECT s.a_token, s.is_v2, issued.scaled + COALESCE(since.scaled, 0) AS amount, COALESCE(s.variable_borrow_rate, 0) AS rate, s.borrow_index AS at_index,
    s.seconds
  FROM state s
  -- The newest reading of the scaled supply, and the changes since then.
  LEFT JOIN LATERAL (
    SELECT q.scaled, q.block_number FROM variable_debt_supply q
    WHERE q.chain_id = :chain AND q.contract = s.variable_debt_token AND q.block_number <= :as_of_block
    ORDER BY q.block_number DESC LIMIT 1) issued ON true
  LEFT JOIN LATERAL (
    SELECT sum(sign(c.amount) * div(abs(c.amount) * 1e27 + div(c.at_index, 2), NULLIF(c.at_index, 0))) AS scaled
    FROM (
      SELECT COALESCE(minted, 0) - COALESCE(burned, 0) - COALESCE(balance_increase, 0) AS amount, at_index FROM variable_debt_changes
      WHERE chain_id = :chain AND contract = s.variable_debt_token AND block_number > issued.block_number AND block_number <= :as_of_block) c) since ON true
  UNION ALL
  SELECT s.a_token, s.is_v2, CASE WHEN n.average_rate = 0 THEN 0 ELSE n.total_debt END, n.average_rate, 1e27,
    (SELECT timestamp FROM current_block) - b.timestamp
  FROM state s
  CROSS JOIN LATERAL (
    SELECT c.total_debt, c.average_rate, c.block_number FROM stable_debt_changes c
    WHERE c.chain_id = :chain AND c.contract = s.stable_debt_token AND c.block_number <= :as_of_block
    ORDER BY c.block_number DESC, c.log_index DESC LIMIT 1) n
  JOIN api.blocks b ON b.chain_id = :chain AND b.number = n.block_number
), terms AS (
  SELECT d.*, t.base, t.unit, div(div(t.base * t.base + 5e26, 1e27), t.unit * t.unit) AS squared
  FROM debts d
  CROSS JOIN LATERAL (
    SELECT CASE WHEN d.is_v2 THEN div(d.rate, 31536000) ELSE d.rate END AS base, CASE WHEN d.is_v2 THEN 1::numeric ELSE 31536000 END AS unit) t
), lent AS (
  -- Interest is compounded with the first three terms of the binomial series.
  SELECT t.a_token,
    CASE WHEN bool_and(t.amount IS NOT NULL AND t.at_index IS NOT NULL) THEN sum(div(t.amount * div(g.growth * t.at_index + 5e26, 1e27) + 5e26, 1e27)) END AS amount
  FROM terms t
  CROSS JOIN LATERAL (
    SELECT 1e27 + div(t.base * t.seconds, t.unit) + div(t.seconds * (t.seconds - 1) * t.squared, 2)
      + div(t.seconds * (t.seconds - 1) * greatest(t.seconds - 2, 0) * div(div(t.squared * t.base + 5e26, 1e27), t.unit), 6) AS growth) g
  GROUP BY t.a_token
), amounts AS (
  SELECT s.*, supplied.amount AS total_supply, CASE WHEN s.is_borrowable OR lent.amount > 0 THEN lent.amount END AS total_borrow,
    CASE WHEN held.owner IS NULL AND supplied.amount = 0 THEN 0 ELSE held.balance END AS available
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
  LEFT JOIN lent ON lent.a_token = s.a_token
  LEFT JOIN LATERAL (
    SELECT b.owner, b.balance FROM api.balances_at(:chain, :as_of_block) b WHERE b.owner = s.a_token AND b.token = s.asset LIMIT 1) held ON true
)
SELECT
  s.a_token AS pool_address,
  market.name,
  s.asset AS asset_address,
  token.name AS asset_name,
  token.symbol AS asset_ticker_symbol,
  token.decimals AS asset_decimals,
  s.total_supply / power(10::numeric, token.decimals) * quote.price AS total_value_locked_quote,
  CASE WHEN s.pool IS NOT NULL THEN COALESCE(s.liquidity_rate, 0) / 1e27 END AS supply_rate,
  CASE WHEN s.is_borrowable AND s.pool IS NOT NULL THEN COALESCE(s.variable_borrow_rate, 0) / 1e27 END AS borrow_rate,
  s.total_supply,
  s.total_borrow,
  s.available AS available_liquidity,
  s.total_supply / power(10::numeric, token.decimals) * quote.price AS total_supply_quote,
  s.total_borrow / power(10::numeric, token.decimals) * quote.price AS total_borrow_quote,
  CASE WHEN s.total_borrow = 0 THEN 0 ELSE s.total_borrow / NULLIF(s.available + s.total_borrow, 0) END AS utilization_rate,
  s.a_token AS lp_token_address,
  s.total_supply AS lp_token_total_supply,
  :as_of_block::int8 AS block_height
FROM amounts s
LEFT JOIN api.tokens market ON market.chain_id = :chain AND market.address = s.a_token
LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = s.asset
CROSS JOIN current_block now
LEFT JOIN LATERAL (SELECT p.price FROM api.prices_at(:chain, now.timestamp) p WHERE p.token = s.asset) quote ON true
ORDER BY total_value_locked_quote DESC NULLS LAST, pool_address
LIMIT :limit OFFSET :offset
