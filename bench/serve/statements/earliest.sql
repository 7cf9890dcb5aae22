-- The transactions of the first 15 minutes in which a wallet has any, with their logs, newest first: a row per log.
-- $1 chain, $2 wallet
WITH bucket AS MATERIALIZED (
    SELECT timestamp / 900 AS number FROM blocks WHERE chain_id = $1 AND number = (
      SELECT block_number FROM address_transactions WHERE chain_id = $1 AND address = $2::bytea ORDER BY ordinal LIMIT 1)),
  bound AS MATERIALIZED (
    SELECT bucket.number, (SELECT a.ordinal + 1 FROM address_transactions a
      WHERE a.chain_id = $1 AND a.address = $2::bytea AND a.block_number <= (
        SELECT number FROM blocks WHERE chain_id = $1 AND timestamp < (bucket.number + 1) * 900 ORDER BY timestamp DESC, number DESC LIMIT 1)
      ORDER BY a.block_number DESC, a.ordinal DESC LIMIT 1) AS ordinal
    FROM bucket),
  following AS MATERIALIZED (
    SELECT timestamp / 900 AS number FROM blocks WHERE chain_id = $1 AND number = (
      SELECT a.block_number FROM bound, address_transactions a
      WHERE a.chain_id = $1 AND a.address = $2::bytea AND a.ordinal >= bound.ordinal ORDER BY a.ordinal LIMIT 1))
SELECT bound.number AS bucket, p.ordinal,
  b.timestamp, x.block_number, b.hash AS block_hash, x.hash, x.transaction_index, x.successful, b.miner,
  x.from_address, (SELECT name FROM bench_names WHERE address = x.from_address) AS sender_name,
  x.to_address, (SELECT name FROM bench_names WHERE address = x.to_address) AS recipient_name, x.value, x.gas_limit, x.gas_used, x.gas_price,
  x.gas_used * x.gas_price + coalesce(x.l1_fee, 0) + coalesce(x.blob_fee, 0) AS fees, native.close AS native_close,
  l.log_index, l.address, l.topic0, l.topic1, l.topic2, l.topic3, l.data,
  (SELECT name FROM bench_names WHERE address = l.address) AS emitter_name, m.decimals, m.name, m.symbol,
  (SELECT array_agg(s.standard ORDER BY s.standard) FROM token_standards s WHERE s.chain_id = $1 AND s.address = l.address) AS standards,
  (SELECT f.factory FROM pools f WHERE f.chain_id = $1 AND f.pool = l.address LIMIT 1) AS factory,
  (SELECT number FROM following) AS next_bucket,
  (SELECT timestamp FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1) >= (bound.number + 1) * 900 AS complete
FROM bound
CROSS JOIN LATERAL (SELECT * FROM address_transactions
  WHERE chain_id = $1 AND address = $2::bytea AND ordinal < bound.ordinal ORDER BY ordinal LIMIT 100000) p
CROSS JOIN LATERAL (SELECT * FROM transactions
  WHERE chain_id = $1 AND block_number = p.block_number AND transaction_index = p.transaction_index LIMIT 1) x
CROSS JOIN LATERAL (SELECT * FROM blocks WHERE chain_id = $1 AND number = p.block_number LIMIT 1) b
LEFT JOIN logs l ON l.chain_id = $1 AND l.block_number = p.block_number AND l.transaction_index = p.transaction_index
LEFT JOIN token_metadata m ON m.chain_id = $1 AND m.address = l.address
LEFT JOIN LATERAL (SELECT close FROM price_hours WHERE chain_id = $1 AND asset = '\xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
  AND hour <= b.timestamp / 3600 ORDER BY hour DESC LIMIT 1) native ON true
ORDER BY p.ordinal DESC, l.log_index
