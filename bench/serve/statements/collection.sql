-- The ids of a collection that a wallet holds, with the balances of a day ago and metadata: a row per id.
-- $1 chain, $2 owner, $3 collection, $4 now (unix seconds)
WITH day AS MATERIALIZED (
    SELECT number FROM blocks WHERE chain_id = $1 AND timestamp < $4::int8 - 86399 ORDER BY timestamp DESC, number DESC LIMIT 1),
  contract AS MATERIALIZED (
    SELECT name, symbol, (SELECT array_agg(standard ORDER BY standard) FROM token_standards WHERE chain_id = $1 AND address = $3::bytea) AS standards
    FROM token_metadata WHERE chain_id = $1 AND address = $3::bytea)
SELECT contract.name, contract.symbol, contract.standards, i.standard, i.balance, b.timestamp AS moved_at,
  CASE WHEN i.since_block <= day.number THEN i.balance
    ELSE coalesce((SELECT p.balance FROM nft_balance_periods p
      WHERE p.chain_id = $1 AND p.owner = $2::bytea AND p.token = $3::bytea AND p.token_id = i.token_id AND p.standard = i.standard
        AND p.from_block <= day.number
      ORDER BY p.from_block DESC LIMIT 1), 0) END AS balance_24h,
  i.token_id, t.original_owner, d.token_url, d.refusal, d.document IS NOT NULL AS has_document, d.name, d.description, d.image, d.animation_url,
  d.external_url, d.attributes, d.asset_bytes
FROM nft_balances i CROSS JOIN day CROSS JOIN contract
LEFT JOIN blocks b ON b.chain_id = $1 AND b.number = i.since_block
LEFT JOIN nft_tokens t ON t.chain_id = $1 AND t.token = i.token AND t.token_id = i.token_id AND t.standard = i.standard
LEFT JOIN nft_metadata d ON d.chain_id = $1 AND d.token = i.token AND d.token_id = i.token_id
WHERE i.chain_id = $1 AND i.owner = $2::bytea AND i.token = $3::bytea AND i.balance IS DISTINCT FROM 0
ORDER BY i.token_id, i.standard
