-- The wallet's actions with the markets, newest first. `assets` and `tokens` are amounts that `giver` gave, `receiver` received, or both.
WITH actions AS (
  SELECT 'mint' AS action, block_number, log_index, transaction_index, contract, COALESCE(payer, minter) AS giver, minter AS receiver, mint_amount AS assets,
    mint_tokens AS tokens, contract AS receipt
  FROM mints WHERE chain_id = :chain AND minter = :wallet AND block_number <= :as_of_block
  UNION ALL
  SELECT 'mint', block_number, log_index, transaction_index, contract, COALESCE(payer, minter), minter, mint_amount, mint_tokens, contract
  FROM mints WHERE chain_id = :chain AND payer = :wallet AND minter <> :wallet AND block_number <= :as_of_block
  UNION ALL
  SELECT 'redeem', block_number, log_index, transaction_index, contract, redeemer, redeemer, redeem_amount, redeem_tokens, contract
  FROM redemptions WHERE chain_id = :chain AND redeemer = :wallet AND block_number <= :as_of_block
  UNION ALL
  SELECT 'borrow', block_number, log_index, transaction_index, contract, NULL, borrower, borrow_amount, NULL, contract
  FROM debts WHERE chain_id = :chain AND borrower = :wallet AND block_number <= :as_of_block AND payer IS NULL
  UNION ALL
  SELECT 'repay', r.block_number, r.log_index, r.transaction_index, r.contract, r.payer, NULL, r.repay_amount, NULL, r.contract
  FROM (
    SELECT * FROM debts WHERE chain_id = :chain AND payer = :wallet AND block_number <= :as_of_block
    UNION ALL
    SELECT * FROM debts WHERE chain_id = :chain AND borrower = :wallet AND block_number <= :as_of_block AND payer <> :wallet
  ) r
  -- The repayment of a liquidation is part of it.
  WHERE NOT EXISTS (
    SELECT 1 FROM liquidations l
    WHERE l.chain_id = :chain AND l.block_number = r.block_number AND l.log_index > r.log_index AND l.transaction_index = r.transaction_index
      AND l.contract = r.contract AND l.borrower = r.borrower AND l.liquidator = r.payer AND l.repay_amount = r.repay_amount)
  UNION ALL
  SELECT 'liquidate', block_number, log_index, transaction_index, contract, liquidator, borrower, repay_amount, seize_tokens, c_token_collateral
  FROM liquidations WHERE chain_id = :chain AND liquidator = :wallet AND block_number <= :as_of_block
  UNION ALL
  SELECT 'liquidate', block_number, log_index, transaction_index, contract, liquidator, borrower, repay_amount, seize_tokens, c_token_collateral
  FROM liquidations WHERE chain_id = :chain AND borrower = :wallet AND liquidator <> :wallet AND block_number <= :as_of_block
  UNION ALL
  SELECT 'transfer', t.block_number, t.log_index, t.transaction_index, t.contract, t.from_address, t.to_address, NULL, t.amount, t.contract
  FROM (
    SELECT * FROM transfers WHERE chain_id = :chain AND from_address = :wallet AND block_number <= :as_of_block
    UNION ALL
    SELECT * FROM transfers WHERE chain_id = :chain AND to_address = :wallet AND from_address <> :wallet AND block_number <= :as_of_block
  ) t
  -- Transfers from and to the market are part of mints and redemptions; transfers of seized tokens are part of a liquidation.
  WHERE t.from_address <> t.contract AND t.to_address <> t.contract AND NOT EXISTS (
    SELECT 1 FROM liquidations l
    WHERE l.chain_id = :chain AND l.block_number = t.block_number AND l.log_index > t.log_index AND l.transaction_index = t.transaction_index
      AND l.c_token_collateral = t.contract AND l.borrower = t.from_address AND l.liquidator = t.to_address)
), page AS (
  SELECT * FROM actions ORDER BY block_number DESC, log_index DESC LIMIT :limit OFFSET :offset
), moved AS (
  SELECT p.*, b.timestamp, x.hash, x.from_address, a.asset, seized.amount AS seized, priced.is_by_rate,
    -- The exchange rate at the newest readings up to the block, for the value of tokens.
    CASE WHEN reading.cash + lent.total_borrows >= reading.reserves
      THEN (reading.cash + lent.total_borrows - reading.reserves) / NULLIF(reading.tokens, 0) END AS rate
  FROM page p
  JOIN api.blocks b ON b.chain_id = :chain AND b.number = p.block_number
  JOIN api.transactions x ON x.chain_id = :chain AND x.block_number = p.block_number AND x.transaction_index = p.transaction_index
  LEFT JOIN LATERAL (
    SELECT COALESCE(r.asset, '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea) AS asset FROM asset r
    WHERE r.chain_id = :chain AND r.contract = p.contract AND r.block_number <= :as_of_block
    ORDER BY r.block_number DESC LIMIT 1) a ON true
  -- The tokens that the liquidator received: the seized ones minus the part added to the market's reserves.
  LEFT JOIN LATERAL (
    SELECT t.amount FROM transfers t
    WHERE p.action = 'liquidate' AND t.chain_id = :chain AND t.block_number = p.block_number AND t.log_index < p.log_index
      AND t.contract = p.receipt AND t.from_address = p.receiver AND t.to_address = p.giver
    ORDER BY t.log_index DESC LIMIT 1) seized ON true
  -- Other tokens have the value of the assets for which they were exchanged.
  CROSS JOIN LATERAL (SELECT p.assets IS NULL OR p.action = 'liquidate' AS is_by_rate) priced
  LEFT JOIN LATERAL (
    SELECT s.block_number, s.tokens, r.amount AS reserves, k.amount AS cash
    FROM token_supply s
    CROSS JOIN LATERAL (
      SELECT o.amount FROM reserves o WHERE o.chain_id = :chain AND o.contract = s.contract AND o.block_number = s.block_number LIMIT 1) r
    CROSS JOIN LATERAL (
      SELECT o.amount FROM cash o WHERE o.chain_id = :chain AND o.contract = s.contract AND o.block_number = s.block_number LIMIT 1) k
    WHERE priced.is_by_rate AND s.chain_id = :chain AND s.contract = p.receipt AND s.block_number <= p.block_number
    ORDER BY s.block_number DESC LIMIT 1) reading ON true
  LEFT JOIN LATERAL (
    SELECT t.total_borrows FROM (
      (SELECT i.total_borrows, i.block_number, i.log_index FROM accruals i
       WHERE priced.is_by_rate AND i.chain_id = :chain AND i.contract = p.receipt AND i.block_number <= reading.block_number
       ORDER BY i.block_number DESC, i.log_index DESC LIMIT 1)
      UNION ALL
      (SELECT d.total_borrows, d.block_number, d.log_index FROM debts d
       WHERE priced.is_by_rate AND d.chain_id = :chain AND d.contract = p.receipt AND d.block_number <= reading.block_number
       ORDER BY d.block_number DESC, d.log_index DESC LIMIT 1)) t
    ORDER BY t.block_number DESC, t.log_index DESC LIMIT 1) lent ON true
), valued AS (
  SELECT m.*, token.name AS asset_name, token.symbol AS asset_symbol, unit.decimals AS asset_decimals,
    price.unit_price * power(10::numeric, unit.decimals) AS asset_price,
    CASE WHEN unit.decimals IS NOT NULL THEN m.assets * price.unit_price END AS asset_quote,
    receipt.name AS receipt_name, receipt.symbol AS receipt_symbol, receipt.decimals AS receipt_decimals,
    m.rate * backing.unit_price AS token_price
  FROM moved m
  LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = m.asset
  CROSS JOIN LATERAL (
    SELECT CASE WHEN m.asset = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea THEN 18 ELSE token.decimals END AS decimals) unit
  LEFT JOIN api.tokens receipt ON receipt.chain_id = :chain AND receipt.address = m.receipt
  LEFT JOIN LATERAL (SELECT q.unit_price FROM api.prices_at(:chain, m.timestamp) q WHERE q.token = m.asset LIMIT 1) price ON true
  LEFT JOIN LATERAL (
    SELECT q.unit_price FROM api.prices_at(:chain, m.timestamp) q WHERE m.is_by_rate AND q.token = (
      SELECT COALESCE(r.asset, '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea) FROM asset r
      WHERE r.chain_id = :chain AND r.contract = m.receipt AND r.block_number <= :as_of_block
      ORDER BY r.block_number DESC LIMIT 1) LIMIT 1) backing ON true
)
SELECT
  v.timestamp AS block_signed_at,
  v.block_number AS block_height,
  v.hash AS tx_hash,
  v.transaction_index AS tx_offset,
  v.log_index AS log_offset,
  v.action,
  v.contract AS pool_address,
  v.from_address,
  legs.amounts,
  legs.total_quote
FROM valued v
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
      'quote', leg.quote) ORDER BY leg.direction DESC), '[]') AS amounts,
    COALESCE(max(leg.quote) FILTER (WHERE leg.direction = 'OUT'), CASE WHEN bool_and(leg.direction = 'IN') THEN max(leg.quote) END) AS total_quote
  FROM (
    SELECT 'OUT' AS direction, v.asset AS token, v.asset_name AS name, v.asset_symbol AS symbol, v.asset_decimals AS decimals, v.assets AS amount,
      v.asset_price AS rate, v.asset_quote AS quote
    WHERE v.action IN ('mint', 'repay', 'liquidate') AND v.giver = :wallet
    UNION ALL
    SELECT 'IN', v.asset, v.asset_name, v.asset_symbol, v.asset_decimals, v.assets, v.asset_price, v.asset_quote
    WHERE v.action IN ('redeem', 'borrow') AND v.receiver = :wallet
    UNION ALL
    SELECT t.direction, v.receipt, v.receipt_name, v.receipt_symbol, v.receipt_decimals, t.amount,
      worth.quote * power(10::numeric, v.receipt_decimals) / NULLIF(t.amount, 0), CASE WHEN v.receipt_decimals IS NOT NULL THEN worth.quote END
    FROM (VALUES
      ('OUT', v.action IN ('redeem', 'transfer') AND v.giver = :wallet, v.tokens),
      ('IN', v.action IN ('mint', 'transfer') AND v.receiver = :wallet, v.tokens),
      ('OUT', v.action = 'liquidate' AND v.receiver = :wallet, v.tokens),
      ('IN', v.action = 'liquidate' AND v.giver = :wallet, v.seized)
    ) AS t (direction, applies, amount)
    CROSS JOIN LATERAL (SELECT CASE WHEN v.is_by_rate THEN t.amount * v.token_price ELSE v.asset_quote END AS quote) worth
    WHERE t.applies
  ) leg
) legs
ORDER BY v.block_number DESC, v.log_index DESC
