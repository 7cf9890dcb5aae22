-- A wallet's holdings with metadata, standards, last transfers, the balances of a day ago, and the prices of now and of a day ago.
-- $1 chain, $2 owner, $3 now (unix seconds)
WITH day AS MATERIALIZED (
  SELECT number FROM blocks WHERE chain_id = $1 AND timestamp < $3::int8 - 86399 ORDER BY timestamp DESC, number DESC LIMIT 1)
SELECT b.token, b.standard, b.balance,
  CASE WHEN b.since_block <= day.number THEN b.balance
    ELSE coalesce((SELECT p.balance FROM balance_periods p
      WHERE p.chain_id = $1 AND p.owner = $2::bytea AND p.token = b.token AND p.standard = b.standard AND p.from_block <= day.number
      ORDER BY p.from_block DESC LIMIT 1), 0) END AS balance_24h,
  m.decimals, m.name, m.symbol,
  (SELECT array_agg(s.standard ORDER BY s.standard) FROM token_standards s WHERE s.chain_id = $1 AND s.address = b.token) AS standards,
  (SELECT l.timestamp FROM blocks l WHERE l.chain_id = $1 AND l.number = CASE b.standard WHEN 0 THEN greatest(
      (SELECT block_number FROM transfers WHERE chain_id = $1 AND from_address = $2::bytea AND token = b.token ORDER BY block_number DESC LIMIT 1),
      (SELECT block_number FROM transfers WHERE chain_id = $1 AND to_address = $2::bytea AND token = b.token ORDER BY block_number DESC LIMIT 1))
    ELSE b.since_block END) AS moved_at,
  EXISTS (SELECT 1 FROM node_sourced_tokens n WHERE n.chain_id = $1 AND n.token = b.token AND n.standard = b.standard) AS sourced,
  price.close, price_24h.close AS close_24h,
  (SELECT indexed_from FROM chains WHERE chain_id = $1) AS indexed_from
FROM balances b CROSS JOIN day
LEFT JOIN token_metadata m ON m.chain_id = $1 AND m.address = b.token
LEFT JOIN LATERAL (SELECT close FROM price_hours p WHERE p.chain_id = $1 AND p.asset = b.token AND p.hour <= $3::int8 / 3600
  ORDER BY p.hour DESC LIMIT 1) price ON true
LEFT JOIN LATERAL (SELECT close FROM price_hours p WHERE p.chain_id = $1 AND p.asset = b.token AND p.hour <= ($3::int8 - 86400) / 3600
  ORDER BY p.hour DESC LIMIT 1) price_24h ON true
WHERE b.chain_id = $1 AND b.owner = $2::bytea AND (b.balance IS DISTINCT FROM 0 OR b.standard = 0)
ORDER BY b.standard, b.token
