-- The wallet's actions, newest first. In an action, `payer` pays the amount `paid` of an asset, and `receiver` receives the amount `received` of the
-- same or another asset; `paid_as_receipt` and `received_as_receipt` are true if the aToken of the asset moved. A liquidation takes the received
-- amount from `account`, as aTokens.
WITH listed AS NOT MATERIALIZED (
  SELECT asset, a_token, block_number, false AS is_v2 FROM reserves WHERE chain_id = :chain AND block_number <= :as_of_block
  UNION ALL
  SELECT asset, a_token, block_number, true FROM reserves_v2 WHERE chain_id = :chain AND block_number <= :as_of_block
), transfers AS MATERIALIZED (
  SELECT t.* FROM a_token_transfers t
  WHERE t.chain_id = :chain AND (t.giver = :wallet OR t.receiver = :wallet) AND t.block_number <= :as_of_block AND NOT EXISTS (
    SELECT FROM liquidations l
    WHERE l.chain_id = :chain AND l.account = t.giver AND l.block_number = t.block_number AND l.transaction_index = t.transaction_index)
), actions AS (
  SELECT CASE WHEN referral_code IS NULL THEN 'deposit' ELSE 'supply' END AS action, block_number, log_index, transaction_index, contract, account,
    reserve, supplier AS payer, reserve AS paid_asset, amount AS paid, false AS paid_as_receipt,
    account AS receiver, reserve AS received_asset, amount AS received, true AS received_as_receipt
  FROM supplies WHERE chain_id = :chain AND (supplier = :wallet OR account = :wallet) AND block_number <= :as_of_block
  UNION ALL
  SELECT 'withdraw', block_number, log_index, transaction_index, contract, account,
    reserve, account, reserve, amount, true, receiver, reserve, amount, false
  FROM withdrawals WHERE chain_id = :chain AND (account = :wallet OR receiver = :wallet) AND block_number <= :as_of_block
  UNION ALL
  SELECT 'borrow', block_number, log_index, transaction_index, contract, account,
    reserve, NULL, NULL, NULL, NULL, receiver, reserve, amount, false
  FROM borrows WHERE chain_id = :chain AND (account = :wallet OR receiver = :wallet) AND block_number <= :as_of_block
  UNION ALL
  SELECT 'repay', block_number, log_index, transaction_index, contract, account,
    reserve, repayer, reserve, amount, COALESCE(with_a_tokens, false), NULL, NULL, NULL, NULL
  FROM repayments WHERE chain_id = :chain AND (account = :wallet OR repayer = :wallet) AND block_number <= :as_of_block
  UNION ALL
  SELECT 'liquidation', block_number, log_index, transaction_index, contract, account,
    debt, liquidator, debt, debt_amount, false, liquidator, collateral, collateral_amount, receive_a_token
  FROM liquidations WHERE chain_id = :chain AND (account = :wallet OR liquidator = :wallet) AND block_number <= :as_of_block
  UNION ALL
  -- Version 3 has scaled amounts here. Transfers from a liquidated account to its liquidator and the treasury are part of the liquidation.
  SELECT 'transfer', t.block_number, t.log_index, t.transaction_index, t.contract, t.giver,
    r.asset, t.giver, r.asset, CASE WHEN r.is_v2 THEN t.value END, true, t.receiver, r.asset, CASE WHEN r.is_v2 THEN t.value END, true
  FROM transfers t JOIN listed r ON r.a_token = t.contract
), page AS (
  SELECT * FROM actions ORDER BY block_number DESC, log_index DESC LIMIT :limit OFFSET :offset
), legs AS (
  SELECT p.block_number, p.log_index, b.timestamp, leg.direction, COALESCE(leg.amount, moved.amount) AS amount, leg.asset,
    CASE WHEN NOT leg.is_receipt THEN leg.asset WHEN p.action = 'transfer' THEN p.contract ELSE receipt.a_token END AS token
  FROM page p
  JOIN api.blocks b ON b.chain_id = :chain AND b.number = p.block_number
  CROSS JOIN LATERAL (VALUES
    ('OUT', p.payer, p.paid_asset, p.paid, p.paid_as_receipt),
    ('IN', p.receiver, p.received_asset, p.received, p.received_as_receipt),
    ('OUT', CASE WHEN p.action = 'liquidation' THEN p.account END, p.received_asset, p.received, true)
  ) AS leg (direction, wallet, asset, amount, is_receipt)
  LEFT JOIN LATERAL (
    SELECT r.a_token FROM listed r
    WHERE leg.is_receipt AND r.asset = leg.asset AND r.block_number <= p.block_number AND EXISTS (
      SELECT FROM a_token_pool q WHERE q.chain_id = :chain AND q.contract = r.a_token AND q.block_number <= :as_of_block AND q.pool = p.contract)
    ORDER BY r.block_number DESC LIMIT 1) receipt ON true
  LEFT JOIN LATERAL (
    SELECT t.amount FROM api.transfers t
    WHERE leg.amount IS NULL AND t.chain_id = :chain AND t.block_number = p.block_number AND t.log_index < p.log_index AND t.token = p.contract
      AND t.from_address = p.payer AND t.to_address = p.receiver
    ORDER BY t.log_index DESC LIMIT 1) moved ON true
  WHERE leg.wallet = :wallet
), valued AS (
  SELECT l.*, token.name, token.symbol, token.decimals, quote.price, l.amount / power(10::numeric, token.decimals) * quote.price AS quote
  FROM legs l
  LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = l.token
  LEFT JOIN LATERAL (SELECT p.price FROM api.prices_at(:chain, l.timestamp) p WHERE p.token = l.asset) quote ON true
), moved AS MATERIALIZED (
  SELECT v.block_number, v.log_index,
    json_agg(json_build_object(
      'direction', v.direction,
      'contract_address', '0x' || encode(v.token, 'hex'),
      'contract_name', v.name,
      'contract_ticker_symbol', v.symbol,
      'contract_decimals', v.decimals,
      'amount', v.amount::text,
      'quote_rate', v.price,
      'quote', v.quote) ORDER BY v.direction DESC, v.token) AS amounts,
    CASE WHEN count(*) FILTER (WHERE v.quote IS NULL) = 0
      THEN COALESCE(sum(v.quote) FILTER (WHERE v.direction = 'OUT'), sum(v.quote)) END AS total_quote
  FROM valued v GROUP BY v.block_number, v.log_index
)
SELECT
  b.timestamp AS block_signed_at,
  p.block_number AS block_height,
  t.hash AS tx_hash,
  p.transaction_index AS tx_offset,
  p.log_index AS log_offset,
  p.action,
  CASE WHEN p.action = 'transfer' THEN p.contract ELSE market.a_token END AS pool_address,
  t.from_address,
  COALESCE(m.amounts, '[]') AS amounts,
  m.total_quote
FROM page p
JOIN api.blocks b ON b.chain_id = :chain AND b.number = p.block_number
JOIN api.transactions t ON t.chain_id = :chain AND t.block_number = p.block_number AND t.transaction_index = p.transaction_index
LEFT JOIN moved m ON m.block_number = p.block_number AND m.log_index = p.log_index
LEFT JOIN LATERAL (
  SELECT r.a_token FROM listed r
  WHERE r.asset = p.reserve AND r.block_number <= p.block_number AND EXISTS (
    SELECT FROM a_token_pool q WHERE q.chain_id = :chain AND q.contract = r.a_token AND q.block_number <= :as_of_block AND q.pool = p.contract)
  ORDER BY r.block_number DESC LIMIT 1) market ON true
ORDER BY p.block_number DESC, p.log_index DESC
