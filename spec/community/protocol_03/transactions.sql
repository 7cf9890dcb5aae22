-- The wallet's transactions, newest first. `:wallet` is the address's script.
WITH page AS (
  SELECT a.block_number, a.transaction_index, a.received, a.sent
  FROM api.bitcoin_address_transactions a
  WHERE a.chain_id = :chain AND a.script = :wallet AND a.block_number <= :as_of_block
  ORDER BY a.block_number DESC, a.transaction_index DESC
  LIMIT :limit OFFSET :offset
)
SELECT
  b.timestamp AS block_signed_at,
  p.block_number AS block_height,
  encode(t.txid, 'hex') AS tx_hash,
  p.transaction_index AS tx_offset,
  NULL AS log_offset,
  CASE WHEN t.coinbase THEN 'coinbase' WHEN p.sent > 0 THEN 'send' ELSE 'receive' END AS action,
  NULL AS pool_address,
  sender.script AS from_address,
  legs.amounts,
  NULL AS total_quote
FROM page p
JOIN api.bitcoin_blocks b ON b.chain_id = :chain AND b.number = p.block_number
JOIN api.bitcoin_transactions t ON t.chain_id = :chain AND t.block_number = p.block_number AND t.transaction_index = p.transaction_index
CROSS JOIN LATERAL (
  -- Null if the outputs that the transaction spends have different scripts, or if one of the scripts is unknown.
  SELECT CASE WHEN count(*) = count(i.script) AND count(DISTINCT i.script) = 1 THEN (array_agg(i.script))[1] END AS script
  FROM api.bitcoin_inputs i
  WHERE i.chain_id = :chain AND i.block_number = p.block_number AND i.transaction_index = p.transaction_index
) sender
CROSS JOIN LATERAL (
  -- An address that received only outputs of zero value has one item with amount 0.
  SELECT json_agg(json_build_object(
    'direction', leg.direction,
    'contract_address', NULL,
    'contract_name', 'Bitcoin',
    'contract_ticker_symbol', 'BTC',
    'contract_decimals', 8,
    'amount', leg.amount::text,
    'fee', leg.fee::text,
    'quote_rate', NULL,
    'quote', NULL) ORDER BY leg.direction DESC) AS amounts
  FROM (VALUES ('OUT', p.sent, t.fee), ('IN', p.received, NULL)) AS leg (direction, amount, fee)
  WHERE leg.amount > 0 OR (leg.direction = 'IN' AND p.sent = 0)
) legs
ORDER BY p.block_number DESC, p.transaction_index DESC
