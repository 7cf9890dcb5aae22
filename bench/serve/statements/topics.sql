-- A page of the logs with a first topic in a range of blocks, newest first, and their number up to 10,001.
-- $1 chain, $2 topic, $3 first block, $4 last block, $5 page size, $6 offset
WITH page AS MATERIALIZED (
    SELECT block_number, log_index FROM logs WHERE chain_id = $1 AND topic0 = $2::bytea AND block_number BETWEEN $3::int8 AND $4::int8
    ORDER BY block_number DESC, log_index DESC LIMIT $5::int8 OFFSET $6::int8),
  counted AS MATERIALIZED (
    SELECT count(*) AS count FROM (
      SELECT 1 FROM logs WHERE chain_id = $1 AND topic0 = $2::bytea AND block_number BETWEEN $3::int8 AND $4::int8 LIMIT 10001) found)
SELECT counted.count, b.timestamp, l.block_number, x.hash, l.transaction_index,
  l.log_index, l.address, l.topic0, l.topic1, l.topic2, l.topic3, l.data,
  (SELECT name FROM bench_names WHERE address = l.address) AS emitter_name, m.decimals, m.name, m.symbol,
  (SELECT array_agg(s.standard ORDER BY s.standard) FROM token_standards s WHERE s.chain_id = $1 AND s.address = l.address) AS standards,
  (SELECT f.factory FROM pools f WHERE f.chain_id = $1 AND f.pool = l.address LIMIT 1) AS factory
FROM counted CROSS JOIN page
CROSS JOIN LATERAL (SELECT * FROM logs WHERE chain_id = $1 AND block_number = page.block_number AND log_index = page.log_index LIMIT 1) l
CROSS JOIN LATERAL (SELECT hash FROM transactions
  WHERE chain_id = $1 AND block_number = l.block_number AND transaction_index = l.transaction_index LIMIT 1) x
CROSS JOIN LATERAL (SELECT timestamp FROM blocks WHERE chain_id = $1 AND number = l.block_number LIMIT 1) b
LEFT JOIN token_metadata m ON m.chain_id = $1 AND m.address = l.address
ORDER BY l.block_number DESC, l.log_index DESC
