-- The lending events of a transaction. `tokens` is the amount of the market's tokens (`receipt`) that moved.
WITH events AS (
  SELECT log_index, contract, CASE WHEN payer <> minter THEN 'MintBehalf' ELSE 'Mint' END AS event, contract AS receipt, mint_tokens AS tokens,
    mint_amount AS amount_in, NULL::numeric AS amount_out, minter AS account, COALESCE(payer, minter) AS actor, NULL::bytea AS liquidator
  FROM mints WHERE chain_id = :chain AND block_number = :block AND transaction_index = :transaction_index
  UNION ALL
  SELECT log_index, contract, 'Redeem', contract, redeem_tokens, NULL, redeem_amount, redeemer, redeemer, NULL
  FROM redemptions WHERE chain_id = :chain AND block_number = :block AND transaction_index = :transaction_index
  UNION ALL
  SELECT log_index, contract, CASE WHEN payer IS NULL THEN 'Borrow' ELSE 'RepayBorrow' END, NULL, NULL, repay_amount, borrow_amount,
    borrower, COALESCE(payer, borrower), NULL
  FROM debts WHERE chain_id = :chain AND block_number = :block AND transaction_index = :transaction_index
  UNION ALL
  SELECT log_index, contract, 'LiquidateBorrow', c_token_collateral, seize_tokens, repay_amount, NULL, borrower, liquidator, liquidator
  FROM liquidations WHERE chain_id = :chain AND block_number = :block AND transaction_index = :transaction_index
), assets AS (
  SELECT m.contract, a.asset, CASE WHEN a.is_native THEN 18 ELSE token.decimals END AS decimals
  FROM (SELECT contract FROM events UNION SELECT receipt FROM events) m
  JOIN LATERAL (
    SELECT COALESCE(r.asset, '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'::bytea) AS asset, r.asset IS NULL AS is_native FROM asset r
    WHERE r.chain_id = :chain AND r.contract = m.contract
    ORDER BY r.block_number DESC LIMIT 1) a ON true
  LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = a.asset
)
SELECT
  e.log_index AS log_offset,
  e.contract AS protocol_address,
  NULL AS version,
  e.event,
  e.receipt AS lp_token_address,
  e.tokens AS lp_token_amount,
  backing.asset AS lp_underlying_address,
  -- For mints and redemptions: the amount of the asset per token.
  CASE WHEN e.contract = e.receipt AND e.event <> 'LiquidateBorrow'
    THEN COALESCE(e.amount_in, e.amount_out) / power(10::numeric, backing.decimals) * power(10::numeric, token.decimals) / NULLIF(e.tokens, 0)
  END AS exchange_rate,
  CASE WHEN e.amount_in IS NOT NULL THEN moved.asset END AS token_address_in,
  e.amount_in AS token_amount_in,
  CASE WHEN e.amount_out IS NOT NULL THEN moved.asset END AS token_address_out,
  e.amount_out AS token_amount_out,
  NULL AS borrow_rate_mode,
  NULL AS borrow_rate,
  e.account AS on_behalf_of,
  e.liquidator,
  e.actor AS "user"
FROM events e
LEFT JOIN assets moved ON moved.contract = e.contract
LEFT JOIN assets backing ON backing.contract = e.receipt
LEFT JOIN api.tokens token ON token.chain_id = :chain AND token.address = e.receipt
ORDER BY e.log_index
