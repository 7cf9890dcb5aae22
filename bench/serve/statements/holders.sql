-- A page of the holders of a token, largest first, with its totals.
-- $1 chain, $2 token, $3 page size, $4 offset
WITH totals AS MATERIALIZED (
  SELECT head.number AS block,
    coalesce((SELECT holders FROM holder_counts WHERE chain_id = $1 AND token = $2::bytea AND standard = 1 ORDER BY block_number DESC LIMIT 1), 0)
      + (SELECT count(*) FROM balances WHERE chain_id = $1 AND owner = '\x0000000000000000000000000000000000000000' AND token = $2::bytea
         AND standard = 1 AND balance > 0) AS holders,
    coalesce((SELECT supply FROM token_supplies WHERE chain_id = $1 AND token = $2::bytea AND standard = 1 ORDER BY block_number DESC LIMIT 1), 0)
      + coalesce((SELECT difference FROM supply_offsets WHERE chain_id = $1 AND token = $2::bytea ORDER BY block_number DESC LIMIT 1), 0) AS supply,
    m.decimals, m.name, m.symbol,
    (SELECT array_agg(standard ORDER BY standard) FROM token_standards WHERE chain_id = $1 AND address = $2::bytea) AS standards,
    EXISTS (SELECT 1 FROM node_sourced_tokens WHERE chain_id = $1 AND token = $2::bytea AND standard = 1) AS sourced
  FROM (SELECT number FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1) head
  LEFT JOIN token_metadata m ON m.chain_id = $1 AND m.address = $2::bytea)
SELECT totals.*, h.owner, h.balance FROM totals CROSS JOIN (
  SELECT owner, balance FROM balances WHERE chain_id = $1 AND token = $2::bytea AND standard = 1 AND balance > 0 AND standard > 0
  ORDER BY balance DESC, owner LIMIT $3::int8 OFFSET $4::int8) h
ORDER BY h.balance DESC, h.owner
