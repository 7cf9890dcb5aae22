-- The lending events of a transaction. `receipts` is the amount that moved of the aToken for the asset `reserve`.
WITH events AS (
  SELECT log_index, contract, CASE WHEN referral_code IS NULL THEN 'Deposit' ELSE 'Supply' END AS event, reserve, amount AS receipts,
    reserve AS asset_in, amount AS amount_in, NULL::bytea AS asset_out, NULL::numeric AS amount_out, NULL::numeric AS mode, NULL::numeric AS rate,
    account, supplier AS actor, NULL::bytea AS liquidator
  FROM supplies WHERE chain_id = :chain AND block_number = :block AND transaction_index = :transaction_index
  UNION ALL
  SELECT log_index, contract, 'Withdraw', reserve, amount, NULL, NULL, reserve, amount, NULL, NULL, account, account, NULL
  FROM withdrawals WHERE chain_id = :chain AND block_number = :block AND transaction_index = :transaction_index
  UNION ALL
  SELECT log_index, contract, 'Borrow', NULL, NULL, NULL, NULL, reserve, amount, mode, rate, account, receiver, NULL
  FROM borrows WHERE chain_id = :chain AND block_number = :block AND transaction_index = :transaction_index
  UNION ALL
  -- A debt may be repaid with aTokens, which are burned.
  SELECT log_index, contract, 'Repay', CASE WHEN with_a_tokens THEN reserve END, CASE WHEN with_a_tokens THEN amount END,
    CASE WHEN with_a_tokens IS NOT TRUE THEN reserve END, CASE WHEN with_a_tokens IS NOT TRUE THEN amount END, NULL, NULL, NULL, NULL,
    account, repayer, NULL
  FROM repayments WHERE chain_id = :chain AND block_number = :block AND transaction_index = :transaction_index
  UNION ALL
  SELECT log_index, contract, 'LiquidationCall', collateral, collateral_amount, debt, debt_amount,
    CASE WHEN NOT receive_a_token THEN collateral END, CASE WHEN NOT receive_a_token THEN collateral_amount END, NULL, NULL,
    account, liquidator, liquidator
  FROM liquidations WHERE chain_id = :chain AND block_number = :block AND transaction_index = :transaction_index
), listed AS NOT MATERIALIZED (
  SELECT asset, a_token, block_number, '3' AS version FROM reserves WHERE chain_id = :chain AND block_number <= :block
  UNION ALL
  SELECT asset, a_token, block_number, '2' FROM reserves_v2 WHERE chain_id = :chain AND block_number <= :block
)
SELECT
  e.log_index AS log_offset,
  e.contract AS protocol_address,
  used.version,
  e.event,
  CASE WHEN e.reserve IS NOT NULL THEN used.a_token END AS lp_token_address,
  e.receipts AS lp_token_amount,
  e.reserve AS lp_underlying_address,
  -- An aToken is always worth one unit of its asset.
  CASE WHEN e.reserve IS NOT NULL THEN 1 END AS exchange_rate,
  e.asset_in AS token_address_in,
  e.amount_in AS token_amount_in,
  e.asset_out AS token_address_out,
  e.amount_out AS token_amount_out,
  e.mode AS borrow_rate_mode,
  -- Rates are fractions in rays (10^27).
  e.rate * 1e-25 AS borrow_rate,
  e.account AS on_behalf_of,
  e.liquidator,
  e.actor AS "user"
FROM events e
LEFT JOIN LATERAL (
  SELECT r.a_token, r.version FROM listed r
  WHERE r.asset = COALESCE(e.reserve, e.asset_in, e.asset_out) AND EXISTS (
    SELECT FROM a_token_pool q WHERE q.chain_id = :chain AND q.contract = r.a_token AND q.pool = e.contract)
  ORDER BY r.block_number DESC LIMIT 1) used ON true
ORDER BY e.log_index
