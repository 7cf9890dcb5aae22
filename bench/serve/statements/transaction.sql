-- A transaction with its logs: a row per log.
-- $1 chain, $2 hash
SELECT 1 AS total, x.transaction_index AS item,
  b.timestamp, x.block_number, b.hash AS block_hash, x.hash, x.transaction_index, x.successful, b.miner,
  x.from_address, (SELECT name FROM bench_names WHERE address = x.from_address) AS sender_name,
  x.to_address, (SELECT name FROM bench_names WHERE address = x.to_address) AS recipient_name, x.value, x.gas_limit, x.gas_used, x.gas_price,
  x.gas_used * x.gas_price + coalesce(x.l1_fee, 0) + coalesce(x.blob_fee, 0) AS fees, native.close AS native_close,
  l.log_index, l.address, l.topic0, l.topic1, l.topic2, l.topic3, l.data,
  (SELECT name FROM bench_names WHERE address = l.address) AS emitter_name, m.decimals, m.name, m.symbol,
  (SELECT array_agg(s.standard ORDER BY s.standard) FROM token_standards s WHERE s.chain_id = $1 AND s.address = l.address) AS standards,
  (SELECT f.factory FROM pools f WHERE f.chain_id = $1 AND f.pool = l.address LIMIT 1) AS factory
FROM transactions x
JOIN blocks b ON b.chain_id = $1 AND b.number = x.block_number
LEFT JOIN logs l ON l.chain_id = $1 AND l.block_number = x.block_number AND l.transaction_index = x.transaction_index
LEFT JOIN token_metadata m ON m.chain_id = $1 AND m.address = l.address
LEFT JOIN LATERAL (SELECT close FROM price_hours WHERE chain_id = $1 AND asset = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
  AND hour <= b.timestamp / 3600 ORDER BY hour DESC LIMIT 1) native ON true
WHERE x.chain_id = $1 AND x.hash = $2::bytea
ORDER BY l.log_index
