-- A page of the blocks of a range of days.
-- $1 chain, $2 begin and $3 end of the range (unix seconds), $4 page size, $5 offset
WITH range AS MATERIALIZED (
  SELECT (SELECT number FROM blocks WHERE chain_id = $1 AND timestamp >= $2::int8 ORDER BY timestamp, number LIMIT 1) AS first,
    (SELECT number FROM blocks WHERE chain_id = $1 AND timestamp < $3::int8 ORDER BY timestamp DESC, number DESC LIMIT 1) AS last)
SELECT range.last - range.first + 1 AS total, b.hash, b.timestamp, b.number, b.parent_hash, b.extra_data, b.miner, b.gas_used, b.gas_limit
FROM range JOIN blocks b ON b.chain_id = $1
  AND b.number BETWEEN range.first + $5::int8 AND least(range.first + $5::int8 + $4::int8 - 1, range.last)
ORDER BY b.number
