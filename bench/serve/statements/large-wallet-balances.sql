-- The holdings of a wallet with tens of thousands of tokens: like balances.sql, but metadata, standards, times and prices are read once and joined.
-- $1 chain, $2 owner, $3 now (unix seconds)
WITH day AS MATERIALIZED (
    SELECT number FROM blocks WHERE chain_id = $1 AND timestamp < $3::int8 - 86399 ORDER BY timestamp DESC, number DESC LIMIT 1),
  held AS MATERIALIZED (
    SELECT token, standard, balance, since_block FROM balances
    WHERE chain_id = $1 AND owner = $2::bytea AND (balance IS DISTINCT FROM 0 OR standard = 0))
SELECT b.token, b.standard, b.balance,
  CASE WHEN b.since_block <= day.number THEN b.balance
    ELSE coalesce((SELECT p.balance FROM balance_periods p
      WHERE p.chain_id = $1 AND p.owner = $2::bytea AND p.token = b.token AND p.standard = b.standard AND p.from_block <= day.number
      ORDER BY p.from_block DESC LIMIT 1), 0) END AS balance_24h,
  m.decimals, m.name, m.symbol, s.standards,
  CASE b.standard WHEN 0 THEN (SELECT timestamp FROM blocks WHERE chain_id = $1 AND number = greatest(
      (SELECT block_number FROM transfers WHERE chain_id = $1 AND from_address = $2::bytea AND token = b.token ORDER BY block_number DESC LIMIT 1),
      (SELECT block_number FROM transfers WHERE chain_id = $1 AND to_address = $2::bytea AND token = b.token ORDER BY block_number DESC LIMIT 1)))
    ELSE l.timestamp END AS moved_at,
  n.token IS NOT NULL AS sourced, price.close, price.close_24h,
  (SELECT indexed_from FROM chains WHERE chain_id = $1) AS indexed_from
FROM held b CROSS JOIN day
LEFT JOIN (SELECT address, decimals, name, symbol FROM token_metadata WHERE chain_id = $1 OFFSET 0) m ON m.address = b.token
LEFT JOIN (SELECT address, array_agg(standard ORDER BY standard) AS standards FROM token_standards WHERE chain_id = $1
  GROUP BY address OFFSET 0) s ON s.address = b.token
LEFT JOIN (SELECT number, timestamp FROM blocks WHERE chain_id = $1 AND number = ANY (ARRAY(SELECT since_block FROM held)) OFFSET 0) l
  ON l.number = b.since_block
LEFT JOIN (SELECT token, standard FROM node_sourced_tokens WHERE chain_id = $1 OFFSET 0) n ON n.token = b.token AND n.standard = b.standard
LEFT JOIN (
  SELECT a.asset,
    (SELECT close FROM price_hours p WHERE p.chain_id = $1 AND p.asset = a.asset AND p.hour <= $3::int8 / 3600 ORDER BY p.hour DESC LIMIT 1) AS close,
    (SELECT close FROM price_hours p WHERE p.chain_id = $1 AND p.asset = a.asset AND p.hour <= ($3::int8 - 86400) / 3600 ORDER BY p.hour DESC LIMIT 1) AS close_24h
  FROM priced_assets a WHERE a.chain_id = $1 OFFSET 0) price ON price.asset = b.token
ORDER BY b.standard, b.token
