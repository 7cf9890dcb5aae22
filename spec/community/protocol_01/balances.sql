-- The amounts that the wallet has supplied and borrowed in each reserve, including interest up to the block.
-- In integers, rayMul(a, b) is (a * b + 5e26) / 1e27 and rayDiv(a, b) is (a * 1e27 + b / 2) / b.
WITH current_block AS (
  SELECT timestamp FROM api.blocks WHERE chain_id = :chain AND number = :as_of_block
), listed AS (
  SELECT asset, a_token, variable_debt_token, stable_debt_token, block_number, false AS is_v2
  FROM reserves WHERE chain_id = :chain AND block_number <= :as_of_block
  UNION ALL
  SELECT asset, a_token, variable_debt_token, stable_debt_token, block_number, true
  FROM reserves_v2 WHERE chain_id = :chain AND block_number <= :as_of_block
), changes AS (
  SELECT contract, COALESCE(minted, 0) - COALESCE(burned, 0) - COALESCE(balance_increase, 0) AS amount, at_index
  FROM a_token_changes WHERE chain_id = :chain AND account = :wallet AND block_number <= :as_of_block
  UNION ALL
  SELECT contract, COALESCE(minted, 0) - COALESCE(burned, 0) - COALESCE(balance_increase, 0), at_index
  FROM variable_debt_changes WHERE chain_id = :chain AND account = :wallet AND block_number <= :as_of_block
  UNION ALL
  -- Transfers of version 3 have scaled amounts.
  SELECT t.contract, -t.value, CASE WHEN r.is_v2 THEN t.at_index ELSE 1e27 END
  FROM a_token_transfers t JOIN listed r ON r.a_token = t.contract
  WHERE t.chain_id = :chain AND t.giver = :wallet AND t.block_number <= :as_of_block
  UNION ALL
  SELECT t.contract, t.value, CASE WHEN r.is_v2 THEN t.at_index ELSE 1e27 END
  FROM a_token_transfers t JOIN listed r ON r.a_token = t.contract
  WHERE t.chain_id = :chain AND t.receiver = :wallet AND t.block_number <= :as_of_block
), scaled AS (
  SELECT contract AS token,
    CASE WHEN bool_and(at_index > 0) THEN sum(sign(amount) * div(abs(amount) * 1e27 + div(at_index, 2), NULLIF(at_index, 0))) END AS amount
  FROM changes GROUP BY contract
), newest_stable AS (
  SELECT DISTINCT ON (contract) contract AS token, block_number, log_index, minted, burned, balance, balance_increase
  FROM stable_debt_changes WHERE chain_id = :chain AND account = :wallet AND block_number <= :as_of_block
  ORDER BY contract, block_number DESC, log_index DESC
), positions AS (
  -- A reserve without an update has its initial indexes.
  SELECT r.a_token, r.asset, r.is_v2, t.is_supply, s.amount,
    CASE WHEN p.pool IS NOT NULL THEN COALESCE(CASE WHEN t.is_supply THEN u.liquidity_index ELSE u.variable_borrow_index END, 1e27) END AS at_index,
    COALESCE(CASE WHEN t.is_supply THEN u.liquidity_rate ELSE u.variable_borrow_rate END, 0) AS rate, u.block_number
  FROM listed r
  CROSS JOIN LATERAL (VALUES (r.a_token, true), (r.variable_debt_token, false)) AS t (token, is_supply)
  JOIN scaled s ON s.token = t.token
  LEFT JOIN LATERAL (
    SELECT q.pool FROM a_token_pool q
    WHERE q.chain_id = :chain AND q.contract = r.a_token AND q.block_number <= :as_of_block
    ORDER BY q.block_number DESC LIMIT 1) p ON true
  LEFT JOIN LATERAL (
    SELECT * FROM reserve_updates n
    WHERE n.chain_id = :chain AND n.contract = p.pool AND n.reserve = r.asset AND n.block_number >= r.block_number AND n.block_number <= :as_of_block
    ORDER BY n.block_number DESC, n.log_index DESC LIMIT 1) u ON true
  UNION ALL
  -- A debt at a stable rate follows from its newest event, and its rate from the newest event that mints. In version 2, the amount of a new loan does
  -- not include `balance_increase`, and the log before it is a transfer from the zero address.
  SELECT r.a_token, r.asset, r.is_v2, false,
    s.balance + COALESCE(s.minted, 0) - COALESCE(s.burned, 0) - CASE WHEN r.is_v2 AND EXISTS (
      SELECT FROM api.transfers t
      WHERE t.chain_id = :chain AND t.block_number = s.block_number AND t.log_index = s.log_index - 1 AND t.token = s.token
        AND t.from_address = '\x0000000000000000000000000000000000000000'::bytea) THEN 0 ELSE s.balance_increase END,
    1e27, agreed.rate, s.block_number
  FROM newest_stable s
  JOIN listed r ON r.stable_debt_token = s.token
  LEFT JOIN LATERAL (
    SELECT m.rate FROM stable_debt_changes m
    WHERE m.chain_id = :chain AND m.account = :wallet AND m.contract = s.token AND m.rate IS NOT NULL AND m.block_number <= :as_of_block
    ORDER BY m.block_number DESC, m.log_index DESC LIMIT 1) agreed ON true
), terms AS (
  -- Interest on supplies is linear; interest on debts is compounded with the first three terms of the binomial series.
  SELECT h.*, t.base, t.unit, COALESCE((SELECT timestamp FROM current_block) - b.timestamp, 0)::numeric AS seconds,
    div(div(t.base * t.base + 5e26, 1e27), t.unit * t.unit) AS squared
  FROM positions h
  LEFT JOIN api.blocks b ON b.chain_id = :chain AND b.number = h.block_number
  CROSS JOIN LATERAL (
    SELECT CASE WHEN h.is_v2 AND NOT h.is_supply THEN div(h.rate, 31536000) ELSE h.rate END AS base,
      CASE WHEN h.is_v2 AND NOT h.is_supply THEN 1::numeric ELSE 31536000 END AS unit) t
  WHERE h.amount IS DISTINCT FROM 0
), grown AS (
  SELECT t.a_token, t.asset, t.is_supply, t.amount, t.at_index,
    1e27 + div(t.base * t.seconds, t.unit) + CASE WHEN t.is_supply THEN 0 ELSE
      div(t.seconds * (t.seconds - 1) * t.squared, 2)
      + div(t.seconds * (t.seconds - 1) * greatest(t.seconds - 2, 0) * div(div(t.squared * t.base + 5e26, 1e27), t.unit), 6) END AS growth
  FROM terms t
), held AS (
  SELECT g.a_token, g.asset, g.is_supply, CASE WHEN bool_and(COALESCE(a.balance, -1) >= 0) THEN sum(a.balance) END AS balance
  FROM grown g
  CROSS JOIN LATERAL (SELECT div(g.amount * div(g.growth * g.at_index + 5e26, 1e27) + 5e26, 1e27) AS balance) a
  GROUP BY g.a_token, g.asset, g.is_supply
)
SELECT
  held.a_token AS pool_address,
  market.name AS pool_name,
  CASE WHEN held.is_supply THEN 'supplied' ELSE 'borrowed' END AS position,
  held.asset AS contract_address,
  token.name AS contract_name,
  token.symbol AS contract_ticker_symbol,
  token.decimals AS contract_decimals,
  held.balance,
  quote.price AS quote_rate,
  held.balance / power(10::numeric, token.decimals) * quote.price AS quote
FROM held
LEFT JOIN api.tokens market ON market.chain_id = :chain AND market.address = held.a_token
LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = held.asset
CROSS JOIN current_block now
LEFT JOIN LATERAL (SELECT p.price FROM api.prices_at(:chain, now.timestamp) p WHERE p.token = held.asset) quote ON true
ORDER BY quote DESC NULLS LAST, pool_address, position
LIMIT :limit OFFSET :offset
