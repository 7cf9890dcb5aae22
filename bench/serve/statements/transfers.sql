-- A page of the transactions with ERC-20 transfers of a wallet, newest first: a row per transfer.
-- $1 chain, $2 wallet, $3 page size, $4 offset
WITH newest AS MATERIALIZED (
  SELECT ordinal FROM transfer_transactions WHERE chain_id = $1 AND address = $2::bytea ORDER BY ordinal DESC LIMIT 1)
SELECT newest.ordinal + 1 AS total, p.ordinal,
  b.timestamp, x.block_number, b.hash AS block_hash, x.hash, x.transaction_index, x.successful, b.miner,
  x.from_address, (SELECT name FROM bench_names WHERE address = x.from_address) AS sender_name,
  x.to_address, (SELECT name FROM bench_names WHERE address = x.to_address) AS recipient_name, x.value, x.gas_limit, x.gas_used, x.gas_price,
  x.gas_used * x.gas_price + coalesce(x.l1_fee, 0) + coalesce(x.blob_fee, 0) AS fees, native.close AS native_close,
  t.from_address, (SELECT name FROM bench_names WHERE address = t.from_address) AS from_name,
  t.to_address, (SELECT name FROM bench_names WHERE address = t.to_address) AS to_name,
  t.token, t.amount, t.from_balance, t.to_balance,
  m.decimals, m.name, m.symbol, price.close
FROM newest
JOIN transfer_transactions p ON p.chain_id = $1 AND p.address = $2::bytea
  AND p.ordinal BETWEEN newest.ordinal - $4::int8 - $3::int8 + 1 AND newest.ordinal - $4::int8
CROSS JOIN LATERAL (SELECT * FROM transactions
  WHERE chain_id = $1 AND block_number = p.block_number AND transaction_index = p.transaction_index LIMIT 1) x
CROSS JOIN LATERAL (SELECT * FROM blocks WHERE chain_id = $1 AND number = p.block_number LIMIT 1) b
CROSS JOIN LATERAL (SELECT * FROM transfers
  WHERE chain_id = $1 AND block_number = p.block_number AND transaction_index = p.transaction_index AND standard = 1
    AND CASE $2::bytea WHEN from_address THEN true WHEN to_address THEN true END) t
LEFT JOIN token_metadata m ON m.chain_id = $1 AND m.address = t.token
LEFT JOIN LATERAL (SELECT close FROM price_hours WHERE chain_id = $1 AND asset = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
  AND hour <= b.timestamp / 3600 ORDER BY hour DESC LIMIT 1) native ON true
LEFT JOIN LATERAL (SELECT close FROM price_hours WHERE chain_id = $1 AND asset = t.token
  AND hour <= b.timestamp / 3600 ORDER BY hour DESC LIMIT 1) price ON true
ORDER BY p.ordinal DESC, t.ordinal
